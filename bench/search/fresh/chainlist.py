"""A list of linked nodes."""


class Node:
    def __init__(self, value, following=None):
        self.value = value
        self.following = following


class Chain:
    """Values, one after the other."""

    def __init__(self, values=()):
        self.first = None
        self.size = 0
        for value in values:
            self.append(value)

    def __iter__(self):
        node = self.first
        while node is not None:
            yield node.value
            node = node.following

    def __len__(self):
        return self.size

    def append(self, value):
        """Put a value at the end."""
        if self.first is None:
            self.first = Node(value)
        else:
            node = self.first
            while node.following is not None:
                node = node.following
            node.following = Node(value)
        self.size += 1

    def insert(self, place, value):
        """Put a value before the one at `place`; at its end a chain grows."""
        if not 0 <= place <= self.size:
            raise IndexError(f"no place {place}")
        if place == 0:
            self.first = Node(value, self.first)
        else:
            node = self._node(place - 1)
            node.following = Node(value, node.following)
        self.size += 1

    def remove(self, value):
        """Take the first such value out; raise ValueError where there is none."""
        before, node = None, self.first
        while node is not None and node.value != value:
            before, node = node, node.following
        if node is None:
            raise ValueError(f"{value!r} is not in the chain")
        if before is None:
            self.first = node.following
        else:
            before.following = node.following
        self.size -= 1

    def reverse(self):
        """Turn the chain around."""
        before, node = None, self.first
        while node is not None:
            node.following, before, node = before, node, node.following
        self.first = before

    def find(self, value):
        """Return where a value stands first, or -1."""
        for place, other in enumerate(self):
            if other == value:
                return place
        return -1

    def middle(self):
        """Return the value in the middle, of an even number the later one; None of an empty chain."""
        slow = fast = self.first
        while fast is not None and fast.following is not None:
            slow = slow.following
            fast = fast.following.following
        return slow.value if slow else None

    def merged(self, other):
        """Return a chain with the values of two ordered chains in order."""
        result = Chain()
        one, two = self.first, other.first
        while one is not None and two is not None:
            if one.value <= two.value:
                result.append(one.value)
                one = one.following
            else:
                result.append(two.value)
                two = two.following
        rest = one if one is not None else two
        while rest is not None:
            result.append(rest.value)
            rest = rest.following
        return result

    def _node(self, place):
        node = self.first
        for _ in range(place):
            node = node.following
        return node
