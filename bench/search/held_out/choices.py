"""Recursion and backtracking."""


def permutations(items):
    if not items:
        return [[]]
    found = []
    for place, item in enumerate(items):
        rest = items[:place] + items[place + 1 :]
        for tail in permutations(rest):
            found.append([item] + tail)
    return found


def combinations(items, count):
    if count == 0:
        return [[]]
    if not items:
        return []
    first, rest = items[0], items[1:]
    return [[first, *more] for more in combinations(rest, count - 1)] + combinations(rest, count)


def queens(size):
    """Placements of queens: the column in each row."""

    def safe(columns, column):
        row = len(columns)
        return all(
            other != column and abs(other - column) != row - place
            for place, other in enumerate(columns)
        )

    def place(columns):
        if len(columns) == size:
            return [columns]
        return [
            full
            for column in range(size)
            if safe(columns, column)
            for full in place([*columns, column])
        ]

    return place([])


def partitions(number, largest=None):
    """In how many ways a number is a sum of positive ones."""
    if largest is None:
        largest = number
    if number == 0:
        return 1
    return sum(partitions(number - part, part) for part in range(1, min(number, largest) + 1))


def fewest_coins(amount, coins):
    """How few coins make the amount, -1 when none do."""
    best = [0] + [float("inf")] * amount
    for total in range(1, amount + 1):
        for coin in coins:
            if coin <= total:
                best[total] = min(best[total], best[total - coin] + 1)
    return best[amount] if best[amount] != float("inf") else -1


def brackets(pairs):
    """All ways to set so many pairs of brackets."""
    found = []

    def extend(text, opened, closed):
        if len(text) == 2 * pairs:
            found.append(text)
            return
        if opened < pairs:
            extend(text + "(", opened + 1, closed)
        if closed < opened:
            extend(text + ")", opened, closed + 1)

    extend("", 0, 0)
    return found
