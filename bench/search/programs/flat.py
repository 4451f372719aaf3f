"""Flatten nested lists."""


def flat(items):
    """Return the items of nested lists in one list."""
    found = []
    for item in items:
        if isinstance(item, list):
            found.extend(flat(item))
        else:
            found.append(item)
    return found
