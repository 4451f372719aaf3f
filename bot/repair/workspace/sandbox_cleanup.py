"""Name what a run keeps at its sandbox provider, and remove it in the end."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from sandbox.base import SandboxError, SandboxProvider

MOST_EXTENSIONS = 12
"""Times that a prepared tree of one run may be extended."""


def extended(n: int) -> str:
    """Return what tells the n-th extension apart."""
    return f"extended-{n}"


TESTED, RETESTED = "tested", "retested"
"""What tells apart the trees with tests on top: those written first, and the same strengthened."""

PLACES = ("", "-2", "-3", "-4")
"""What tells the trees of one run apart: one for each failed job."""


def base_of(place: str) -> str:
    """Return the place of a job's tree at the base commit."""
    return f"-base{place}"


def dated(place: str) -> str:
    """Return the place of a job's tree with the packages of the day when it ran."""
    return f"{place}-dated"


def renewed_place(n: int) -> str:
    """Return the place of a tree that was set up anew, the n-th place of its run."""
    return f"-renewed-{n}"


def places_of(checks: int) -> tuple[str, ...]:
    """Return the places that a run about that many failed checks may have used."""
    heads = [each for place in PLACES[:checks] for each in (place, dated(place))]
    return (*heads, *map(base_of, heads))


def leftovers(run_id: str, places: Sequence[str] = PLACES[:1]) -> tuple[str, ...]:
    """Return the names under which a run keeps things at its sandbox provider."""
    kinds = (
        "setup",
        "with-test",
        "prepared",
        TESTED,
        RETESTED,
        *map(extended, range(1, MOST_EXTENSIONS + 1)),
    )
    return tuple(f"{run_id}-{kind}{place}" for place in places for kind in kinds)


async def clean_up(
    provider: SandboxProvider, run_id: str, places: Sequence[str] = PLACES[:1]
) -> None:
    """Remove what a run left at the provider; what can't be removed expires."""
    for name in leftovers(run_id, places):
        with contextlib.suppress(SandboxError):
            await provider.remove(name)
