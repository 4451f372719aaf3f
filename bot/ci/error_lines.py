"""Pick the lines of an output that tell why it failed, without what differs from run to run. Pure."""

from __future__ import annotations

import re

from bot.ci.failures.console import NOISE, TELLING, plain
from bot.ci.failures.work_tree import relative_paths

_LAST = 5
"""Lines that count where none of an output speaks of an error."""

_FEWEST_LETTERS = 6

_LONGEST = 500
"""Characters of a line that are compared, so that hostile output can't make it costly."""

# Lines of diffs, pytest's error lines, what names a place in a file, and formatters that only check.
_SHAPES = re.compile(
    r"^(?:E {2,}\S|[-+]{3} \S|diff --git |(?:FAILED|ERROR) \S|would reformat |\S+\.\w+:\d+(?::\d+)?:? \S)",
    re.IGNORECASE,
)
# How runners of commands repeat that a command failed: make, tox, nox, npm, pre-commit, the runner.
_REPEATS = re.compile(
    r"Process completed with exit code|InvocationError|^\S+: (?:FAIL|exit \d|commands failed)"
    r"|evaluation failed|^FAILED \(|^nox > |ELIFECYCLE|^(?:Found )?\d+ (?:error|problem|failure)s?\b"
    r"|^Traceback \(most recent call last\)|\bdeprecat|^\+ ",
    re.IGNORECASE,
)
_TEMPORARY = (
    r"(?:/private)?/(?:tmp|var/folders|var/tmp)/[^\s'\":,)]+"
    r"|(?<![^\s'\"(])[^\s'\"(]*[\\/]work[\\/]_temp[\\/][^\s'\":,)]+"
    r"|[A-Za-z]:\\[^\s'\":]*\\Temp\\[^\s'\":,)]+"
)
_MOMENT = r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?(?![\w:])"
_LEVELS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\[gw\d+\](?: \[ *\d+%\])?"), ""),
    (re.compile(_TEMPORARY), "TMP"),
    # What is installed is the same file wherever an environment or a tool cache keeps it.
    (re.compile(r"(?<![^\s'\"(])[^\s'\"(]*[\\/](?:site|dist)-packages[\\/]"), ""),
    (re.compile(r"(?<![^\s'\"(])[^\s'\"(]*[\\/][Ll]ib[\\/]python\d[\d.]*t?[\\/]"), ""),
    (re.compile(_MOMENT), "#"),
    (re.compile(r"\b0x[0-9a-fA-F]+\b"), "#"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "#"),
    (re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b"), "#"),
    # Of a status, the number says what happened.
    (
        re.compile(
            r"(?i)\b(exit(?:ed with)? (?:code|status)|status(?: code)?|HTTP(?:Error)?|errno):? (-?\d{1,3})\b(?![.:,_]\d)"
        ),
        r"\1_\2",
    ),
    (re.compile(r"(?<![A-Za-z_\d])(?<!_-)\d+(?:[.:,_]\d+)*"), "#"),
    (re.compile(r"(?<=#)( ?)(?:[nmu\u00b5]s|secs?|seconds?|mins?|minutes?)\b"), r"\1s"),
    (re.compile(r"(?<! )[.:;]? *(?:Did you mean|Perhaps you meant)\b.*$"), ""),
    (re.compile(r"[\u2018\u2019\u00b4`]"), "'"),
    (re.compile(r"\s+"), " "),
)


def levelled(line: str) -> str:
    """Return a line without what differs between two runs of the same: places, times, numbers."""
    text = relative_paths(line[:_LONGEST])
    for pattern, instead in _LEVELS:
        text = pattern.sub(instead, text)
    return text.strip()


def telling_lines(output: str) -> dict[str, str]:
    """Return the lines that tell why a command failed, in order: levelled, and as they were printed.

    Where none speaks of an error, its last lines have to do.
    """
    lines = _lines(output)
    found = [line for line in lines if _tells(line)] or lines[-_LAST:]
    told: dict[str, str] = {}
    for line in found:
        told.setdefault(levelled(line), line)
    return {level: line for level, line in told.items() if _letters(level) >= _FEWEST_LETTERS}


def speaks_of_an_error(output: str) -> bool:
    """Whether any line of an output says that something is wrong, as far as its words show."""
    return any(map(_tells, _lines(output)))


def _lines(output: str) -> list[str]:
    return [line.strip() for line in plain(output).split("\n") if line.strip()]


def _tells(text: str) -> bool:
    speaks = TELLING.search(text) is not None or _SHAPES.search(text) is not None
    return speaks and not NOISE.search(text) and not _REPEATS.search(text)


def _letters(line: str) -> int:
    return sum(char.isalpha() for char in line)
