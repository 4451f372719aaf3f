"""Games on boards."""


def moves(board, row, column):
    """Return where a rook can go: to free fields (`.`), and to the first of the others' (small letters)."""
    found = []
    for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        at, to = row + down, column + right
        while 0 <= at < len(board) and 0 <= to < len(board[at]):
            field = board[at][to]
            if field == ".":
                found.append((at, to))
            else:
                if field.islower():
                    found.append((at, to))
                break
            at += down
            to += right
    return sorted(found)


def winner(board, count=3):
    """Return who has so many in a line, or "" where nobody has."""
    for row in range(len(board)):
        for column in range(len(board[0])):
            who = board[row][column]
            if who == ".":
                continue
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                length = 1
                at, to = row + down, column + right
                while at < len(board) and 0 <= to < len(board[0]) and board[at][to] == who:
                    length += 1
                    at += down
                    to += right
                if length >= count:
                    return who
    return ""
