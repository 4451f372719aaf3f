"""What JavaScript's test runners have in common: where a stack ends in the project's own code."""
# ruff: noqa: RUF001, RUF003 - V8 and vitest print these characters

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bot.ci.failures.base import Reading, failure, inside
from bot.ci.failures.work_tree import relative_path
from bot.model import Failure, TestCounts

# V8: `at Context.<anonymous> (m/sum.spec.js:4:29)`, `at file:///workspace/a.mjs:1:2`; vitest:
# ` ❯ v/sum.test.mjs:4:40`.
_FRAME = re.compile(
    r"^[ \t]+(?:at (?:async )?(?:.*\()?|❯ (?:\S+ )?)(?:file://)?"
    r"(?P<file>[^\s():]+\.[cm]?[jt]sx?):(?P<line>\d+):\d+\)?",
    re.MULTILINE,
)


_CANCELLED = "test did not finish before its parent and was cancelled"
_COUNTED = re.compile(r"\b\d+ subtests? failed\b")


def with_cause(account: str, suites: Iterable[str]) -> str:
    """Return why a test of node:test failed: where a hook of its suite broke, what that says.

    Args:
        account: The test's own.
        suites: Those of its suites that fail, from within.
    """
    if _CANCELLED not in account:
        return account
    return next((told for told in suites if told and not _COUNTED.search(told)), account)


FILE_FAILED = "test failed"
_UNCAUGHT = re.compile(r"(?:[A-Z]\w*)?Error(?: \[\w+\])?: \S")


def of_file(message: str, printed: Sequence[str]) -> str:
    """Return why a file of node:test failed outside of its tests: what it printed last as an error.

    Args:
        message: The runner's.
        printed: The lines between the result before it and its own.
    """
    if message.strip("'") != FILE_FAILED:
        return message
    return next(filter(_UNCAUGHT.match, reversed(printed)), message)


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


def own_files(stack: str) -> list[str]:
    """Return the project's own files in a stack, the innermost first."""
    return [relative_path(m["file"]) for m in _FRAME.finditer(stack) if inside(m["file"])]


def first_line(account: str) -> str:
    """Return the first line of an account that says anything."""
    return next((line.strip() for line in account.split("\n") if line.strip()), "")


def named_in_tree(
    lines: Sequence[str], leaf: re.Pattern[str], joint: str
) -> Iterator[tuple[str, str]]:
    """Yield the mark and the id of each test in a tree, where groups stand above what is in them.

    Args:
        lines: Of the tree.
        leaf: A test's line: its `indent`, `mark` and `name`.
        joint: What stands between the names of an id.
    """
    groups: list[tuple[int, str]] = []
    for n, line in enumerate(lines):
        name = line.lstrip(" ")
        depth = len(line) - len(name)
        if not name or not depth:
            continue  # a tree is indented; what programs print mostly is not
        groups = [group for group in groups if group[0] < depth]
        following = lines[n + 1] if n + 1 < len(lines) else ""
        is_group = len(following) - len(following.lstrip(" ")) > depth
        test = None if is_group else leaf.match(line)
        if test is None:
            groups.append((depth, name))
        else:
            yield test["mark"], joint.join([*(group for _, group in groups), test["name"]])


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
