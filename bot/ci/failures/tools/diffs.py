"""Unified diffs: how yapf, isort, clang-format, `git diff --exit-code` and others say what they want.

https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html; asked only when no
tool names anything, for many outputs hold a diff besides.
"""

from __future__ import annotations

import re

from bot.ci.failures.base import ACCOUNT_LINES, Reading, tool_failure
from bot.reporting.reasons import job_target

_HEADER = re.compile(r"^--- (?P<old>\S[^\n]*)\n\+\+\+ (?P<new>\S[^\n]*)\n@@ ", re.MULTILINE)
# Behind the path: a tab and whatever the tool likes, a time stamp, isort's `:before`.
_BEHIND = re.compile(r"(?:\t.*|(?<! ) +\(?\d{4}-\d\d-\d\d.*|:(?:before|after)\b.*)$")
_NOTHING = "/dev/null"


def parse(text: str) -> Reading | None:
    """Return one failure per file that a diff changes."""
    matches = list(_HEADER.finditer(text))
    if not matches:
        return None
    ends = [*(match.start() for match in matches[1:]), len(text)]
    failing = []
    for match, end in zip(matches, ends, strict=True):
        path = _path(match["old"], match["new"])
        account = "\n".join(text[match.start() : end].split("\n")[:ACCOUNT_LINES])
        name = path.rpartition("/")[2]
        failing.append(tool_failure(path, 0, "diff", job_target.file_differs(name), account))
    return Reading(tuple(failing), start=matches[0].start())


def _path(old: str, new: str) -> str:
    before, after = (_BEHIND.sub("", header).strip() for header in (old, new))
    if before.startswith("a/") and after.startswith("b/"):  # as git writes them
        before, after = before[2:], after[2:]
    return before if after == _NOTHING else after
