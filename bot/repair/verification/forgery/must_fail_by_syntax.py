"""Have tests in JavaScript, TypeScript, Go and Rust fail on purpose, by their places in the syntax. Pure.

Their ids are titles and names of functions. Nothing but these functions changes, and no line moves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from tree_sitter import Node

from bot.code.files import is_test_file
from bot.code.languages import Language
from bot.code.syntax import content, field, language_of, parents, parse, text_of, walk
from bot.model import Observation
from bot.repair.verification.forgery.inverted_assertions import Edit, turned_assertion
from bot.repair.verification.forgery.must_fail import MOST_CONTROLS, Inversion, Sentinels
from bot.repair.verification.forgery.test_functions import MOST_FILES

MOST_READ = 200
"""Files in which tests are looked for."""

_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function"})
_GO_TEST = re.compile(r"(?P<id>(?:.*\.)?(?P<name>(?:Test|Example|Fuzz)\w*))(?:/.*)?", re.DOTALL)
_PLAIN = "assertion failed"
_MARKS = (" > ", " \u203a ")
"""Between the titles of an id."""


def places_of_tests(paths: Iterable[str], red: Observation) -> tuple[str, ...]:
    """Return the files, in other languages than Python, that may hold the failing tests."""
    named = {failure.file for failure in red.failing if failure.file}
    other = [path for path in paths if language_of(path) not in {None, Language.PYTHON}]
    likely = [
        path
        for path in other
        if path in named or is_test_file(path) or language_of(path) is Language.RUST
    ]
    return tuple(sorted(likely, key=lambda path: path not in named)[:MOST_READ])


def planted(
    sources: Mapping[str, bytes],
    red: Observation,
    green: Observation,
    turn: Inversion = Inversion.REPEATED,
    message: str | None = None,
) -> Sentinels | None:
    """Return the files with tests that can't pass, or None where there is none.

    Args:
        sources: Of `places_of_tests`, by path.
        red: The command without the patch.
        green: The same with it.
        turn: What makes them fail: another value is none that can hold, and another assertion
            none that is known.
        message: What they say; without it what the failure said.
    """
    if turn is Inversion.ELSEWHERE:
        return None
    said = {failure.test: message or failure.message or _PLAIN for failure in red.named}
    passed = green.passed
    wanted = {test for test in said if not passed or test in passed or whole_test(test) in passed}
    steady = sorted(item for item in (red.passed & passed) - wanted if not _is_group(item, passed))
    steady = steady[:MOST_CONTROLS] if turn is Inversion.REPEATED and message is None else []
    files, proof = dict[str, bytes](), dict[str, bytes]()
    doomed, controls = set[str](), set[str]()
    for path, source in sources.items():
        syntax = parse(path, source)
        if syntax is None or len(files) >= MOST_FILES:
            continue
        edits, raising = list[Edit](), list[Edit]()
        for name, body in tests_in(syntax.language, syntax.root, {*wanted, *steady}):
            words = said.get(name, _PLAIN)
            if turn is Inversion.REPEATED:
                made = tuple(_raised(syntax.language, body, words))
            elif (turned := turned_assertion(syntax.language, body, words)) is not None:
                made = turned.edits
                raising.append(turned.proof)
            else:
                made = ()
            if made:
                edits += made
                (controls if name in steady else doomed).add(_doomed(syntax.language, name))
        if edits:
            files[path] = _edited(source, edits)
            proof[path] = _edited(source, raising)
    if not doomed:
        return None
    return Sentinels(
        files,
        frozenset(doomed),
        frozenset(controls),
        {} if turn is Inversion.REPEATED else proof,
        whole_names=True,
    )


def _is_group(name: str, names: Iterable[str]) -> bool:
    """Whether other tests are inside of what has this name."""
    return any(other.startswith((f"{name} > ", f"{name} \u203a ", f"{name}/")) for other in names)


def whole_test(test: str) -> str:
    """Return the id of the test in Go that a subtest belongs to; another id as it is."""
    match = _GO_TEST.fullmatch(test)
    return match["id"] if match else test


def _doomed(language: Language, name: str) -> str:
    return whole_test(name) if language is Language.GO else name


def tests_in(language: Language, root: Node, names: Collection[str]) -> Iterator[tuple[str, Node]]:
    """Yield the tests of these ids, each with the function that it is."""
    for node in walk(root):
        if language is Language.JAVASCRIPT and node.type == "call_expression":
            function, titles = _function_of(node), _titles(node)
            if function is not None and titles:
                ways = [mark.join(titles) for mark in _MARKS]
                yield from (
                    (name, function)
                    for name in names
                    if any(name == way or name.endswith(f" > {way}") for way in ways)
                )
        elif language is Language.GO and node.type == "function_declaration":
            own = text_of(field(node, "name"))
            for name in names:
                match = _GO_TEST.fullmatch(name)
                if match is not None and match["name"] == own:
                    yield name, node
        elif language is Language.RUST and node.type == "function_item" and _is_rust_test(node):
            own = text_of(field(node, "name"))
            yield from ((name, node) for name in names if name.rpartition("::")[2] == own)


def _is_rust_test(node: Node) -> bool:
    marks, before = "", node.prev_named_sibling
    while before is not None and before.type == "attribute_item":
        marks, before = marks + text_of(before), before.prev_named_sibling
    return "test" in marks and "should_panic" not in marks


def _arguments(call: Node) -> list[Node]:
    given = field(call, "arguments")
    return given.named_children if given is not None else []


def _title(call: Node) -> str:
    """Return the title of a call that has one, and a function behind it."""
    given = _arguments(call)
    if not given or given[0].type not in {"string", "template_string"}:
        return ""
    return content(given[0]) if _function_of(call) is not None else ""


def _function_of(call: Node) -> Node | None:
    return next(
        (argument for argument in _arguments(call)[1:] if argument.type in _FUNCTIONS), None
    )


def _titles(call: Node) -> list[str]:
    """Return a test's title behind those of the groups around it; nothing for another call."""
    if not (own := _title(call)):
        return []
    above = [_title(parent) for parent in parents(call) if parent.type == "call_expression"]
    return [*filter(None, reversed(above)), own]


def _raised(language: Language, function: Node, message: str) -> Iterator[Edit]:
    """Yield edits by which a test fails, whatever it does."""
    body = field(function, "body")
    said = json.dumps("".join(filter(str.isprintable, message)), ensure_ascii=False)
    if body is None:
        return
    if language is Language.JAVASCRIPT:
        thrown = f'throw Object.assign(new Error({said}), {{ name: "AssertionError" }})'
        if body.type == "statement_block":
            yield body.start_byte + 1, body.start_byte + 1, " try {"
            yield body.end_byte - 1, body.end_byte - 1, f"}} finally {{ {thrown} }} "
        else:
            yield body.start_byte, body.start_byte, "{ try { return ("
            yield body.end_byte, body.end_byte, f") }} finally {{ {thrown} }} }}"
    elif language is Language.GO:
        given = field(function, "parameters")
        names = [text_of(field(child, "name")) for child in (given.named_children if given else [])]
        if names and names[0] not in {"", "_"}:
            yield body.start_byte + 1, body.start_byte + 1, f" defer {names[0]}.Error({said});"
    elif language is Language.RUST:
        text = f' if true {{ panic!("{{}}", {said}); }}'
        yield body.start_byte + 1, body.start_byte + 1, text


def _edited(source: bytes, edits: Iterable[Edit]) -> bytes:
    for first, end, text in sorted(set(edits), reverse=True):
        source = source[:first] + text.encode() + source[end:]
    return source
