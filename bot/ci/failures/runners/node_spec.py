"""node:test's spec reporter (its default on terminals and, since Node 20, everywhere)."""
# ruff: noqa: RUF001 - node prints these characters

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from bot.ci.failures.base import ACCOUNT_LINES, DETAIL, Reading, own_lines
from bot.ci.failures.runners.javascript import (
    first_line,
    javascript_failure,
    of_file,
    unique,
    with_cause,
)
from bot.ci.failures.work_tree import relative_paths
from bot.model import Failure, TestCounts

_NUMBER = re.compile(
    r"^ℹ (?P<what>tests|pass|fail|skipped|todo|cancelled) (?P<n>\d+)$", re.MULTILINE
)
_RESULT = re.compile(
    r"^(?P<indent> *)(?P<mark>[✔✖﹣⚠▶]) (?P<name>.+?) \(\d+\.\d+ms\)(?: # (?P<why>.*))?$"
)
_GROUP = re.compile(r"^(?P<indent> *)▶ (?P<name>.+)$")
_ANYWHERE = re.compile(r"[✔✖﹣⚠] [^✔✖﹣⚠]* \(\d+\.\d+ms\)(?: # .*)?$|▶ \S")
_CANCELLED = re.compile(r"^(?P<indent> *)(?P<mark>✖) (?P<name>.+)$")
"""A test that was not run, because what it needs broke; known by its name."""

_TIMED = re.compile(r"^ *[✔✖] \S.* \(\d+\.\d{3,}ms\)$", re.MULTILINE)
"""What no other runner prints: all that there is of a run which was ended before its summary."""

_TAIL = "✖ failing tests:"
_AT = re.compile(
    r"^test at (?P<file>\S.*?):(?P<line>\d+):\d+\n✖ (?P<name>.+?)(?: \(\d+\.\d+ms\))?(?: # .*)?$",
    re.MULTILINE,
)


def parse(text: str) -> Reading | None:
    """Return what node:test said."""
    numbers = {match["what"]: int(match["n"]) for match in _NUMBER.finditer(text)}
    is_whole = {"tests", "pass", "fail"} <= numbers.keys()
    if not is_whole and not _TIMED.search(text):
        return None
    tree, _, tail = text.rpartition(_TAIL) if _TAIL in text else (text, "", "")
    told = _told(tail)
    failing: list[Failure] = []
    passed: set[str] = set()
    skipped: set[str] = set()
    tolerated: set[str] = set()
    lines = own_lines(tree, _ANYWHERE, unless=_RESULT).split("\n")
    before = 0
    for n, mark, name, suites, own in _tests(lines, told.keys()):
        if mark in "﹣⚠#!":
            skipped.add(name)
            if mark == "!":
                tolerated.add(name)
        elif mark == "✔":
            passed.add(name)
        elif accounts := told.get(own):
            file, account = accounts.pop(0) if len(accounts) > 1 else accounts[0]
            account = with_cause(account, (told[each][0][1] for each in suites if each in told))
            why = of_file(first_line(account), lines[before:n])
            failing.append(javascript_failure(name, why, account, file))
        elif not told:
            account = _account(lines[n + 1 : n + ACCOUNT_LINES])
            why = of_file(first_line(account), lines[before:n])
            failing.append(javascript_failure(name, why, account))
        before = n + 1
    left = numbers.get("skipped", 0) + numbers.get("todo", 0) if is_whole else len(skipped)
    counts = TestCounts(numbers["pass"] if is_whole else len(passed), len(failing), left)
    found = unique(failing, passed, skipped, counts)
    return replace(found, is_whole=is_whole, tolerated=frozenset(tolerated))


def _tests(
    lines: list[str], failed: Collection[str]
) -> Iterator[tuple[int, str, str, list[str], str]]:
    """Yield a line's number, mark, id, suites from within and own name for each test.

    `#` marks one that is `todo` or left out, and `!` one that is `todo` and failed.
    """
    groups: list[str] = []
    for n, line in enumerate(lines):
        match = _RESULT.match(line)
        why = match["why"] if match else None
        if match is None and (cancelled := _CANCELLED.match(line)) and cancelled["name"] in failed:
            match = cancelled
        if match is None:
            if opened := _GROUP.match(line):
                groups = [*groups[: len(opened["indent"]) // 2], opened["name"]]
            continue
        depth = len(match["indent"]) // 2
        if groups[depth : depth + 1] == [match["name"]]:
            groups = groups[:depth]  # the closing line of a suite
            continue
        # What fails outside of tests is a test of the file's name.
        name = " > ".join([*groups[:depth], relative_paths(match["name"])])
        left_out = "!" if match["mark"] == "✖" else "#"
        mark = left_out if why else match["mark"]
        yield n, mark, name, groups[:depth][::-1], match["name"]


def _told(tail: str) -> dict[str, list[tuple[str, str]]]:
    """Return the file and the account of each test that the list behind the summary has, by name."""
    found: dict[str, list[tuple[str, str]]] = {}
    headings = list(_AT.finditer(tail))
    ends = [*(heading.start() for heading in headings[1:]), len(tail)]
    for heading, end in zip(headings, ends, strict=False):
        account = tail[heading.end() : end].strip("\n")[:DETAIL]
        found.setdefault(heading["name"], []).append((heading["file"], account))
    return found


def _account(rest: list[str]) -> str:
    end = next(
        (n for n, line in enumerate(rest) if _RESULT.match(line) or line.startswith("ℹ")), len(rest)
    )
    return "\n".join(rest[:end]).strip("\n")
