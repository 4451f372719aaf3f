"""jest on the console; ids are its own: `describe › test`, or the file that can't be loaded."""
# ruff: noqa: RUF001, RUF002 - jest prints these characters

from __future__ import annotations

import re

from bot.ci.failures.javascript import counted, first_line, javascript_failure, unique
from bot.ci.failures.reading import ACCOUNT_LINES, Reading
from bot.model import Failure

_OURS = re.compile(
    r"^Test Suites: +\d+ |^FAIL [^\n(]{1,200}\.[cm]?[jt]sx?(?: \([^\n]{0,40})?\n  ● ", re.MULTILINE
)
"""Its summary, or a file that failed before it was ended."""

_COUNTS = re.compile(r"^Tests: +(?P<counts>.+)$", re.MULTILINE)
_FILE = re.compile(r"^(?:FAIL|PASS) (?:[^\n]*? )?(?P<file>[^\s]+\.[cm]?[jt]sx?)(?: \([^\n]*)?$")
_BULLET = re.compile(r"^  ● (?P<name>.+)$")
_TREE = re.compile(r"^(?P<indent> +)(?P<mark>[✓√✕×○✎]) (?P<name>.+?)(?: \(\d[\d.]* m?s\))?$")
_GROUP = re.compile(r"^(?P<indent> {2,})(?P<name>\S.*)$")
_BROKEN = "Test suite failed to run"


def parse(text: str) -> Reading | None:
    """Return what jest said."""
    if not _OURS.search(text):
        return None
    counts = _COUNTS.search(text)
    failing: list[Failure] = []
    passed: set[str] = set()
    skipped: set[str] = set()
    file: str | None = None
    groups: list[tuple[int, str]] = []
    lines = text.split("\n")
    for n, line in enumerate(lines):
        if heading := _FILE.match(line):
            file, groups = heading["file"], []
        elif bullet := _BULLET.match(line):
            failing.append(_failure(bullet["name"], file, lines[n + 1 : n + ACCOUNT_LINES]))
        elif leaf := _TREE.match(line):
            groups = [group for group in groups if group[0] < len(leaf["indent"])]
            name = " › ".join([*(name for _, name in groups), _unprefixed(leaf["name"])])
            passed.update({name} if leaf["mark"] in "✓√" else ())
            skipped.update({name} if leaf["mark"] in "○✎" else ())
        elif group := _GROUP.match(line):
            depth = len(group["indent"])
            groups = [*(g for g in groups if g[0] < depth), (depth, group["name"])]
    return unique(failing, passed, skipped, counted(counts["counts"]) if counts else None)


def _failure(name: str, file: str | None, rest: list[str]) -> Failure:
    end = next(
        (n for n, line in enumerate(rest) if _BULLET.match(line) or line[:1].strip()), len(rest)
    )
    account = "\n".join(rest[:end]).strip("\n")
    test = file or name if name == _BROKEN else name
    return javascript_failure(test, first_line(account), account, file)


def _unprefixed(name: str) -> str:
    return name.removeprefix("skipped ").removeprefix("todo ")
