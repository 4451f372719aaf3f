"""Which functions, methods and classes of Python programs a change makes behave differently. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TypeVar

from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.code.syntax import parsed

Key = TypeVar("Key")

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = (ast.If, ast.Try, ast.With)
_KINDS = {"staticmethod": "static", "classmethod": "class method"}


@dataclass(frozen=True, slots=True)
class ChangedFunction:
    """What is called on both sides.

    Attributes:
        file: Path in the repository.
        name: Qualified.
        kind: As the driver knows it: `function`, `method`, `static`, `class method`, `property`, `class`.
        before: The first line of its code at the base, 0 where it is not there.
        after: At the head.
        because: The name of the module's or class's that changes and that it uses; empty where it
            changes itself.
    """

    file: str
    name: str
    kind: str
    before: int
    after: int
    because: str = ""

    @property
    def is_on_both(self) -> bool:
        """Whether it is there before and after."""
        return bool(self.before and self.after)


@dataclass(frozen=True, slots=True)
class _Definition:
    node: ast.AST
    kind: str

    @property
    def line(self) -> int:
        decorators: list[ast.expr] = getattr(self.node, "decorator_list", [])
        return min([getattr(self.node, "lineno", 1), *(item.lineno for item in decorators)])


@dataclass(slots=True)
class _Module:
    """What a module defines.

    Attributes:
        functions: By qualified name.
        classes: By qualified name.
        names: Statements that set or fill each name of the module, as text.
        parts: Statements of classes that set each attribute, as text, by class and name.
    """

    functions: dict[str, _Definition] = field(default_factory=dict)
    classes: dict[str, _Definition] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    uses: dict[str, set[str]] = field(default_factory=dict)
    parts: dict[tuple[str, str], list[str]] = field(default_factory=dict)


def is_program(change: FileDiff) -> bool:
    """Whether a change is one of a Python program that can be read."""
    return change.path.endswith(".py") and not is_test_file(change.path) and change.is_readable


def changed_functions(changes: Sequence[FileDiff]) -> tuple[ChangedFunction, ...]:
    """Return what a change makes behave differently, as far as the syntax of its modules tells."""
    found: list[ChangedFunction] = []
    for change in changes:
        if is_program(change):
            found += _in_module(change)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class LoadEffect:
    """A statement that runs when its module is loaded and reaches what another module holds.

    Attributes:
        file: Path in the repository.
        line: Of the head.
        text: Its first line.
    """

    file: str
    line: int
    text: str


def new_effects(changes: Sequence[FileDiff]) -> tuple[LoadEffect, ...]:
    """Return the effects that a change brings: no function's answers show what they do."""
    found: list[LoadEffect] = []
    for change in filter(is_program, changes):
        known = {ast.dump(node) for node in _reaching_out(parsed(change.before))}
        for node in _reaching_out(parsed(change.after)):
            if ast.dump(node) not in known:
                text = ast.unparse(node).partition("\n")[0]
                found.append(LoadEffect(change.path, node.lineno, text))
    return tuple(found)


def _reaching_out(tree: ast.Module | None) -> Iterator[ast.stmt]:
    """Yield the statements of a module that call what is imported, or set or delete a part of it."""
    waiting, imported = [*tree.body] if tree is not None else [], set[str]()
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, _BLOCKS):
            parts = (getattr(node, part, []) for part in ("body", "orelse", "finalbody"))
            waiting[:0] = [inner for part in parts for inner in part]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            imported.update(_set_by(node))
        elif any(_root(item) in imported for item in _reached_by(node)):
            yield node


def _reached_by(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return [node.value.func]
    targets: Sequence[ast.expr]
    if isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        targets = [node.target]
    elif isinstance(node, (ast.Assign, ast.Delete)):
        targets = node.targets
    else:
        return []
    return [item for item in targets if isinstance(item, (ast.Attribute, ast.Subscript))]


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _in_module(change: FileDiff) -> Iterator[ChangedFunction]:
    before, after = _module(change.before), _module(change.after)
    touched = _changed_names(before, after)
    attributes = {name for (_, name) in _different(before.parts, after.parts)}
    made = _made_differently(before, after)
    for name in dict.fromkeys([*after.functions, *before.functions]):
        old, new = before.functions.get(name), after.functions.get(name)
        because = ""
        if old is not None and new is not None and _text(old.node) == _text(new.node):
            used = _mentioned(new.node) & touched or _asked_for(new.node) & attributes
            if not used:
                continue
            because = min(used)
        owner, _, last = name.rpartition(".")
        if last == "__init__" and owner in after.classes:
            made.setdefault(owner, because)
            continue
        kind = (new or old or _NOTHING).kind
        yield ChangedFunction(change.path, name, kind, _line(old), _line(new), because)
    for name, because in made.items():
        lines = _line(before.classes.get(name)), _line(after.classes.get(name))
        yield ChangedFunction(change.path, name, "class", *lines, because)


_NOTHING = _Definition(ast.Pass(), "function")


def _line(definition: _Definition | None) -> int:
    return definition.line if definition is not None else 0


def _module(data: bytes | None) -> _Module:
    found = _Module()
    tree = parsed(data)
    if tree is not None:
        _read(tree.body, "", found)
    return found


def _read(statements: Sequence[ast.stmt], above: str, found: _Module) -> None:
    for node in statements:
        if isinstance(node, _FUNCTIONS):
            name = above + node.name + (".setter" if _is_setter(node) else "")
            found.functions[name] = _Definition(node, _kind(node, above))
        elif isinstance(node, ast.ClassDef):
            found.classes[above + node.name] = _Definition(node, "class")
            _read(node.body, f"{above}{node.name}.", found)
        elif isinstance(node, _BLOCKS):
            for part in ("body", "orelse", "finalbody"):
                _read(getattr(node, part, []), above, found)
        else:
            for name in _set_by(node):
                if above:
                    found.parts.setdefault((above[:-1], name), []).append(ast.dump(node))
                else:
                    found.names.setdefault(name, []).append(ast.dump(node))
                    found.uses.setdefault(name, set()).update(_mentioned(node))


def _set_by(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement sets, or that hold what it fills."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from sorted(_mentioned(target))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield from sorted(_mentioned(node.value.func))


def _is_setter(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        isinstance(item, ast.Attribute) and item.attr in {"setter", "deleter"}
        for item in node.decorator_list
    )


def _kind(node: ast.FunctionDef | ast.AsyncFunctionDef, above: str) -> str:
    if not above:
        return "function"
    for decorator in node.decorator_list:
        name = getattr(decorator, "attr", getattr(decorator, "id", ""))
        if name.endswith("property"):
            return "property"
        if name in _KINDS:
            return _KINDS[name]
    return "class method" if node.name in {"__init_subclass__", "__new__"} else "method"


def _changed_names(before: _Module, after: _Module) -> set[str]:
    """Return the names of a module whose values change, and those that are made of them."""
    changed = {name for name in _different(before.names, after.names) if name in before.names}
    while True:
        more = {name for name, used in after.uses.items() if used & changed} - changed
        if not more:
            return changed
        changed |= more


def _different(before: dict[Key, list[str]], after: dict[Key, list[str]]) -> set[Key]:
    return {key for key in {*before, *after} if before.get(key) != after.get(key)}


def _made_differently(before: _Module, after: _Module) -> dict[str, str]:
    """Return the classes whose objects are made differently, with the attribute that is the cause."""
    made: dict[str, str] = {}
    for owner, name in sorted(_different(before.parts, after.parts)):
        if owner in after.classes and _is_record(after.classes[owner].node):
            made.setdefault(owner, name)
    for name, definition in after.classes.items():
        old = before.classes.get(name)
        if old is not None and _heading(old.node) != _heading(definition.node):
            made.setdefault(name, "")
    return made


def _is_record(node: ast.AST) -> bool:
    """Whether the attributes that a class names settle how its objects are made."""
    return isinstance(node, ast.ClassDef) and any(
        isinstance(item, ast.AnnAssign) for item in node.body
    )


def _heading(node: ast.AST) -> list[str]:
    heading = [*getattr(node, "bases", ()), *getattr(node, "decorator_list", ())]
    return [ast.dump(item) for item in heading]


def _mentioned(node: ast.AST) -> set[str]:
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}


def _asked_for(node: ast.AST) -> set[str]:
    """Return the names of attributes that a function asks for."""
    return {item.attr for item in ast.walk(node) if isinstance(item, ast.Attribute)}


def _text(node: ast.AST) -> str:
    """Return what tells a function from another: not its description, nor the types that it names."""
    node = deepcopy(node)
    for item in ast.walk(node):
        if isinstance(item, _FUNCTIONS):
            item.returns = None
        if isinstance(item, ast.arg):
            item.annotation = None
        if isinstance(item, (*_FUNCTIONS, ast.ClassDef)) and ast.get_docstring(item) is not None:
            item.body = item.body[1:]
    return ast.dump(node)
