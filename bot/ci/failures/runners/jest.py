"""jest on the console; ids are its own: `describe › test`, or the file that can't be loaded."""
# ruff: noqa: RUF001, RUF002 - jest prints these characters

from __future__ import annotations

import re

from bot.ci.failures.base import ACCOUNT_LINES, Reading, own_lines
from bot.ci.failures.runners.javascript import (
    counted,
    first_line,
    javascript_failure,
    named_in_tree,
    own_files,
    unique,
)
from bot.model import Failure

_OURS = re.compile(
    r"^Test Suites: +\d+ |^ ?FAIL +[^\s(][^\n(]{0,200}\.[cm]?[jt]sx?(?: \([^\n]{0,40})?\n  ● "
    r"|^  ●  process\.exit called with \"",
    re.MULTILINE,
)
"""Its summary, a file that failed before it was ended, or what ended it."""

_EXIT = re.compile(r"^  ●  (?P<why>process\.exit called with \"[^\n]*)$")

_COUNTS = re.compile(r"^Tests: +(?P<counts>.+)$", re.MULTILINE)
_FILE = re.compile(
    r"^ ?(?P<outcome>FAIL|PASS) +(?P<file>[^\s(][^\n]*?\.[cm]?[jt]sx?)(?: \(\d[^\n]*)?$"
)
_HEADING = re.compile(r"(?:FAIL|PASS) +[^\s(][^\n(]{0,200}\.[cm]?[jt]sx?(?: \(\d[\d.]* m?s\))?$")
_BULLET = re.compile(r"^  ● (?P<name>\S.*)$")
_PRINTED = re.compile(r"^ {4}console\.\w+(?: \S+:\d+)?$")
"""What stands below a bullet that says what tests printed, and no test's name."""

_TREE = re.compile(r"^(?P<indent> +)(?P<mark>[✓√✕×○✎]) (?P<name>.+?)(?: \(\d[\d.]* m?s\))?$")
_BROKEN = "Test suite failed to run"


def parse(text: str) -> Reading | None:
    """Return what jest said."""
    if not _OURS.search(text):
        return None
    counts = [counted(match["counts"]) for match in _COUNTS.finditer(text)]
    failing: list[Failure] = []
    passed: set[str] = set()
    skipped: set[str] = set()
    file: str | None = None
    lines = own_lines(text, _HEADING).split("\n")
    for n, line in enumerate(lines):
        if heading := _FILE.match(line):
            file = _path(heading["file"]) if heading["outcome"] == "FAIL" else None
            end = next((m for m in range(n + 1, len(lines)) if not lines[m].strip()), len(lines))
            for mark, name in named_in_tree(lines[n + 1 : end], _TREE, " › "):
                passed.update({name} if mark in "✓√" else ())
                skipped.update({_unprefixed(name)} if mark in "○✎" else ())
        elif file and (bullet := _BULLET.match(line)) and _is_test(lines[n + 1 : n + 3]):
            failing.append(_failure(bullet["name"], file, lines[n + 1 : n + ACCOUNT_LINES]))
        elif exits := _EXIT.match(line):
            failing += _ended(exits["why"], lines[n + 1 : n + ACCOUNT_LINES])
    return unique(failing, passed, skipped, counts[-1] if counts else None)


def _path(heading: str) -> str:
    """Return the path in a file's heading, behind the name of its project if that has one."""
    words = heading.split(" ")
    begins = (n for n, word in enumerate(words) if "/" in word and not word.startswith("@"))
    return " ".join(words[next(begins, -1) :])


def _is_test(following: list[str]) -> bool:
    """Whether a bullet above some lines names a test: no group of a tree, and no heading of prints."""
    return not "".join(following[:1]).strip() and not any(map(_PRINTED.match, following))


def _failure(name: str, file: str, rest: list[str]) -> Failure:
    account = _account(rest)
    test = file if name == _BROKEN else name
    return javascript_failure(test, first_line(account), account, file)


def _account(rest: list[str]) -> str:
    end = next(
        (n for n, line in enumerate(rest) if _BULLET.match(line) or line[:1].strip()), len(rest)
    )
    return "\n".join(rest[:end]).strip("\n")


def _ended(why: str, rest: list[str]) -> list[Failure]:
    """Return the file whose test ended everything: the outermost of the stack."""
    account = _account(rest)
    files = own_files(account)
    return [javascript_failure(files[-1], why, account)] if files else []


def _unprefixed(name: str) -> str:
    *groups, own = name.split(" › ")
    return " › ".join([*groups, own.removeprefix("skipped ").removeprefix("todo ")])
