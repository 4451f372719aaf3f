"""Errors that come from below: caught, or turned into the one that the callers are ready for."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope
from bot.repair.proposers.search.mutations.source import Definition

_COMMON_ERRORS = (
    "ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "ZeroDivisionError",
    "RuntimeError", "LookupError", "OSError", "FileNotFoundError", "StopIteration",
    "NotImplementedError", "OverflowError", "ArithmeticError", "Exception",
)  # fmt: skip
_SEEN = 0.95
"""Of an error that was seen to come out of the statements that a handler watches."""

_NOT_CAUGHT = frozenset({
    "AssertionError", "Failed", "SystemExit", "KeyboardInterrupt", "NameError", "SyntaxError",
    "UnboundLocalError", "IndentationError", "RecursionError", "MemoryError",
})  # fmt: skip
"""What a test says itself, and what nobody should catch: it says that code is wrong."""


def exceptions(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Catch or raise another exception."""
    source = scope.source
    seen = _came_out(scope, node)
    match node:
        case ast.ExceptHandler(type=ast.Name() | ast.Attribute() as caught):
            mine = source.code(caught)
            for name in dict.fromkeys((*seen, *_names(scope))):
                if name == mine:
                    continue
                change = (source.replace(caught, name),)
                yield Change("exception", node.lineno, 0.35, change, f"catches `{name}`")
                change = (source.replace(caught, f"({mine}, {name})"),)
                weight = _SEEN if name in seen else 0.35
                yield Change("exception", node.lineno, weight, change, f"catches `{name}` too")
        case ast.ExceptHandler(type=ast.Tuple(elts=elts) as caught) if elts:
            end = source.span(elts[-1])[1]
            for name in dict.fromkeys((*seen, *_names(scope))):
                change = (Replacement(end, end, f", {name}"),)
                weight = _SEEN if name in seen else 0.35
                yield Change("exception", caught.lineno, weight, change, f"catches `{name}` too")
        case (
            ast.Raise(exc=ast.Call(func=ast.Name() as raised)) | ast.Raise(exc=ast.Name() as raised)
        ):
            for name in _names(scope):
                if name != raised.id:
                    weight = 0.8 if name in scope.hints.awaited else 0.45
                    change = (source.replace(raised, name),)
                    yield Change("exception", node.lineno, weight, change, f"raises `{name}`")
        case _:
            return


def _came_out(scope: Scope, handler: ast.AST) -> tuple[str, ...]:
    """Return the errors that came out of what a handler watches."""
    above = scope.source.parent(handler)
    if not isinstance(handler, ast.ExceptHandler) or not isinstance(above, ast.Try):
        return ()
    return _known_errors(scope, above.body[0], above.body[-1])


def _known_errors(scope: Scope, first: ast.stmt, last: ast.stmt) -> tuple[str, ...]:
    """Return the errors that came through some statements, and can be named in the file."""
    errors = scope.errors_at(first.lineno, last.end_lineno or last.lineno)
    known = {*dir(builtins), *scope.source.module_names} - _NOT_CAUGHT
    return tuple(dict.fromkeys(error.type for error in errors if error.type in known))


def _names(scope: Scope) -> tuple[str, ...]:
    own: dict[str, None] = {}
    for node in scope.source.tree.body:
        if isinstance(node, ast.ClassDef) and any(_is_error(base, own) for base in node.bases):
            own[node.name] = None
    return (*own, *_COMMON_ERRORS)


def _is_error(base: ast.expr, own: Collection[str]) -> bool:
    """Whether a class with this base can be raised, as far as names tell."""
    name = base.id if isinstance(base, ast.Name) else getattr(base, "attr", "")
    return name in own or name.endswith(("Error", "Exception"))


def caught(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Catch the error that a statement lets through: raise the awaited one, or go on."""
    if not isinstance(node, ast.Return | ast.Assign | ast.AugAssign | ast.Expr):
        return
    source = scope.source
    if scope.definition is None or not source.own_line(node) or "\n" in source.code(node):
        return
    errors = _known_errors(scope, node, node)
    if not errors:
        return
    named = errors[0] if len(errors) == 1 else f"({', '.join(errors)})"
    known = source.module_names - _caught_here(scope, node)
    for error in (*scope.hints.awaited, *scope.expected):
        if error in known:
            weight = 0.9 if error == "ValueError" else 0.75
            raised = f"raise {error}(str(exc)) from exc"
            change = (_tried(scope, node, f"except {named} as exc:", raised),)
            says = f"turns `{named}` into `{error}`"
            yield Change("wrong exception", node.lineno, weight, change, says)
    for way, weight in _ways_on(scope, node).items():
        change = (_tried(scope, node, f"except {named}:", way),)
        says = f"does `{way}` where `{named}` is raised"
        yield Change("uncaught exception", node.lineno, weight, change, says)


def _caught_here(scope: Scope, node: ast.stmt) -> frozenset[str]:
    """Return what the function catches around a statement: there one more error is caught better."""
    handlers = (
        handler
        for above in _within(scope, node)
        if isinstance(above, ast.Try) and _is_in(node, above.body)
        for handler in above.handlers
    )
    names = (one for handler in handlers if handler.type for one in ast.walk(handler.type))
    return frozenset(one.id for one in names if isinstance(one, ast.Name))


def _is_in(node: ast.stmt, body: list[ast.stmt]) -> bool:
    return body[0].lineno <= node.lineno <= (body[-1].end_lineno or body[-1].lineno)


def _tried(scope: Scope, node: ast.stmt, handler: str, way: str) -> Replacement:
    """Return a statement of one line inside a `try`."""
    source = scope.source
    start, end = source.whole_lines(node)
    indent, line = source.indent(node), source.text[start:end].rstrip("\r\n")
    lines = (f"{indent}try:", f"{source.step}{line}", f"{indent}{handler}")
    ended = (*lines, f"{indent}{source.step}{way}")
    return Replacement(start, end, "".join(f"{one}{source.newline}" for one in ended))


def _ways_on(scope: Scope, node: ast.stmt) -> dict[str, float]:
    """Return what may be done instead of a statement that can't be done."""
    if isinstance(node, ast.Assign):
        target = scope.source.code(node.targets[0])
        found = {f"{target} = {value}": 0.3 for value in ("None", "[]", "''", "0")}
        names = scope.parameters
        found |= {f"{target} = {name}": 0.3 for name in names if "default" in name}
    else:
        found = {} if isinstance(node, ast.Return) else {"pass": 0.4}
    found |= {f"return {value}": 0.25 for value in ("None", "False", "[]", "''")}
    found |= {f"return {name}": 0.25 for name in scope.parameters[:3]}
    if any(isinstance(above, ast.For | ast.While) for above in _within(scope, node)):
        found |= {"continue": 0.45, "break": 0.3}
    return found


def _within(scope: Scope, node: ast.stmt) -> Iterator[ast.AST]:
    """Yield what a statement stands in, as far as the function."""
    for above in scope.source.ancestors(node):
        if isinstance(above, Definition):
            return
        yield above
