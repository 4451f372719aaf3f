"""Fit the probability that a patch of the search is right on one half of what is known, show the other.

    python -m bench.search.calibrate                          fit, and show how it does
    python -m bench.search.calibrate --add RESULTS --set NAME take in what bench.search --out wrote

`calibration.csv` has one row for each repair whose outcome is known: was the patch that passed all
tests equal to the right program? What the weights are worth is shown in two ways: fitted on one half
and shown on the other (programs take turns, and none is in both), and each program by the weights of
all others. The weights that are used are those of all rows.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from bot.model import Witnesses
from bot.repair.proposers.search.confidence import WEIGHTS, features, likelihood

TABLE = Path(__file__).with_name("calibration.csv")
_COUNTS = (
    "mutants",
    "caught",
    "rivals",
    "passing",
    "failing",
    "rank",
    "lines",
    "reached",
    "silenced",
)
_VALUES = ("compared", "shifted", "neighbours", "turned", "outcomes")
_OF_ANSWERS = ("vague", "single", "shift")
_PARTS = ("share", "weight")
_COLUMNS = ("set", "subject", "equal", *_COUNTS, *_PARTS, *_VALUES)

_RIDGE = 0.5
"""How much weights are pulled to zero: few rows, so that none of them may count much alone."""

_ROUNDS = 20
_BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 1.0)
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Known:
    """A repair whose outcome is known.

    Attributes:
        origin: The set that the fault is from.
        subject: The fault.
        equal: Whether the patched program was equal to the right one.
        seen: What was known of the patch when it was proposed.
        values: Whether answers were compared: in the rows from before that they are unknown.
        usual: Features that are unknown, as they are on average.
    """

    origin: str
    subject: str
    equal: bool
    seen: Witnesses
    values: bool = True
    usual: Mapping[str, float] = field(default_factory=dict)

    @property
    def features(self) -> dict[str, float]:
        """What the regression looks at."""
        return {**features(self.seen), **self.usual}

    def probability(self, weights: Mapping[str, float] = WEIGHTS) -> float:
        """Return how likely these weights call the patch right."""
        return likelihood(self.features, weights)

    @property
    def program(self) -> str:
        """What the fault is in."""
        return f"{self.origin}/{self.subject.rpartition('-')[0]}"


def load(file: Path = TABLE) -> list[Known]:
    """Return the rows of the table; where answers were not compared, they say what is usual."""
    with file.open(encoding="utf-8", newline="") as opened:
        rows = [_known(row) for row in csv.DictReader(opened)]
    compared = [features(known.seen) for known in rows if known.values]
    usual = {
        name: sum(row[name] for row in compared) / max(1, len(compared)) for name in _OF_ANSWERS
    }
    return [known if known.values else replace(known, usual=usual) for known in rows]


def halves(rows: Sequence[Known]) -> tuple[list[Known], list[Known]]:
    """Return the rows to fit and those to show: programs take turns, in the order of their names."""
    programs = sorted({row.program for row in rows})
    fitted = set(programs[::2])
    return (
        [row for row in rows if row.program in fitted],
        [row for row in rows if row.program not in fitted],
    )


def fitted(rows: Sequence[Known]) -> dict[str, float]:
    """Return the weights of a logistic regression, none of which speaks for a patch.

    As long as one does, the one that does so most is left out.
    """
    names = [*WEIGHTS]
    while True:
        weights = _regression(rows, names)
        worst = max((name for name in names if name), key=lambda name: weights[name], default="")
        if not worst or weights[worst] <= 0:
            return {name: weights.get(name, 0.0) for name in WEIGHTS}
        names.remove(worst)


def _regression(rows: Sequence[Known], names: Sequence[str]) -> dict[str, float]:
    """Return the weights of a logistic regression with a ridge, by Newton's method."""
    known = [([item.features[name] for name in names], item.equal) for item in rows]
    weights = [0.0] * len(names)
    for _ in range(_ROUNDS):
        pull = [_RIDGE if name else 0.0 for name in names]
        slopes = [-ridge * weight for ridge, weight in zip(pull, weights, strict=True)]
        curves = [
            [pull[i] if i == j else 0.0 for j in range(len(names))] for i in range(len(names))
        ]
        for row, equal in known:
            odds = sum(weight * value for weight, value in zip(weights, row, strict=True))
            guess = 1 / (1 + math.exp(-odds))
            for i, value in enumerate(row):
                slopes[i] += (equal - guess) * value
                for j, other in enumerate(row):
                    curves[i][j] += guess * (1 - guess) * value * other
        steps = _solved(curves, slopes)
        weights = [weight + step for weight, step in zip(weights, steps, strict=True)]
    rounded = (round(weight, 2) for weight in weights)
    return dict(zip(names, rounded, strict=True))


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Return the solution of a system of linear equations, by elimination with the largest pivot."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for n in range(len(rows)):
        best = max(range(n, len(rows)), key=lambda i: abs(rows[i][n]))
        rows[n], rows[best] = rows[best], rows[n]
        rows[n] = [value / rows[n][n] for value in rows[n]]
        for i, row in enumerate(rows):
            if i != n:
                rows[i] = [item - row[n] * two for item, two in zip(row, rows[n], strict=True)]
    return [row[-1] for row in rows]


def each_by_the_others(rows: Sequence[Known]) -> Iterator[tuple[Known, float]]:
    """Yield each row with its estimate by weights that were fitted without its program."""
    for program in sorted({row.program for row in rows}):
        weights = fitted([row for row in rows if row.program != program])
        yield from ((row, row.probability(weights)) for row in rows if row.program == program)


def brier(rows: Sequence[tuple[Known, float]]) -> float:
    """Return the mean square of what estimates are off by: 0 is best, 0.25 is a coin."""
    return sum((estimate - row.equal) ** 2 for row, estimate in rows) / len(rows)


def figures(rows: Sequence[tuple[Known, float]]) -> Iterator[str]:
    """Yield what is to be known of estimates, as lines of Markdown."""
    right = sum(row.equal for row, _ in rows)
    rate = right / len(rows)
    yield f"{len(rows)} patches, {right} of them right. Brier score: {brier(rows):.3f} "
    yield f"(always saying {rate:.0%}: {rate * (1 - rate):.3f})."
    yield "\n| Estimated | patches | mean estimate | right |\n|---|--:|--:|--:|"
    for low, high in pairwise(_BINS):
        inside = [(row, estimate) for row, estimate in rows if low <= estimate < high]
        if inside:
            mean = sum(estimate for _, estimate in inside) / len(inside)
            part = sum(known.equal for known, _ in inside) / len(inside)
            yield f"| {low:.0%} to {high:.0%} | {len(inside)} | {mean:.0%} | {part:.0%} |"
    yield "\n| Required | fixed | of them right | precision | right ones only suggested |"
    yield "|--:|--:|--:|--:|--:|"
    for least in _THRESHOLDS:
        fixed = [row for row, estimate in rows if estimate >= least]
        good = sum(known.equal for known in fixed)
        precision = f"{good / len(fixed):.0%}" if fixed else ""
        yield f"| {least:.0%} | {len(fixed)} | {good} | {precision} | {right - good} |"


def main() -> None:
    """Take in results, or fit and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.search.calibrate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--add", type=Path, metavar="RESULTS", help="of bench.search --out")
    parser.add_argument("--set", default="own", metavar="NAME", help="where they are from")
    options = parser.parse_args()
    rows = load() if TABLE.exists() else []
    if options.add:
        _write([*rows, *_results(options.add, options.set)])
        return
    print(json.dumps(fitted(rows), indent=4))
    first, second = halves(rows)
    weights = fitted(first)
    for title, part in (("Fitted", first), ("Shown", second)):
        print(f"\n{title}: {', '.join(sorted({known.origin for known in part}))}")
        print("\n".join(figures([(known, known.probability(weights)) for known in part])))
    apart = list(each_by_the_others(rows))
    for origin in sorted({row.origin for row in rows}):
        print(f"\nEach by the others: {origin}")
        print("\n".join(figures([each for each in apart if each[0].origin == origin])))
    print("\nEach by the others: all")
    print("\n".join(figures(apart)))


def _results(file: Path, origin: str) -> Iterator[Known]:
    for item in json.loads(file.read_text("utf-8")):
        if item["patch"] and item["witnesses"]:
            yield Known(origin, item["subject"], item["equal"], Witnesses(**item["witnesses"]))


def _known(row: Mapping[str, str]) -> Known:
    seen = Witnesses(
        mutants=int(row["mutants"]),
        caught=int(row["caught"]),
        rivals=int(row["rivals"]),
        share=float(row["share"]),
        passing=int(row["passing"]),
        failing=int(row["failing"]),
        weight=float(row["weight"]),
        rank=int(row["rank"]),
        lines=int(row["lines"]),
        reached=int(row.get("reached", 0)),
        silenced=int(row.get("silenced", 0)),
    )
    known = {name: int(row[name]) for name in _VALUES if row.get(name)}
    seen = replace(seen, **known)
    return Known(row["set"], row["subject"], row["equal"] == "yes", seen, bool(known))


def _write(rows: Sequence[Known]) -> None:
    latest = {(row.origin, row.subject): row for row in rows}
    with TABLE.open("w", encoding="utf-8", newline="") as opened:
        table = csv.writer(opened, lineterminator="\n")
        table.writerow(_COLUMNS)
        for key in sorted(latest):
            known = latest[key]
            counts = [getattr(known.seen, name) for name in _COUNTS]
            parts = [round(getattr(known.seen, name), 3) for name in _PARTS]
            equal = "yes" if known.equal else "no"
            last = [getattr(known.seen, name) if known.values else "" for name in _VALUES]
            table.writerow([known.origin, known.subject, equal, *counts, *parts, *last])


if __name__ == "__main__":
    main()
