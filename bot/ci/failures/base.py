"""What a parser of test or lint output gives back, and the words that all parsers share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from bot.ci.failures.work_tree import relative_path
from bot.model import Failure, TestCounts
from bot.reporting.reasons import job_target

DETAIL = 6000
"""Most characters of one failure's account; an assertion's diff fits, a log dump does not."""

ACCOUNT_LINES = 200
"""Most lines behind a heading that count as its account: hostile output can't make it costly."""

DETAILED = 100
"""Failures that keep their account; nobody reads more, and every observation is stored."""

MESSAGE = 500
"""Most characters of the line that says why."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from one source.

    Attributes:
        failing: In the source's order.
        passed: Ids of tests that passed, when the source names them.
        skipped: Ids of skipped tests, likewise.
        counts: Tests by outcome, or None when the source does not say.
        is_whole: Whether its source came to its end; of what was cut off, and of what a program
            printed that looks like it, that can't be said.
        start: Offset of the first failure in the text; orders the readings of several tools.
        tolerated: Those of `skipped` that ran and failed, as a mark lets them: `xfail`, `todo`.
    """

    failing: tuple[Failure, ...] = ()
    passed: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()
    counts: TestCounts | None = None
    is_whole: bool = True
    start: int = 0
    tolerated: frozenset[str] = frozenset()


class Parser(Protocol):
    """Reads the output of one test runner or tool.

    Parsers are tried on every output, so that they must be strict about what they take for theirs.
    """

    def __call__(self, text: str, /) -> Reading | None:
        """Return what the plain text (see `console.plain`) says, or None when it is not theirs."""
        ...


def failure(
    test: str,
    message: str = "",
    *,
    file: str | None = None,
    line: int = 0,
    detail: str = "",
    column: int = 0,
) -> Failure:
    """Return a failure with bounded texts and a path relative to the work tree."""
    stripped = message.strip()
    return Failure(
        test=test,
        file=None if file is None else relative_path(file),
        line=line or None,
        message=(stripped.splitlines() or [""])[0][:MESSAGE],
        detail=shortened(detail.strip("\n"), DETAIL),
        column=column or None,
    )


def tool_failure(
    path: str, line: int, code: str, message: str, detail: str = "", *, column: int = 0
) -> Failure:
    """Return a compiler's or linter's error, its id built as `Failure.test` says."""
    shown = relative_path(path)
    whole = shown if PurePath(shown).suffix else f"./{shown}"
    place = f"{shown}:{line}" if line else whole
    return failure(f"{place}: {code}", message, file=path, line=line, detail=detail, column=column)


def inside(path: str) -> bool:
    """Whether a path of a traceback lies in the work tree's own code."""
    local = relative_path(path)
    foreign = local.startswith(("/", "..", "<", "node:")) or local[1:3] == ":/"
    return not foreign and "site-packages/" not in local and "node_modules/" not in local


def own_lines(text: str, mark: re.Pattern[str], *, unless: re.Pattern[str] | None = None) -> str:
    """Return the text with each mark of a runner at the beginning of a line, indented as it was.

    What a program prints without a newline stands in front of what its runner prints next.

    Args:
        text: Plain (see `console.plain`).
        mark: What only the runner prints, however the line begins.
        unless: Beginnings of lines in which nothing is a mark.
    """
    lines: list[str] = []
    for line in text.split("\n"):
        match = mark.search(line)
        start = len(line[: match.start()].rstrip(" ")) if match else 0
        if start and (unless is None or not unless.match(line)):
            lines += [line[:start], line[start:]]
        else:
            lines.append(line)
    return "\n".join(lines)


def shortened(text: str, limit: int) -> str:
    """Return the text, its middle replaced by a note when it is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    head, tail = limit // 3, limit - limit // 3
    return f"{text[:head]}\n{job_target.characters_left_out(len(text) - limit)}\n{text[-tail:]}"
