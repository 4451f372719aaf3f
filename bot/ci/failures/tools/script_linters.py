"""Linters of JavaScript and TypeScript with formats of their own: biome, oxlint, standard and xo."""

from __future__ import annotations

import re

from bot.ci.failures.base import ACCOUNT_LINES, Reading, tool_failure
from bot.model import Failure

_ERRORS = "\u00d7\u2716"
"""The crosses in front of errors."""

# src/a.ts:1:16 lint/correctness/noUnusedImports  FIXABLE  ━━━━; of a whole file: src/a.ts format ━━━━
_BIOME = re.compile(
    r"^(?P<file>[^\s:]+\.\w+)(?::(?P<line>\d+):(?P<column>\d+))?"
    r" (?P<code>[a-z][\w/-]*)(?: +FIXABLE)? +━{3,}$",
    re.MULTILINE,
)
_BIOME_SAYS = re.compile(r"^ {2}(?P<mark>[\u00d7\u2716!]) (?P<why>\S.*)$")
_BIOME_COUNTS_WARNINGS = re.compile(r"^ {2}[\u00d7\u2716] Some warnings were emitted", re.MULTILINE)

#   x eslint(no-unused-vars): Identifier 'fs' is imported but never used.
#    ,-[src/a.ts:2:8]
_OXLINT = re.compile(
    r"^ {2}[x\u00d7] (?P<plugin>[\w-]+)\((?P<code>[\w-]+)\): (?P<why>[^\n]+)\n"
    r"(?: {2,4}[│|][^\n]*\n){0,8} *(?:,-|╭─)\[(?P<file>[^\n\]]+):(?P<line>\d+):(?P<column>\d+)\]$",
    re.MULTILINE,
)

#   /home/me/src/a.js:1:16: 'resolve' is defined but never used. (no-unused-vars)
_STANDARD = re.compile(
    r"^ {2}(?P<file>[^\s:]+\.\w+):(?P<line>\d+):(?P<column>\d+): (?P<why>\S[^\n]*)"
    r" \((?P<code>[\w@/-]+)\)$",
    re.MULTILINE,
)

#   x  3:7  'x' is assigned a value but never used.  no-unused-vars  (below the file's name)
_XO = re.compile(
    r"^ {2}[\u2716\u00d7] +(?P<line>\d+):(?P<column>\d+) +(?P<why>\S(?:.*\S)?) {2,}(?P<code>[\w@/-]+)$"
)
_XO_FILE = re.compile(r"^ {2}(?P<file>[^\s:]+\.\w+)(?::\d+:\d+)?$")


def parse(text: str) -> Reading | None:
    """Return the errors of these linters, in order."""
    found = [*_biome(text), *_xo(text)]
    for form in (_OXLINT, _STANDARD):
        found += [(match.start(), _failure(match, match["why"])) for match in form.finditer(text)]
    if not found:
        return None
    found.sort(key=lambda entry: entry[0])
    return Reading(tuple(failure for _, failure in found), start=found[0][0])


def _failure(match: re.Match[str], why: str, file: str = "") -> Failure:
    line, column = (int(match[name] or 0) for name in ("line", "column"))
    return tool_failure(file or match["file"], line, match["code"], why, column=column)


def _biome(text: str) -> list[tuple[int, Failure]]:
    """Return what biome calls errors, and warnings where it was told to fail for them."""
    marks = _ERRORS + "!" * (_BIOME_COUNTS_WARNINGS.search(text) is not None)
    found = []
    for match in _BIOME.finditer(text):
        for line in text[match.end() : match.end() + 2000].split("\n", ACCOUNT_LINES)[1:6]:
            if says := _BIOME_SAYS.match(line):
                if says["mark"] in marks:
                    found.append((match.start(), _failure(match, says["why"])))
                break
    return found


def _xo(text: str) -> list[tuple[int, Failure]]:
    found, file, offset = [], "", 0
    for line in text.split("\n"):
        if heading := _XO_FILE.match(line):
            file = heading["file"]
        elif file and (problem := _XO.match(line)):
            found.append((offset, _failure(problem, problem["why"], file)))
        offset += len(line) + 1
    return found
