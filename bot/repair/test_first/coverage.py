"""Decide which points of a specification the written tests show. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from bot.model import Point, Specification
from bot.model.answers import json_objects

_REASON_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Claims:
    """What the author of tests says of them, by number of the point, from 1.

    Attributes:
        tests: Names of tests.
        why_not: Why there is none.
    """

    tests: Mapping[int, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    why_not: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))


def read_claims(summary: str) -> Claims:
    """Return what the last JSON object of a summary claims that has points; nothing else counts."""
    for candidate in json_objects(summary):
        points = candidate.get("points")
        if isinstance(points, list):
            told = [point for point in points if isinstance(point, dict)]
            return Claims(
                {n: _names(item) for item in told if (n := _number(item)) and _names(item)},
                {n: why for item in told if (n := _number(item)) and (why := _why_not(item))},
            )
    return Claims()


def covered(
    specification: Specification,
    failing: Iterable[str],
    judged: Sequence[Sequence[str]],
    claims: Claims,
) -> Specification:
    """Return the specification with the tests that show each point, or why none does.

    What the reviewer says goes before what the author claims. All tests are about a sole point.

    Args:
        specification: What was asked.
        failing: Ids of the new tests, which fail.
        judged: For each point, what the reviewer named; may be shorter.
        claims: Of the author.
    """
    known = sorted(failing)
    points = []
    for n, point in enumerate(specification.points, 1):
        tests = tuple(test for test in known if n <= len(judged) and test in judged[n - 1])
        if not judged:
            tests = _named(claims.tests.get(n, ()), known)
        if not tests and len(specification.points) == 1:
            tests = tuple(known)
        why_not = "" if tests else claims.why_not.get(n, "")
        points.append(replace(point, tests=tests, why_not=why_not))
    return specification.with_points(tuple(points))


def open_points(specification: Specification) -> tuple[tuple[int, Point], ...]:
    """Return the points, with their numbers, that no test shows although nothing says why."""
    return tuple(pair for pair in specification.untested if not pair[1].why_not)


def _named(names: Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return the tests that names mean: a runner's ids end with what people call a test."""
    ends = {re.split(r"::|[./ ]", name.partition("[")[0])[-1] for name in names}
    return tuple(
        test for test in known if re.split(r"::|[./ ]", test.partition("[")[0])[-1] in ends
    )


def _number(claim: Mapping[str, object]) -> int | None:
    number = claim.get("point")
    return number if type(number) is int else None


def _names(claim: Mapping[str, object]) -> tuple[str, ...]:
    tests = claim.get("tests")
    return tuple(test for test in tests if isinstance(test, str)) if isinstance(tests, list) else ()


def _why_not(claim: Mapping[str, object]) -> str:
    said = claim.get("why_not")
    return " ".join(said.split())[:_REASON_CHARACTERS] if isinstance(said, str) else ""
