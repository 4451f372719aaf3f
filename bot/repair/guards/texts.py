"""Tell which text an expression is, where the file says so: `"sys" + "tem"` is `system`. Pure."""

from __future__ import annotations

from tree_sitter import Node

from bot.repair.guards.expressions import WRAPPERS, written
from bot.repair.guards.syntax import field, text_of

_DEEPEST, _LONGEST, _MOST = 60, 1_000, 100
"""Expressions in each other, characters of a text, and values of a name that are followed."""


class Texts:
    """The texts of one file, and what its plain names are assigned."""

    def __init__(self) -> None:
        self._values: dict[str, list[Node]] = {}
        self._texts: dict[int, str | None] = {}

    def remember(self, name: Node | None, value: Node | None) -> None:
        """Remember what a name is assigned."""
        if name is not None and value is not None and name.type == "identifier":
            known = self._values.setdefault(text_of(name), [])
            known += [value] if len(known) < _MOST else []

    def of(self, node: Node | None, depth: int = 0) -> str | None:
        """Return the text that an expression is, or None where the file does not say it."""
        if node is None or depth > _DEEPEST:
            return None
        if node.id not in self._texts:
            self._texts[node.id] = None  # for what is made of itself
            text = self._text(node, depth)
            self._texts[node.id] = text if text is None or len(text) <= _LONGEST else None
        return self._texts[node.id]

    def _text(self, node: Node, depth: int) -> str | None:
        match node.type:
            case "identifier":
                known = self.values(node)
                return self.of(known[0], depth + 1) if len(known) == 1 else None
            case "concatenated_string":
                parts = [self.of(one, depth + 1) for one in node.named_children]
            case "binary_operator" | "binary_expression":
                if text_of(field(node, "operator")) != "+":
                    return None
                sides = (field(node, "left"), field(node, "right"))
                parts = [self.of(one, depth + 1) for one in sides]
            case kind if kind in WRAPPERS and node.named_children:
                return self.of(node.named_children[0], depth + 1)
            case _:
                return written(node)
        return None if None in parts else "".join(part or "" for part in parts)

    def values(self, node: Node) -> list[Node]:
        """Return what a plain name is assigned, anywhere in the file."""
        return self._values.get(text_of(node), []) if node.type == "identifier" else []
