"""A store of goods."""


class Store:
    """Keeps goods in batches: what expires first leaves first."""

    def __init__(self):
        self.batches = {}

    def receive(self, item, count, expires):
        if count < 1:
            raise ValueError("nothing received")
        batches = self.batches.setdefault(item, [])
        batches.append([expires, count])
        batches.sort()

    def on_hand(self, item, day=0):
        return sum(count for expires, count in self.batches.get(item, []) if expires >= day)

    def take(self, item, count, day):
        if self.on_hand(item, day) < count:
            return []
        taken = []
        for batch in self.batches[item]:
            expires, left = batch
            if expires < day or count == 0:
                continue
            used = min(left, count)
            batch[1] -= used
            count -= used
            taken.append((expires, used))
        self.batches[item] = [batch for batch in self.batches[item] if batch[1] > 0]
        return taken


def reorder(levels, sold, days, minimum=5):
    """Return how many of each item are to be ordered so that they last for some days."""
    orders = {}
    for item, level in levels.items():
        daily = sold.get(item, 0) / 7
        wanted = max(int(daily * days), minimum)
        if level < wanted:
            orders[item] = wanted - level
    return orders
