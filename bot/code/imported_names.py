"""What a Python program names of a package: dotted names by its imports, members by their last name. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CallArguments:
    """What a call gives.

    Attributes:
        many: Arguments by their place.
        names: Of those by name; in JavaScript, the keys of objects that are given.
        starred: Whether some are unpacked, so that nobody knows how many.
        unpacked: Whether some names are, too.
    """

    many: int
    names: frozenset[str]
    starred: bool
    unpacked: bool


@dataclass(frozen=True, slots=True)
class Named:
    """A place that names something of a package.

    Attributes:
        name: Dotted, as far as imports tell; of a member of some value, `.` and its name.
        node: An import's alias, a name or an attribute.
        statement: The import that the alias belongs to; None for others.
        call: The call whose function the node is; None where it isn't called.
    """

    name: str
    node: ast.alias | ast.Name | ast.Attribute
    statement: ast.Import | ast.ImportFrom | None = None
    call: ast.Call | None = None

    @property
    def line(self) -> int:
        """Of the place."""
        return self.node.lineno

    @property
    def given(self) -> CallArguments | None:
        """What the call gives; None for what is none."""
        if self.call is None:
            return None
        names = [keyword.arg for keyword in self.call.keywords]
        starred = any(isinstance(argument, ast.Starred) for argument in self.call.args)
        named = frozenset(name for name in names if name is not None)
        return CallArguments(len(self.call.args), named, starred, None in names)


def named_of(tree: ast.AST, modules: Collection[str]) -> Iterator[Named]:
    """Return where a program names something of some top modules, or a member of any value.

    Args:
        tree: The program.
        modules: Whose names are told by their imports; relative imports are the program's own.
    """
    meanings: dict[str, str] = {}
    for node in ast.walk(tree):
        for named, local, meaning in _imported(node):
            if meaning.partition(".")[0] in modules:
                meanings[local] = meaning
                yield named
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            dotted = _dotted(node, meanings, inner)
            yield Named(dotted or f".{node.attr}", node, call=calls.get(id(node)))
        elif isinstance(node, ast.Name) and id(node) not in inner and node.id in meanings:
            yield Named(meanings[node.id], node, call=calls.get(id(node)))


def _imported(node: ast.AST) -> Iterator[tuple[Named, str, str]]:
    """Return what an import binds: where, as what, and what it means."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            local = alias.asname or alias.name.partition(".")[0]
            meaning = alias.name if alias.asname else local
            yield Named(alias.name, alias, node), local, meaning
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for alias in node.names:
            meaning = f"{node.module}.{alias.name}"
            yield Named(meaning, alias, node), alias.asname or alias.name, meaning


def _dotted(node: ast.Attribute, meanings: dict[str, str], inner: set[int]) -> str:
    """Return what a chain of attributes means; "" where its root is no import."""
    names, at, within = [node.attr], node.value, list[int]()
    while isinstance(at, ast.Attribute):
        within.append(id(at))
        names.append(at.attr)
        at = at.value
    if not isinstance(at, ast.Name) or at.id not in meanings:
        return ""
    inner.update((*within, id(at)))
    return ".".join((meanings[at.id], *reversed(names)))
