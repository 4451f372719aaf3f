"""Maven's Surefire and Failsafe on the console, and its compiler; ids are `package.Class::method`."""

from __future__ import annotations

import re

from bot.ci.failures.base import ACCOUNT_LINES, DETAIL, Reading, failure, tool_failure
from bot.model import Failure, TestCounts
from bot.reporting.reasons import job_target

_TEST = re.compile(
    # method(package.Class)  Time elapsed: 0 sec  <<< ERROR!, [ERROR] before and no `ec` since 2.20,
    # and since 3.0: package.Class.method -- Time elapsed ...; of a class that can't be set up, it alone
    r"^(?:\[ERROR\] )?(?!Tests run: )(?P<test>\S.*?)(?<=\S) +(?:-- )?Time elapsed: [\d.,]+ s(?:ec)?"
    r" +<<< (?:FAILURE|ERROR)!$",
    re.MULTILINE,
)
_BEHIND = re.compile(r"(?P<method>.*\S)\((?P<class>(?:[\w$]+\.)*[A-Z_][\w$]*)\)")
_BEFORE = re.compile(r"(?P<class>(?:[\w$]+\.)*?[A-Z_][\w$]*)(?:\.(?P<method>.+))?")
_FLAKY = re.compile(r"^\[WARNING\] (?P<test>[\w.$]\S*)\n(?:\[\w+\]   Run \d+: .*\n)+", re.MULTILINE)
"""A test that passed when it was run again."""

_CRASHED = re.compile(r"^\[ERROR\] Crashed tests:\n\[ERROR\] (?P<class>[\w.$]+)$", re.MULTILINE)
_COUNTS = re.compile(
    r"^(?:\[(?:ERROR|WARNING|INFO)\] )?"
    r"Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Flakes: \d+)?$",
    re.MULTILINE,
)
_COMPILER = re.compile(
    r"^\[ERROR\] (?P<file>\S+\.\w+):\[(?P<line>\d+),\d+\] (?P<message>.+)$", re.MULTILINE
)


def parse(text: str) -> Reading | None:
    """Return what the tests of all modules came to."""
    tests, counted = list(_TEST.finditer(text)), _COUNTS.findall(text)
    if not tests and not counted and not _CRASHED.search(text):
        return None
    sums = [sum(int(each[n]) for each in counted) for n in range(4)]
    failed = sums[1] + sums[2]
    flaky = tuple(match["test"] for match in _FLAKY.finditer(text))
    found = {each.test: each for each in (_failure(text, test) for test in tests)}
    found = {name: each for name, each in found.items() if name.replace("::", ".") not in flaky}
    for crash in _CRASHED.finditer(text):
        found.setdefault(crash["class"], failure(crash["class"], job_target.ENDED_IN_TEST))
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
    named = _BEHIND.fullmatch(test["test"]) or _BEFORE.fullmatch(test["test"])
    name = (
        test["test"] if named is None else "::".join(filter(None, named.group("class", "method")))
    )
    lines: list[str] = []
    account = text[test.end() + 1 : test.end() + 1 + DETAIL]
    for line in account.split("\n", ACCOUNT_LINES)[:ACCOUNT_LINES]:
        if not line.strip() or line.startswith("["):
            break
        lines.append(line)
    return failure(name, "\n".join(lines), detail="\n".join(lines))
