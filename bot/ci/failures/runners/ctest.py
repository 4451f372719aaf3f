"""CTest's console: https://cmake.org/cmake/help/latest/manual/ctest.1.html; ids are the tests' names."""

from __future__ import annotations

import re

from bot.ci.failures.base import Reading, failure
from bot.ci.failures.console import most_telling
from bot.model import Failure, TestCounts

_RESULT = re.compile(
    r"^ *\d+/\d+ Test +#\d+: (?P<name>\S[^\n]{0,300}?) \.{3,} {0,40}(?P<why>[A-Z][\w ]{0,40}?)?"
    r" {0,9}(?:\*{3})?(?P<result>Passed|Failed|Skipped|Not Run|Timeout|Exception)\b[^\n]{0,300}?"
    r" \d+\.\d+ sec",
    re.MULTILINE,
)
_END = re.compile(r"^\d+% tests passed, (?P<failed>\d+) tests? failed out of \d+$", re.MULTILINE)
_START = re.compile(r"^ +Start +\d+: ", re.MULTILINE)


def parse(text: str) -> Reading | None:
    """Return what CTest said."""
    end = _END.search(text)
    if end is None:
        return None
    results = list(_RESULT.finditer(text, 0, end.start()))
    passed = frozenset(result["name"] for result in results if result["result"] == "Passed")
    skipped = frozenset(result["name"] for result in results if result["result"] == "Skipped")
    failing = [
        _failure(result, text[result.end() : end.start()])
        for result in results
        if result["name"] not in passed | skipped
    ]
    counts = TestCounts(len(passed), int(end["failed"]), len(skipped))
    return Reading(tuple(failing), passed, skipped, counts)


def _failure(result: re.Match[str], behind: str) -> Failure:
    """Return a failing test, with what it printed up to the next one."""
    ends = [found.start() for found in (_START.search(behind), _RESULT.search(behind)) if found]
    account = behind[: min(ends, default=len(behind))].strip("\n")
    told = most_telling(account, result["name"]).failing if account.strip() else ()
    message = told[0].message if told else result["why"] or result["result"]
    return failure(result["name"], message, detail=account)
