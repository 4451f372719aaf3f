"""Print figures as Markdown tables."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Sequence
from statistics import median

_LOOPS = 2_000_000


def print_machine() -> None:
    """Say where the figures come from: they mean nothing without it."""
    cores, load = os.cpu_count(), os.getloadavg()[0]
    system = f"Linux {platform.release()}, Python {platform.python_version()}"
    print(f"{cores} cores, load {load:.1f} at the start, {system}")
    print(f"Yardstick: {yardstick() * 1000:.0f} ms of processor time for {_LOOPS:,} empty loops")


def yardstick() -> float:
    """Return the processor seconds of a fixed piece of work.

    Neighbours on the same machine slow a processor down without any load being seen.
    """
    started = time.process_time()
    for _ in range(_LOOPS):
        pass
    return time.process_time() - started


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; the first column is text, the others are figures."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    print(f"\n{title}\n")
    print(_line(head, widths))
    print("|".join(("", *("-" * (w + 1) + (":" if i else "-") for i, w in enumerate(widths)), "")))
    for row in rows:
        print(_line(row, widths))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        cell.rjust(width) if i else cell.ljust(width)
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "| " + " | ".join((first, *others)) + " |"


def milliseconds(seconds: Sequence[float]) -> str:
    """Return the median in milliseconds."""
    return f"{median(seconds) * 1000:.1f}"


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that `percent` of all values do not exceed (nearest rank)."""
    ranked = sorted(values)
    rank = -(-len(ranked) * percent // 100)
    return ranked[max(0, int(rank) - 1)]
