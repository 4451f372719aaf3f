"""A JavaScript or TypeScript file by its syntax tree: where a name is bound, and texts without a part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from bot.code.syntax import line_of, parents, parse, text_of, walk
from bot.repair.proposers.mechanical.rules.source import RuleSource

SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
"""Ends of the names of files that are read this way."""

NAMES = frozenset({
    "identifier", "type_identifier", "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
})  # fmt: skip
"""Kinds of nodes that may bind or use a variable or a type."""

_SCOPES = frozenset({"program", "statement_block", "function_body"})


@dataclass(frozen=True)
class ScriptSource:
    """A file that tree-sitter reads; places are those of its bytes.

    Attributes:
        source: The file.
        data: Its bytes.
        root: Of its syntax tree.
    """

    source: RuleSource
    data: bytes
    root: Node

    @cached_property
    def _rows(self) -> list[bytes]:
        return self.data.split(b"\n")

    def names(self, line: int, column: int | None, name: str) -> list[Node]:
        """Return the nodes of a name on a line, that at the column first, then those after it.

        What a tool says of an import is said of its first line, so that its other lines count.

        Args:
            line: From 1.
            column: From 1, or None.
            name: Of the variable; "" for whatever stands at the column.
        """
        found = [
            node
            for node in walk(self.root, into=lambda node: _has_line(node, line))
            if node.type in NAMES
            and name in {"", text_of(node)}
            and (name or self._column(node) == column)
        ]
        own = [node for node in found if line_of(node) == line]
        own.sort(key=lambda node: self._column(node) != column)
        return own or self._in_import(line, name)

    def _in_import(self, line: int, name: str) -> list[Node]:
        statements = (node for node in self.root.named_children if line_of(node) == line)
        return [
            node
            for statement in statements
            if statement.type == "import_statement"
            for node in walk(statement)
            if node.type in NAMES and name == text_of(node)
        ]

    def _column(self, node: Node) -> int:
        before = self._rows[node.start_point.row][: node.start_point.column]
        return len(before.decode("utf-8", "replace")) + 1

    def without(self, start: int, end: int, instead: str = "") -> str:
        """Return the text with a part of it replaced."""
        return (self.data[:start] + instead.encode() + self.data[end:]).decode()

    def without_node(self, node: Node) -> str:
        """Return the text without a statement, and without its lines if nothing else is on them."""
        start = self.data.rfind(b"\n", 0, node.start_byte) + 1
        end = self.data.find(b"\n", node.end_byte) + 1 or len(self.data)
        beside = self.data[start : node.start_byte] + self.data[node.end_byte : end]
        if beside.strip(b" \t\r\n;"):
            return self.without(node.start_byte, node.end_byte)
        if not self.data[:start].strip():
            rest = self.data[end:]
            end += len(rest) - len(rest.lstrip(b"\r\n"))
        return self.without(start, end)

    def without_item(self, node: Node) -> str:
        """Return the text without one of several parts that commas separate."""
        following, preceding = node.next_sibling, node.prev_sibling
        if following is not None and following.type == ",":
            after = following.next_sibling
            if after is not None and after.is_named and after.type != "comment":
                return self.without(node.start_byte, after.start_byte)
            if preceding is not None and preceding.type == ",":
                return self.without(preceding.end_byte, following.end_byte)
            return self.without(node.start_byte, following.end_byte)
        if preceding is not None and preceding.type == ",":
            return self.without(preceding.start_byte, node.end_byte)
        return self.without(node.start_byte, node.end_byte)

    def written(self, binding: Node) -> bool:
        """Whether a variable is written again in the block that binds it."""
        name = text_of(binding)
        scope = next((above for above in parents(binding) if above.type in _SCOPES), self.root)
        return any(text_of(target) == name for target in _targets(scope))


def script_of(source: RuleSource) -> ScriptSource | None:
    """Return a file as a script, None where it is none or can't be read."""
    data = source.text.encode()
    syntax = parse(source.path, data) if source.path.endswith(SUFFIXES) else None
    return ScriptSource(source, data, syntax.root) if syntax is not None else None


def _has_line(node: Node, line: int) -> bool:
    return node.start_point.row < line <= node.end_point.row + 1


def _targets(scope: Node) -> Iterator[Node]:
    """Yield what is assigned to."""
    for node in walk(scope):
        if node.type in {"assignment_expression", "augmented_assignment_expression"}:
            yield from walk(node.child_by_field_name("left") or node)
        elif node.type == "update_expression":
            yield from walk(node)
