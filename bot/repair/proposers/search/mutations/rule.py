"""What a rule is: which nodes it looks at, and what may be written there instead."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.weights import FALLOFF, weight_of


@dataclass(frozen=True, slots=True)
class Idea:
    """One thing that a rule would write.

    Attributes:
        replacements: What it does to the text.
        says: What it does, as the end of a sentence: "replaces `a < b` with `a <= b`".
        case: Of the rule, where the table of weights has one of its own for it.
        factor: What is left of the weight.
        line: Where it changes something; 0 for the line of the node.
    """

    replacements: tuple[Replacement, ...]
    says: str
    case: str = ""
    factor: float = 1.0
    line: int = 0


Ideas = Iterator[Idea]
Kinds = type[ast.AST] | UnionType


@dataclass(frozen=True, slots=True)
class MutationRule:
    """One kind of edit.

    Attributes:
        name: By which the table of weights knows it.
        kinds: The nodes that it looks at.
        ideas: Yields what it would write at such a node. Its docstring has an example: the line
            `before:`, and the line `after:` that is one of its ideas.
    """

    name: str
    kinds: Kinds
    ideas: Callable[[FunctionScope, Any], Ideas]

    def changes(self, scope: FunctionScope, node: ast.AST) -> Iterator[Change]:
        """Yield its changes at a node of its kinds."""
        for idea in self.ideas(scope, node):
            weight = idea.factor * weight_of(self.name, idea.case)
            line = idea.line or getattr(node, "lineno", 0)
            yield Change(self.name, line, weight, idea.replacements, idea.says)


def rule(
    name: str, kinds: Kinds
) -> Callable[[Callable[[FunctionScope, Any], Ideas]], MutationRule]:
    """Make a rule of a function."""
    return lambda ideas: MutationRule(name, kinds, ideas)


def likeliest_first(options: Iterable[str]) -> Mapping[str, float]:
    """Return options with what is left of a weight for each: always the same share less."""
    return {option: FALLOFF**n for n, option in enumerate(dict.fromkeys(options))}


def instead(
    scope: FunctionScope,
    node: ast.expr | ast.stmt,
    text: str,
    case: str = "",
    *,
    factor: float = 1.0,
    says: str = "",
) -> Idea:
    """Write something else in the place of a node."""
    source = scope.source
    if isinstance(node, ast.expr):
        replacement = source.replace(node, text)
    else:
        replacement = Replacement(*source.span(node), text)
    says = says or f"replaces `{short(source.part(node))}` with `{short(text)}`"
    return Idea((replacement,), says, case, factor, node.lineno)


def add(
    scope: FunctionScope,
    node: ast.stmt,
    *lines: str,
    case: str = "",
    factor: float = 1.0,
    after: bool = False,
) -> Idea:
    """Write new lines in front of a statement, or after it."""
    says = f"adds `{short(' '.join(line.strip() for line in lines))}`"
    place = (scope.source.insert_after if after else scope.source.insert_before)(node, *lines)
    line = (node.end_lineno or node.lineno) if after else node.lineno
    return Idea((place,), says, case, factor, line)


def guard(scope: FunctionScope, condition: str, *ways: str) -> tuple[str, ...]:
    """Return the lines of an `if` with these statements in it."""
    return (f"if {condition}:", *(f"{scope.source.step}{way}" for way in ways))


def short(code: str) -> str:
    """Return the first line of code, by which people know it."""
    first, *rest = code.strip().split("\n")
    return f"{first.strip()} ..." if rest else first.strip()
