"""Errors with their place on the next line: rustc, clippy, and ruff's full format."""

from __future__ import annotations

import re

from bot.ci.failures.base import DETAIL, Reading, tool_failure

# error[E0308]: mismatched types
#   --> src/lib.rs:18:44
_RUSTC = re.compile(
    r"^error(?:\[(?P<code>E\d+)\])?: (?P<why>[^\n]+)\n +--> (?P<file>[^\n]+):(?P<line>\d+):(?P<column>\d+)$",
    re.MULTILINE,
)
_LINT = re.compile(
    r"^ *= note: [^\n]*?`(?:-D |#\[(?:deny|forbid)\()(?P<code>(?:clippy::)?[\w-]+)", re.MULTILINE
)
# F401 [*] `sys` imported but unused
#  --> pkg/calc.py:2:8
_RUFF = re.compile(
    r"^(?P<code>[A-Z]{1,5}\d{1,4}|invalid-syntax):? (?:\[\*\] )?(?P<why>[^\n]+)\n"
    r" +--> (?P<file>[^\n]+):(?P<line>\d+):(?P<column>\d+)$",
    re.MULTILINE,
)
_BLANK = re.compile(r"\n\s*\n")


def parse(text: str) -> Reading | None:
    """Return every such error."""
    matches = [match for pattern in (_RUSTC, _RUFF) for match in pattern.finditer(text)]
    if not matches:
        return None
    matches.sort(key=lambda match: match.start())
    failing = []
    for match in matches:
        account = _BLANK.split(text[match.start() : match.end() + DETAIL], maxsplit=1)[0]
        lint = _LINT.search(account)
        code = match["code"] or (lint["code"] if lint else "error")
        line, column = int(match["line"]), int(match["column"])
        failing.append(
            tool_failure(match["file"], line, code, match["why"], account, column=column)
        )
    return Reading(tuple(failing), start=matches[0].start())
