"""minitest on the console, as Rails prints it too; ids are `Class#method`."""

from __future__ import annotations

import re
from itertools import pairwise

from bot.ci.failures.base import ACCOUNT_LINES, Reading, failure, inside
from bot.model import Failure, TestCounts

_COUNTS = re.compile(
    r"^(?P<all>\d+) runs, \d+ assertions, (?P<failures>\d+) failures, (?P<errors>\d+) errors,"
    r" (?P<skips>\d+) skips$",
    re.MULTILINE,
)
_HEADING = re.compile(r"^(?: +\d+\) )?(?P<kind>Failure|Error|Skipped):$")
_TEST = re.compile(
    r"^(?P<test>[^#\n]{1,300}#[^\n]{1,300}?)(?: \[(?P<file>[^\n\]]{1,300}):(?P<line>\d{1,9})\])?:$"
)
_END = re.compile(r"^(?:\d+ runs, |(?:bin/)?rails test )")
_PLACE = re.compile(r"^ {4}(?P<file>\S[^:\n]*):(?P<line>\d+)(?::in .*)?$", re.MULTILINE)


def parse(text: str) -> Reading | None:
    """Return what minitest said; several of its runs are summed."""
    counted = list(_COUNTS.finditer(text))
    if not counted:
        return None
    sums = {name: sum(int(match[name]) for match in counted) for name in _COUNTS.groupindex}
    failed = sums["failures"] + sums["errors"]
    found = {each.test: each for each in _read(text.split("\n"))}
    counts = TestCounts(sums["all"] - failed - sums["skips"], failed, sums["skips"])
    return Reading(failing=tuple(found.values()), counts=counts)


def _read(lines: list[str]) -> list[Failure]:
    """Return the failures and errors with what stands below their names."""
    found: list[Failure] = []
    for n, (heading, name) in enumerate(pairwise(lines)):
        headed, named = _HEADING.match(heading), _TEST.match(name)
        if headed is None or named is None or headed["kind"] == "Skipped":
            continue
        following = lines[n + 2 : n + 2 + ACCOUNT_LINES]
        ends = (at for at, line in enumerate(following) if _HEADING.match(line) or _END.match(line))
        found.append(
            _failure(named, "\n".join(following[: next(ends, len(following))]).strip("\n"))
        )
    return found


def _failure(named: re.Match[str], account: str) -> Failure:
    """Return a failure; that of an error is where the innermost file of the project is."""
    place = named if named["file"] and inside(named["file"]) else None
    place = place or next((at for at in _PLACE.finditer(account) if inside(at["file"])), None)
    file, line = (place["file"], int(place["line"])) if place else (None, 0)
    message = account.partition("\n\n")[0].partition("\n    ")[0]
    return failure(named["test"], message, file=file, line=line, detail=account)
