"""Which names a function can use, and what they were when it ran."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bot.repair.proposers.search.evidence import Error, Evidence
from bot.repair.proposers.search.mutations.containers import SEQUENCES, SIZED, made, never_filled
from bot.repair.proposers.search.mutations.counterparts import counterparts
from bot.repair.proposers.search.mutations.hints import Hints
from bot.repair.proposers.search.mutations.source import Definition, Source

_NUMBERS = frozenset({"int", "float", "bool"})

_MAY_STAND = 0.5
"""How alike the types of two variables are, at least, where one may stand for the other."""


@dataclass(frozen=True)
class Scope:
    """One function of a source.

    Attributes:
        source: Its file.
        definition: The function; None for the module level.
        types: By variable, names of types that it had.
        attributes: By type, names of attributes.
        expected: Errors that failing tests wait for in vain.
        errors: By line of the file, the errors of failing tests that came through it.
        hints: What the tests and their messages let expect.
    """

    source: Source
    definition: Definition | None
    types: dict[str, frozenset[str]] = field(default_factory=dict)
    attributes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    expected: tuple[str, ...] = ()
    errors: Mapping[int, tuple[Error, ...]] = field(default_factory=dict)
    hints: Hints = field(default_factory=Hints)

    def errors_at(self, first: int, last: int) -> tuple[Error, ...]:
        """Return the errors that came through some lines."""
        return tuple(e for line in range(first, last + 1) for e in self.errors.get(line, ()))

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Its parameters, `self` and `cls` left out."""
        if self.definition is None:
            return ()
        given = self.definition.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        return tuple(one.arg for one in every if one and one.arg not in {"self", "cls"})

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Everything that it binds, parameters first, in the order of the text."""
        if self.definition is None:
            return ()
        bound = [
            (node.lineno, node.col_offset, node.id)
            for node in self.source.nodes(self.definition)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
        outer = self.source.definition(self.definition)
        outside = Scope(self.source, outer).variables if outer is not None else ()
        return tuple(dict.fromkeys([*self.parameters, *(b[2] for b in sorted(bound)), *outside]))

    @cached_property
    def self_attributes(self) -> tuple[str, ...]:
        """`self.x` for every attribute that its class uses."""
        owner = self.source.owner(self.definition) if self.definition is not None else None
        if owner is None:
            return ()
        methods = {node.name for node in owner.body if isinstance(node, Definition)}
        return tuple(
            dict.fromkeys(
                f"self.{node.attr}"
                for node in self.source.nodes(owner)
                if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "self"
                and node.attr not in methods
            )
        )

    @cached_property
    def own_containers(self) -> frozenset[str]:
        """`self.x` for every attribute that its class makes a list, a dict or a set."""
        owner = self.source.owner(self.definition) if self.definition is not None else None
        places = made(self.source.nodes(owner)) if owner is not None else ()
        return frozenset(self.source.code(place) for place in places)

    @cached_property
    def yields(self) -> tuple[ast.expr, ...]:
        """What it yields; nothing, unless it is a generator."""
        nodes = self.source.nodes(self.definition) if self.definition is not None else ()
        return tuple(
            node.value
            for node in nodes
            if isinstance(node, ast.Yield | ast.YieldFrom)
            and node.value is not None
            and self.source.definition(node) is self.definition
        )

    @cached_property
    def unused(self) -> frozenset[str]:
        """What it binds and never looks at: an edit that does is more likely to be right."""
        if self.definition is None:
            return frozenset()
        read = {
            node.id
            for node in self.source.nodes(self.definition)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        return frozenset(n for n in self.variables if n not in read and not n.startswith("_"))

    @cached_property
    def counterparts(self) -> Mapping[str, str]:
        """By variable, the one that stands beside it: `right` for `left`."""
        nodes = self.source.nodes(self.definition) if self.definition is not None else ()
        return counterparts(self.variables, nodes, self.may_stand)

    @cached_property
    def never_filled(self) -> frozenset[str]:
        """Containers that it makes empty and reads, but never puts anything into."""
        if self.definition is None:
            return frozenset()
        home = self.source.definition(self.definition) or self.definition
        return never_filled(self.source.nodes(home))

    def bound_before(self, line: int) -> tuple[str, ...]:
        """Return the variables that may be bound when a line runs: by it, above it, or in a loop."""
        if line not in self._bound:
            self._bound[line] = self._bound_before(line)
        return self._bound[line]

    @cached_property
    def _bound(self) -> dict[int, tuple[str, ...]]:
        return {}

    def _bound_before(self, line: int) -> tuple[str, ...]:
        if self.definition is None:
            return ()
        found = dict.fromkeys(self.parameters)
        for node in self.source.nodes(self.definition):
            if (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Store)
                and (node.lineno <= line or self._looped(node, line))
            ):
                found.setdefault(node.id)
        outer = self.source.definition(self.definition)
        if outer is not None:
            found.update(dict.fromkeys(Scope(self.source, outer).variables))
        return tuple(name for name in self.variables if name in found)

    def _looped(self, node: ast.AST, line: int) -> bool:
        return any(
            isinstance(above, ast.For | ast.While | ast.AsyncFor)
            and above.lineno <= line <= (above.end_lineno or line)
            for above in self.source.ancestors(node)
        )

    def kinds(self, name: str) -> frozenset[str]:
        """Return the types that a variable was seen to have."""
        return self.types.get(name, frozenset())

    def alike(self, one: str, other: str) -> float:
        """Return how likely two variables stand for each other, by their types: 0 to 1."""
        mine, theirs = self.kinds(one), self.kinds(other)
        if not mine or not theirs:
            return 0.6
        if mine & theirs or (mine <= _NUMBERS and theirs <= _NUMBERS):
            return 1.0
        if "NoneType" in mine | theirs:
            return 0.6
        return 0.15

    def may_stand(self, one: str, other: str) -> bool:
        """Whether two variables may stand for each other, by their types."""
        return self.alike(one, other) > _MAY_STAND

    def is_number(self, name: str) -> bool:
        """Whether a variable was seen to be a number, or never seen."""
        return not self.kinds(name) or bool(self.kinds(name) & {"int", "float"})

    def is_sequence(self, name: str) -> bool:
        """Whether a variable was seen to have an order."""
        return bool(self.kinds(name) & SEQUENCES)

    def is_sized(self, name: str) -> bool:
        """Whether a variable was seen to have a length."""
        return bool(self.kinds(name) & SIZED)

    def has(self, name: str, *kinds: str) -> bool:
        """Whether a variable was seen to be one of these."""
        return bool(self.kinds(name) & set(kinds))


def scope_of(
    source: Source,
    definition: Definition | None,
    evidence: Evidence,
    hints: Hints | None = None,
) -> Scope:
    """Return a function's scope with what was seen of it."""
    name = definition.name if definition is not None else "<module>"
    types = dict(evidence.types.get(f"{source.file}:{name}", {}))
    for above in source.ancestors(definition) if definition is not None else ():
        if isinstance(above, Definition):
            outer = evidence.types.get(f"{source.file}:{above.name}", {})
            types = {**outer, **types}
    return Scope(
        source,
        definition,
        types,
        dict(evidence.attributes),
        evidence.expected,
        evidence.errors_in(source.file),
        hints or Hints(),
    )


def own_nodes(definition: Definition) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body, inner functions included."""
    for statement in definition.body:
        yield from ast.walk(statement)
