"""Points of games."""


def bowling(rolls):
    """Return the points of a game of ten frames."""
    points = 0
    at = 0
    for _ in range(10):
        if rolls[at] == 10:
            points += 10 + rolls[at + 1] + rolls[at + 2]
            at += 1
        elif rolls[at] + rolls[at + 1] == 10:
            points += 10 + rolls[at + 2]
            at += 2
        else:
            points += rolls[at] + rolls[at + 1]
            at += 2
    return points


def standings(matches):
    """Return teams by points, then by difference of goals, then by name: three for a win."""
    table = {}
    for home, away, scored, conceded in matches:
        for team, own, other in ((home, scored, conceded), (away, conceded, scored)):
            points, difference = table.get(team, (0, 0))
            if own > other:
                points += 3
            elif own == other:
                points += 1
            table[team] = (points, difference + own - other)
    return sorted(table, key=lambda team: (-table[team][0], -table[team][1], team))
