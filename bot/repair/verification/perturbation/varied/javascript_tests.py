"""Write a test file in JavaScript or TypeScript so that it runs its failing tests on other inputs too. Pure.

Each test stands there once for each run, under the same title. A run goes on where an assertion
fails, so that all of its calls are made; the recorder notes what these are given and what comes out.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from tree_sitter import Node

from bot.code.languages import Language
from bot.code.syntax import Syntax, content, parents, text_of, walk
from bot.code.syntax import field as part
from bot.repair.harness.driver.protocol import WORN
from bot.repair.verification.forgery.must_fail_by_syntax import tests_in
from bot.repair.verification.perturbation.varied.javascript_recorder import recorder
from bot.repair.verification.perturbation.varied.values import ValuePlace, literals, place_of
from bot.repair.verification.perturbation.varied.writing import (
    LARGEST,
    FoundTest,
    Naming,
    Parts,
    VariedRun,
    rendered,
)

_FUNCTIONS = frozenset(
    {"arrow_function", "function_expression", "function", "function_declaration", "method_definition",
     "generator_function"}
)  # fmt: skip
_ASSERTING = ("assert", "expect", "should")
_LIBRARIES = frozenset({"assert", "node:assert", "assert/strict", "node:assert/strict", "chai"})
_LOADING = frozenset({"require", "import", "super"})
_MODULES = frozenset({"import_statement", "export_statement"})


def found_tests(syntax: Syntax, names: Collection[str]) -> list[FoundTest]:
    """Return the tests of these ids that a file declares."""
    found = []
    for name, function in tests_in(Language.JAVASCRIPT, syntax.root, names):
        call = next(
            (parent for parent in parents(function) if parent.type == "call_expression"), None
        )
        size = function.end_byte - function.start_byte
        if call is not None and size <= LARGEST and not syntax.root.has_error:
            found.append(FoundTest(name, call, function))
    return found


def places_in(test: FoundTest) -> list[ValuePlace]:
    """Return the values of a test that may reach the program."""
    body = part(test.function, "body")
    nodes = literals(body) if body is not None else iter(())
    return [
        place
        for node in nodes
        if (place := place_of(node)) is not None and _may_reach(node, test.function)
    ]


def _may_reach(node: Node, function: Node) -> bool:
    """Whether a value goes elsewhere than to assertions and modules."""
    calls = []
    for above in parents(node):
        if above == function:
            break
        if above.type in {"call_expression", "new_expression"}:
            calls.append(above)
        elif above.type == "variable_declarator":
            return not any(map(_is_loading, calls))
    if any(map(_is_loading, calls)):
        return False
    return not calls or any(not _is_assertion(call) for call in calls)


def varied_file(
    source: bytes,
    syntax: Syntax,
    runs: Sequence[tuple[FoundTest, Sequence[tuple[int, VariedRun]]]],
    naming: Naming,
) -> bytes:
    """Return a test file in which these tests run as often as they have runs, each with its number.

    Args:
        source: The file.
        syntax: The same, parsed.
        runs: By test.
        naming: Names in the file.
    """
    name = naming.function
    asserting = _names_of_libraries(syntax.root)
    declared = {
        test.call.id: b", ".join(
            [
                *(_Copy(source, test, name, asserting, run).declared(n) for n, run in numbered),
                _ending(source, test, name),
            ]
        )
        for test, numbered in runs
    }
    settled = {
        n: {number: json.loads(value) for number, value in run.settled.items()}
        for _, numbered in runs
        for n, run in numbered
        if run.settled
    }
    is_module = any(child.type in _MODULES for child in syntax.root.named_children)
    text = rendered(syntax.root, source, lambda node, _: _instead(node, declared))
    more = recorder(
        name,
        naming.place,
        json.dumps(settled),
        is_module=is_module,
        is_shared=naming.is_shared,
    )
    return text + more.encode()


def _instead(node: Node, declared: Mapping[int, bytes]) -> bytes | None:
    return b"(" + declared[node.id] + b")" if node.id in declared else None


def _ending(source: bytes, test: FoundTest, name: str) -> bytes:
    """Return the call that declares a test which only has the last run noted."""
    before = source[test.call.start_byte : test.function.start_byte]
    after = source[test.function.end_byte : test.call.end_byte]
    return before + f"() => {{ {name}().begin(-1); }}".encode() + after


def _names_of_libraries(root: Node) -> frozenset[str]:
    """Return the names that a file has from libraries of assertions."""
    found: set[str] = set()
    for node in walk(root):
        if node.type in {"import_statement", "variable_declarator"}:
            texts = [content(child) for child in walk(node) if child.type == "string"]
            if _LIBRARIES.intersection(texts):
                names = ("identifier", "shorthand_property_identifier_pattern")
                found |= {text_of(child) for child in walk(node) if child.type in names}
    return frozenset(found - _LOADING)


def _is_loading(call: Node) -> bool:
    return _root(call) in _LOADING


def _root(call: Node) -> str:
    """Return the name that the chain of a call begins with: `expect` of `expect(x).not.toBe(y)`."""
    node = part(call, "function") or part(call, "constructor") or call
    while node.type in {"member_expression", "call_expression", "non_null_expression"}:
        inner = part(node, "object") or part(node, "function")
        if inner is None:
            break
        node = inner
    return text_of(node)


def _is_assertion(call: Node, names: Collection[str] = ()) -> bool:
    root = _root(call)
    function = part(call, "function")
    middle = text_of(part(function, "object")) if function is not None else ""
    return root in names or root.startswith(_ASSERTING) or middle.endswith(".assert")


class _Copy:
    """Writes one copy of a test."""

    def __init__(
        self, source: bytes, test: FoundTest, name: str, asserting: Collection[str], run: VariedRun
    ) -> None:
        self._source = source
        self._test = test
        self._fx = f"{name}()"
        self._asserting = asserting
        self._run = run

    def declared(self, number: int) -> bytes:
        """Return the call that declares the copy."""
        call, function = self._test.call, self._test.function
        before = self._source[call.start_byte : function.start_byte]
        after = self._source[function.end_byte : call.end_byte]
        return before + self._function(number) + after

    def _function(self, number: int) -> bytes:
        function, source = self._test.function, self._source
        body = part(function, "body")
        if body is None:
            return source[function.start_byte : function.end_byte]
        text = rendered(body, source, self._instead)
        if body.type != "statement_block":
            text = b"{ return (" + text + b"); }"
        begin = f"{self._fx}.begin({number});".encode()
        noted = b"try " + text + f" catch (error) {{ {self._fx}.raised(error); }}".encode()
        often = b""
        if self._run.variant.place == WORN:
            plain = source[body.start_byte : body.end_byte]
            again = f"while ({self._fx}.again()) try {{ ".encode()
            often = again + plain + b" } catch { /* whatever becomes of it */ } "
        head = source[function.start_byte : body.start_byte]
        return head + b"{ " + often + begin + b" " + noted + b" }"

    def _instead(self, node: Node, parts: Parts) -> bytes | None:
        text = self._run.variant.replaced.get((node.start_byte, node.end_byte))
        if text is not None and place_of(node) is not None:
            return text.encode()
        if node.type == "expression_statement" and self._is_own(node):
            handled = f" }} catch (error) {{ {self._fx}.raised(error); }}"
            return b"try { " + parts() + handled.encode()
        if node.type == "await_expression" and not self._asserts(node.named_children[0]):
            return self._noted(parts())
        if node.type == "call_expression" and not _is_loading(node) and not self._asserts(node):
            awaited = node.parent is not None and node.parent.type == "await_expression"
            return parts() if awaited else self._noted(parts())
        if node.type == "arguments" and node.parent is not None and node.named_children:
            return self._arguments(node, parts)
        return None

    def _arguments(self, node: Node, parts: Parts) -> bytes | None:
        call = node.parent
        if call is None or (call.type == "call_expression" and _is_loading(call)):
            return None
        if not self._asserts(call):
            return f"(...{self._fx}.given([".encode() + parts()[1:-1] + b"]))"
        if text_of(part(call, "function")) in {"expect", "assert"} or self._is_flat(call):
            return (
                b"("
                + b", ".join(
                    self._seen(child) for child in node.named_children if child.type != "comment"
                )
                + b")"
            )
        return None

    def _is_flat(self, call: Node) -> bool:
        """Whether an assertion is given all that it compares: `assert.equal(a, b)`, not `expect(a).toBe(b)`."""
        function = part(call, "function")
        return function is not None and not any(
            node.type == "call_expression" for node in walk(function)
        )

    def _seen(self, argument: Node) -> bytes:
        text = rendered(argument, self._source, self._instead)
        if argument.type in {"arrow_function", "function_expression"}:
            return f"{self._fx}.watched(".encode() + text + b")"
        if argument.type in {"spread_element", "comment"}:
            return text
        return self._noted(text)

    def _noted(self, text: bytes) -> bytes:
        return f"{self._fx}.note(".encode() + text + b")"

    def _asserts(self, node: Node) -> bool:
        return node.type == "call_expression" and _is_assertion(node, self._asserting)

    def _is_own(self, node: Node) -> bool:
        """Whether a statement is one of the test itself, not of a function in it."""
        nearest = next((parent for parent in parents(node) if parent.type in _FUNCTIONS), None)
        return nearest == self._test.function
