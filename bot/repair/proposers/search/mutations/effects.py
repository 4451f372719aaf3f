"""Statements without effect, values that are shared, and ends that are mixed up."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope

_PURE = frozenset({
    "strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "replace", "split",
    "join", "format", "union", "difference", "intersection", "copy", "removeprefix",
    "removesuffix", "zfill", "ljust", "rjust", "center", "casefold",
})  # fmt: skip
"""Methods that answer something new and change nothing."""

_BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor)
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.RShift: ">>", ast.LShift: "<<", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip


def unkept(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Keep what a statement only calculates, or call what it only names."""
    if not isinstance(node, ast.Expr):
        return
    for text, weight in _kept(scope, node.value):
        change = (Replacement(*scope.source.span(node), text),)
        yield Change("result unused", node.lineno, weight, change, f"says `{text}`")


def _kept(scope: Scope, value: ast.expr) -> Iterator[tuple[str, float]]:
    source = scope.source
    code = source.code(value)
    match value:
        case ast.BinOp(left=ast.Name() | ast.Attribute() | ast.Subscript() as left, op=op):
            if type(op) in _OPERATORS:
                yield f"{source.code(left)} {_OPERATORS[type(op)]}= {source.code(value.right)}", 1.0
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            yield f"{source.code(left)} = {source.code(right)}", 1.0
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in _PURE:
            if isinstance(owner, ast.Name | ast.Attribute | ast.Subscript):
                yield f"{source.code(owner)} = {code}", 0.9
        case ast.Call(func=ast.Name(id="sorted" | "reversed" as name), args=[first, *_]):
            yield f"{source.code(first)} = {code}", 0.7
            yield f"{source.code(first)}.{'sort' if name == 'sorted' else 'reverse'}()", 0.6
        case ast.Call():
            names = scope.bound_before(value.lineno)[:6]
            yield from ((f"{name} = {code}", 0.12) for name in names)
        case ast.Name() | ast.Attribute():
            yield f"{code}()", 1.0
        case _:
            return


def uncalled(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Call the method that a condition only names: it is always true."""
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            pass
        case ast.comprehension(ifs=[test, *_]):
            pass
        case _:
            return
    if isinstance(test, ast.UnaryOp):
        test = test.operand
    if isinstance(test, ast.Attribute):
        text = f"{scope.source.code(test)}()"
        change = (scope.source.replace(test, text),)
        yield Change("missing call", test.lineno, 0.5, change, f"calls `{text[:-2]}`")


def shared(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Make a new value where one is shared: `[[]] * n`, or a container that is only cleared."""
    source = scope.source
    match node:
        case ast.BinOp(left=ast.List(elts=[item]), op=ast.Mult(), right=count):
            if not isinstance(item, ast.Constant):
                for each in (source.code(item), f"list({source.code(item)})"):
                    text = f"[{each} for _ in range({source.code(count)})]"
                    change = (source.replace(node, text),)
                    yield Change(
                        "shared value", node.lineno, 0.7, change, "makes a new item each time"
                    )
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="clear"), args=[])):
            kinds = scope.kinds(owner.id) if isinstance(owner, ast.Name) else frozenset({""})
            for kind, empty in (("list", "[]"), ("dict", "{}"), ("set", "set()")):
                if not kinds or "" in kinds or kind in kinds:
                    text = f"{source.code(owner)} = {empty}"
                    change = (Replacement(*source.span(node), text),)
                    yield Change("shared value", node.lineno, 0.6, change, f"says `{text}`")
        case _:
            return


def ends(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Put something in front instead of at the end, or the other way round."""
    source = scope.source
    match node:
        case ast.AugAssign(target=target, op=ast.Add(), value=value):
            name = source.code(target)
            weight = 0.3
            if isinstance(target, ast.Name) and scope.kinds(name):
                weight = 0.45 if scope.is_sequence(name) else 0.0
            text = f"{name} = {source.operand(value, 11)} + {name}"
            yield Change(
                "order", node.lineno, weight, (_whole(scope, node, text),), f"says `{text}`"
            )
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[item])):
            text = f"{source.code(owner)}.insert(0, {source.code(item)})"
            yield Change("order", node.lineno, 0.4, (_whole(scope, node, text),), f"says `{text}`")
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=owner, attr="insert"), args=[ast.Constant(value=0), item]
            )
        ):
            text = f"{source.code(owner)}.append({source.code(item)})"
            yield Change("order", node.lineno, 0.4, (_whole(scope, node, text),), f"says `{text}`")
        case _:
            return


def tallies(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Go on from what is kept under a key instead of writing over it."""
    source = scope.source
    match node:
        case ast.Assign(targets=[ast.Subscript(value=kept, slice=key)], value=value):
            holder, at = source.code(kept), source.code(key)
        case ast.AugAssign(target=ast.Subscript(value=kept, slice=key), op=ast.Add(), value=value):
            holder, at = source.code(kept), source.code(key)
            text = f"{holder}[{at}] = {holder}.get({at}, 0) + {source.operand(value, 11)}"
            change = (_whole(scope, node, text),)
            yield Change("dict access", node.lineno, 0.4, change, f"says `{text}`")
            return
        case _:
            return
    match value:
        case ast.List(elts=[item]):
            text = f"{holder}.setdefault({at}, []).append({source.code(item)})"
        case ast.Set(elts=[item]):
            text = f"{holder}.setdefault({at}, set()).add({source.code(item)})"
        case ast.Constant(value=int()) | ast.Name() | ast.Subscript() | ast.Call() | ast.BinOp():
            text = f"{holder}[{at}] = {holder}.get({at}, 0) + {source.operand(value, 11)}"
        case _:
            return
    weight = 0.5 if isinstance(value, ast.List | ast.Set) else 0.25
    change = (_whole(scope, node, text),)
    yield Change("dict access", node.lineno, weight, change, f"says `{text}`")


def _whole(scope: Scope, node: ast.stmt, text: str) -> Replacement:
    return Replacement(*scope.source.span(node), text)


def bits(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take the bit at a place instead of the place."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, _BITWISE):
        return
    source = scope.source
    for side in (node.left, node.right):
        if isinstance(side, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
            text = f"(1 << {source.operand(side, 11)})"
            change = (source.replace(side, text),)
            yield Change("bit", node.lineno, 0.3, change, f"takes `{text}`")
