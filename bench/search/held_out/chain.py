"""A singly linked list."""


class Node:
    def __init__(self, value, after=None):
        self.value = value
        self.after = after


class Chain:
    def __init__(self, values=()):
        self.head = None
        self.size = 0
        for value in values:
            self.append(value)

    def __iter__(self):
        node = self.head
        while node is not None:
            yield node.value
            node = node.after

    def append(self, value):
        new = Node(value)
        self.size += 1
        if self.head is None:
            self.head = new
            return
        node = self.head
        while node.after is not None:
            node = node.after
        node.after = new

    def push(self, value):
        self.head = Node(value, self.head)
        self.size += 1

    def remove(self, value):
        """Take the first such value out; whether there was one."""
        before, node = None, self.head
        while node is not None and node.value != value:
            before, node = node, node.after
        if node is None:
            return False
        if before is None:
            self.head = node.after
        else:
            before.after = node.after
        self.size -= 1
        return True

    def reverse(self):
        before, node = None, self.head
        while node is not None:
            after = node.after
            node.after = before
            before = node
            node = after
        self.head = before

    def middle(self):
        """The value in the middle; the second one of two."""
        slow = fast = self.head
        while fast is not None and fast.after is not None:
            slow = slow.after
            fast = fast.after.after
        return slow.value if slow is not None else None

    def dedupe(self):
        """Drop repetitions of neighbours."""
        node = self.head
        while node is not None and node.after is not None:
            if node.value == node.after.value:
                node.after = node.after.after
                self.size -= 1
            else:
                node = node.after
