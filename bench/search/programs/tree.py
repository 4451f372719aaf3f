"""A binary search tree."""


class Node:
    """A key with smaller ones to the left and larger ones to the right."""

    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


def insert(root, key):
    """Add a key and return the tree."""
    if root is None:
        return Node(key)
    if key < root.key:
        root.left = insert(root.left, key)
    elif key > root.key:
        root.right = insert(root.right, key)
    return root


def height(root):
    """Return the number of nodes on the longest way down."""
    if root is None:
        return 0
    return 1 + max(height(root.left), height(root.right))


def in_order(root):
    """Yield the keys in order."""
    if root is not None:
        yield from in_order(root.left)
        yield root.key
        yield from in_order(root.right)


def built(keys):
    """Return a tree of keys."""
    root = None
    for key in keys:
        root = insert(root, key)
    return root
