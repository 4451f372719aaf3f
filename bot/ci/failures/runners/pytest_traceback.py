"""Where a pytest traceback ends in the project's own code, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.ci.failures.base import inside

# `tests/test_a.py:12: AssertionError`, `tests/test_a.py:1: in <module>`, `pkg/a.py:26: ` (a frame
# between), and the native style's `  File "a.py", line 3, in f`.
_FRAME = re.compile(
    r"^(?P<file>(?!E )[^\s:>][^:\n]*):(?P<line>\d{1,9}): ?(?:in \S+|[\w.]*)$"
    r'|^[ \t]*(?:E[ \t]+)?File "(?P<native>[^"\n]+)", line (?P<number>\d{1,9})',
    re.MULTILINE,
)
_ERROR_LINE = re.compile(r"^E {2,}(?P<text>\S.*)$", re.MULTILINE)
# Of two files that Python knows by one name, pytest can take only one.
_MISMATCH = re.compile(
    r"^which is not the same as the test file .*:\n\s*(?P<file>\S.*)$", re.MULTILINE
)
_PHASE = re.compile(r'^failed on (?:setup|teardown) with "(?P<text>.*)"?$')


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line (1-based) of a file of the work tree."""

    file: str
    line: int


def place(traceback: str) -> SourceLine | None:
    """Return the innermost frame that lies in the work tree, or None."""
    mismatch = _MISMATCH.search(traceback)
    if mismatch:
        return SourceLine(mismatch["file"], 1)
    return next((frame for frame in reversed(frames(traceback)) if inside(frame.file)), None)


def frames(traceback: str) -> list[SourceLine]:
    """Return the frames of a traceback, the outermost first, wherever their files are."""
    return [
        SourceLine(match["file"] or match["native"], int(match["line"] or match["number"]))
        for match in _FRAME.finditer(traceback)
    ]


def reason(message: str, traceback: str) -> str:
    """Return the line that says why: the report's message, or the traceback's first `E` line."""
    first = message.strip().split("\n")[0]
    phase = _PHASE.match(first)
    if phase:
        return phase["text"].removesuffix('"')
    if first and first != "collection failure":
        return first
    error = _ERROR_LINE.search(traceback)
    return error["text"] if error else traceback.strip().split("\n")[0] or first


def first_file(traceback: str) -> str | None:
    """Return the file of the outermost frame, the test's own, or None."""
    match = _FRAME.search(traceback)
    return (match["file"] or match["native"]) if match else None


def ends_outside(traceback: str) -> bool:
    """Whether the innermost frame is that of an installed package, or of Python itself."""
    frames = list(_FRAME.finditer(traceback))
    return bool(frames) and not inside(frames[-1]["file"] or frames[-1]["native"])
