"""Trees of dictionaries."""


def merged(base, other):
    """Return a config in which the other one's values win; lists are joined, None takes away."""
    result = dict(base)
    for key, value in other.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        elif isinstance(value, list) and isinstance(result.get(key), list):
            result[key] = result[key] + [item for item in value if item not in result[key]]
        else:
            result[key] = value
    return result


def sizes(tree, path=""):
    """Return the size of each folder by its path: of all files below it."""
    found = {}
    total = 0
    for name, below in tree.items():
        if isinstance(below, dict):
            inside = sizes(below, path + "/" + name)
            found.update(inside)
            total += inside[path + "/" + name]
        else:
            total += below
    found[path] = total
    return found
