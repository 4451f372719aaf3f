"""PHPUnit's own printer and its `--testdox` on the console; ids are `Class::method`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.ci.failures.base import ACCOUNT_LINES, Reading, failure, inside
from bot.model import Failure, TestCounts

_HEADER = re.compile(r"^PHPUnit \d+\.\d", re.MULTILINE)
_COUNTS = re.compile(
    r"^Tests: (?P<all>\d+), Assertions: \d+(?P<rest>(?:, [\w ]+: \d+)*)\.$", re.MULTILINE
)
_KIND = re.compile(r", (?P<kind>[\w ]+): (?P<n>\d+)")
_ALL_GOOD = re.compile(r"^OK \((?P<all>\d+) tests?, \d+ assertions?\)$", re.MULTILINE)
_SECTION = re.compile(r"^There (?:was|were) \d+ (?P<kind>[\w ]+):$")
_ENTRY = re.compile(r"^\d+\) (?P<name>\S.*)$")
_END = re.compile(r"^(?:--|ERRORS!|FAILURES!|WARNINGS!|OK\b.*|Tests: \d+,.*)$")
_GROUP = re.compile(r"^(?P<name>\S.*)$")
_CROSS = re.compile(r"^ ✘ (?P<name>.+?)(?: \[[\d.]+ ms\])?$")
_BAR = re.compile(r"^ +│ ?(?P<line>.*)$")
_PLACE = re.compile(r"^(?P<file>\S.*\.\w+):(?P<line>\d+)$", re.MULTILINE)


def parse(text: str) -> Reading | None:
    """Return what PHPUnit said."""
    counted, good = _COUNTS.search(text), _ALL_GOOD.search(text)
    if _HEADER.search(text) is None or (counted or good) is None:
        return None
    found = {each.test: each for each in _listed(text.split("\n"))}
    found = found or {each.test: each for each in _crossed(text.split("\n"))}
    counts = TestCounts(int(good["all"]), 0, 0) if good else None
    if counted is not None:
        kinds = {each["kind"]: int(each["n"]) for each in _KIND.finditer(counted["rest"])}
        failed = kinds.get("Errors", 0) + kinds.get("Failures", 0)
        skipped = kinds.get("Skipped", 0) + kinds.get("Incomplete", 0)
        counts = TestCounts(int(counted["all"]) - failed - skipped, failed, skipped)
    return Reading(failing=tuple(found.values()), counts=counts)


def _listed(lines: list[str]) -> Iterator[Failure]:
    """Yield the errors and failures that stand in numbered lists; warnings and risks are none."""
    counts = False
    for n, line in enumerate(lines):
        if section := _SECTION.match(line):
            counts = section["kind"].split()[-1] in {"error", "errors", "failure", "failures"}
        elif counts and (entry := _ENTRY.match(line)):
            yield _failure(entry["name"], _account(lines[n + 1 : n + 1 + ACCOUNT_LINES]))


def _account(lines: list[str]) -> str:
    stops = (n for n, line in enumerate(lines) if _ENTRY.match(line) or _END.match(line))
    return "\n".join(lines[: next(stops, len(lines))])


def _crossed(lines: list[str]) -> Iterator[Failure]:
    """Yield what `--testdox` crosses out, by the sentences that it makes of names."""
    group = ""
    for n, line in enumerate(lines):
        if cross := _CROSS.match(line):
            told = []
            for following in lines[n + 1 : n + 1 + ACCOUNT_LINES]:
                bar = _BAR.match(following)
                if bar is None:
                    break
                told.append(bar["line"])
            yield _failure(f"{group}: {cross['name']}", "\n".join(told))
        elif match := _GROUP.match(line):
            group = match["name"]


def _failure(name: str, account: str) -> Failure:
    place = next((m for m in _PLACE.finditer(account) if inside(m["file"])), None)
    file, line = (place["file"], int(place["line"])) if place else (None, 0)
    return failure(name, account.strip(), file=file, line=line, detail=account)
