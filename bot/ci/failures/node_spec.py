"""node:test's spec reporter (its default on terminals and, since Node 20, everywhere)."""
# ruff: noqa: RUF001 - node prints these characters

from __future__ import annotations

import re

from bot.ci.failures.javascript import first_line, javascript_failure, unique
from bot.ci.failures.reading import ACCOUNT_LINES, Reading
from bot.model import Failure, TestCounts

_NUMBER = re.compile(
    r"^ℹ (?P<what>tests|pass|fail|skipped|todo|cancelled) (?P<n>\d+)$", re.MULTILINE
)
_LINE = re.compile(r"^(?P<indent> *)(?P<mark>[✔✖﹣▶]) (?P<name>.+?)(?: \(\d[\d.]*ms\))?(?: # .*)?$")
_TIMED = re.compile(r"^ *[✔✖] \S.* \(\d+\.\d{3,}ms\)$", re.MULTILINE)
"""What no other runner prints: all that there is of a run which was ended before its summary."""

_TAIL = "✖ failing tests:"
_AT = re.compile(
    r"^test at (?P<file>\S+?):(?P<line>\d+):\d+\n✖ (?P<name>.+?)(?: \([\d.]+ms\))?$", re.MULTILINE
)


def parse(text: str) -> Reading | None:
    """Return what node:test said."""
    numbers = {match["what"]: int(match["n"]) for match in _NUMBER.finditer(text)}
    is_whole = {"tests", "pass", "fail"} <= numbers.keys()
    if not is_whole and not _TIMED.search(text):
        return None
    tree, _, tail = text.partition(_TAIL)
    files = {match["name"]: match["file"] for match in _AT.finditer(tail)}
    failing: list[Failure] = []
    passed: set[str] = set()
    skipped: set[str] = set()
    groups: list[str] = []
    lines = tree.split("\n")
    for n, line in enumerate(lines):
        match = _LINE.match(line)
        if match is None:
            continue
        depth = len(match["indent"]) // 2
        if match["mark"] == "▶":
            groups = [*groups[:depth], match["name"]]
            continue
        if groups[depth : depth + 1] == [match["name"]]:
            groups = groups[:depth]  # the closing line of a suite
            continue
        name = " > ".join([*groups[:depth], match["name"]])
        if match["mark"] == "✖":
            account = _account(lines[n + 1 : n + ACCOUNT_LINES])
            failing.append(
                javascript_failure(name, first_line(account), account, files.get(match["name"]))
            )
        else:
            (passed if match["mark"] == "✔" else skipped).add(name)
    left = numbers.get("skipped", 0) + numbers.get("todo", 0) if is_whole else len(skipped)
    counts = TestCounts(numbers["pass"] if is_whole else len(passed), len(failing), left)
    return unique(failing, passed, skipped, counts)


def _account(rest: list[str]) -> str:
    end = next(
        (n for n, line in enumerate(rest) if _LINE.match(line) or line.startswith("ℹ")), len(rest)
    )
    return "\n".join(rest[:end]).strip("\n")
