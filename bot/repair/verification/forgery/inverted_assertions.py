"""Turn assertions of tests in JavaScript, TypeScript, Go and Rust round, so that none can hold. Pure.

The assertion itself stays what it is, whoever defined it: only what it is given changes. So one that
does nothing any more is found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from bot.code.languages import Language
from bot.code.syntax import field, statements, text_of, walk

Edit = tuple[int, int, str]
"""First byte, the one behind the last, and what stands there instead."""

_EQUAL = frozenset({"equal", "strictEqual", "deepEqual", "deepStrictEqual"})
_UNEQUAL = frozenset({"notEqual", "notStrictEqual", "notDeepEqual", "notDeepStrictEqual"})
_RUST_PAIRS = {"assert_eq": ("==", "false"), "assert_ne": ("!=", "true")}
_GO_FAILURES = frozenset({"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"})
_GO_VALUES = {
    "Equal": (("[]interface{}{", ", 0}"), ("[]interface{}{", ", 1}")),
    "NotEqual": (("[]interface{}{", "}[:0]"), ("[]interface{}{", "}[:0]")),
    "True": (("!(", ")"),),
    "False": (("!(", ")"),),
    "Nil": (("[]interface{}{", "}"),),
}
"""What stands around each argument behind the test, in testify's assertions."""


@dataclass(frozen=True, slots=True)
class TurnedAssertion:
    """An assertion that held, and can't any more.

    Attributes:
        edits: That turn it round.
        proof: That raises an error in its place instead.
    """

    edits: tuple[Edit, ...]
    proof: Edit


def turned_assertion(language: Language, test: Node, message: str) -> TurnedAssertion | None:
    """Return the last assertion of a test that can be turned round, or None.

    Args:
        language: Of the test.
        test: The function that it is.
        message: What its proof says.
    """
    said = json.dumps("".join(filter(str.isprintable, message)), ensure_ascii=False)
    for statement in reversed(list(_statements(language, test))):
        edits = tuple(_turned(language, test, statement))
        if edits:
            return TurnedAssertion(edits, _raised_at(language, test, statement, said))
    return None


def _statements(language: Language, test: Node) -> Iterator[Node]:
    """Yield what may be an assertion: in Go also in loops and below `t.Run`, where most of them are."""
    if language is Language.GO:
        kinds = {"if_statement", "expression_statement"}
        yield from (node for node in walk(test) if node.type in kinds)
    else:
        yield from statements(field(test, "body"))


def _turned(language: Language, test: Node, statement: Node) -> Iterator[Edit]:
    if language is Language.GO and statement.type == "if_statement":
        yield from _go_condition(test, statement)
        return
    inner = statement.named_children[0] if statement.named_children else None
    if statement.type == "macro_invocation":  # the last one of a block in Rust, without a semicolon
        inner = statement
    elif statement.type != "expression_statement" or inner is None:
        return
    if inner.type == "await_expression":
        inner = inner.named_children[0]
    if language is Language.JAVASCRIPT:
        yield from _javascript(inner)
    elif language is Language.GO:
        yield from _go_call(test, inner)
    elif language is Language.RUST and inner.type == "macro_invocation":
        yield from _rust(inner)


def _raised_at(language: Language, test: Node, statement: Node, said: str) -> Edit:
    raised = f"if (1) throw new Error({said}); "
    if language is Language.GO:
        raised = f"{_go_test_name(test)}.Fatal({said}); "
    elif language is Language.RUST:
        raised = f'if true {{ panic!("{{}}", {said}); }} '
    return statement.start_byte, statement.start_byte, raised


def _around(value: Node, before: str, after: str) -> Iterator[Edit]:
    yield value.start_byte, value.start_byte, before
    yield value.end_byte, value.end_byte, after


def _arguments(call: Node) -> list[Node]:
    given = field(call, "arguments")
    return given.named_children if given is not None else []


def _javascript(call: Node) -> Iterator[Edit]:
    function = field(call, "function") if call.type == "call_expression" else None
    if function is None:
        return
    given, name = _arguments(call), text_of(function)
    last = text_of(field(function, "property"))
    if name in {"assert", "assert.ok"} and given:
        yield from _around(given[0], "!(", ")")
    elif name == f"assert.{last}" and last in {*_EQUAL, *_UNEQUAL} and len(given) > 1:
        for value, other in zip(given[:2], (0, 1 if last in _EQUAL else 0), strict=True):
            yield from _around(value, "(", f", {other})")
    elif function.type == "member_expression" and _begins_with_expect(function):
        dot = field(function, "object")
        if dot is not None and text_of(dot).endswith(".not"):
            yield dot.end_byte - len(".not"), dot.end_byte, ""
        elif dot is not None and ".not" not in text_of(dot):
            yield dot.end_byte, dot.end_byte, ".not"


def _begins_with_expect(node: Node) -> bool:
    while node.type == "member_expression":
        inner = field(node, "object")
        if inner is None:
            return False
        node = inner
    return node.type == "call_expression" and text_of(field(node, "function")) == "expect"


def _go_test_name(test: Node) -> str:
    """Return what a test calls its `*testing.T`, by which it also goes below `t.Run`."""
    given = field(test, "parameters")
    names = [text_of(field(child, "name")) for child in (given.named_children if given else [])]
    return names[0] if names and names[0] != "_" else ""


def _go_condition(test: Node, statement: Node) -> Iterator[Edit]:
    """Yield the opposite of a condition under which a test fails."""
    condition, own = field(statement, "condition"), _go_test_name(test)
    for inner in statements(field(statement, "consequence")):
        call = inner.named_children[0] if inner.type == "expression_statement" else None
        function = field(call, "function") if call is not None else None
        if condition is not None and own and function is not None:
            receiver, _, name = text_of(function).rpartition(".")
            if receiver == own and name in _GO_FAILURES:
                yield from _around(condition, "!(", ")")
                return


def _go_call(test: Node, call: Node) -> Iterator[Edit]:
    function = field(call, "function") if call.type == "call_expression" else None
    given = _arguments(call)
    ways = _GO_VALUES.get(text_of(field(function, "field")), ()) if function is not None else ()
    own = _go_test_name(test)
    if not own or not ways or len(given) <= len(ways) or text_of(given[0]) != own:
        return
    for value, way in zip(given[1:], ways, strict=False):
        yield from _around(value, *way)


def _rust(call: Node) -> Iterator[Edit]:
    name = text_of(field(call, "macro"))
    tokens = next((child for child in call.named_children if child.type == "token_tree"), None)
    given = rust_arguments(tokens.children[1:-1]) if tokens is not None else []
    if name == "assert" and given:
        yield given[0][0], given[0][0], "!("
        yield given[0][1], given[0][1], ")"
    elif name in _RUST_PAIRS and len(given) > 1:
        sign, never = _RUST_PAIRS[name]
        (first, first_end), (other, other_end) = given[:2]
        yield first, first, "("
        yield first_end, other, f") {sign} ("
        yield other_end, other_end, f"), {never}"


def rust_arguments(tokens: Sequence[Node]) -> list[tuple[int, int]]:
    """Return first and last byte of what commas divide; those in `::<A, B>` divide nothing."""
    given = list[tuple[int, int]]()
    depth, before = 0, ""
    start: int | None = None
    for token in tokens:
        if token.type == "<" and (depth or before == "::"):
            depth += 1
        elif token.type == ">" and depth:
            depth -= 1
        if token.type == "," and not depth:
            start = None
        elif start is None:
            start = token.start_byte
            given.append((start, token.end_byte))
        else:
            given[-1] = (start, token.end_byte)
        before = token.type
    return given
