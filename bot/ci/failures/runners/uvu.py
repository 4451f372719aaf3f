"""uvu on the console: https://github.com/lukeed/uvu; an id is a title, behind its suite where that has a name."""

from __future__ import annotations

import re

from bot.ci.failures.base import ACCOUNT_LINES, Reading
from bot.ci.failures.runners.javascript import first_line, javascript_failure, unique
from bot.model import Failure, TestCounts

_END = re.compile(
    r"^  Total: +(?P<total>\d+)\n  Passed: +(?P<passed>\d+)\n  Skipped: +(?P<skipped>\d+)\n  Duration: ",
    re.MULTILINE,
)
_FAIL = re.compile(
    r"^ +FAIL  +(?:(?P<suite>[^\"\s](?:[^\"\n]*[^\"\s])?) +)?\"(?P<name>[^\n]+)\"$", re.MULTILINE
)


def parse(text: str) -> Reading | None:
    """Return what uvu said."""
    end = _END.search(text)
    if end is None:
        return None
    total, passed, skipped = map(int, end.group("total", "passed", "skipped"))
    headings = list(_FAIL.finditer(text, 0, end.start()))
    starts = [*(heading.start() for heading in headings), end.start()]
    failing = [
        _failure(heading, text[heading.end() : until])
        for heading, until in zip(headings, starts[1:], strict=True)
    ]
    counts = TestCounts(passed, max(total - passed - skipped, len(failing)), skipped)
    return unique(failing, set(), set(), counts)


def _failure(heading: re.Match[str], account: str) -> Failure:
    name = " > ".join(filter(None, heading.group("suite", "name")))
    told = "\n".join(account.strip("\n").split("\n")[:ACCOUNT_LINES])
    return javascript_failure(name, first_line(told), told)
