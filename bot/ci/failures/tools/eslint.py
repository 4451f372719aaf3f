"""eslint in all of its own formats; warnings count where there are too many.

https://eslint.org/docs/latest/use/formatters/: stylish is the default; unix, compact, visualstudio
and codeframe have been packages of their own since version 9.
"""

from __future__ import annotations

import re

from bot.ci.failures.base import Reading, tool_failure

_STYLISH = re.compile(r"^✖ \d+ problems? \(\d+ errors?, \d+ warnings?\)$", re.MULTILINE)
_HEADING = re.compile(
    r"^(?P<file>(?:/|\.|\w)[^\n]*\.\w+)\n(?= +\d+:\d+ +(?:error|warning) )", re.MULTILINE
)
_RULE = r"(?P<rule>[\w@/-]+)"
_AT = r"(?P<line>\d+):(?P<column>\d+)"
_WHY = r"(?P<why>[^\n]+?(?:\n[^\n]+?){0,4}?)"
_PROBLEM = re.compile(
    rf"^ +{_AT} +(?P<severity>error|warning) +(?P<why>\S.*?)"
    rf"(?:(?:\n(?! +\d+:\d+ )\S.*?){{0,4}}?(?<! ) {{2,}}{_RULE})?$",
    re.MULTILINE,
)
# src/a.js:1:5: 'x' is never used. [Error/no-unused-vars]
_UNIX = re.compile(
    rf"^(?P<file>\S[^:\n]*):{_AT}: {_WHY} \[(?P<severity>Error|Warning)(?:/{_RULE})?\]$",
    re.MULTILINE,
)
# src/a.js: line 1, col 5, Error - 'x' is never used. (no-unused-vars)
_COMPACT = re.compile(
    r"^(?P<file>\S[^:\n]*): line (?P<line>\d+), col (?P<column>\d+), (?P<severity>Error|Warning)"
    rf" - (?P<why>.+?)(?:(?:\n(?!\S.*: line \d+, col )\S.*?){{0,4}}? \({_RULE}\))?$",
    re.MULTILINE,
)
# src/a.js(1,5): error no-unused-vars : 'x' is never used.
_VISUAL_STUDIO = re.compile(
    r"^(?P<file>\S[^\n]*)\((?P<line>\d+),(?P<column>\d+)\): (?P<severity>error|warning)"
    rf" (?:{_RULE} )?: (?P<why>.+)$",
    re.MULTILINE,
)
# error: 'x' is never used (no-unused-vars) at src/a.js:1:5:
_CODEFRAME = re.compile(
    rf"^(?P<severity>error|warning): {_WHY}(?: \({_RULE}\))? at (?P<file>(?:(?! at )[^\n:])+):{_AT}:$",
    re.MULTILINE,
)
_FORMS = (_UNIX, _COMPACT, _VISUAL_STUDIO, _CODEFRAME)
_TOO_MANY_WARNINGS = re.compile(r"^ESLint found too many warnings", re.MULTILINE)


def parse(text: str) -> Reading | None:
    """Return eslint's errors, and its warnings where `--max-warnings` failed the run."""
    found = [(match, match["file"]) for form in _FORMS for match in form.finditer(text)]
    if _STYLISH.search(text):
        found += _below_headings(text)
    if not found:
        return None
    counted = {"error", "warning"} if _TOO_MANY_WARNINGS.search(text) else {"error"}
    found = [each for each in found if each[0]["severity"].lower() in counted]
    failing = [
        tool_failure(
            file, int(match["line"]), _rule(match), match["why"], column=int(match["column"])
        )
        for match, file in found
    ]
    return Reading(tuple(failing), start=found[0][0].start() if found else 0)


def _below_headings(text: str) -> list[tuple[re.Match[str], str]]:
    """Return the problems in stylish form, each with the file that stands above it."""
    headings = list(_HEADING.finditer(text))
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    return [
        (problem, heading["file"])
        for heading, end in zip(headings, ends, strict=False)
        for problem in _PROBLEM.finditer(text, heading.end(), end)
    ]


def _rule(match: re.Match[str]) -> str:
    """Return the rule that a problem names; of one that is no rule's, and of none at all, `error`."""
    rule = str(match["rule"] or "null")
    return "error" if rule == "null" else rule
