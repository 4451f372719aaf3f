"""Find classes whose objects only look like a right result. Python, and equality in Rust. Pure.

Such an object is equal to everything, or compares itself with whatever it is compared with; it has
every attribute, or says that it is of another class; or it is a text or a number that compares in a
way of its own. No program needs one to be right, and each lets a test pass that should fail.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.code.syntax import Syntax, compact, field, line_of, parse, text_of, walk
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.reporting.reasons import guards

_COMPARING = frozenset({"__eq__", "__ne__"})
_ORDERING = frozenset({"__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__contains__"})
_ANSWERING = frozenset({"__getattr__", "__getattribute__"})
_PRETENDING = frozenset({"__class__", "__instancecheck__", "__subclasscheck__"})
_SPECIAL = _COMPARING | _ANSWERING | _PRETENDING | {"__hash__"}
_VALUES = frozenset({
    "str", "bytes", "bytearray", "int", "float", "complex", "tuple", "list", "dict", "set",
    "frozenset", "Decimal", "Fraction", "date", "datetime", "timedelta", "UserString", "UserList",
    "UserDict", "OrderedDict", "defaultdict",
})  # fmt: skip
_KINDS = frozenset({"isinstance", "issubclass", "type", "super"})
_PASSING_ON = frozenset({"getattr", "super", "__getattribute__", "__getattr__", "import_module"})
_DYNAMIC = 3
"""Arguments of `type` with which it makes a class."""

Place = tuple[str, int]
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def stand_ins(changes: Sequence[FileDiff]) -> Iterator[GuardFinding]:
    """Yield a finding for each way of looking right that changed programs have newly."""
    programs = [
        diff
        for diff in changes
        if not is_test_file(diff.path) and diff.path.endswith((".py", ".rs"))
    ]
    after = [
        (program, list(_found_in(program.path, program.after)))
        for program in programs
        if program.is_readable
    ]
    if not any(places for _, places in after):
        return
    known = {what for program in programs for what, _ in _found_in(program.path, program.before)}
    for change, places in after:
        for what, line in places:
            if what not in known:
                known.add(what)
                shown = change.lines_after[line - 1].strip()
                said = guards.capability_added("stand-ins", shown)
                yield found("capability-added", said, change.path, line)


def _found_in(path: str, data: bytes | None) -> Iterator[Place]:
    """Yield what stands in for something else, in words that are the same wherever it is moved."""
    if path.endswith(".rs"):
        yield from _equal_in_rust(parse(path, data or b""))
        return
    try:
        tree = ast.parse(data or b"")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef():
                yield from _of_class(node)
            case ast.Call(func=ast.Name(id="type"), args=[_, _, methods]):
                yield from _made(methods)
            case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=str(name)), _]):
                yield from [(name, node.lineno)] if name in _SPECIAL else []
            case ast.Assign(targets=[ast.Attribute(attr=name)]) if name in _SPECIAL:
                yield ast.unparse(node), node.lineno
            case _:
                pass


def _equal_in_rust(syntax: Syntax | None) -> Iterator[Place]:
    for node in walk(syntax.root) if syntax is not None else ():
        if node.type == "function_item" and text_of(field(node, "name")) in {"eq", "ne"} \
                and compact(field(node, "body")) in {"{true}", "{returntrue;}"}:  # fmt: skip
            yield compact(node.parent.parent if node.parent else node)[:200], line_of(node)


def _of_class(node: ast.ClassDef) -> Iterator[Place]:
    values = sorted(_VALUES & {ast.unparse(base).rpartition(".")[2] for base in node.bases})
    for name, function in _methods(node):
        line = getattr(function, "lineno", node.lineno)
        if values and name in (_COMPARING | _ORDERING):
            yield f"{node.name}({', '.join(values)}).{name}", line
        elif name in _PRETENDING or (function is not None and _is_made_up(name, function)):
            yield f"{node.name}.{name}", line


def _is_made_up(name: str, function: _Function) -> bool:
    """Whether a method answers what it is asked without a look at anything."""
    if name in _COMPARING:
        return _looks_at_nothing(function)
    return name in _ANSWERING and _has_everything(function)


def _methods(node: ast.ClassDef) -> Iterator[tuple[str, _Function | None]]:
    """Yield a class's methods and what stands in their place; what is no function is not known."""
    for child in ast.walk(node):
        match child:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name, child
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value):
                yield name, value
            case ast.Assign(targets=[ast.Name(id="__class__" as name)]):
                yield name, None
            case _:
                pass


def _made(methods: ast.expr) -> Iterator[Place]:
    """Yield what a class is given that `type` makes."""
    if isinstance(methods, ast.Dict):
        for key in methods.keys:
            if isinstance(key, ast.Constant) and key.value in _SPECIAL:
                yield ast.unparse(methods), methods.lineno
    elif isinstance(methods, ast.Call):
        for word in methods.keywords:
            if word.arg in _SPECIAL:
                yield ast.unparse(methods), methods.lineno


def _looks_at_nothing(function: _Function) -> bool:
    """Whether a comparison looks neither at the class nor at a part of what it compares with."""
    given = [*function.args.posonlyargs, *function.args.args]
    if len(given) < 2 or not _may_be_true(function):  # noqa: PLR2004 - self and the other one
        return False
    other = _aliases(function, given[-1].arg)
    return not any(_looks(node, other) for node in ast.walk(function))


def _looks(node: ast.AST, other: Collection[str]) -> bool:
    """Whether a part of a comparison looks at what the other object is, or is made of."""
    match node:
        case ast.Attribute(value=ast.Name(id=name)) | ast.Subscript(value=ast.Name(id=name)):
            return name in other
        case ast.Match(subject=ast.Name(id=name)):
            return name in other
        case ast.Call(func=ast.Name(id="super")) | ast.Compare(ops=[ast.Is() | ast.IsNot()]):
            return True
        case ast.Call(func=ast.Name(id=called), args=[ast.Name(id=name), *rest]):
            of_all = any(ast.unparse(expression) == "object" for expression in rest)
            return name in other and called in _KINDS and not of_all
        case _:
            return False


def _aliases(function: _Function, name: str) -> Collection[str]:
    """Return a parameter's name and those that stand for the same."""
    names = {name}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) \
                and node.value.id in names:  # fmt: skip
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _may_be_true(function: _Function) -> bool:
    """Whether a comparison returns anything but no."""
    if isinstance(function, ast.Lambda):
        return True
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    no = {"False", "None", "NotImplemented"}
    return any(
        expression is not None and ast.unparse(expression) not in no for expression in returned
    )


def _has_everything(function: _Function) -> bool:
    """Whether an attribute that is not there is made up, instead of refused or looked for elsewhere."""
    for node in ast.walk(function):
        match node:
            case ast.Raise() | ast.Subscript():
                return False
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _PASSING_ON:
                return False
            case _:
                pass
    return True
