"""Seats of a hall."""


def together(row, count):
    """Return the first place at which so many seats beside each other are free (`.`), else -1."""
    free = 0
    for place, seat in enumerate(row):
        if seat != ".":
            free = 0
            continue
        free += 1
        if free == count:
            return place - count + 1
    return -1


def booked(hall, wishes):
    """Book groups one after the other; return the hall, and which groups found no place."""
    rows = list(hall)
    without = []
    for name, count in wishes:
        for number, row in enumerate(rows):
            at = together(row, count)
            if at >= 0:
                rows[number] = row[:at] + name * count + row[at + count :]
                break
        else:
            without.append(name)
    return rows, without
