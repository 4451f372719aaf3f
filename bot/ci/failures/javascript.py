"""What JavaScript's test runners have in common: where a stack ends in the project's own code."""
# ruff: noqa: RUF001, RUF003 - V8 and vitest print these characters

from __future__ import annotations

import re

from bot.ci.failures.reading import Reading, failure, inside
from bot.model import Failure, TestCounts

# V8: `at Context.<anonymous> (m/sum.spec.js:4:29)`, `at file:///workspace/a.mjs:1:2`; vitest:
# ` ❯ v/sum.test.mjs:4:40`.
_FRAME = re.compile(
    r"^[ \t]+(?:at (?:async )?(?:.*\()?|❯ (?:\S+ )?)(?:file://)?"
    r"(?P<file>[^\s():]+\.[cm]?[jt]sx?):(?P<line>\d+):\d+\)?",
    re.MULTILINE,
)


def javascript_failure(test: str, message: str, stack: str, file: str | None = None) -> Failure:
    """Return a failure placed at the first frame of the stack that is the project's own."""
    frame = next((m for m in _FRAME.finditer(stack) if inside(m["file"])), None)
    return failure(
        test,
        message,
        file=frame["file"] if frame else file,
        line=int(frame["line"]) if frame else 0,
        detail=stack,
    )


def first_line(account: str) -> str:
    """Return the first line of an account that says anything."""
    return next((line.strip() for line in account.split("\n") if line.strip()), "")


def counted(line: str) -> TestCounts:
    """Return the counts of a line such as `2 failed | 1 passed, 1 skipped`."""
    numbers = {word: int(number) for number, word in re.findall(r"(?<!\d)(\d+) (\w+)", line)}
    return TestCounts(
        passed=numbers.get("passed", 0),
        failed=numbers.get("failed", 0),
        skipped=numbers.get("skipped", 0) + numbers.get("todo", 0),
    )


def unique(
    failing: list[Failure], passed: set[str], skipped: set[str], counts: TestCounts | None
) -> Reading:
    """Return a reading in which each failing id appears once."""
    first: dict[str, Failure] = {}
    for found in failing:
        first.setdefault(found.test, found)
    return Reading(
        tuple(first.values()), frozenset(passed - first.keys()), frozenset(skipped), counts
    )
