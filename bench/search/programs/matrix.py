"""Small matrices as lists of rows."""


def transposed(rows):
    """Return rows as columns."""
    return [[row[column] for row in rows] for column in range(len(rows[0]))] if rows else []


def product(left, right):
    """Return the product of two matrices."""
    columns = transposed(right)
    return [[sum(a * b for a, b in zip(row, column)) for column in columns] for row in left]


def spiral(rows):
    """Return the items clockwise from the top left, inwards."""
    found = []
    while rows:
        found += rows[0]
        rows = transposed(rows[1:])[::-1]
    return found
