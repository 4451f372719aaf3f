"""mocha's spec and dot reporters on the console; ids are `describe > test`."""

from __future__ import annotations

import re

from bot.ci.failures.base import Reading
from bot.ci.failures.runners.javascript import first_line, javascript_failure, named_in_tree, unique
from bot.model import Failure, TestCounts

_PASSING = re.compile(r"(?<=\n\n)  (\d+) passing \(\d+(?:ms|s|m|h)\)$", re.MULTILINE)
_PENDING = re.compile(r"^  (\d+) pending$", re.MULTILINE)
_FAILING = re.compile(r"^  (\d+) failing$", re.MULTILINE)
_FAILURE = re.compile(
    r"^  \d+\) (?P<name>[^\n]+(?:\n {7}[^\n]+)*?):\n(?! {7,}\S)(?P<account>(?:(?!  \d+\) )[^\n]*\n)*)",
    re.MULTILINE,
)
_LEAF = re.compile(r"^(?P<indent> {2,})(?P<mark>[✔✓√-]|\d+\)) (?P<name>.+?)(?: \(\d+ms\))?$")
_PASSED = ("✔", "✓", "√")


def parse(text: str) -> Reading | None:
    """Return what mocha said."""
    summaries = list(_PASSING.finditer(text))
    if not summaries:
        return None
    passing = summaries[-1]
    pending, failed = (each.search(text, passing.end()) for each in (_PENDING, _FAILING))
    counts = TestCounts(
        passed=int(passing[1]),
        failed=int(failed[1]) if failed else 0,
        skipped=int(pending[1]) if pending else 0,
    )
    tree = list(named_in_tree(text[: passing.start()].split("\n"), _LEAF, " > "))
    passed = {name for mark, name in tree if mark in _PASSED}
    skipped = {name for mark, name in tree if mark == "-"}
    failures = _FAILURE.finditer(f"{text}\n", failed.end()) if failed else ()
    return unique([_failure(match) for match in failures], passed, skipped, counts)


def _failure(match: re.Match[str]) -> Failure:
    name = " > ".join(part.strip() for part in match["name"].split("\n"))
    account = match["account"].strip("\n")
    return javascript_failure(name, first_line(account), account)
