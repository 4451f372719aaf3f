"""Errors that come from below: caught, or turned into the one that the callers are ready for."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.blocks import in_loop, movable
from bot.repair.proposers.search.mutations.change import Replacement
from bot.repair.proposers.search.mutations.rule import Idea, Ideas, instead, rule
from bot.repair.proposers.search.mutations.scope import Scope

_NOT_CAUGHT = frozenset({
    "AssertionError", "Failed", "SystemExit", "KeyboardInterrupt", "NameError", "SyntaxError",
    "UnboundLocalError", "IndentationError", "RecursionError", "MemoryError",
})  # fmt: skip
"""What a test says itself, and what nobody should catch: it says that code is wrong."""


@rule("caught error", ast.ExceptHandler)
def caught(scope: Scope, node: ast.ExceptHandler) -> Ideas:
    """Catch one more error, which was seen to come out of what the handler watches.

    seen: ValueError
    before: try: (return a[b]) except KeyError: (return 0)
    after: try: (return a[b]) except (KeyError, ValueError): (return 0)
    """
    above = scope.source.parent(node)
    if node.type is None or not isinstance(above, ast.Try):
        return
    items = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    codes = [scope.source.code(one) for one in items]
    for name in _seen(scope, above.body[0], above.body[-1]):
        if name not in codes:
            text = f"({', '.join((*codes, name))})"
            yield instead(scope, node.type, text, says=f"catches `{name}` too")


def _seen(scope: Scope, first: ast.stmt, last: ast.stmt) -> tuple[str, ...]:
    """Return the errors that came through some statements, and can be named in the file."""
    errors = scope.errors_at(first.lineno, last.end_lineno or last.lineno)
    known = {*dir(builtins), *scope.source.module_names} - _NOT_CAUGHT
    return tuple(dict.fromkeys(error.type for error in errors if error.type in known))


@rule("uncaught error", ast.Return | ast.Assign | ast.AugAssign | ast.Expr)
def uncaught(scope: Scope, node: ast.stmt) -> Ideas:
    """Catch the error that a statement lets through: raise the expected one, or go on.

    seen: KeyError
    before: return a[b]
    after: try: (return a[b]) except KeyError: (return None)
    """
    source = scope.source
    errors = _seen(scope, node, node)
    if not errors or not movable(scope, node) or "\n" in source.code(node):
        return
    named = errors[0] if len(errors) == 1 else f"({', '.join(errors)})"
    known = source.module_names
    for error in scope.expected:
        if error in known:
            way = f"raise {error}(str(exc)) from exc"
            change = _tried(scope, node, f"except {named} as exc:", way)
            yield Idea((change,), f"turns `{named}` into `{error}`", "expected")
    for way in _ways_on(scope, node):
        change = _tried(scope, node, f"except {named}:", way)
        case = "in a loop" if way in {"continue", "break", "pass"} else ""
        yield Idea((change,), f"does `{way}` where `{named}` is raised", case)


def _tried(scope: Scope, node: ast.stmt, handler: str, way: str) -> Replacement:
    """Return a statement of one line inside a `try`."""
    source = scope.source
    start, end = source.whole_lines(node)
    indent, line = source.indent(node), source.text[start:end].rstrip("\r\n")
    lines = (f"{indent}try:", f"{source.step}{line}", f"{indent}{handler}")
    ended = (*lines, f"{indent}{source.step}{way}")
    return Replacement(start, end, "".join(f"{one}{source.newline}" for one in ended))


def _ways_on(scope: Scope, node: ast.stmt) -> Iterator[str]:
    """Yield what may be done instead of a statement that can't be done."""
    if isinstance(node, ast.Assign):
        target = scope.source.code(node.targets[0])
        names = (name for name in scope.parameters if "default" in name)
        yield from (f"{target} = {value}" for value in ("None", "[]", "''", "0", *names))
    elif not isinstance(node, ast.Return):
        yield "pass"
    yield from (f"return {value}" for value in ("None", "False", "[]", "''"))
    yield from (f"return {name}" for name in scope.parameters[:3])
    if in_loop(scope, node):
        yield from ("continue", "break")
