"""A shop's stock, orders and receipts."""


class OutOfStock(Exception):
    """There is less of it than was asked for."""


class Shop:
    """Articles with a price, and how many there are."""

    def __init__(self, prices, stock=None):
        self.prices = prices
        self.stock = dict(stock or {})
        self.sold = []

    def deliver(self, article, count):
        """Add to the stock."""
        if count <= 0:
            raise ValueError(f"a delivery of {count}")
        self.stock[article] = self.stock.get(article, 0) + count

    def sell(self, article, count=1):
        """Take out of the stock and return what it costs; ten or more are a tenth cheaper."""
        if self.stock.get(article, 0) < count:
            raise OutOfStock(f"{article}: {self.stock.get(article, 0)} left")
        self.stock[article] -= count
        if self.stock[article] == 0:
            del self.stock[article]
        cost = self.prices[article] * count
        if count >= 10:
            cost = cost * 9 / 10
        self.sold.append((article, count, cost))
        return cost

    def revenue(self, article=None):
        """Return what all sales came to, or those of one article."""
        return sum(cost for name, _, cost in self.sold if article is None or name == article)

    def best_seller(self):
        """Return the article that sold most pieces, of equals the first by name; None without sales."""
        counts = {}
        for name, count, _ in self.sold:
            counts[name] = counts.get(name, 0) + count
        if not counts:
            return None
        return min(counts, key=lambda name: (-counts[name], name))

    def missing(self, order):
        """Return what an order (article to count) lacks, with how many."""
        lacking = {}
        for article, count in order.items():
            have = self.stock.get(article, 0)
            if have < count:
                lacking[article] = count - have
        return lacking

    def receipt(self):
        """Return a line for each sale, and the sum."""
        lines = [f"{count} x {name}: {cost:.2f}" for name, count, cost in self.sold]
        lines.append(f"total: {self.revenue():.2f}")
        return "\n".join(lines)

    def restocked(self, least):
        """Return how many to order of each known article so that there are at least so many."""
        wanted = {}
        for article in sorted(self.prices):
            have = self.stock.get(article, 0)
            if have >= least:
                continue
            wanted[article] = least - have
        return wanted
