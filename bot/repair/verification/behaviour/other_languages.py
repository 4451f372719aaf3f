"""What changes in programs of other languages than Python: nothing here compares what it does. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.code.languages import Language, is_unparsed_program
from bot.code.syntax import language_of
from bot.model.proof_card import Fact, FactKind
from bot.repair.symbols.outline import outlined
from bot.reporting.reasons import behaviour as sentences

_COMMENT = re.compile(r"//(?!go:|\s*\+build)|/\*|\*")
"""How a line of a comment begins in all languages that are parsed."""

UNCOMPARED = 10
"""Functions that are named although they could not be compared."""


def in_other_languages(changes: Sequence[FileDiff]) -> list[Fact]:
    """Return what changes in programs of other languages than Python, which are not run here."""
    found: list[Fact] = []
    for change in changes:
        if not is_test_file(change.path) and change.is_readable:
            found += _not_run(change)
    more = len(found) - UNCOMPARED
    if more > 0:
        found[UNCOMPARED:] = [Fact(FactKind.NOT_COVERED, sentences.more_not_compared(more))]
    return found


def _not_run(change: FileDiff) -> Iterator[Fact]:
    """Yield the changed functions of a program, and the program where more than these changes."""
    language = language_of(change.path)
    if language is Language.PYTHON:
        return
    if language is None:
        if is_unparsed_program(change.path):
            text = sentences.program_not_compared(change.path)
            yield Fact(FactKind.NOT_COVERED, text, change.path, change.path)
        return
    touched: dict[str, int] = {}
    outside = False
    for side, lines in zip((change.before, change.after), change.differing, strict=True):
        there = (side or b"").decode("utf-8", "replace").splitlines()
        symbols = outlined(change.path, side or b"").symbols
        for line in lines.numbers:
            holding = [symbol for symbol in symbols if symbol.line <= line <= symbol.last]
            touched |= {symbol.name: symbol.line for symbol in holding}
            outside |= not holding and _says_something(there[line - 1 : line])
    for name, line in touched.items():
        text = sentences.other_language(name, language.value.capitalize())
        yield Fact(FactKind.NOT_COVERED, text, name, change.path, line)
    if outside:
        text = sentences.rest_not_compared(change.path)
        yield Fact(FactKind.NOT_COVERED, text, change.path, change.path)


def _says_something(lines: Sequence[str]) -> bool:
    """Whether a line is neither blank nor a comment; Go's constraints on the build are none."""
    text = "".join(lines).strip()
    return bool(text) and _COMMENT.match(text) is None
