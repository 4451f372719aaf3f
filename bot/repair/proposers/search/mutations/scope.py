"""Which names a function can use, and what they were when it ran."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sized
from dataclasses import dataclass, field
from functools import cached_property

from bot.repair.proposers.search.evidence import Error, SearchEvidence
from bot.repair.proposers.search.mutations.source import Definition, SourceFile, is_stored
from bot.repair.proposers.search.mutations.variable_pairs import counterparts
from bot.repair.proposers.search.mutations.weights import (
    CROWD,
    OTHER_TYPE,
    SAME_TYPE,
    UNKNOWN_TYPE,
)

SEQUENCES = frozenset({"list", "tuple", "str", "bytes", "deque"})
SIZED = SEQUENCES | {"dict", "set", "frozenset", "defaultdict", "Counter", "OrderedDict"}
CHANGERS = frozenset({
    "append", "appendleft", "extend", "insert", "add", "update", "remove", "discard", "clear",
    "sort", "reverse", "move_to_end",
})  # fmt: skip
"""Methods that change a container and answer nothing."""
_SHORT, _SHORT_TEXT, _TEXTS = 40, 12, 20
"""Characters of expressions and of texts that may stand elsewhere, too, and how many of these."""
_NUMBERS = frozenset({"int", "float", "bool"})


@dataclass(frozen=True)
class FunctionScope:
    """One function of a source.

    Attributes:
        source: Its file.
        definition: The function; None for the module level.
        types: By variable, names of types that it had.
        attributes: By type, names of attributes.
        expected: Errors that failing tests wait for in vain.
        errors: By line of the file, the errors of failing tests that came through it.
    """

    source: SourceFile
    definition: Definition | None
    types: dict[str, frozenset[str]] = field(default_factory=dict)
    attributes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    expected: tuple[str, ...] = ()
    errors: Mapping[int, tuple[Error, ...]] = field(default_factory=dict)

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
        return tuple(
            parameter.arg
            for parameter in every
            if parameter and parameter.arg not in {"self", "cls"}
        )

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Everything that it binds, parameters first, in the order of the text."""
        if self.definition is None:
            return ()
        bound = [
            (node.lineno, node.col_offset, node.id)
            for node in self.nodes
            if isinstance(node, ast.Name) and is_stored(node)
        ]
        outer = self.source.definition(self.definition)
        outside = FunctionScope(self.source, outer).variables if outer is not None else ()
        return tuple(dict.fromkeys([*self.parameters, *(b[2] for b in sorted(bound)), *outside]))

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """The nodes of the function; none at module level."""
        return self.source.nodes(self.definition) if self.definition is not None else ()

    @cached_property
    def owner(self) -> ast.ClassDef | None:
        """The class that the function is a method of."""
        return self.source.owner(self.definition) if self.definition is not None else None

    @cached_property
    def self_attributes(self) -> tuple[str, ...]:
        """`self.x` for every attribute that its class uses."""
        owner = self.owner
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
        """Attributes that the file makes a list, a dict or a set, as it writes them."""
        places = self.source.assigned
        return frozenset(place for place, value in places if "." in place and _is_container(value))

    @cached_property
    def ordered(self) -> frozenset[str]:
        """Variables and attributes that the file makes an `OrderedDict`."""
        return frozenset(
            place
            for place, value in self.source.assigned
            if isinstance(value, ast.Call) and self.source.part(value.func).endswith("OrderedDict")
        )

    @cached_property
    def yields(self) -> tuple[ast.expr, ...]:
        """What it yields; nothing, unless it is a generator."""
        return tuple(
            node.value
            for node in self.nodes
            if isinstance(node, ast.Yield | ast.YieldFrom)
            and node.value is not None
            and self.source.definition(node) is self.definition
        )

    @cached_property
    def unused(self) -> frozenset[str]:
        """What it binds and never looks at: an edit that does is more likely to be right."""
        read = {
            node.id
            for node in self.nodes
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        return frozenset(n for n in self.variables if n not in read and not n.startswith("_"))

    @cached_property
    def expressions(self) -> Mapping[str, tuple[str, ...]]:
        """By type of node, the short expressions that the function reads, each once."""
        found: dict[str, dict[str, None]] = {}
        for node in self.nodes:
            if isinstance(node, ast.expr) and not is_stored(node):
                code = self.source.part(node)
                if "\n" not in code and len(code) <= _SHORT:
                    found.setdefault(type(node).__name__, {}).setdefault(code)
        return {kind: tuple(codes) for kind, codes in found.items()}

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The short texts of the file, as they are written: those of the function first."""
        found = dict.fromkeys(self.expressions.get("Constant", ()))
        nodes = self.source.nodes(self.source.tree)
        found |= dict.fromkeys(
            self.source.part(node) for node in nodes if isinstance(node, ast.Constant)
        )
        return tuple(item for item in found if item[:1] in "'\"" and len(item) <= _SHORT_TEXT)[
            :_TEXTS
        ]

    @cached_property
    def counterparts(self) -> Mapping[str, str]:
        """By variable, the one that stands beside it: `right` for `left`."""
        return counterparts(self.variables, self.nodes, self.may_stand)

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
        for node in self.nodes:
            if not isinstance(node, ast.Name) or not is_stored(node):
                continue
            if node.lineno <= line or self._looped(node, line):
                found.setdefault(node.id)
        outer = self.source.definition(self.definition)
        if outer is not None:
            found.update(dict.fromkeys(FunctionScope(self.source, outer).variables))
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
        if mine & theirs or (mine and theirs and mine | theirs <= _NUMBERS):
            return SAME_TYPE
        unsure = not mine or not theirs or "NoneType" in mine | theirs
        return UNKNOWN_TYPE if unsure else OTHER_TYPE

    def may_stand(self, one: str, other: str) -> bool:
        """Whether two variables may stand for each other, by their types."""
        return self.alike(one, other) > OTHER_TYPE

    def crowd(self, others: Sized) -> float:
        """Return what is left of the weight of each of many alternatives: 1 of few, less of more."""
        return 1 / (1 + len(others) / CROWD)

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
    source: SourceFile, definition: Definition | None, evidence: SearchEvidence
) -> FunctionScope:
    """Return a function's scope with what was seen of it."""
    name = definition.name if definition is not None else "<module>"
    types = dict(evidence.types.get(f"{source.file}:{name}", {}))
    for above in source.ancestors(definition) if definition is not None else ():
        if isinstance(above, Definition):
            outer = evidence.types.get(f"{source.file}:{above.name}", {})
            types = {**outer, **types}
    return FunctionScope(
        source,
        definition,
        types,
        dict(evidence.attributes),
        evidence.expected,
        evidence.errors_in(source.file),
    )


def _is_container(value: ast.expr) -> bool:
    """Whether a value is a new list, dict or set, by its looks."""
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in SIZED
        case _:
            return False
