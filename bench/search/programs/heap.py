"""A heap that gives back the smallest first."""


class Heap:
    """Keeps items so that the smallest is at hand."""

    def __init__(self, items=()):
        self.items = []
        for item in items:
            self.push(item)

    def push(self, item):
        """Add an item."""
        self.items.append(item)
        child = len(self.items) - 1
        while child > 0:
            parent = (child - 1) // 2
            if self.items[parent] <= self.items[child]:
                break
            self.items[parent], self.items[child] = self.items[child], self.items[parent]
            child = parent

    def pop(self):
        """Take the smallest item."""
        smallest = self.items[0]
        last = self.items.pop()
        if self.items:
            self.items[0] = last
            self._sink(0)
        return smallest

    def _sink(self, parent):
        while True:
            child = 2 * parent + 1
            if child >= len(self.items):
                return
            if child + 1 < len(self.items) and self.items[child + 1] < self.items[child]:
                child += 1
            if self.items[parent] <= self.items[child]:
                return
            self.items[parent], self.items[child] = self.items[child], self.items[parent]
            parent = child


def heap_sorted(items):
    """Return the items in order."""
    heap = Heap(items)
    return [heap.pop() for _ in range(len(heap.items))]
