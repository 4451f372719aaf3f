"""Find the state that a patch brings and that its functions change: counters and the like. Python. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_MUTATING = frozenset({
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem",
    "popleft", "put", "put_nowait", "get_nowait", "remove", "rotate", "send", "set", "setdefault",
    "subtract", "update", "__next__", "__setitem__", "__iadd__", "acquire", "release",
})  # fmt: skip
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_CLASSES = frozenset({"cls", "__class__"})


@dataclass(frozen=True, slots=True)
class OwnState:
    """What only the patch writes, and what it defines.

    Attributes:
        names: Names of the module that functions change.
        attributes: Attributes of classes and functions that functions change.
        definitions: Functions and classes that the patch brings, by name.
        values: Names of the module that the patch brings, with what they are set to.
        known: Every name that the program had for anything.
        told: Attributes that are set to more than constants somewhere, or count up and down.
    """

    names: frozenset[str]
    attributes: frozenset[str]
    definitions: Mapping[str, ast.AST]
    values: Mapping[str, ast.expr]
    known: frozenset[str]
    told: frozenset[str]


def own_state(before: ast.Module | None, after: ast.Module) -> OwnState:
    """Return the state that a program has with a patch and did not have before."""
    known = _words(before) if before is not None else frozenset()
    values = {name: value for name, value in _bound(after) if name not in known}
    definitions = {
        node.name: node
        for node in ast.walk(after)
        if isinstance(node, DEFINITIONS) and node.name not in known
    }
    names, attributes = set[str](), set[str]()
    for function in (node for node in ast.walk(after) if isinstance(node, FUNCTIONS)):
        shared = {
            name
            for node in ast.walk(function)
            if isinstance(node, ast.Global)
            for name in node.names
        }
        names |= shared - known
        for target in _changed(function):
            root = _root(target)
            if root in values and not _is_plain_function(values[root]):
                names.add(root)
            if isinstance(target, ast.Attribute) and target.attr not in known:
                attributes |= {target.attr} if _of_definition(target.value, after) else set()
    counters, depths = _counters(after)
    told = frozenset(_told(after)) | depths
    counted = frozenset(attributes) | (counters - known - told)
    return OwnState(frozenset(names), counted, definitions, values, known, told)


def _told(module: ast.Module) -> Iterator[str]:
    """Yield attributes that take something other than constants and what they were."""
    for node in ast.walk(module):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.expr() as value):
                pass
            case ast.AnnAssign(target=ast.Attribute(attr=name), value=ast.expr() as value):
                pass
            case ast.AugAssign(target=ast.Attribute(attr=name), value=value):
                pass
            case _:
                continue
        others = set(names_in(value)) - _CLASSES - {"self", "getattr"}
        parts = {part.attr for part in ast.walk(value) if isinstance(part, ast.Attribute)}
        if others or parts - {name}:
            yield name


def _counters(module: ast.Module) -> tuple[frozenset[str], frozenset[str]]:
    """Return the attributes that only count up, and those that count up and down again.

    How often something was called is up to nobody's inputs; how deep calls lie is.
    """
    up, down = set[str](), set[str]()
    for node in ast.walk(module):
        match node:
            case ast.AugAssign(target=ast.Attribute(attr=name), op=ast.Add(), value=ast.Constant()):
                up.add(name)
            case ast.AugAssign(target=ast.Attribute(attr=name), op=ast.Sub()):
                down.add(name)
            case ast.Assign(
                targets=[ast.Attribute(attr=name)],
                value=ast.BinOp(left=was, op=ast.Add(), right=ast.Constant()),
            ) if _is_of(was, name):
                up.add(name)
            case _:
                pass
    return frozenset(up - down), frozenset(up & down)


def _is_of(value: ast.expr, name: str) -> bool:
    """Whether a value is that of an attribute, however it is read."""
    match value:
        case ast.Attribute(attr=read):
            return read == name
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=read), *_]):
            return bool(read == name)
        case _:
            return False


def _words(module: ast.Module) -> frozenset[str]:
    """Return every name that a program uses for anything."""
    found = set[str]()
    for node in ast.walk(module):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=alias):
                found.add(alias or name)
            case _:
                pass
    return frozenset(found)


def _bound(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a module or its classes set, with the values."""
    for block in (module, *(node for node in ast.walk(module) if isinstance(node, ast.ClassDef))):
        for statement in _statements(block):
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            if isinstance(statement, ast.AnnAssign) and statement.value is not None:
                targets = [statement.target]
            value = getattr(statement, "value", None)
            if isinstance(value, ast.expr):
                yield from ((name, value) for target in targets for name in names_in(target))


def _statements(block: ast.AST) -> Iterator[ast.stmt]:
    """Yield statements that run when a module is loaded, not those of its functions and classes."""
    for node in ast.iter_child_nodes(block):
        if isinstance(node, ast.stmt) and not isinstance(node, DEFINITIONS):
            yield node
            yield from _statements(node)


def names_in(node: ast.AST) -> Iterator[str]:
    """Yield the names that an expression has."""
    return (child.id for child in ast.walk(node) if isinstance(child, ast.Name))


def _changed(function: ast.AST) -> Iterator[ast.expr]:
    """Yield what a function changes: parts that it sets, containers, and what it takes items from."""
    for node in ast.walk(function):
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                yield node
            case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
                yield value
            case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in _MUTATING:
                yield value
            case ast.Call(func=ast.Name(id="next"), args=[value, *_]):
                yield value
            case ast.Call(
                func=ast.Name(id="setattr"), args=[value, ast.Constant(value=str(name)), _]
            ):
                yield ast.Attribute(value, name, ast.Store())
            case ast.Call(func=ast.Name() as called):
                yield called
            case _:
                pass


def _root(target: ast.expr) -> str:
    while isinstance(target, (ast.Attribute, ast.Subscript)):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def _is_plain_function(value: ast.expr) -> bool:
    """Whether calling a value changes nothing, as far as can be seen."""
    return not isinstance(
        value, (ast.Call, ast.Attribute, ast.List, ast.Dict, ast.Set, ast.ListComp)
    )


def _of_definition(owner: ast.expr, module: ast.Module) -> bool:
    """Whether an attribute is one of a class or a function, and not of an object."""
    match owner:
        case ast.Name(id=name):
            defined = {node.name for node in ast.walk(module) if isinstance(node, DEFINITIONS)}
            return name in _CLASSES or name in defined
        case ast.Call(func=ast.Name(id="type")) | ast.Attribute(attr="__class__"):
            return True
        case _:
            return False
