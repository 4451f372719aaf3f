"""Statements as wholes: which can be moved, and where they stand."""

from __future__ import annotations

import ast

from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.source import Definition


def movable(scope: FunctionScope, node: ast.AST) -> bool:
    """Whether a statement has lines of its own in a function, and may be moved with them."""
    if not isinstance(node, ast.stmt) or isinstance(node, Definition | ast.ClassDef):
        return False
    source = scope.source
    is_elif = isinstance(node, ast.If) and source.text.startswith("elif", source.span(node)[0])
    return not is_elif and source.own_line(node) and source.definition(node) is not None


def in_loop(scope: FunctionScope, node: ast.AST) -> bool:
    """Whether a loop of the same function runs a node."""
    for above in scope.source.ancestors(node):
        if isinstance(above, ast.For | ast.While | ast.AsyncFor):
            return True
        if isinstance(above, Definition):
            return False
    return False


def is_docstring(node: ast.AST) -> bool:
    """Whether a statement is a text and nothing else."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
