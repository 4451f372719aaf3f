"""Walks through tables of numbers."""


def spiral(rows):
    """All values, from the upper left clockwise to the middle."""
    seen = []
    top, bottom = 0, len(rows) - 1
    left, right = 0, len(rows[0]) - 1 if rows else -1
    while top <= bottom and left <= right:
        for column in range(left, right + 1):
            seen.append(rows[top][column])
        top += 1
        for row in range(top, bottom + 1):
            seen.append(rows[row][right])
        right -= 1
        if top <= bottom:
            for column in range(right, left - 1, -1):
                seen.append(rows[bottom][column])
            bottom -= 1
        if left <= right:
            for row in range(bottom, top - 1, -1):
                seen.append(rows[row][left])
            left += 1
    return seen


def determinant(rows):
    if len(rows) == 1:
        return rows[0][0]
    total = 0
    for column, value in enumerate(rows[0]):
        minor = [row[:column] + row[column + 1 :] for row in rows[1:]]
        total += (-1) ** column * value * determinant(minor)
    return total


def living(cells, x, y):
    """How many of eight neighbours live."""
    count = 0
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            if (dx or dy) and (x + dx, y + dy) in cells:
                count += 1
    return count


def generation(cells):
    """The next generation of Conway's game of life."""
    near = {(x + dx, y + dy) for x, y in cells for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    return {
        cell
        for cell in near
        if living(cells, *cell) == 3 or (cell in cells and living(cells, *cell) == 2)
    }


def islands(rows):
    """How many areas of 1 there are."""
    rows = [list(row) for row in rows]
    count = 0
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            if value == 1:
                count += 1
                sink(rows, x, y)
    return count


def sink(rows, x, y):
    if not (0 <= y < len(rows) and 0 <= x < len(rows[y])):
        return
    if rows[y][x] != 1:
        return
    rows[y][x] = 0
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        sink(rows, x + dx, y + dy)
