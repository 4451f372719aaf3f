"""Slips that Python's own parser spells out: a bracket too many, the wrong one, a missing colon.

A repair counts only where the file can be read with it, and where no other one would do as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.source import RuleSource
from bot.reporting.reasons import mechanical

_CLOSES = {"(": ")", "[": "]", "{": "}"}
_SAYS = re.compile(
    r"unmatched '(?P<unmatched>[)\]}])'"
    r"|closing parenthesis '(?P<wrong>[)\]}])' does not match opening parenthesis '(?P<opening>[(\[{])'"
    r"|'(?P<open>[(\[{])' was never closed"
    r"|expected '(?P<colon>:)'"
)
"""https://github.com/python/cpython/blob/3.11/Parser/tokenizer.c and `Grammar/python.gram`; flake8,
pylint and mypy repeat these words."""

_COMMENT = re.compile(r"(?<!\s)\s*(?:#.*)?$")


def _readable(reported: Reported) -> Repair | None:
    """Return the one small change of the line with which the file can be read."""
    source, said = reported.source, _SAYS.search(reported.diagnostic.message)
    if said is None or source.tree is not None or not source.has(reported.line):
        return None
    texts = dict.fromkeys(_candidates(source, reported.line, said))
    good = [text for text in texts if RuleSource(source.path, text).tree is not None]
    return Repair(good[0], mechanical.syntax_repaired(said[0])) if len(good) == 1 else None


def _candidates(source: RuleSource, number: int, said: re.Match[str]) -> Iterator[str]:
    line = source.line(number)
    if bracket := said["unmatched"]:
        for left in _each_replaced(line, bracket, ""):
            if left.strip():
                yield source.with_line(number, left)
            else:
                yield source.without_lines(number, number)
    elif bracket := said["wrong"]:
        right = _CLOSES[said["opening"]]
        for other in (right, right + bracket):
            for changed in _each_replaced(line, bracket, other):
                yield source.with_line(number, changed)
    else:
        end = _COMMENT.search(line)
        at = end.start() if end else len(line)
        added = said["colon"] or _CLOSES[said["open"]]
        yield source.with_line(number, line[:at] + added + line[at:])


def _each_replaced(line: str, bracket: str, other: str) -> Iterator[str]:
    for at, character in enumerate(line):
        if character == bracket:
            yield line[:at] + other + line[at + 1 :]


RULES = (
    Rule(
        name="slip in the syntax",
        codes=frozenset({"", "E999", "E0001", "syntax", "syntax-error"}),
        message=_SAYS,
        repair=_readable,
        example=Example(
            before="total = sum(\n    [1, 2])\n)\n",
            line=3,
            code="E999",
            message="SyntaxError: unmatched ')'",
            after="total = sum(\n    [1, 2])\n",
        ),
        more=(
            Example(
                before="print(sum([1, 2))\n",
                line=1,
                code="",
                message="SyntaxError: closing parenthesis ')' does not match opening parenthesis '['",
                after="print(sum([1, 2]))\n",
            ),
            Example(
                before="def half(n)  # of it\n    return n / 2\n",
                line=1,
                code="syntax",
                message="expected ':'",
                after="def half(n):  # of it\n    return n / 2\n",
            ),
            Example(
                before="print(sum([1, 2])\nprint()\n",
                line=1,
                code="E0001",
                message="Parsing failed: ''(' was never closed (module, line 1)'",
                after="print(sum([1, 2]))\nprint()\n",
            ),
        ),
    ),
)
