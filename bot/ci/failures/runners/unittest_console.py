"""Python's unittest (and Django's runner) on the console."""

from __future__ import annotations

import re

from bot.ci.failures.base import Reading, failure
from bot.ci.failures.console import python_error
from bot.model import Failure, TestCounts
from bot.reporting.reasons import job_target

_RULE = re.compile(r"^(?:={70}|-{70})$", re.MULTILINE)
_ACCOUNT = 20_000
_BLOCK = re.compile(
    r"^={70}\n(?P<kind>FAIL|ERROR|UNEXPECTED SUCCESS): (?P<name>\S+) \((?P<owner>[\w.<>]+)\)(?P<sub>[^\n]*)\n"
    r"(?:[^\n]+\n){0,20}?-{70}\n",
    re.MULTILINE,
)
_OUTCOME = re.compile(
    r"^(?P<name>\w+) \((?P<owner>[\w.]+)\)(?:\n[^\n]*)? \.\.\. (?P<outcome>ok$|skipped|unexpected success$)",
    re.MULTILINE,
)
_BEGUN = re.compile(
    r"^(?P<name>\w+) \((?P<owner>[\w.]+)\)(?:\n[^\n]*?)? \.\.\. (?P<outcome>ok|skipped|FAIL|ERROR|(?:un)?expected|)",
    re.MULTILINE,
)
_RAN = re.compile(r"^Ran (?P<ran>\d+) tests? in [\d.]+s\n\n(?P<end>(?:OK|FAILED).*)$", re.MULTILINE)
_PART = re.compile(r"(?<!expected )\b(failures|errors|skipped|unexpected successes)=(\d+)")
_LOADER = "unittest.loader._FailedTest"


def parse(text: str) -> Reading | None:
    """Return what unittest said."""
    ran = _RAN.search(text)
    blocks = list(_BLOCK.finditer(text))
    if ran is None and not blocks:
        return _cut_off(text)
    failing: dict[str, Failure] = {}
    for match in blocks:
        found = _failure(text, match)
        failing.setdefault(found.test, found)
    outcomes = {_id(m["name"], m["owner"]): m["outcome"] for m in _OUTCOME.finditer(text)}
    for test, outcome in outcomes.items():
        if outcome == "unexpected success":
            failing.setdefault(test, failure(test, outcome))
    return Reading(
        failing=tuple(failing.values()),
        passed=frozenset(name for name, outcome in outcomes.items() if outcome == "ok"),
        skipped=frozenset(name for name, outcome in outcomes.items() if outcome == "skipped"),
        counts=_counts(ran) if ran else None,
        start=blocks[0].start() if blocks else 0,
    )


def _cut_off(text: str) -> Reading | None:
    """Return the test that ended the runner, and those that had passed, as verbose lines tell."""
    begun = list(_BEGUN.finditer(text))
    if not begun or begun[-1]["outcome"]:
        return None
    ids = {_id(match["name"], match["owner"]): match["outcome"] for match in begun}
    return Reading(
        (failure(_id(begun[-1]["name"], begun[-1]["owner"]), job_target.ENDED_IN_TEST),),
        passed=frozenset(test for test, outcome in ids.items() if outcome == "ok"),
    )


def _failure(text: str, block: re.Match[str]) -> Failure:
    account = _RULE.split(text[block.end() : block.end() + _ACCOUNT], maxsplit=1)[0].strip("\n")
    name = _id(block["name"], block["owner"])
    error = python_error(account)
    unexpected = "unexpected success" if block["kind"].startswith("UNEXPECTED") else account
    return failure(
        name,
        error.message if error else unexpected,
        file=error.file if error else None,
        line=error.line if error else 0,
        detail=account,
    )


def _id(name: str, owner: str) -> str:
    """Return `module.Class.test`; since Python 3.11 the owner already ends with the test's name."""
    if owner.startswith(_LOADER):
        return name
    return owner if owner.endswith(f".{name}") else f"{owner}.{name}"


def _counts(ran: re.Match[str]) -> TestCounts:
    parts = {name: int(number) for name, number in _PART.findall(ran["end"])}
    failed = sum(parts.get(what, 0) for what in ("failures", "errors", "unexpected successes"))
    skipped = parts.get("skipped", 0)
    return TestCounts(
        passed=max(0, int(ran["ran"]) - failed - skipped), failed=failed, skipped=skipped
    )
