"""What is asked, as a few points that tests can show."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

_ADD = re.compile(r"(?:please\s+)?add(?:\s*[:\u2013\u2014-])?\s+\S", re.IGNORECASE)


class RequestKind(StrEnum):
    """What is asked for: a `change` is one that no test shows, in a pull request of ours."""

    BUG = "bug"
    FEATURE = "feature"
    CHANGE = "change"


class Specify(StrEnum):
    """Whether an issue without a failing test becomes a specification before its tests are written."""

    ON = "on"
    OFF = "off"
    APPROVE = "approve"


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that has to hold in the end.

    Attributes:
        expected: What is expected.
        happens: What happens now.
        see: How to see it.
        tests: Ids of the written tests that show it.
        why_not: Why no test shows it, as a sentence, or "".
    """

    expected: str
    happens: str = ""
    see: str = ""
    tests: tuple[str, ...] = ()
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Specification:
    """What an issue asks, as a model read it (untrusted text).

    Attributes:
        title: In one line.
        points: At least one.
        kind: Of the request.
        model: That wrote it, or "".
    """

    title: str
    points: tuple[Point, ...]
    kind: RequestKind = RequestKind.BUG
    model: str = ""

    @property
    def untested(self) -> tuple[tuple[int, Point], ...]:
        """The points, with their numbers from 1, that no test shows."""
        return tuple((n, point) for n, point in enumerate(self.points, 1) if not point.tests)

    def with_points(self, points: tuple[Point, ...]) -> Specification:
        """Return it with what its tests show."""
        return replace(self, points=points)


def kind_of(instructions: str) -> RequestKind:
    """Return what a request asks for; `/fix add ...` asks for a feature where nothing fails."""
    return RequestKind.FEATURE if _ADD.match(instructions.strip()) else RequestKind.BUG
