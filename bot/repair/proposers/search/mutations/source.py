"""A source file, its syntax tree, and where each node stands in the text."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from functools import cached_property

from bot.code.source import SourceText
from bot.repair.proposers.search.evidence import UNPARSABLE
from bot.repair.proposers.search.mutations.change import Replacement
from bot.repair.proposers.search.mutations.precedence import needed, strength

Definition = ast.FunctionDef | ast.AsyncFunctionDef

_BLOCKS = ("body", "orelse", "finalbody")


class SourceFile(SourceText):
    """A file that parses.

    Attributes:
        file: Relative to the work tree.
        text: As it is, line ends included.
        tree: Its syntax tree.
    """

    def __init__(self, file: str, text: str) -> None:
        """Parse; raises one of `UNPARSABLE` when that fails."""
        self.file = file
        self.text = text
        self.tree = ast.parse(text)
        self._walked: dict[ast.AST, tuple[ast.AST, ...]] = {}

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Each node's parent."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def nodes(self, node: ast.AST) -> tuple[ast.AST, ...]:
        """Return a node and all below it; they are walked once."""
        if node not in self._walked:
            self._walked[node] = tuple(ast.walk(node))
        return self._walked[node]

    @cached_property
    def module_names(self) -> frozenset[str]:
        """What the file binds at its top level, and the names that Python brings."""
        found = set(dir(builtins))
        for node in self.tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                found |= {(name.asname or name.name).split(".")[0] for name in node.names}
            elif isinstance(node, Definition | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Assign):
                found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        return frozenset(found)

    @cached_property
    def assigned(self) -> tuple[tuple[str, ast.expr], ...]:
        """What the file assigns to, as it writes it, with the values."""
        found: list[tuple[str, ast.expr]] = []
        for node in self.nodes(self.tree):
            match node:
                case (
                    ast.Assign(targets=[target], value=value)
                    | ast.AnnAssign(target=target, value=ast.expr() as value)
                ):
                    found.append((self.part(target), value))
                case _:
                    pass
        return tuple(found)

    @cached_property
    def functions(self) -> dict[str, ast.FunctionDef]:
        """The functions at the file's top level by their names."""
        return {
            statement.name: statement
            for statement in self.tree.body
            if isinstance(statement, ast.FunctionDef)
        }

    @cached_property
    def step(self) -> str:
        """What one level of indentation is."""
        for node in self.nodes(self.tree):
            if isinstance(node, Definition) and self.own_line(node.body[0]):
                inner, outer = self.indent(node.body[0].lineno), self.indent(node.lineno)
                if inner.startswith(outer) and inner != outer:
                    return inner[len(outer) :]
        return "    "

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return what a node stands in."""
        return self.parents.get(node)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what a node stands in, innermost first."""
        while (above := self.parents.get(node)) is not None:
            yield above
            node = above

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the innermost statement that a node is or stands in."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def definition(self, node: ast.AST) -> Definition | None:
        """Return the innermost function that a node stands in the body of."""
        child = node
        for above in self.ancestors(node):
            if isinstance(above, Definition) and child in above.body:
                return above
            child = above
        return None

    def owner(self, node: ast.AST) -> ast.ClassDef | None:
        """Return the innermost class that a node stands in."""
        return next(
            (ancestor for ancestor in self.ancestors(node) if isinstance(ancestor, ast.ClassDef)),
            None,
        )

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the statements that one stands among, itself included."""
        above = self.parents.get(statement)
        for name in _BLOCKS:
            block = getattr(above, name, None)
            if isinstance(block, list) and statement in block:
                return block
        return [statement]

    def replace(self, node: ast.expr, text: str) -> Replacement:
        """Put an expression in the place of another, in parentheses where it takes them."""
        start, end = self.span(node)
        return Replacement(start, end, self.fitting(node, text))

    def fitting(self, node: ast.expr, text: str) -> str:
        """Return an expression's text as it has to be in the place of `node`."""
        try:
            binds = strength(ast.parse(text, mode="eval").body)
        except UNPARSABLE:
            return text
        if binds >= needed(self.parent(node), node) or self.parenthesised(node):
            return text
        return f"({text})"

    def operand(self, node: ast.expr, binds: int) -> str:
        """Return a node's text as an operand of something that binds like this."""
        text = self.part(node)
        return text if strength(node) >= binds else f"({text})"

    def parenthesised(self, node: ast.expr) -> bool:
        """Whether a node has parentheses of its own."""
        start, end = self.span(node)
        before, after = self.text[:start].rstrip(), self.text[end:].lstrip()
        if not (before.endswith("(") and after.startswith(")")):
            return False
        above = self.parent(node)
        return not (isinstance(above, ast.Call | ast.ClassDef | ast.GeneratorExp))

    def is_called(self, node: ast.expr) -> bool:
        """Whether a node is what a call calls."""
        above = self.parent(node)
        return isinstance(above, ast.Call) and above.func is node

    def between(self, left: ast.expr, right: ast.expr) -> tuple[int, int]:
        """Return where the text between two operands starts and ends, parentheses left out."""
        start, end = self.span(left)[1], self.span(right)[0]
        text = self.text[start:end]
        inner = text.lstrip(" )\t\r\n\\")
        start += len(text) - len(inner)
        return start, start + len(inner.rstrip(" (\t\r\n\\"))

    def own_line(self, statement: ast.stmt) -> bool:
        """Whether a statement begins its line and ends it, comments aside."""
        first, last = self.lines_of(statement)
        start, end = self.span(statement)
        rest = self.text[end : self.at(last + 1)].strip()
        return not self.text[self.at(first) : start].strip() and (not rest or rest.startswith("#"))

    def lines_of(self, statement: ast.stmt) -> tuple[int, int]:
        """Return a statement's first and last line, decorators included."""
        first = min(
            [statement.lineno, *(item.lineno for item in getattr(statement, "decorator_list", ()))]
        )
        return first, statement.end_lineno or statement.lineno

    def line_span(self, line: int) -> tuple[int, int]:
        """Return where a line starts and ends, line end included."""
        return self.at(line), self.at(line + 1)

    def whole_lines(self, statement: ast.stmt) -> tuple[int, int]:
        """Return where a statement's lines start and end, line end included."""
        first, last = self.lines_of(statement)
        return self.at(first), self.at(last + 1)

    def insert_before(self, statement: ast.stmt, *lines: str) -> Replacement:
        """Put new lines in front of a statement, indented like it."""
        at = self.whole_lines(statement)[0]
        return Replacement(at, at, self._indented(self.indent(statement.lineno), lines))

    def insert_after(self, statement: ast.stmt, *lines: str) -> Replacement:
        """Put new lines behind a statement, indented like it."""
        at = self.whole_lines(statement)[1]
        text = self._indented(self.indent(statement.lineno), lines)
        if at and not self.text[:at].endswith("\n"):
            text = self.newline + text.removesuffix(self.newline)
        return Replacement(at, at, text)

    def _indented(self, indent: str, lines: tuple[str, ...]) -> str:
        return "".join(f"{indent}{line}{self.newline}" for line in lines)


def is_stored(node: ast.AST) -> bool:
    """Whether a node is assigned to."""
    return isinstance(getattr(node, "ctx", None), ast.Store)


def is_loaded(node: ast.AST) -> bool:
    """Whether a node is read; what can be nothing else is."""
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
