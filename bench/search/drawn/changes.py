"""What has changed."""


def difference(old, new):
    """Return which keys were added, removed and changed."""
    added = sorted(key for key in new if key not in old)
    removed = sorted(key for key in old if key not in new)
    changed = sorted(key for key in old if key in new and old[key] != new[key])
    return added, removed, changed


def applied(lines, edits):
    """Apply edits (place, how many lines go, lines that come) to lines; places are the old ones'."""
    result = list(lines)
    shift = 0
    for place, gone, come in sorted(edits):
        at = place + shift
        result[at : at + gone] = come
        shift += len(come) - gone
    return result


def history(events, key):
    """Return the values that a key had one after the other, without repetitions."""
    values = []
    for name, value in events:
        if name != key:
            continue
        if not values or values[-1] != value:
            values.append(value)
    return values
