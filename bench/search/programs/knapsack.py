"""Fill a bag."""


def best_value(items, room):
    """Return the largest value of items, pairs of weight and value, that fit into the room."""
    best = [0] * (room + 1)
    for weight, value in items:
        for size in range(room, weight - 1, -1):
            best[size] = max(best[size], best[size - weight] + value)
    return best[room]


def common(one, other):
    """Return the length of the longest sequence that both texts have, gaps allowed."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            if a == b:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]
