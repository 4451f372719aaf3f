"""Maven's Surefire and Failsafe on the console, and its compiler; ids are `package.Class::method`."""

from __future__ import annotations

import re

from bot.ci.failures.reading import ACCOUNT_LINES, DETAIL, Reading, failure, tool_failure
from bot.model import Failure, TestCounts

_TEST = re.compile(
    # method(package.Class)  Time elapsed: 0 s  <<< ERROR!, and since 3.0: package.Class.method -- ...
    r"^\[ERROR\] (?:(?P<method>[^\s(]+)\((?P<class>[\w.$]+)\)|(?P<owner>[\w.$]+)\.(?P<own>[^\s.]+))"
    r" +(?:-- )?Time elapsed: [\d.,]+ s +<<< (?:FAILURE|ERROR)!$",
    re.MULTILINE,
)
_COUNTS = re.compile(
    r"^\[(?:ERROR|WARNING|INFO)\] Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$",
    re.MULTILINE,
)
_COMPILER = re.compile(
    r"^\[ERROR\] (?P<file>\S+\.\w+):\[(?P<line>\d+),\d+\] (?P<message>.+)$", re.MULTILINE
)


def parse(text: str) -> Reading | None:
    """Return what the tests of all modules came to."""
    tests, counted = list(_TEST.finditer(text)), _COUNTS.findall(text)
    if not tests and not counted:
        return None
    sums = [sum(int(each[n]) for each in counted) for n in range(4)]
    failed = sums[1] + sums[2]
    found = {each.test: each for each in (_failure(text, test) for test in tests)}
    return Reading(
        failing=tuple(found.values()),
        counts=TestCounts(sums[0] - failed - sums[3], failed, sums[3]) if counted else None,
    )


def parse_compiler(text: str) -> Reading | None:
    """Return what the compiler plugin found; Maven prints it twice."""
    matches = list(_COMPILER.finditer(text))
    if not matches:
        return None
    found = [
        tool_failure(each["file"], int(each["line"]), "compiler", each["message"])
        for each in matches
    ]
    return Reading(tuple({each.test: each for each in found}.values()), start=matches[0].start())


def _failure(text: str, test: re.Match[str]) -> Failure:
    owner, method = test["class"] or test["owner"], test["method"] or test["own"]
    lines: list[str] = []
    account = text[test.end() + 1 : test.end() + 1 + DETAIL]
    for line in account.split("\n", ACCOUNT_LINES)[:ACCOUNT_LINES]:
        if not line.strip() or line.startswith("["):
            break
        lines.append(line)
    return failure(f"{owner}::{method}", "\n".join(lines), detail="\n".join(lines))
