"""Gradle's tests on the console; ids are `Class::method`, without the package, which it leaves out.

https://docs.gradle.org/current/userguide/java_testing.html#sec:test_execution
"""

from __future__ import annotations

import re

from bot.ci.failures.base import ACCOUNT_LINES, Reading, failure
from bot.model import Failure, TestCounts

_TEST = re.compile(
    r"^(?P<class>[A-Za-z_]\S*?) > (?P<name>\S.*?) (?P<verdict>FAILED|PASSED|SKIPPED)$", re.MULTILINE
)
_COUNTS = re.compile(
    r"^(?P<all>\d+) tests? completed(?:, (?P<failed>\d+) failed)?(?:, (?P<skipped>\d+) skipped)?$",
    re.MULTILINE,
)
_GRADLE = re.compile(
    r"^(?:> Task :|BUILD (?:FAILED|SUCCESSFUL) in |\d+ tests? completed)", re.MULTILINE
)
_PLACE = re.compile(r"(?: at |\()[\w$-]+\.\w+:(?P<line>\d+)\)?$", re.MULTILINE)


def parse(text: str) -> Reading | None:
    """Return what the tests of all subprojects came to; Gradle counts only where one fails."""
    tests, counted = list(_TEST.finditer(text)), list(_COUNTS.finditer(text))
    if _GRADLE.search(text) is None or not (tests or counted):
        return None
    told = {word: [at for at in tests if at["verdict"] == word] for word in ("FAILED", "PASSED")}
    failed = {_id(at): _failure(text, at) for at in told["FAILED"]}
    sums = {name: sum(int(at[name] or 0) for at in counted) for name in _COUNTS.groupindex}
    skipped = sums["skipped"]
    passed = sums["all"] - sums["failed"] - skipped
    return Reading(
        failing=tuple(failed.values()),
        passed=frozenset(map(_id, told["PASSED"])) - failed.keys(),
        counts=TestCounts(passed, sums["failed"], skipped) if counted else None,
    )


def _id(test: re.Match[str]) -> str:
    return "::".join((test["class"], *test["name"].split(" > ")))


def _failure(text: str, test: re.Match[str]) -> Failure:
    """Return a failure with the indented lines below it."""
    lines: list[str] = []
    for line in text[test.end() + 1 :].split("\n", ACCOUNT_LINES)[:ACCOUNT_LINES]:
        if not line.startswith("    "):
            break
        lines.append(line.strip())
    account = "\n".join(lines)
    place = _PLACE.search(account)
    message = lines[0] if lines else ""
    return failure(_id(test), message, line=int(place["line"]) if place else 0, detail=account)
