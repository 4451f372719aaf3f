"""eslint's default (stylish) format: a file, then its problems; warnings count where there are too many."""

from __future__ import annotations

import re

from bot.ci.failures.reading import Reading, tool_failure

_OURS = re.compile(r"^✖ \d+ problems? \(\d+ errors?, \d+ warnings?\)$", re.MULTILINE)
_FILE = re.compile(r"^(?P<file>(?:/|\.|\w)\S*\.\w+)$")
_TOO_MANY_WARNINGS = re.compile(r"^ESLint found too many warnings", re.MULTILINE)
_PROBLEM = re.compile(
    r"^ +(?P<line>\d+):(?P<column>\d+) +(?P<severity>error|warning) +(?P<why>\S.*?)(?:(?<! ) {2,}(?P<rule>[\w@/-]+))?$"
)


def parse(text: str) -> Reading | None:
    """Return eslint's errors, and its warnings where `--max-warnings` failed the run."""
    if not _OURS.search(text):
        return None
    failing = []
    counted = {"error", "warning"} if _TOO_MANY_WARNINGS.search(text) else {"error"}
    file = ""
    start = 0
    offset = 0
    for line in text.split("\n"):
        if heading := _FILE.match(line):
            file = heading["file"]
        elif file and (problem := _PROBLEM.match(line)) and problem["severity"] in counted:
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
