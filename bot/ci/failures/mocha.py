"""mocha's spec and dot reporters on the console; ids are `describe > test`."""

from __future__ import annotations

import re

from bot.ci.failures.javascript import first_line, javascript_failure, unique
from bot.ci.failures.reading import Reading
from bot.model import Failure, TestCounts

_PASSING = re.compile(r"^ +(\d+) passing \(.+\)$", re.MULTILINE)
_PENDING = re.compile(r"^ +(\d+) pending$", re.MULTILINE)
_FAILING = re.compile(r"^ +(\d+) failing$", re.MULTILINE)
_FAILURE = re.compile(
    r"^  \d+\) (?P<name>[^\n]+(?:\n {3}[^\n]+)*?):\n(?P<account>(?:(?!  \d+\) )[^\n]*\n)*)",
    re.MULTILINE,
)
_LEAF = re.compile(r"^(?P<indent> {2,})(?P<mark>[✔✓√-]) (?P<name>.+?)(?: \(\d+ms\))?$")
_NUMBERED = re.compile(r"^ {2,}\d+\) ")
_GROUP = re.compile(r"^(?P<indent> {2,})(?P<name>\S.*)$")


def parse(text: str) -> Reading | None:
    """Return what mocha said."""
    passing, failed = _PASSING.search(text), _FAILING.search(text)
    if passing is None:
        return None
    pending = _PENDING.search(text)
    counts = TestCounts(
        passed=int(passing[1]),
        failed=int(failed[1]) if failed else 0,
        skipped=int(pending[1]) if pending else 0,
    )
    passed, skipped = _tree(text[: passing.start()])
    failures = _FAILURE.finditer(f"{text}\n", failed.end()) if failed else ()
    return unique([_failure(match) for match in failures], passed, skipped, counts)


def _failure(match: re.Match[str]) -> Failure:
    name = " > ".join(part.strip() for part in match["name"].split("\n"))
    account = match["account"].strip("\n")
    return javascript_failure(name, first_line(account), account)


def _tree(text: str) -> tuple[set[str], set[str]]:
    """Return the ids of passing and pending tests of the spec reporter's tree."""
    passed: set[str] = set()
    pending: set[str] = set()
    groups: list[tuple[int, str]] = []
    for line in text.split("\n"):
        if leaf := _LEAF.match(line):
            groups = [group for group in groups if group[0] < len(leaf["indent"])]
            name = " > ".join([*(name for _, name in groups), leaf["name"]])
            (pending if leaf["mark"] == "-" else passed).add(name)
        elif (group := _GROUP.match(line)) and not _NUMBERED.match(line):
            depth = len(group["indent"])
            groups = [*(g for g in groups if g[0] < depth), (depth, group["name"])]
    return passed, pending
