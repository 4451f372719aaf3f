"""eslint's default (stylish) format: a file, then its problems; warnings are no failures."""

from __future__ import annotations

import re

from bot.ci.failures.reading import Reading, tool_failure

_OURS = re.compile(r"^✖ \d+ problems? \(\d+ errors?, \d+ warnings?\)$", re.MULTILINE)
_FILE = re.compile(r"^(?P<file>(?:/|\.|\w)\S*\.\w+)$")
_PROBLEM = re.compile(
    r"^ +(?P<line>\d+):(?P<column>\d+) +error +(?P<why>\S.*?)(?:(?<! ) {2,}(?P<rule>[\w@/-]+))?$"
)


def parse(text: str) -> Reading | None:
    """Return eslint's errors."""
    if not _OURS.search(text):
        return None
    failing = []
    file = ""
    start = 0
    offset = 0
    for line in text.split("\n"):
        if heading := _FILE.match(line):
            file = heading["file"]
        elif file and (problem := _PROBLEM.match(line)):
            start = start or offset
            failing.append(
                tool_failure(
                    file,
                    int(problem["line"]),
                    problem["rule"] or "error",
                    problem["why"],
                    column=int(problem["column"]),
                )
            )
        offset += len(line) + 1
    return Reading(tuple(failing), start=start)
