"""Find hard-coded answers to the inputs of the tests. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from bot.code.change import FileDiff
from bot.code.syntax import (
    LITERALS,
    Syntax,
    compact,
    content,
    field,
    line_of,
    parents,
    parse,
    statements,
    text_of,
    walk,
)
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.reporting.reasons import guards_code

_NUMBERS = frozenset(
    {"integer", "float", "number", "int_literal", "float_literal", "integer_literal"}
)
_BARE = frozenset({"true", "false", "none", "null", "nil", "boolean_literal"})
_COMPOSED = frozenset({
    "list", "tuple", "dictionary", "set", "array", "object", "composite_literal",
    "array_expression", "tuple_expression", "struct_expression",
})  # fmt: skip
_BRANCHES = ("if_statement", "elif_clause", "conditional_expression", "ternary_expression",
             "if_expression", "case_clause", "match_arm", "switch_case", "expression_case")  # fmt: skip
_LEAVES = frozenset({"return_statement", "return_expression", "yield"})
_FUNCTIONS = frozenset({
    "function_definition", "function_declaration", "method_definition", "method_declaration",
    "function_item",
})  # fmt: skip
_RECEIVERS = frozenset({"self", "cls", "&self", "&mutself", "mutself"})
_COMMON_NUMBERS = frozenset({"0", "1", "2", "-1", "10", "100", "1000", "0.0", "1.0", "0.5"})
_SPECIFIC = 8
"""Characters of an input and its answer together from which they can't be there by chance."""

_TABLED = 10
"""The same for a table, which real fixes contain more often than such branches."""

_LONGEST = 20_000
"""Most characters of a literal that are read."""


@dataclass(frozen=True, slots=True)
class FailureWords:
    """What the failing tests say.

    Attributes:
        values: Contents of their texts and numbers.
        text: All of them, without space and quotes.
    """

    values: frozenset[str]
    text: str


def said_by(tests: Mapping[str, bytes]) -> FailureWords:
    """Return what tests say, from their files by path."""
    values, texts = set[str](), []
    for path, data in tests.items():
        syntax = parse(path, data)
        if syntax is not None:
            values.update(
                _value(node) for node in walk(syntax.root) if node.type in LITERALS - _BARE
            )
        texts.append(_bare(data.decode("utf-8", "replace")))
    return FailureWords(frozenset(values), "\n".join((*texts, *map(_bare, values))))


def answers(change: FileDiff, said: FailureWords) -> Iterator[GuardFinding]:
    """Yield findings on new branches, tables and constants that repeat what the tests say."""
    syntax = change.new
    if syntax is None or not said.text:
        return
    before = (change.before or b"").decode("utf-8", "replace")
    for node in syntax.added(change.added, *_BRANCHES):
        yield from _branch(change, node, said, before)
    for node in syntax.added(change.added, "dictionary", "object", "composite_literal"):
        yield from _table(change, node, said, before)
    yield from _constants(change, syntax, said, before)


def _branch(
    change: FileDiff, node: Node, said: FailureWords, before: str
) -> Iterator[GuardFinding]:
    condition = field(node, "condition") or field(node, "pattern") or field(node, "value")
    if condition is None and node.named_children:
        at = 1 if node.type == "conditional_expression" else 0  # Python: value if condition else
        condition = node.named_children[min(at, len(node.named_children) - 1)]
    inputs = [
        child
        for child in _literals(condition)
        if _known(child, said)
        and not _stands_in(child, before)
        and not _is_operand_of_length(child)
    ]
    if not inputs:
        return
    longest = max(len(_bare(text_of(child))) for child in inputs)
    results = [result for result in _results(node, condition) if _is_answer(result, said, before)]
    if results and longest + max(len(_bare(text_of(item))) for item in results) >= _SPECIFIC:
        shown = guards_code.answer_written_down(_short(inputs[0]), _short(results[0]))
        yield found("hard-coded-answer", shown, change.path, line_of(node))


def _table(change: FileDiff, node: Node, said: FailureWords, before: str) -> Iterator[GuardFinding]:
    """Yield a finding for a table of the tests' inputs and answers."""
    for pair in node.named_children:
        key, value = field(pair, "key"), field(pair, "value")
        if key is None or value is None:
            continue
        if _is_answer(key, said, before) and _is_answer(value, said, before) \
                and len(_bare(text_of(key)) + _bare(text_of(value))) >= _TABLED:  # fmt: skip
            shown = guards_code.answer_written_down(_short(key), _short(value))
            yield found("hard-coded-answer", shown, change.path, line_of(pair))
            return


def _constants(
    change: FileDiff, syntax: Syntax, said: FailureWords, before: str
) -> Iterator[GuardFinding]:
    """Yield findings on functions that return what the tests expect, whatever their input."""
    for node in syntax.added(change.added, *_LEAVES):
        function = next((parent for parent in parents(node) if parent.type in _FUNCTIONS), None)
        body = field(function, "body") if function and _takes_arguments(function) else None
        if body is None or not any(child.id == node.id for child in _own(body)):
            continue
        for value in node.named_children[:1]:
            is_answer = _is_answer(value, said, before)
            if is_answer and len(_bare(text_of(value))) >= _SPECIFIC // 2:
                shown = guards_code.constant_answer(_short(value))
                yield found("hard-coded-answer", shown, change.path, line_of(node))


def _takes_arguments(function: Node) -> bool:
    """Whether there is an input at all: what depends on nothing may well be a constant."""
    parameters = field(function, "parameters")
    named = parameters.named_children if parameters is not None else []
    return any(compact(node).partition(":")[0] not in _RECEIVERS for node in named)


def _own(body: Node) -> list[Node]:
    """Return the statements of a function at its own level."""
    return [
        inner
        for statement in statements(body)
        for inner in (
            [statement]
            if statement.type != "expression_statement"
            else [statement, *statement.named_children]
        )
    ]


def _literals(node: Node | None) -> list[Node]:
    if node is None:
        return []
    kinds = LITERALS - _BARE
    return [
        child
        for child in walk(node)
        if child.type in kinds and (child.parent is None or child.parent.type not in kinds)
    ]


def _is_operand_of_length(node: Node) -> bool:
    """Whether a number is only compared with a length or an index: no input of anything."""
    return node.type in _NUMBERS and len(text_of(node)) <= 2  # noqa: PLR2004 - up to 99


def _known(node: Node, said: FailureWords) -> bool:
    value = _value(node)
    return bool(value.strip()) and value in said.values


def _stands_in(node: Node, before: str) -> bool:
    """Whether the file had the value already, as it is written."""
    said = content(node)
    return any(f"{quote}{said}{quote}" in before for quote in ("'", '"', "`")) or (
        node.type in _NUMBERS and said in before
    )


def _value(node: Node) -> str:
    """Return what a literal means, as text: two ways to write the same are one."""
    text = text_of(node)
    joined = node.type == "concatenated_string"
    if ("\\" not in text and not joined) or len(text) > _LONGEST:
        return content(node)
    try:
        return str(ast.literal_eval(f"({text})" if joined else text))
    except (
        ValueError,
        SyntaxError,
        MemoryError,
        RecursionError,
    ):  # another language, or an f-string
        return content(node)


def _results(node: Node, condition: Node | None) -> Iterator[Node]:
    """Yield the values that a branch answers with, as they stand."""
    skipped = condition.id if condition is not None else None
    if node.type in {"conditional_expression", "ternary_expression", "match_arm"}:
        yield from (child for child in node.named_children if child.id != skipped)
        return
    alternative = field(node, "alternative")
    for child in walk(node, into=lambda inner: inner.id != skipped and inner != alternative):
        if child.type in _LEAVES:
            yield from child.named_children[:1]
        elif child.type in {"assignment", "assignment_expression"}:
            right = field(child, "right")
            if right is not None:
                yield right
        elif child.type == "expression_list" and child.parent and child.parent.type in _LEAVES:
            yield from child.named_children[:1]


def _is_answer(node: Node, said: FailureWords, before: str) -> bool:
    """Whether a value stands in the tests, stood nowhere in the file, and is no common one."""
    inner = node
    while inner.type in {"parenthesized_expression", "expression_list", "unary_operator"} \
            and inner.named_children:  # fmt: skip
        inner = inner.named_children[0]
    if inner.type in _COMPOSED:
        packed = _bare(text_of(node))
        plain = not any(child.type in {"identifier", "call"} for child in walk(inner))
        return plain and len(packed) > len("[0,0]") and packed in said.text
    if inner.type not in LITERALS - _BARE or _stands_in(inner, before):
        return False
    value = _value(inner)
    if inner.type in _NUMBERS:
        return value not in _COMMON_NUMBERS and value in said.values
    return len(value.strip()) > 1 and (value in said.values or _bare(value) in said.text)


def _bare(text: str) -> str:
    return re.sub(r"[\s'\"`]", "", text)


def _short(node: Node) -> str:
    text = compact(node) if node.type in _COMPOSED else " ".join(text_of(node).split())
    return text if len(text) <= 60 else f"{text[:59]}…"  # noqa: PLR2004 - a part of a sentence
