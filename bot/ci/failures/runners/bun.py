"""Bun's test runner on the console: https://bun.sh/docs/test; an id is `describe > test`, behind nothing."""

from __future__ import annotations

import re

from bot.ci.failures.base import DETAIL, Reading
from bot.ci.failures.runners.javascript import first_line, javascript_failure, unique
from bot.model import Failure, TestCounts

_END = re.compile(r"^Ran \d+ tests? across \d+ files?\.", re.MULTILINE)
_COUNT = re.compile(r"^ (?P<number>\d+) (?P<word>pass|fail|skip|todo)$", re.MULTILINE)
_LINE = re.compile(
    r"^(?:\((?P<mark>pass|fail|skip|todo)\)|(?P<sign>[✓✗»✎])) (?P<name>\S.*?)(?: \[[\d.]+ ?m?s\])?$",
    re.MULTILINE,
)
_SIGNS = {"✓": "pass", "✗": "fail", "»": "skip", "✎": "todo"}
"""On a terminal."""

_FILE = re.compile(r"^(?P<file>\S+\.[cm]?[jt]sx?):$", re.MULTILINE)
_UNHANDLED = re.compile(
    r"^# Unhandled error between tests\n-+\n(?P<told>[\s\S]*?)\n-+$", re.MULTILINE
)
_BEHIND = re.compile(r"\n  \^ (?P<told>\S[^\n]*)")
"""Below the name of a test that took too long."""

_ERROR = re.compile(r"^(?:error|\w*Error): .*$", re.MULTILINE)


def parse(text: str) -> Reading | None:
    """Return what Bun said."""
    end = _END.search(text)
    if end is None:
        return None
    counted = {
        found_match["word"]: int(found_match["number"]) for found_match in _COUNT.finditer(text)
    }
    lines, failing = list(_LINE.finditer(text, 0, end.start())), list[Failure]()
    starts = [0, *(line.end() for line in lines)]
    for start, line in zip(starts, lines, strict=False):
        if _mark(line) == "fail":
            account = _behind_file(text[max(start, line.start() - DETAIL) : line.start()])
            late = _BEHIND.match(text, line.end())
            failing.append(_failure(line["name"], late["told"] if late else account))
    for crash in _UNHANDLED.finditer(text, 0, end.start()):
        file = next((m["file"] for m in reversed(list(_FILE.finditer(text, 0, crash.start())))), "")
        failing.append(
            javascript_failure(
                file or "bun test", first_line(crash["told"]), crash["told"], file or None
            )
        )
    passed, skipped = _named(lines, "pass"), _named(lines, "skip", "todo")
    left_out = counted.get("skip", 0) + counted.get("todo", 0)
    failed = max(counted.get("fail", 0), len(failing))
    return unique(failing, passed, skipped, TestCounts(counted.get("pass", 0), failed, left_out))


def _mark(line: re.Match[str]) -> str:
    return line["mark"] or _SIGNS[line["sign"]]


def _named(lines: list[re.Match[str]], *marks: str) -> set[str]:
    return {line["name"] for line in lines if _mark(line) in marks}


def _behind_file(account: str) -> str:
    """Return an account without what comes before the last name of a file in it."""
    files = list(_FILE.finditer(account))
    return account[files[-1].end() :] if files else account


def _failure(name: str, account: str) -> Failure:
    error = _ERROR.search(account)
    told = account[error.start() :] if error else account
    return javascript_failure(name, first_line(told), told.strip("\n"))
