"""What AVA says on the console, versions 3 to 6; an id is a title, behind its file where there are several."""
# ruff: noqa: RUF001 - AVA prints these characters

from __future__ import annotations

import re
from collections.abc import Mapping

from bot.ci.failures.base import ACCOUNT_LINES, Reading
from bot.ci.failures.runners.javascript import javascript_failure, unique
from bot.model import Failure, TestCounts

_RESULT = re.compile(
    r"^ {2}(?P<mark>[✔✖✘-]) (?:\[(?:fail|skip|todo|expected fail)\]:? )?(?P<name>\S.*?)"
    r"(?: \(\d[\d.]*m?s\))?$",
    re.MULTILINE,
)
_COUNT = re.compile(
    r"^ {2}(?P<n>\d+) tests? (?P<what>passed|failed|skipped|todo)(?: \[[\d:]+\])?$", re.MULTILINE
)
_RULE = re.compile(r"^ {2}─$", re.MULTILINE)
_PLACE = re.compile(r"^ {2}(?P<file>[\w@./-]+\.[cm]?[jt]sx?):(?P<line>\d+)$")
_STACK = re.compile(r"^ +(?:› (?:[^(]*\()?|at )(?P<place>[^\s(]+:\d+:\d+\)?)$")
_CODE = re.compile(r"^ +\d+: ")
"""A line of the excerpt that AVA shows of a test."""

_BETWEEN = re.compile(r"\n(?:[ \t]*\n){3,}")
"""What stands between the accounts of two tests."""


def parse(text: str) -> Reading | None:
    """Return what AVA said."""
    counts = {match["what"]: int(match["n"]) for match in _COUNT.finditer(text)}
    if not counts.keys() & {"passed", "failed"}:
        return None
    rule = _RULE.search(text)
    results = list(_RESULT.finditer(text, 0, rule.start() if rule else len(text)))
    if not results:
        return None
    accounts = _accounts(text[rule.end() :]) if rule else {}
    failing = [
        _failure(_title(result["name"], accounts), accounts) for result in results if _fails(result)
    ]
    passed = {result["name"] for result in results if result["mark"] == "✔"}
    skipped = {result["name"] for result in results if result["mark"] == "-"}
    left = counts.get("skipped", 0) + counts.get("todo", 0)
    told = TestCounts(counts.get("passed", 0), counts.get("failed", 0), left)
    return unique(failing, passed, skipped, told)


def _fails(result: re.Match[str]) -> bool:
    return result["mark"] in "✖✘"


def _title(shown: str, accounts: Mapping[str, str]) -> str:
    """Return the title of a failing test; behind it the line may have what it was ended by."""
    return next((title for title in accounts if f"{shown} ".startswith(f"{title} ")), shown.strip())


def _accounts(text: str) -> dict[str, str]:
    """Return what AVA tells of each failing test, up to the rule behind the last one."""
    rule = _RULE.search(text)
    found: dict[str, str] = {}
    for part in _BETWEEN.split(text[: rule.start() if rule else len(text)]):
        title, _, account = part.strip("\n").partition("\n")
        found.setdefault(title.strip(), account.strip("\n"))
    return found


def _failure(title: str, accounts: Mapping[str, str]) -> Failure:
    lines = accounts.get(title, "").split("\n")[:ACCOUNT_LINES]
    place = next((match for line in lines if (match := _PLACE.match(line))), None)
    told = [line for line in lines if line.strip() and not _CODE.match(line)]
    ends = next((n for n, line in enumerate(told) if _STACK.match(line)), len(told))
    message = " ".join(line.strip() for line in told[:ends] if not _PLACE.match(line))
    stack = "\n".join(_STACK.sub(r"    at \g<place>", line) for line in lines)
    at_title = f"    at {place['file']}:{place['line']}:1" if place else ""
    return javascript_failure(title, message, f"{stack}\n{at_title}".strip("\n"))
