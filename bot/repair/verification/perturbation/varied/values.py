"""Values in tests of JavaScript, Go and Rust, and others near them, as these languages write them. Pure."""

from __future__ import annotations

import ast
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from bot.code.syntax import text_of, walk
from bot.repair.harness.driver.variations import other_word, renamed, vary, words

_NUMBERS = frozenset({"number", "int_literal", "float_literal", "integer_literal"})
_TEXTS = frozenset({
    "string", "template_string", "interpreted_string_literal", "raw_string_literal",
    "string_literal",
})  # fmt: skip
_LISTS = frozenset({"array", "object"})
_SUFFIX = re.compile(r"(?<=[\d.])(?:n|_?[iuf](?:8|16|32|64|128|size))$")
_COMMON = frozenset({"0", "1", "-1", "0.0", "1.0", "''", "[]", "{}"})
"""Values for which programs often have a case of their own."""

_LONG = 2_000
"""Characters of a variant: a file holds all of them."""

_MANY = 40
_QUOTES = ("'", '"')
_ESCAPED = re.compile(r"\\u\{([0-9a-fA-F]+)\}")


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """A value as it stands in a test.

    Attributes:
        start: First byte in the file.
        end: First byte behind it.
        value: What it is; of a list, the texts of its items.
        suffix: Its type, where the text names it: `n`, `u8`.
        opens: What a list begins and ends with.
    """

    start: int
    end: int
    value: int | float | str | tuple[str, ...]
    suffix: str = ""
    opens: str = ""

    @property
    def is_common(self) -> bool:
        """Whether programs often have a case of their own for it."""
        return repr(self.value) in _COMMON

    def near(self, seed: str) -> str:
        """Return another value near it, as it is written; nothing where there is none."""
        chance = random.Random(seed)  # noqa: S311 - no secret hangs on it
        if isinstance(self.value, tuple):
            return self._written(", ".join(_other_items(list(self.value), seed, chance)))
        other = vary(self.value, chance)
        return self._written(other if other != self.value else None)

    def renamed(self, names: dict[str, str]) -> str:
        """Return it with other words and numbers, as it is written; nothing where it has none."""
        if isinstance(self.value, tuple):
            return ""
        other = renamed(self.value, names)
        return self._written(other if other != self.value else None)

    def _written(self, other: object) -> str:
        if other is None or len(str(other)) > _LONG:
            return ""
        if self.opens:
            return f"{self.opens[0]}{other}{self.opens[1]}"
        if isinstance(other, str):
            return json.dumps(other, ensure_ascii=False)
        text = f"{other!r}{self.suffix}"
        return f"({text})" if text.startswith("-") else text


def _other_items(items: list[str], seed: str, chance: random.Random) -> list[str]:
    """Return the items of a list, as they are written, with one more or less, or in another order."""
    at = chance.randrange(len(items))
    others = [*items[:at], *items[at + 1 :]]
    more = items[at]
    if more[:1].isdigit() or more[:1] in _QUOTES:
        more = renamed(more, other_names("", list(words(more)), seed))
    ways = [others, others, [*items, more], [*items, more], [*items, *items, more]]
    return chance.choice([*ways, [*others, more], items[::-1], items[:at], items * _MANY])


def place_of(node: Node) -> ValuePlace | None:
    """Return the value that a node is as it stands, None for another node."""
    value, suffix, opens = _value(node)
    if value is None:
        return None
    return ValuePlace(node.start_byte, node.end_byte, value, suffix, opens)


def _value(node: Node) -> tuple[int | float | str | tuple[str, ...] | None, str, str]:
    text = text_of(node)
    if node.type in _NUMBERS:
        suffix = _SUFFIX.search(text)
        found = suffix[0] if suffix else ""
        return _number(text.removesuffix(found).replace("_", "")), found, ""
    if node.type in _TEXTS and not any(
        child.type == "template_substitution" for child in walk(node)
    ):
        return _text(text), "", ""
    if node.type in _LISTS and node.named_children:
        return tuple(text_of(child) for child in node.named_children), "", text[0] + text[-1]
    return None, "", ""


def _number(text: str) -> int | float | None:
    for kind in (lambda: int(text, 0), lambda: float(text)):
        try:
            return kind()
        except ValueError:
            continue
    return None


def _text(text: str) -> str | None:
    if text.startswith("`"):
        return text[1:-1] if "\\" not in text else None
    if not text.startswith(("'", '"')):
        return None
    plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    try:
        return str(ast.literal_eval(plain.replace("\n", "\\n")))
    except (ValueError, SyntaxError, MemoryError, OverflowError):
        return None


def words_in(places: list[ValuePlace]) -> list[str]:
    """Return the words and numbers in some values, each once."""
    found: dict[str, None] = {}
    for place in places:
        found.update(dict.fromkeys(words(place.value)))
    return list(found)


def other_names(word: str, known: list[str], seed: str) -> dict[str, str]:
    """Return by what a word is replaced, or all that are known where there is none."""
    return {item: other_word(item, seed) for item in ([word] if word else known)}


def literals(node: Node) -> Iterator[Node]:
    """Yield what stands in a test as a value, lists before what is in them."""
    return (child for child in walk(node) if child.type in _NUMBERS | _TEXTS | _LISTS)
