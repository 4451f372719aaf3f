"""Answers to small problems of programming contests."""


def shortened(word, longest=10):
    """Return a word that is too long as first letter, number of letters between, last letter."""
    if len(word) <= longest:
        return word
    return f"{word[0]}{len(word) - 2}{word[-1]}"


def advancing(scores, place):
    """Return how many have a positive score and at least that of the given place, from 1."""
    limit = scores[place - 1]
    return sum(1 for score in scores if score >= limit and score > 0)


def after_seconds(queue, seconds):
    """Return a queue in which, each second, every B with a G right behind lets it pass."""
    line = list(queue)
    for _ in range(seconds):
        place = 0
        while place < len(line) - 1:
            if line[place] == "B" and line[place + 1] == "G":
                line[place], line[place + 1] = "G", "B"
                place += 2
            else:
                place += 1
    return "".join(line)


def steps_to_middle(matrix):
    """Return how many swaps bring the 1 of a square matrix to its middle."""
    middle = len(matrix) // 2
    for y, row in enumerate(matrix):
        for x, value in enumerate(row):
            if value == 1:
                return abs(y - middle) + abs(x - middle)
    return -1


def least_coins(coins):
    """Return the fewest coins that are worth more than the rest of them together."""
    half = sum(coins) / 2
    taken = worth = 0
    for coin in sorted(coins, reverse=True):
        worth += coin
        taken += 1
        if worth > half:
            break
    return taken


def dangerous(players, run=7):
    """Whether so many players of one team, told by "0" and "1", stand side by side."""
    streak = 0
    before = ""
    for player in players:
        streak = streak + 1 if player == before else 1
        if streak >= run:
            return True
        before = player
    return False


def taxis(groups):
    """Return the fewest cars of four seats for groups of one to four who stay together."""
    ones, twos = groups.count(1), groups.count(2)
    threes, fours = groups.count(3), groups.count(4)
    cars = fours + threes + twos // 2
    ones = max(0, ones - threes)
    left = twos % 2 * 2 + ones
    return cars + (left + 3) // 4


def next_distinct_year(year):
    """Return the first later year whose digits all differ."""
    year += 1
    while len(set(str(year))) < len(str(year)):
        year += 1
    return year


def removed_stones(stones):
    """Return how many stones must go so that no neighbours have the same colour."""
    return sum(1 for one, other in zip(stones, stones[1:]) if one == other)


def longest_rise(values):
    """Return the length of the longest run of values that never falls."""
    best = length = 0
    before = None
    for value in values:
        if before is None or value >= before:
            length += 1
        else:
            length = 1
        best = max(best, length)
        before = value
    return best
