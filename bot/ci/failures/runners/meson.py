"""Meson's console: https://mesonbuild.com/Unit-tests.html; ids are `project:test`, as it selects them."""

from __future__ import annotations

import re

from bot.ci.failures.base import Reading, failure
from bot.ci.failures.console import most_telling
from bot.model import Failure, TestCounts

_RESULT = re.compile(
    r"^ *\d+/\d+ (?:[^\n:]{1,200} [-/] )?(?P<name>\S[^\n]{0,200}?) +"
    r"(?P<result>OK|FAIL|SKIP|TIMEOUT|ERROR|EXPECTEDFAIL|UNEXPECTEDPASS|INTERRUPT) +"
    r"\d+\.\d+ ?s(?: +(?P<why>\S[^\n]{0,200}))?$",
    re.MULTILINE,
)
_END = re.compile(r"^Ok: +\d+ *$", re.MULTILINE)
_SUMMARY = re.compile(r"^Summary of Failures:$", re.MULTILINE)
_COMMAND = re.compile(r"^>>> [^\n]*\n?", re.MULTILINE)
_RULE = re.compile(r"^\u2015{3,}[^\n]*\n?", re.MULTILINE)
_GOOD = {"OK", "EXPECTEDFAIL"}


def parse(text: str) -> Reading | None:
    """Return what Meson said."""
    end = _END.search(text)
    if end is None:
        return None
    summary = _SUMMARY.search(text, 0, end.start())
    until = summary.start() if summary else end.start()
    results = list(_RESULT.finditer(text, 0, until))
    if not results:
        return None
    passed = frozenset(result["name"] for result in results if result["result"] in _GOOD)
    skipped = frozenset(result["name"] for result in results if result["result"] == "SKIP")
    failing = [
        _failure(result, text[result.end() : until])
        for result in results
        if result["name"] not in passed | skipped
    ]
    counts = TestCounts(len(passed), len(failing), len(skipped))
    return Reading(tuple(failing), passed, skipped, counts)


def _failure(result: re.Match[str], behind: str) -> Failure:
    """Return a failing test, with what it printed up to the next one."""
    later = _RESULT.search(behind)
    printed = behind[: later.start() if later else len(behind)]
    account = _RULE.sub("", _COMMAND.sub("", printed)).strip("\n")
    told = most_telling(account, result["name"]).failing if account.strip() else ()
    message = told[0].message if told else result["why"] or result["result"]
    return failure(result["name"], message, detail=account)
