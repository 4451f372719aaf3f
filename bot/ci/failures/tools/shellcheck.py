"""ShellCheck, in the format that it prints by default (https://www.shellcheck.net).

Its `gcc` format is one of one-line diagnostics; any level of what it reports makes it fail.
"""

from __future__ import annotations

import re

from bot.ci.failures.base import ACCOUNT_LINES, Reading, tool_failure
from bot.model import Failure

# In script.sh line 3:
# echo $foo
#      ^--^ SC2086 (info): Double quote to prevent globbing and word splitting.
_PLACE = re.compile(r"^In (?P<file>\S[^\n]*) line (?P<line>\d+):$", re.MULTILINE)
_FINDING = re.compile(
    r"^(?P<indent> *)\^[-^]* (?P<code>SC\d{4}) \((?P<level>\w+)\): (?P<why>\S.*)$"
)
_GCC = re.compile(
    r"^(?P<file>(?!\s)[^\s:][^:\n]*):(?P<line>\d+):(?P<column>\d+): (?:note|warning|error): "
    r"(?P<why>\S[^\n]*) \[(?P<code>SC\d{4})\]$",
    re.MULTILINE,
)


def parse(text: str) -> Reading | None:
    """Return its findings, in order."""
    found = [
        *_of_places(text),
        *((match.start(), _failure(match)) for match in _GCC.finditer(text)),
    ]
    if not found:
        return None
    return Reading(tuple(failure for _, failure in found), start=found[0][0])


def _of_places(text: str) -> list[tuple[int, Failure]]:
    found = []
    places = list(_PLACE.finditer(text))
    ends = [*(place.start() for place in places[1:]), len(text)]
    for place, end in zip(places, ends, strict=False):
        for line in text[place.end() : end].split("\n")[:ACCOUNT_LINES]:
            if match := _FINDING.match(line):
                at = int(place["line"]), match["code"], match["why"]
                column = len(match["indent"]) + 1
                found.append((place.start(), tool_failure(place["file"], *at, column=column)))
    return found


def _failure(match: re.Match[str]) -> Failure:
    line, column = int(match["line"]), int(match["column"])
    return tool_failure(match["file"], line, match["code"], match["why"], column=column)
