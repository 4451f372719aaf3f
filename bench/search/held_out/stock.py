"""What a shop has."""


class NotEnough(Exception):
    def __init__(self, name, wanted, there):
        super().__init__(f"{wanted} {name} wanted, {there} there")
        self.wanted = wanted


class Stock:
    def __init__(self):
        self.items = {}
        self.log = []

    def add(self, name, count, price=None):
        if count <= 0:
            raise ValueError("count must be positive")
        old_count, old_price = self.items.get(name, (0, 0.0))
        if price is None:
            price = old_price
        self.items[name] = (old_count + count, price)
        self.log.append(("add", name, count))

    def take(self, name, count):
        there, price = self.items.get(name, (0, 0.0))
        if count > there:
            raise NotEnough(name, count, there)
        if there == count:
            del self.items[name]
        else:
            self.items[name] = (there - count, price)
        self.log.append(("take", name, count))
        return count * price

    def worth(self):
        return sum(count * price for count, price in self.items.values())

    def low(self, least=5):
        """Names of what runs out, fewest first."""
        few = [(count, name) for name, (count, _) in self.items.items() if count < least]
        return [name for _, name in sorted(few)]

    def receipt(self, name, count):
        _, price = self.items[name]
        return f"{count} x {name:<8}{count * price:>8.2f}"


def discounted(total, percent, least=0):
    """A total less some percent, if it reaches the least amount; never below nothing."""
    if total < least:
        return total
    return max(0, round(total * (100 - percent) / 100, 2))
