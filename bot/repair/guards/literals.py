"""Whether a patch brings values that an answer could be made of. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from bot.code.change import FileDiff
from bot.code.syntax import LITERALS, Syntax, text_of, walk


def brings_values(changes: Iterable[FileDiff]) -> bool:
    """Whether a patched program has literals that it did not have, or other files change.

    A whole number that is one more or less than one that is gone is none: it moves a boundary.
    """
    return any(
        change.new is None or _brings(_literals(change.old), _literals(change.new))
        for change in changes
        if not change.is_gone
    )


def _brings(before: Counter[str], after: Counter[str]) -> bool:
    come, gone = after - before, before - after
    moved = {number + step for number in _numbers(gone) for step in (-1, 1)}
    return come.total() > gone.total() or any(
        not moved.intersection(_numbers([text])) for text in come
    )


def _numbers(texts: Iterable[str]) -> set[int]:
    return {int(text) for text in texts if text.isdecimal()}


def _literals(syntax: Syntax | None) -> Counter[str]:
    """Return the literals of a program as they are written."""
    nodes = walk(syntax.root) if syntax is not None else ()
    return Counter(text_of(node) for node in nodes if node.type in LITERALS)
