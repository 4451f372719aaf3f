"""One-line diagnostics: `path:line:col: CODE message` and its relatives.

Printed by flake8, ruff (concise), mypy, gcc and clang, pylint, go vet's tools, tsc, pyright,
shellcheck (gcc format) and many more.
"""

from __future__ import annotations

import re

from bot.ci.failures.reading import Reading, tool_failure

_PLACE = r"^ *(?P<file>(?!\s)[^\s:()][^:\n()]*?)"
# A.py:3:1: F401 message  (flake8, ruff, pylint: C0114: message)
_CODED = re.compile(
    _PLACE + r":(?P<line>\d+)(?::\d+)?:? (?P<code>[A-Z]{1,8}\d{1,5}|invalid-syntax|SyntaxError)\b:?"
    r" (?:\[\*\] )?(?P<why>.+)$",
    re.MULTILINE,
)
# a.py:3: [E1101(no-member), Class.method] message  (pylint's output format `parseable`)
_PARSEABLE = re.compile(
    _PLACE + r":(?P<line>\d+): \[(?P<code>[A-Z]\d{4})[^\]\n]*\] (?P<why>.+)$", re.MULTILINE
)
# a.py:3:1: message  (pyflakes, and whoever prints places like a compiler)
_UNKNOWN = re.compile(
    r"^(?P<file>(?!\S*://)[^\s:]+\.\w+):(?P<line>\d+):\d+:? (?!warning|note|info|debug)(?P<why>\S.+)$",
    re.MULTILINE | re.IGNORECASE,
)
# a.py:3: error: message  [code] (mypy, gcc);  /a.py:3:1 - error: message (rule) (pyright);
# a.ts:1:7 - error TS2322: message (tsc --pretty)
_SEVERE = re.compile(
    _PLACE + r":(?P<line>\d+)(?::\d+)?(?::(?:\d+:)*| -) (?:fatal )?error:? ?(?P<code>TS\d+)?:? ?"
    r"(?P<why>\S.*)$",
    re.MULTILINE,
)
# a.ts(1,7): error TS2322: message
_TSC = re.compile(
    r"^(?P<file>[^\s(][^(\n]*)\((?P<line>\d+),\d+\): error (?P<code>TS\d+): (?P<why>.+)$",
    re.MULTILINE,
)
_TRAILING_CODE = re.compile(r" +(?:\[(?P<mypy>[a-z][\w-]*)\]|\((?P<pyright>report\w+)\))$")
_CONTINUED = re.compile(r"\n\s{4,}\S.*\((?P<code>report\w+)\)")


def parse(text: str) -> Reading | None:
    """Return every such line as a failure, in order."""
    matches = [m for pattern in (_CODED, _PARSEABLE, _SEVERE, _TSC) for m in pattern.finditer(text)]
    if not matches:
        return None
    matches.sort(key=lambda match: match.start())
    failing = []
    for match in matches:
        why, code = match["why"].strip(), match["code"] or ""
        trailing = _TRAILING_CODE.search(why)
        continued = _CONTINUED.match(text, match.end())
        if not code and trailing:
            code = trailing["mypy"] or trailing["pyright"]
            why = why[: trailing.start()]
        elif not code and continued:
            code = continued["code"]
        failing.append(
            tool_failure(match["file"], int(match["line"]), code or "error", why.strip())
        )
    return Reading(tuple(failing), start=matches[0].start())


def parse_unknown(text: str) -> Reading | None:
    """Return every line that begins with a file, a line and a column, whoever prints it."""
    matches = list(_UNKNOWN.finditer(text))
    failing = [
        tool_failure(match["file"], int(match["line"]), "error", match["why"].strip())
        for match in matches
    ]
    return Reading(tuple(failing), start=matches[0].start()) if matches else None
