"""One edit of a file, and what a person is shown of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from bot.code.syntax import line_of, text_of
from bot.reporting.reasons import verification


@dataclass(frozen=True, slots=True)
class SyntaxEdit:
    """One edit of a file.

    Attributes:
        kind: The family of edits.
        weight: How often such an edit mends real code, against others: 0 to 1.
        line: Where it changes something, from 1.
        start: Byte of the file at which it begins.
        end: Byte behind what it replaces.
        text: What stands there then.
        says: What it does, as the end of a sentence.
    """

    kind: str
    weight: float
    line: int
    start: int
    end: int
    text: str
    says: str


Edits = Iterator[SyntaxEdit]


BODIES = frozenset({
    "function_declaration", "function_expression", "method_definition", "arrow_function",
    "generator_function_declaration",
})  # fmt: skip


def instead(
    node: Node, new: str, kind: str, weight: float, *, shown: Node | None = None
) -> SyntaxEdit:
    """Return the edit that puts a text in the place of a node; `shown` is what a person is shown of it."""
    around = shown or node
    old, before = text_of(around), node.start_byte - around.start_byte
    whole = (
        old.encode()[:before].decode()
        + new
        + old.encode()[before + node.end_byte - node.start_byte :].decode()
    )
    says = verification.instead(whole, old)
    return SyntaxEdit(kind, weight, line_of(node), node.start_byte, node.end_byte, new, says)


def shown_of(node: Node) -> Node:
    """Return what a person should see around a small part: the expression that it stands in."""
    around = node.parent
    wanted = {
        "binary_expression",
        "call_expression",
        "subscript_expression",
        "variable_declarator",
        "pair",
    }
    while around is not None and around.type not in wanted:
        if around.type.endswith("statement") or around.end_point.row > around.start_point.row:
            return node
        around = around.parent
    return around if around is not None and around.start_point.row == around.end_point.row else node
