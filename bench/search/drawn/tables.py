"""Tables of text."""


def drawn(rows, gap=2):
    """Return rows as lines in which columns stand below each other, numbers to the right."""
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows)]
    lines = []
    for row in rows:
        cells = []
        for cell, width in zip(row, widths):
            if isinstance(cell, int):
                cells.append(str(cell).rjust(width))
            else:
                cells.append(str(cell).ljust(width))
        lines.append((" " * gap).join(cells).rstrip())
    return lines


def fields(line, separator=","):
    """Return the fields of a line in which quotes keep separators together, doubled ones stay."""
    found, current, quoted, place = [], "", False, 0
    while place < len(line):
        letter = line[place]
        if letter == '"':
            if quoted and line[place + 1 : place + 2] == '"':
                current += '"'
                place += 1
            else:
                quoted = not quoted
        elif letter == separator and not quoted:
            found.append(current)
            current = ""
        else:
            current += letter
        place += 1
    found.append(current)
    return found
