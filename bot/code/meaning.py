"""What a program says, apart from comments, documentation and the types that nothing checks as it runs. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tree_sitter import Node

from bot.code.languages import Language
from bot.code.syntax import language_of, parse, parsed, text_of

_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "html_comment"})
_TYPES = frozenset({"type_annotation", "interface_declaration", "type_alias_declaration"})
"""Of TypeScript: they are gone before the program runs."""

_COMMENT_LINE = re.compile(r"^\s*(?:#(?!!)|//|--|;|<!--.*-->\s*$|/\*.*\*/\s*$)")
"""In what most configuration and scripts are written."""


def meaning(path: str, data: bytes) -> str:
    """Return what two texts of a file share that differ in layout, comments and documentation alone.

    Args:
        path: Names the language.
        data: The text.
    """
    if language_of(path) is Language.PYTHON and (tree := parsed(data)) is not None:
        return ast.dump(_Plain().visit(tree))
    syntax = parse(path, data)
    if syntax is not None:
        return "\n".join(_words(syntax.root))
    lines = (line.strip() for line in data.decode("utf-8", "replace").splitlines())
    return "\n".join(line for line in lines if line and not _COMMENT_LINE.match(line))


def is_program(path: str, data: bytes) -> bool:
    """Whether a program can be read; True where no grammar reads it."""
    syntax = parse(path, data)
    if syntax is None:
        return True
    if syntax.root.has_error:
        return False
    return syntax.language is not Language.PYTHON or parsed(data) is not None


def _words(root: Node) -> Iterator[str]:
    """Yield the words of a tree, and where the nodes that hold them begin."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in _COMMENTS or node.type in _TYPES:
            continue
        yield text_of(node) if not node.children else node.type
        waiting.extend(reversed(node.children))


class _Plain(ast.NodeTransformer):
    """Takes docstrings and the types of functions out of a tree."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._plain(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._plain(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        _without_text(node)
        return self.generic_visit(node)

    def visit_Module(self, node: ast.Module) -> ast.AST:
        _without_text(node)
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def _plain(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        _without_text(node)
        node.returns = None
        return self.generic_visit(node)


def _without_text(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module,
) -> None:
    """Take the docstring out; a body that had nothing else says the same as one that passes."""
    body = [
        statement
        for n, statement in enumerate(node.body)
        if n or not (isinstance(statement, ast.Expr) and _is_text(statement.value))
    ]
    node.body = body or [ast.Pass()]


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
