"""vitest on the console; ids are its own: `file > describe > test`, or the file that fails.

Of a file in which nothing fails, most of its reporters name the file alone: that counts as passed.
"""

from __future__ import annotations

import re

from bot.ci.failures.base import DETAIL, Reading
from bot.ci.failures.runners.javascript import counted, first_line, javascript_failure, unique
from bot.model import Failure

_OURS = re.compile(r"^ RUN +v\d|^ +Test Files +\d", re.MULTILINE)
_COUNTS = re.compile(r"^ +Tests +(?P<counts>\d.+)$", re.MULTILINE)
_PROJECT = r"(?:\|[^|\n]+\| +|[^\s|>]+(?: [^\s|>]+){0,3} {2,}(?=\S))?"
"""In front of a file where there are several projects: between bars, or coloured and padded."""

_FAIL = re.compile(rf"^ FAIL +{_PROJECT}(?P<name>\S.*)$", re.MULTILINE)
_FAILED = re.compile(r"^⎯+ Failed (?:Tests|Suites) \d+ ⎯+$", re.MULTILINE)
"""Above all that failed; a program may print what looks like it before."""

_UNHANDLED = re.compile(
    r"^⎯+ (?P<kind>Un(?:handled|caught) (?:Error|Rejection|Exception)) ⎯+\n(?P<account>(?:(?!⎯)[^\n]*\n){1,200})",
    re.MULTILINE,
)
_ORIGIN = re.compile(r'^This error originated in "(?P<file>[^"\n]+)" test file', re.MULTILINE)
_RULE = re.compile(r"^⎯+", re.MULTILINE)
_LINE = re.compile(
    rf"^ (?P<mark>[✓√↓]) +{_PROJECT}(?P<name>\S+ > .+?)(?:(?<! ) +\d+ ?ms)?(?: \(retry x\d+\))?$",
    re.MULTILINE,
)
_FILE = re.compile(rf"^ [✓√] +{_PROJECT}(?P<file>\S+) \(\d+ tests?(?: \|[^()\n]*)?\)", re.MULTILINE)
_REPEATED = re.compile(r"^(?P<file>\S+) \[ .+ \]$")


def parse(text: str) -> Reading | None:
    """Return what vitest said."""
    if not _OURS.search(text):
        return None
    counts = _COUNTS.search(text)
    failing: list[Failure] = []
    listed = _FAILED.search(text)
    headings = list(_FAIL.finditer(text, listed.end() if listed else 0))
    account = ""
    # Tests that fail for the same reason stand above one account of it.
    for n, heading in reversed(list(enumerate(headings))):
        following = headings[n + 1].start() if n + 1 < len(headings) else len(text)
        end = min(following, heading.end() + DETAIL)
        own = _RULE.split(text[heading.end() : end], maxsplit=1)[0].strip("\n")
        account = own or account
        repeated = _REPEATED.match(heading["name"])
        name = repeated["file"] if repeated else heading["name"]
        file = name.split(" > ")[0]
        failing.insert(0, javascript_failure(name, first_line(account), account, file))
    failing += map(_unhandled, _UNHANDLED.finditer(f"{text}\n"))
    passed = {m["name"] for m in _LINE.finditer(text) if m["mark"] != "↓"}
    passed |= {match["file"] for match in _FILE.finditer(text)}
    skipped = {m["name"] for m in _LINE.finditer(text) if m["mark"] == "↓"}
    return unique(failing, passed, skipped, counted(counts["counts"]) if counts else None)


def _unhandled(match: re.Match[str]) -> Failure:
    """Return an error that no test caught; it is named after the file that was running."""
    account = match["account"].strip("\n")
    origin = _ORIGIN.search(account)
    file = origin["file"] if origin else None
    return javascript_failure(file or match["kind"], first_line(account), account, file)
