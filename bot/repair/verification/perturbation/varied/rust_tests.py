"""Write a file in Rust so that it runs its failing tests on other inputs too. Pure.

A test runs once for each of its copies, in its own function, so that whatever selects it by name
selects them. A copy goes on where an assertion fails. What is noted are the values that assertions
compare, and variables that are set to what a call comes to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from tree_sitter import Node

from bot.code.languages import Language
from bot.code.syntax import Syntax, parents, text_of, walk
from bot.code.syntax import field as part
from bot.repair.harness.driver.protocol import WORN
from bot.repair.verification.forgery.inverted_assertions import rust_arguments
from bot.repair.verification.forgery.must_fail_by_syntax import tests_in
from bot.repair.verification.perturbation.varied.rust_recorder import recorder
from bot.repair.verification.perturbation.varied.values import ValuePlace, literals, place_of
from bot.repair.verification.perturbation.varied.writing import (
    LARGEST,
    FoundTest,
    Naming,
    Numbered,
    Parts,
    VariedRun,
    data_of,
    label_of,
    rendered,
)

_PAIRS = frozenset({"assert_eq", "assert_ne", "debug_assert_eq", "debug_assert_ne"})
_ALONE = frozenset({"assert", "debug_assert"})
_ASKED = re.compile(r"\.\s*(?:is_\w+|contains\w*|starts_with|ends_with|eq|ne|any|all)\s*\(")
"""Of an assertion: what it asks about a value."""

_MATCHED = re.compile(r"matches!\s*\((?P<what>[^,]+),")
_RESULT = re.compile(r"(?:\w+::)*Result\s*<\s*\(\s*\).*", re.DOTALL)


def found_tests(path: str, syntax: Syntax, names: Collection[str]) -> list[FoundTest]:
    """Return the tests of these ids that a file declares."""
    found: dict[int, FoundTest] = {}
    exact: set[int] = set()
    for name, function in tests_in(Language.RUST, syntax.root, names):
        if _is_plain(function):
            is_here = name.endswith(_full_name(path, function))
            if is_here or function.id not in exact:
                found[function.id] = FoundTest(name, function, function)
            exact |= {function.id} if is_here else set()
    here = [test for key, test in found.items() if key in exact]
    return here or list({test.name: test for test in found.values()}.values())


def _full_name(path: str, function: Node) -> str:
    """Return what the runner calls a test, as far as its file's place and modules tell."""
    outer = path.removesuffix(".rs").rpartition("src/")[2].split("/") if "src/" in path else []
    outer = [item for item in outer if item not in {"lib", "main", "mod"}]
    inner = [
        text_of(part(parent, "name")) for parent in parents(function) if parent.type == "mod_item"
    ]
    return "::".join([*outer, *reversed(inner), text_of(part(function, "name"))])


def _is_plain(function: Node) -> bool:
    """Whether a test takes nothing, waits for nothing, and comes to nothing or to a result of it."""
    given, kind = part(function, "parameters"), part(function, "return_type")
    head = text_of(function).partition("fn ")[0]
    return (
        function.end_byte - function.start_byte <= LARGEST
        and not function.has_error
        and "async" not in head
        and (given is None or not given.named_children)
        and (kind is None or _RESULT.fullmatch(text_of(kind)) is not None)
    )


def places_in(test: FoundTest) -> list[ValuePlace]:
    """Return the values of a test, and of the constants of its file that it names."""
    bodies = [part(test.function, "body"), *_data(test).values()]
    nodes = (node for body in bodies if body is not None for node in literals(body))
    return [place for node in nodes if (place := place_of(node)) is not None and not _is_said(node)]


def _is_said(node: Node) -> bool:
    """Whether a value is only what a panic says, or all that an assertion expects."""
    above = node.parent
    whole = above.parent if above is not None and above.type == "token_tree" else None
    if above is None or whole is None or whole.type != "macro_invocation":
        return False
    name = text_of(part(whole, "macro"))
    if name not in _PAIRS | _ALONE:
        return name in {"panic", "println", "format", "unreachable", "eprintln"}
    given = rust_arguments(above.children[1:-1])
    values = given[: 2 if name in _PAIRS else 1]
    return not any(first <= node.start_byte and (first, end) != (node.start_byte, node.end_byte)
                   and node.end_byte <= end for first, end in values)  # fmt: skip


def _data(test: FoundTest) -> dict[str, Node]:
    around = list(parents(test.function))
    items = (item for node in around for item in node.named_children)
    return data_of(
        test.function,
        {
            text_of(part(node, "name")): node
            for node in items
            if node.type in {"const_item", "static_item"}
        },
    )


def varied_files(
    path: str,
    source: bytes,
    syntax: Syntax,
    runs: Sequence[tuple[FoundTest, Sequence[Numbered]]],
    naming: Naming,
) -> dict[str, bytes]:
    """Return a file in which these tests run as often as they have runs.

    Args:
        path: Of the file.
        source: What is in it.
        syntax: The same, parsed.
        runs: By test, each with its number.
        naming: Names in the file.
    """
    written: dict[int, bytes] = {}
    for at, (test, numbered) in enumerate(runs):
        name = f"{naming.function.strip('_')}_{at}"
        body = part(test.function, "body")
        copies = (
            _Copy(source, test, name, run).written(n, label_of(run, n, naming))
            for n, run in numbered
        )
        if body is not None:
            ends = b"\nOk(())" if part(test.function, "return_type") is not None else b""
            head = source[test.function.start_byte : body.start_byte]
            text = head + b"{\n" + b"\n".join(copies) + ends + b"\n}\n"
            written[test.function.id] = text + recorder(name, naming.place)
    return {path: rendered(syntax.root, source, lambda node, _: written.get(node.id))}


class _Copy:
    """Writes one copy of a test."""

    def __init__(self, source: bytes, test: FoundTest, name: str, run: VariedRun) -> None:
        self._source = source
        self._test = test
        self._name = name
        self._run = run

    def written(self, number: int, label: str) -> bytes:
        """Return the statement that runs the copy."""
        body, kind = part(self._test.function, "body"), part(self._test.function, "return_type")
        if body is None:
            return b""
        how = "worn" if self._run.variant.place == WORN else "run"
        returned = f" -> {text_of(kind)}" if kind is not None else ""
        head = f'self::{self._name}::{how}({number}, "{label}", move ||{returned} {{\n'
        head += f"#[allow(unused_imports)] use self::{self._name}::{{Hidden as _, Shown as _}};\n"
        data = b"\n".join(map(self._rendered, _data(self._test).values()))
        allowed = b"#[allow(warnings, clippy::all)]\n{\n"
        return allowed + head.encode() + data + self._rendered(body)[1:-1] + b"\n});\n}"

    def _rendered(self, node: Node) -> bytes:
        return rendered(node, self._source, self._instead)

    def _instead(self, node: Node, parts: Parts) -> bytes | None:
        text = self._run.variant.replaced.get((node.start_byte, node.end_byte))
        if text is not None and place_of(node) is not None:
            return text.encode()
        if node.type == "macro_invocation":
            return self._asserted(node)
        if node.type == "let_declaration":
            return parts() + self._noted(_set_by(node))
        if node.type == "expression_statement" and node.named_children:
            inner = node.named_children[0]
            left = part(inner, "left") if inner.type == "assignment_expression" else None
            if left is not None and left.type == "identifier":
                return parts() + self._noted([text_of(left)])
        return None

    def _noted(self, names: Iterable[str]) -> bytes:
        return "".join(f" {self._shown(f'&{name}')};" for name in names).encode()

    def _shown(self, reference: str) -> str:
        seen = f"self::{self._name}::Seen({reference})"
        return f"self::{self._name}::note((&{seen}).said())"

    def _asserted(self, call: Node) -> bytes | None:
        """Return what notes the values that an assertion compares, and goes on whatever they are."""
        name = text_of(part(call, "macro")).rpartition("::")[2]
        tokens = next((child for child in call.named_children if child.type == "token_tree"), None)
        given = rust_arguments(tokens.children[1:-1]) if tokens is not None else []
        if tokens is None or name not in _PAIRS | _ALONE or len(given) <= (name in _PAIRS):
            return None
        if name in _PAIRS:
            return self._pair(*(self._between(tokens, *pair) for pair in given[:2]))
        signs = [
            child for child in tokens.children if given[0][0] <= child.start_byte < given[0][1]
        ]
        kinds = [sign.type for sign in signs]
        asked = self._between(tokens, *given[0])
        if "&&" in kinds or "||" in kinds:
            return f"{{ let _ = {asked}; }}".encode()
        middle = next((sign for sign in signs if sign.type in {"==", "!="}), None)
        if middle is not None:
            return self._pair(
                self._between(tokens, given[0][0], middle.start_byte),
                self._between(tokens, middle.end_byte, given[0][1]),
            )
        return self._question(asked.lstrip("! \n\t"))

    def _between(self, tokens: Node, start: int, end: int) -> str:
        """Return the text of some tokens, varied."""
        text, at = b"", start
        for child in tokens.children:
            if start <= child.start_byte and child.end_byte <= end:
                text += self._source[at : child.start_byte] + self._rendered(child)
                at = child.end_byte
        return (text + self._source[at:end]).decode("utf-8", "replace")

    def _pair(self, left: str, right: str) -> bytes:
        both = f"{self._shown('fx_left')}; {self._shown('fx_right')};"
        compared = "let _ = *fx_left == *fx_right;"
        return (
            f"{{ match (&({left}), &({right})) {{ (fx_left, fx_right) => {{ {compared} {both} }} }} }}"
        ).encode()

    def _question(self, asked: str) -> bytes:
        """Return what notes the value about which something is asked, or the answer."""
        value = _asked_about(asked) or asked
        return f"{{ match &({value}) {{ fx_value => {{ {self._shown('fx_value')}; }} }} }}".encode()


def _asked_about(asked: str) -> str | None:
    """Return the value that an assertion asks something about, or None where none is seen."""
    if not asked.endswith(")"):
        return None
    before = [asked[: found.start()] for found in _ASKED.finditer(asked)]
    whole = [item for item in before if item and item.count("(") == item.count(")")]
    if whole:
        return whole[-1]
    matched = _MATCHED.match(asked)
    return matched["what"] if matched is not None else None


def _set_by(node: Node) -> Iterator[str]:
    """Yield the variables that a `let` sets to what a call comes to."""
    value, pattern = part(node, "value"), part(node, "pattern")
    if value is None or pattern is None:
        return
    kinds = {child.type for child in walk(value)}
    if "closure_expression" in kinds or not kinds & {"call_expression", "macro_invocation"}:
        return
    for child in walk(pattern):
        if child.type == "identifier" and all(
            above.type in {"tuple_pattern", "mut_pattern", "let_declaration"}
            for above in _up_to(child, node)
        ):
            yield text_of(child)


def _up_to(node: Node, top: Node) -> Iterator[Node]:
    for above in parents(node):
        if above == top:
            break
        yield above
