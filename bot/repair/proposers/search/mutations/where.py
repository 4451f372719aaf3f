"""Where a template applies."""

from __future__ import annotations

import ast

from bot.repair.proposers.search.mutations.atoms import condition_of
from bot.repair.proposers.search.mutations.blocks import in_loop
from bot.repair.proposers.search.mutations.scope import CHANGERS, FunctionScope
from bot.repair.proposers.search.mutations.source import is_loaded

_GIVES_UP = ast.Yield | ast.YieldFrom | ast.Await


def applies(place: str, scope: FunctionScope, node: ast.AST) -> bool:  # noqa: C901, PLR0911 - a table
    """Whether the rules of a place in the table of templates apply to a node."""
    above, home = scope.source.parent(node), scope.definition
    match place:
        case "statement":
            return home is not None
        case "in a loop":
            return in_loop(scope, node)
        case "generator":
            return bool(scope.yields)
        case "an answer":  # of a call: what changes a container answers nothing
            call = getattr(node, "value", None)
            return (
                home is not None
                and getattr(getattr(call, "func", None), "attr", "") not in CHANGERS
            )
        case "condition":
            return _is_condition(scope, node)
        case "operand":
            return isinstance(above, ast.BinOp) and not isinstance(above.op, ast.Pow | ast.Mod)
        case "a count":  # neither a start nor a result
            return not isinstance(above, ast.Assign | ast.Return | ast.UnaryOp)
        case "not awaited":
            return isinstance(home, ast.AsyncFunctionDef) and not isinstance(above, ast.Await)
        case "gathered":  # what is left of the arguments, given to a call as it is
            rest = home.args.vararg if home is not None else None
            named = rest is not None and rest.arg == getattr(node, "id", "")
            return named and isinstance(above, ast.Call)
        case "a value":
            return _is_expression(scope, node) and _is_value(above, node)
        case _:
            return _is_expression(scope, node)


def _is_expression(scope: FunctionScope, node: ast.AST) -> bool:
    above = scope.source.parent(node)
    return (
        isinstance(node, ast.expr)
        and is_loaded(node)
        and (not isinstance(above, ast.Expr) or isinstance(node, _GIVES_UP))
        and not scope.source.is_called(node)
        and not isinstance(above, ast.Attribute)
    )


def _is_condition(scope: FunctionScope, node: ast.AST) -> bool:
    above = scope.source.parent(node)
    while isinstance(above, ast.BoolOp):
        node, above = above, scope.source.parent(above)
    picked = isinstance(above, ast.comprehension) and node in above.ifs
    return picked or (above is not None and condition_of(above) is node)


def _is_value(above: ast.AST | None, node: ast.AST) -> bool:
    """Whether an expression is returned, assigned, given to a call, an index, or an item."""
    match above:
        case ast.Return() | ast.Yield() | ast.Assign() | ast.AugAssign():
            return not isinstance(node, ast.Compare | ast.BoolOp)
        case ast.Subscript(slice=inner):
            return inner is node
        case ast.ListComp(elt=inner) | ast.SetComp(elt=inner) | ast.GeneratorExp(elt=inner):
            return inner is node
        case _:
            kinds = ast.Call | ast.Tuple | ast.List | ast.For | ast.comprehension
            return isinstance(above, kinds)
