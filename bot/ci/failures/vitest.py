"""vitest on the console; ids are its own: `file > describe > test`, or the file that fails.

Of a file in which nothing fails, most of its reporters name the file alone: that counts as passed.
"""

from __future__ import annotations

import re

from bot.ci.failures.javascript import counted, first_line, javascript_failure, unique
from bot.ci.failures.reading import DETAIL, Reading

_OURS = re.compile(r"^ RUN +v\d|^ +Test Files +\d", re.MULTILINE)
_COUNTS = re.compile(r"^ +Tests +(?P<counts>\d.+)$", re.MULTILINE)
_PROJECT = r"(?:\|[^|\n]+\| +|[^\s|>]+(?: [^\s|>]+){0,3} {2,}(?=\S))?"
"""In front of a file where there are several projects: between bars, or coloured and padded."""

_FAIL = re.compile(rf"^ FAIL +{_PROJECT}(?P<name>\S.*)$", re.MULTILINE)
_RULE = re.compile(r"^⎯+", re.MULTILINE)
_LINE = re.compile(
    rf"^ (?P<mark>[✓√↓]) +{_PROJECT}(?P<name>\S+ > .+?)(?:(?<! ) +\d+ ?ms)?$", re.MULTILINE
)
_FILE = re.compile(rf"^ [✓√] +{_PROJECT}(?P<file>\S+) \(\d+ tests?(?: \|[^()\n]*)?\)", re.MULTILINE)
_REPEATED = re.compile(r"^(?P<file>\S+) \[ .+ \]$")


def parse(text: str) -> Reading | None:
    """Return what vitest said."""
    if not _OURS.search(text):
        return None
    counts = _COUNTS.search(text)
    failing = []
    headings = list(_FAIL.finditer(text))
    for n, heading in enumerate(headings):
        following = headings[n + 1].start() if n + 1 < len(headings) else len(text)
        end = min(following, heading.end() + DETAIL)
        account = _RULE.split(text[heading.end() : end], maxsplit=1)[0].strip("\n")
        repeated = _REPEATED.match(heading["name"])
        name = repeated["file"] if repeated else heading["name"]
        file = name.split(" > ")[0]
        failing.append(javascript_failure(name, first_line(account), account, file))
    passed = {m["name"] for m in _LINE.finditer(text) if m["mark"] != "↓"}
    passed |= {match["file"] for match in _FILE.finditer(text)}
    skipped = {m["name"] for m in _LINE.finditer(text) if m["mark"] == "↓"}
    return unique(failing, passed, skipped, counted(counts["counts"]) if counts else None)
