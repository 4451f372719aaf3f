"""Read from what is known before the first call how hard a failure looks. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from bot.model import Failure, Observation, Reproduction

_TOOL_ERROR = re.compile(r"[^\s:]+:\d+: ")
"""How the id of a compiler's or linter's error begins; see `bot.model.observation.Failure`."""

_MANY_FAILURES = 5
_MANY_FILES = 3
_LARGE = 100_000
"""Bytes of the files that the failures name, together."""


class Signal(StrEnum):
    """Something that makes a failure look easy or hard."""

    TOOL_ERRORS = "tool errors"
    SUSPICIOUS_LINES = "suspicious lines"
    PARTIAL_PATCH = "partial patch"
    MANY_FAILURES = "many failures"
    MANY_FILES = "many files"
    LARGE_FILES = "large files"
    NO_TEST = "no test"
    NO_END = "no end"


_POINTS: Mapping[Signal, int] = MappingProxyType(
    {
        Signal.TOOL_ERRORS: -2,
        Signal.SUSPICIOUS_LINES: -1,
        Signal.PARTIAL_PATCH: -1,
        Signal.MANY_FAILURES: 1,
        Signal.MANY_FILES: 1,
        Signal.LARGE_FILES: 1,
        Signal.NO_TEST: 1,
        Signal.NO_END: 1,
    }
)
"""What each adds to the difficulty. Nobody measured them on models: what a repository's own runs
show goes before them; see `bot.repair.attempts.routing.model_choice`."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is known before a model is asked for the first time.

    Attributes:
        reproduction: What fails.
        file_bytes: Size of the files that the failures name, together.
        clues: Whether a search found suspicious lines.
        improved: Whether a patch of a proposer without a model mends some of the failures.
    """

    reproduction: Reproduction
    file_bytes: int = 0
    clues: bool = False
    improved: bool = False


def signals_of(known: Circumstances) -> tuple[Signal, ...]:
    """Return what makes the failure look easy or hard."""
    seen = known.reproduction.observation
    failing: tuple[Failure, ...] = seen.failing if seen is not None else ()
    wanted = {
        Signal.TOOL_ERRORS: _are_tool_errors(failing),
        Signal.SUSPICIOUS_LINES: known.clues,
        Signal.PARTIAL_PATCH: known.improved,
        Signal.MANY_FAILURES: len(failing) > _MANY_FAILURES,
        Signal.MANY_FILES: len(files_of(seen)) > _MANY_FILES,
        Signal.LARGE_FILES: known.file_bytes > _LARGE,
        Signal.NO_TEST: known.reproduction.test_patch is not None,
        Signal.NO_END: seen is not None and seen.timed_out,
    }
    return tuple(signal for signal, there in wanted.items() if there)


def difficulty(signals: tuple[Signal, ...]) -> int:
    """Return the sum of what the signals add: below zero looks easy, above it hard."""
    return sum(_POINTS[signal] for signal in signals)


def files_of(seen: Observation | None) -> tuple[str, ...]:
    """Return the files that the failures name, sorted."""
    return (
        ()
        if seen is None
        else tuple(sorted({failure.file for failure in seen.failing if failure.file}))
    )


def _are_tool_errors(failing: tuple[Failure, ...]) -> bool:
    return bool(failing) and all(_TOOL_ERROR.match(failure.test) for failure in failing)
