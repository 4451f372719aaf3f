"""cargo-nextest on the console; ids are those of `cargo test`."""

from __future__ import annotations

import re
import textwrap

from bot.ci.failures.base import ACCOUNT_LINES, Reading
from bot.ci.failures.runners.cargo import account_failure
from bot.model import TestCounts

_SUMMARY = re.compile(
    r"^ +Summary \[ *[\d.]+s\] (?:\d+/)?\d+ tests? run: (?P<rest>.+)$", re.MULTILINE
)
_STATUS = re.compile(
    r"^(?=[^\n]{12} \[) *(?:TRY \d+ )?(?P<status>PASS|LEAK|FLAKY \d+/\d+|[A-Z][A-Z0-9+ -]*) "
    r"\[ *\d+\.\d{3}s\] (?:\((?: *[\d─]+/\d+|─+)\) )?(?P<binary>\S+) (?P<name>\S.*)$"
)
_RULE = re.compile(r"^ *(?:[─-]{4,}|Cancell?ing|Canceled)")
_STREAM = re.compile(r"^ +(?:std(?:out|err)|output) ─+$")
_NUMBER = re.compile(r"(?<!\d)(\d+) ([a-z ]*[a-z])")
_REMARK = re.compile(r"\([^()\n]*\)")
"""How many of those that passed were flaky, slow or leaky."""

_GOOD = ("PASS", "LEAK", "FLAKY")


def parse(text: str) -> Reading | None:
    """Return what nextest said; it lists failing tests once more behind its summary."""
    summary = _SUMMARY.search(text)
    if summary is None:
        return None
    lines = text.split("\n")
    passed: set[str] = set()
    accounts: dict[str, str] = {}  # of a test that is tried again, the last
    for n, line in enumerate(lines):
        status = _STATUS.match(line)
        if status is None:
            continue
        if status["status"].split()[0] in _GOOD:
            passed.add(status["name"])
            accounts.pop(status["name"], None)
        else:
            account = _account(lines[n + 1 : n + 1 + ACCOUNT_LINES])
            accounts[status["name"]] = account or accounts.get(status["name"], "")
    numbers = {kind: int(n) for n, kind in _NUMBER.findall(_REMARK.sub("", summary["rest"]))}
    skipped = numbers.pop("skipped", 0)
    good = numbers.pop("passed", 0)
    return Reading(
        failing=tuple(account_failure(name, account) for name, account in accounts.items()),
        passed=frozenset(passed - set(accounts)),
        counts=TestCounts(good, sum(numbers.values()), skipped),
    )


def _account(lines: list[str]) -> str:
    """Return what a test printed; of what libtest says around it nothing is left."""
    told: list[str] = []
    for line in lines:
        if _STATUS.match(line) or _RULE.match(line):
            break
        told = [] if _STREAM.match(line) else [*told, line]
    return textwrap.dedent("\n".join(told)).strip("\n")
