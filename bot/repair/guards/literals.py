"""Whether a patch brings values that an answer could be made of. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from bot.code.change import FileDiff
from bot.code.syntax import LITERALS, Syntax, walk


def brings_values(changes: Iterable[FileDiff]) -> bool:
    """Whether there are more literals in a patched program than before, or other files change."""
    return any(
        change.new is None or _literals(change.new) > _literals(change.old)
        for change in changes
        if not change.is_gone
    )


def _literals(syntax: Syntax | None) -> int:
    return sum(node.type in LITERALS for node in walk(syntax.root)) if syntax is not None else 0
