"""Tell what a name in a file stands for, however it is spelt. Pure.

`run`, `sp.run`, `getattr(subprocess, "run")`, `__import__("sub" + "process").run` and
`vars(subprocess)["run"]` all are `subprocess.run`. What can't be told is `?`, with the last two
names that follow: `?.path.write_text`. Files are read as they are written: a name that is handed to
another function is not followed there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from tree_sitter import Node

from bot.code.expressions import (
    ASSIGNED,
    CALLS,
    ITEMS,
    MEMBERS,
    NAMES,
    WRAPPERS,
    Texts,
    arguments,
    single,
    taken,
)
from bot.code.imports import IMPORTS, bound_by
from bot.code.languages import TRAITS, Language
from bot.code.syntax import Syntax, field, parents, text_of, walk

Meanings = tuple[str, ...]

_GLOBAL = frozenset({"globalThis", "window", "global", "self"})
_LOADS = frozenset({
    "builtins.__import__", "importlib.import_module", "importlib.__import__",
    "globalThis.require", "import", "sys.modules.get",
})  # fmt: skip
_PICKS = frozenset({"builtins.getattr", "globalThis.Reflect.get", "inspect.getattr_static"})
_FETCHING = frozenset({
    "__import__", "getattr", "vars", "globals", "locals", "require", "Reflect", "process",
})  # fmt: skip
_GETTERS = frozenset({"operator.attrgetter", "operator.methodcaller"})
_DEEPEST = 60
_ROUNDS = 3
"""An alias of an alias of an alias is followed."""
_MOST, _LONGEST = 64, 1_000
"""Meanings of one name, besides those that imports give it, and characters of one."""

_DETOURS = (
    (re.compile(r"^node:"), ""),
    (re.compile(r"^(?:core|alloc)\."), "std."),
    (re.compile(r"\.(?:__dict__|default)(?=\.|$)"), ""),
    (re.compile(r"^sys\.modules\.(?!get$)"), ""),
    (re.compile(r"^.*\b__globals__\."), ""),
    (re.compile(r"^(?:.*\.)?__builtins__(?=\.|$)"), "builtins"),
    (re.compile(r"^(?:globalThis\.)+(?:globalThis|window|global|self)(?=\.|$)"), "globalThis"),
    (re.compile(r"^process(?=\.|$)"), "globalThis.process"),
)


class Names:
    """What the names of one file stand for.

    Args:
        syntax: The file.
        builtins: Names that mean something without an import; others without one mean nothing.
    """

    def __init__(self, syntax: Syntax, builtins: Collection[str]) -> None:
        self._language = syntax.language
        self._builtins = {*builtins, *_FETCHING}
        self._bound: dict[str, Meanings] = {}
        self._stars: list[str] = []
        self._outermost: set[str] = set()
        self._known: dict[int, Meanings] = {}
        self.texts = Texts()
        assigned = []
        for node in walk(syntax.root):
            if node.type in IMPORTS:
                self._import(node)
            elif node.type in ASSIGNED:
                assigned.append(node)
        for node in syntax.root.named_children:
            self._define(node)
        for node in assigned:
            name, value = (single(field(node, item)) for item in ASSIGNED[node.type])
            self.texts.remember(name, value)
        for _ in range(_ROUNDS):
            if not sum(self._follow(node) for node in assigned):
                break
            self._known.clear()

    def of(self, node: Node | None, depth: int = 0) -> Meanings:
        """Return what an expression stands for; nothing where that can't be told."""
        if node is None or depth > _DEEPEST:
            return ()
        if node.id not in self._known:
            self._known[node.id] = ()  # for what stands for itself
            self._known[node.id] = tuple(
                dict.fromkeys(_straight(item) for item in self._of(node, depth + 1))
            )
        return self._known[node.id]

    def named(self, name: str) -> Meanings:
        """Return what an imported name stands for; itself where nothing binds it."""
        return self._bound.get(name, (name,))

    def _of(self, node: Node, depth: int) -> Iterator[str]:
        kind = node.type
        if kind in NAMES:
            yield from self._name(node)
        elif kind == "import":
            yield kind
        elif kind in MEMBERS:
            base, name = MEMBERS[kind]
            yield from _under(self.of(field(node, base), depth), text_of(field(node, name)))
        elif kind in ITEMS:
            base, item = ITEMS[kind]
            text = self.texts.of(field(node, item))
            yield from _under(self.of(field(node, base), depth), text or "?")
        elif kind in CALLS:
            yield from self._call(node, depth)
        elif kind in WRAPPERS and node.named_children:
            which = -1 if kind == "sequence_expression" else 0
            yield from self.of(node.named_children[which], depth)

    def _name(self, node: Node) -> Iterator[str]:
        name = text_of(node)
        if name in self._bound:
            yield from self._bound[name]
            return
        yield from (f"{star}.{name}" for star in self._stars)
        if self._language is Language.JAVASCRIPT and name in _GLOBAL:
            yield "globalThis"
        elif name in self._builtins and not self._shadowed(node, name):
            yield f"{TRAITS[self._language].built_in}{name}"
        elif name == "__builtins__":
            yield "builtins"

    def _call(self, node: Node, depth: int) -> Iterator[str]:
        """Yield what a call returns where it only fetches something by its name."""
        function = field(node, "function") or field(node, "constructor")
        given = arguments(node)
        called = self.of(function, depth)
        for name in called:
            if (name in _LOADS or name.endswith(".require")) and given:
                module = self.texts.of(given[0])
                yield from () if module is None else (module,)
            elif name in _PICKS and len(given) > 1:
                yield from _under(self.of(given[0], depth), self.texts.of(given[1]) or "?")
            elif name == "builtins.vars" and given:
                yield from self.of(given[0], depth)
            elif name in {"builtins.globals", "builtins.locals"}:
                yield "__globals__"
        if function is not None and function.type in CALLS:
            getters = self.of(field(function, "function"), depth)
            names = arguments(function)
            if names and given and not _GETTERS.isdisjoint(getters):
                yield from _under(self.of(given[0], depth), self.texts.of(names[0]) or "?")

    def _import(self, node: Node) -> None:
        for bound in bound_by(node, self._language):
            if bound.name == "*":
                self._stars.append(_straight(bound.meaning))
            else:
                self._bind(bound.name, (_straight(bound.meaning),))

    def _bind(self, name: str, meanings: Meanings) -> bool:
        had = self._bound.get(name, ())
        self._bound[name] = tuple(dict.fromkeys((*had, *meanings)))
        return self._bound[name] != had

    def _alias(self, name: str, meanings: Meanings) -> bool:
        few = len(self._bound.get(name, ())) < _MOST
        return few and self._bind(
            name, tuple(meaning for meaning in meanings if len(meaning) <= _LONGEST)
        )

    def _define(self, node: Node) -> None:
        """Remember a function or class of the outermost level: it hides a builtin."""
        if node.type in {"decorated_definition", "export_statement"}:
            for child in node.named_children:
                self._define(child)
        elif "definition" in node.type or "declaration" in node.type or "_item" in node.type:
            name = field(node, "name")
            if name is not None and name.type in NAMES:
                self._outermost.add(text_of(name))

    def _follow(self, node: Node) -> bool:
        """Bind the names of an assignment to what its value stands for; return whether any is new."""
        name, value = (field(node, item) for item in ASSIGNED[node.type])
        name, value = single(name), single(value)
        if name is None or value is None:
            return False
        meanings = tuple(item for item in self.of(value) if not item.startswith("?"))
        if not meanings:
            return False
        if name.type in NAMES:
            return self._alias(text_of(name), meanings)
        if name.type != "object_pattern":
            return False
        new = [self._alias(alias, tuple(_under(meanings, key))) for alias, key in taken(name)]
        return any(new)

    def _shadowed(self, node: Node, name: str) -> bool:
        if name in self._outermost:
            return True
        return any(
            child.type in NAMES and text_of(child) == name
            for above in parents(node)
            if (given := field(above, "parameters") or field(above, "parameter")) is not None
            for child in walk(given)
        )


def _under(meanings: Meanings, name: str) -> Iterator[str]:
    for meaning in meanings or ("?",):
        if meaning.startswith("?"):
            yield ".".join(("?", *meaning.split(".")[1:][-1:], name))
        else:
            yield f"{meaning}.{name}"


def _straight(meaning: str) -> str:
    for pattern, by in _DETOURS:
        meaning = pattern.sub(by, meaning)
    return meaning
