"""How many places a number of runs needs: Erlang's formula for who waits, M/M/c.

    python -m bench.erlang      --minutes N (of a run)

Runs are asked for at random and take random times; both are exponential, which is worse than what
was seen. See https://doi.org/10.1002/9781118625651, chapter 2.3.
"""

from __future__ import annotations

import argparse
from itertools import count

from bench.tables import print_table

RATES = (6, 30, 60, 300, 1000)
"""Runs an hour."""

MINUTES = 10.0
_MOST_WAIT_MINUTES = 1.0


def probability_of_waiting(places: int, load: float) -> float:
    """Return Erlang C: the part of all runs that finds no place.

    Args:
        places: Runs at once.
        load: Runs that would be at work at once if there were places for all.
    """
    blocked = 1.0
    for number in range(1, places + 1):
        blocked = load * blocked / (number + load * blocked)
    return blocked / (1 - load / places * (1 - blocked))


def mean_wait(places: int, load: float, minutes: float) -> float:
    """Return for how many minutes a run waits on average."""
    return probability_of_waiting(places, load) * minutes / (places - load)


def places_for(load: float, minutes: float, most: float) -> int:
    """Return the fewest places with which runs wait for no more than `most` minutes on average."""
    enough = (n for n in count(int(load) + 1) if mean_wait(n, load, minutes) <= most)
    return next(enough)


def main(minutes: float = MINUTES) -> None:
    """Print how many places are enough."""
    rows = []
    for rate in RATES:
        load = rate * minutes / 60
        places = places_for(load, minutes, _MOST_WAIT_MINUTES)
        rows.append(
            (
                str(rate),
                f"{load:.0f}",
                str(places),
                f"{probability_of_waiting(places, load):.0%}",
                f"{mean_wait(places, load, minutes) * 60:.0f} s",
            )
        )
    title = f"Runs of {minutes:g} minutes that wait for {_MOST_WAIT_MINUTES:g} minute at most on average"
    print_table(title, ("runs an hour", "at work", "places", "who wait", "mean wait"), rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=MINUTES, help="that a run takes")
    main(parser.parse_args().minutes)
