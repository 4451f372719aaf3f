"""One-line diagnostics: `path:line:col: CODE message` and its relatives.

Printed by flake8, ruff (concise), mypy, gcc and clang, pylint, go vet's tools, tsc, pyright,
shellcheck (gcc format) and many more.
"""

from __future__ import annotations

import re

from bot.ci.failures.base import Reading, tool_failure

_BRACKETS = r"\((?!\d+,\d+\))[^\s:()]*\)"
"""In names of files, as of Next.js's groups of routes: `app/(shop)/page.tsx`."""

_SHOWN = r"(?!\d+ |>)"
"""Not a line of source that is shown behind its number, as in `12 | x = "a.py:1: F401"`."""

_PLACE = rf"^ *(?P<file>{_SHOWN}(?:[^\s:()]|{_BRACKETS})(?:[^:\n()]|{_BRACKETS})*?)"
_CODE = r"[A-Z]{1,8}\d{1,5}|invalid-syntax|SyntaxError"
# A.py:3:1: F401 message  (flake8, ruff, pylint: C0114: message)
_CODED = re.compile(
    _PLACE + rf":(?P<line>\d+)(?::(?P<column>\d+))?:? (?P<code>{_CODE})\b:?"
    r" (?:\[\*\] )?(?P<why>.+)$",
    re.MULTILINE,
)
# a.py:3:1: message  (pyflakes, and whoever prints places like a compiler)
_UNKNOWN = re.compile(
    r"^(?P<file>(?!\S*://)[^\s:]+\.\w+):(?P<line>\d+):\d+:? (?!warning|note|info|debug)(?P<why>\S.+)$",
    re.MULTILINE | re.IGNORECASE,
)
# The rule that an unknown tool names last: message (ineffassign), as golangci-lint; message [shellcheck]
_LAST = re.compile(r" [(\[](?P<code>[a-z][a-z\d]*(?:-[a-z\d]+)*)[)\]]$")
# a.py:3: error: message  [code] (mypy, gcc);  /a.py:3:1 - error: message (rule) (pyright);
# a.ts:1:7 - error TS2322: message (tsc --pretty)
_SEVERE = re.compile(
    _PLACE
    + r":(?P<line>\d+)(?::(?P<column>\d+))?(?::(?:\d+:)*| -) (?:fatal )?error:? ?(?P<code>TS\d+)?:? ?"
    r"(?P<why>\S(?:.(?!\[SC\d{4}\]$))*)$",
    re.MULTILINE,
)
# a.py: error: message  (mypy, of a file that it finds as two modules, or of two files as one)
_WHOLE = re.compile(
    r"^(?P<file>[^\s:]+\.pyi?): error: (?P<why>(?:Duplicate module named|Source file found twice) .+)$",
    re.MULTILINE,
)
# a.ts(1,7): error TS2322: message
_TSC = re.compile(
    rf"^(?P<file>{_SHOWN}(?:[^\s(:]|{_BRACKETS})(?:[^(:\n]|:(?! )|{_BRACKETS})*?)"
    r"\((?P<line>\d+),(?P<column>\d+)\): error (?P<code>TS\d+): (?P<why>.+)$",
    re.MULTILINE,
)
# a.py:3: [W0235(useless-super-delegation), Type.method] message  (pylint's parseable format);
# a.py:3: [F401] message  (flake8 and ruff in that format)
_PARSEABLE = re.compile(
    _PLACE + rf":(?P<line>\d+): \[(?P<code>{_CODE})(?:\([\w-]+\))?(?:, [^\]\n]*)?\] (?P<why>.+)$",
    re.MULTILINE,
)
# a.py:3:1: local variable 'x' is assigned to but never used  (pyflakes itself, which has no codes)
_PYFLAKES = re.compile(
    _PLACE + r":(?P<line>\d+):(?P<column>\d+):? (?P<why>(?:undefined name|local variable"
    r"|redefinition of unused|f-string is missing|import '|dictionary key|'[^'\n]+' imported but"
    r"|'from \S+ import \*' used|'[^'\n]+' may be undefined|invalid escape|use ==/!=).*)$",
    re.MULTILINE,
)
# a.py:3: teh ==> the  (codespell)
_CODESPELL = re.compile(_PLACE + r":(?P<line>\d+): (?P<why>\S[^\n=]*? ==> \S.*)$", re.MULTILINE)
# a.py:3 in public function `f`:\n        D400: message  (pydocstyle)
_PYDOCSTYLE = re.compile(
    _PLACE + r":(?P<line>\d+) (?:in|at) [^\n]*:\n\s+(?P<code>D\d{3}): (?P<why>[^\n]+)$",
    re.MULTILINE,
)
# a.py:\n  3:1 F401 message  (ruff's grouped format)
_FILE = re.compile(r"(?P<file>\S[^:\n]*):")
_IN_FILE = re.compile(r" +(?P<place>\d+:\d+):? +(?P<rest>\S.*)")
_NAMED_AFTER = {_PYFLAKES: "pyflakes", _CODESPELL: "codespell"}
"""Formats without codes, by the tool that prints them."""

_TRAILING_CODE = re.compile(r"(?<! ) +(?:\[(?P<mypy>[a-z][\w-]*)\]|\((?P<pyright>report\w+)\))$")
# mypy's pretty output breaks a message between words, and shows the line of code below it
_WRAPPED = re.compile(
    r"(?P<rest>(?:\n(?![^\s:]+:\d+:)\S[^\n]*?){0,8}?)\s\[(?P<code>[a-z][\w-]*)\] *\n {4}"
)
_CONTINUED = re.compile(r"\n\s{4,}\S.*\((?P<code>report\w+)\)")


def parse(text: str) -> Reading | None:
    """Return every such line as a failure, in order."""
    text = _with_files(text)
    patterns = (_CODED, _SEVERE, _WHOLE, _TSC, _PARSEABLE, _PYDOCSTYLE, *_NAMED_AFTER)
    matches = [m for pattern in patterns for m in pattern.finditer(text)]
    if not matches:
        return None
    matches.sort(key=lambda match: match.start())
    failing = []
    for match in matches:
        why, code = match["why"].strip(), _code(match)
        trailing = _TRAILING_CODE.search(why)
        continued = _CONTINUED.match(text, match.end())
        if not code and trailing:
            code = trailing["mypy"] or trailing["pyright"]
            why = why[: trailing.start()]
        elif not code and (wrapped := _WRAPPED.match(text, match.end())):
            code, why = wrapped["code"], " ".join(f"{why}{wrapped['rest']}".split())
        elif not code and continued:
            code = continued["code"]
        column = int(match.groupdict().get("column") or 0)
        failing.append(
            tool_failure(
                match["file"],
                int(match.groupdict().get("line") or 0),
                code or "error",
                why.strip(),
                column=column,
            )
        )
    return Reading(tuple(failing), start=matches[0].start())


def _with_files(text: str) -> str:
    """Return a text in which lines below the name of a file begin with it."""
    file = ""
    lines: list[str] = []
    for line in text.split("\n"):
        place = _IN_FILE.match(line)
        if place and file:
            lines.append(f"{file}:{place['place']}: {place['rest']}")
            continue
        heading = _FILE.fullmatch(line)
        file = heading["file"] if heading else ""
        lines.append(line)
    return "\n".join(lines)


def parse_unknown(text: str) -> Reading | None:
    """Return every line that begins with a file, a line and a column, whoever prints it."""
    matches = list(_UNKNOWN.finditer(text))
    failing = []
    for match in matches:
        why = match["why"].strip()
        code = named["code"] if (named := _LAST.search(why)) else "error"
        failing.append(tool_failure(match["file"], int(match["line"]), code, why))
    return Reading(tuple(failing), start=matches[0].start()) if matches else None


def _code(match: re.Match[str]) -> str:
    """Return the code that a line names, the tool's name where it has none, or ""."""
    return match.groupdict().get("code") or _NAMED_AFTER.get(match.re, "")
