"""A binary search tree of numbers."""


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


class Tree:
    def __init__(self, keys=()):
        self.root = None
        for key in keys:
            self.insert(key)

    def insert(self, key):
        if self.root is None:
            self.root = Node(key)
            return
        node = self.root
        while True:
            if key == node.key:
                return
            side = "left" if key < node.key else "right"
            below = getattr(node, side)
            if below is None:
                setattr(node, side, Node(key))
                return
            node = below

    def __contains__(self, key):
        node = self.root
        while node is not None:
            if key == node.key:
                return True
            node = node.left if key < node.key else node.right
        return False

    def __iter__(self):
        waiting, node = [], self.root
        while waiting or node is not None:
            while node is not None:
                waiting.append(node)
                node = node.left
            node = waiting.pop()
            yield node.key
            node = node.right

    def levels(self):
        """The keys level by level."""
        level = [self.root] if self.root else []
        found = []
        while level:
            found.append([node.key for node in level])
            level = [below for node in level for below in (node.left, node.right) if below]
        return found

    def delete(self, key):
        self.root = _deleted(self.root, key)

    def floor(self, key):
        """The largest key that is not above this one; None when there is none."""
        best, node = None, self.root
        while node is not None:
            if node.key <= key:
                best = node.key
                node = node.right
            else:
                node = node.left
        return best


def _deleted(node, key):
    if node is None:
        return None
    if key < node.key:
        node.left = _deleted(node.left, key)
    elif key > node.key:
        node.right = _deleted(node.right, key)
    elif node.left is None:
        return node.right
    elif node.right is None:
        return node.left
    else:
        after = node.right
        while after.left is not None:
            after = after.left
        node.key = after.key
        node.right = _deleted(node.right, after.key)
    return node


def balanced(node):
    """Whether no two sides differ by more than one level."""

    def height(at):
        if at is None:
            return 0
        left, right = height(at.left), height(at.right)
        if left < 0 or right < 0 or abs(left - right) > 1:
            return -1
        return max(left, right) + 1

    return height(node) >= 0
