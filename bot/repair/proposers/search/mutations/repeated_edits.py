"""The same edit at several places, which is often made at all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import combinations

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.source import SourceFile, is_loaded
from bot.repair.proposers.search.mutations.weights import TOGETHER

_MOST = 4
"""Places of one function at which the same edit is tried together."""

Placed = tuple[float, Change, str]
"""How promising a change is, the change, and the function that it is in."""


def repeated_edits(found: Iterable[Placed]) -> Iterator[Placed]:
    """Yield changes that do at two or more places what others do at each of them."""
    alike: dict[tuple[str, str, str, tuple[str, ...]], list[tuple[float, Change]]] = {}
    for score, change, unit in found:
        if len(change.replacements) == 1 and ":" in unit:
            texts = tuple(replacement.text for replacement in change.replacements)
            alike.setdefault((unit, change.kind, change.says, texts), []).append((score, change))
    for (unit, *_), members in alike.items():
        places = list({member.replacements: (score, member) for score, member in members}.values())
        if not 1 < len(places) <= _MOST:
            continue
        for size in sorted({len(places), 2}):
            for chosen in combinations(places, size):
                yield _together([score for score, _ in chosen], [item for _, item in chosen], unit)


def _together(scores: list[float], changes: list[Change], unit: str) -> Placed:
    first = changes[0]
    replacements: tuple[Replacement, ...] = tuple(
        sorted(replacement for change in changes for replacement in change.replacements)
    )
    says = f"{first.says}, at {len(changes)} places"
    change = Change(first.kind, first.line, first.weight, replacements, says)
    return TOGETHER * min(scores), change, unit


def same_code(source: SourceFile, node: ast.expr) -> tuple[ast.expr, ...]:
    """Return the expressions of the file that read the same as one, itself included."""
    code, kind = source.part(node), type(node)
    others = (child for child in source.nodes(source.tree) if isinstance(child, kind))
    return tuple(
        expression
        for expression in others
        if source.part(expression) == code and is_loaded(expression)
    )
