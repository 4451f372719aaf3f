"""Write a test file in Go so that it runs its failing tests on other inputs too. Pure.

A test runs once for each of its copies, in its own function, so that whatever selects it by name
selects them. A copy goes on where an assertion fails. What is noted is what calls come to: results
that are assigned, and calls inside of conditions and arguments, which get a name of their own first.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tree_sitter import Node

from bot.code.languages import Language
from bot.code.syntax import Syntax, parents, text_of, walk
from bot.code.syntax import field as part
from bot.repair.verification.forgery.must_fail_by_syntax import tests_in, whole_test
from bot.repair.verification.perturbation.varied.go_copy import FAILING, GoCopy, data_in, test_names
from bot.repair.verification.perturbation.varied.go_recorder import recorder
from bot.repair.verification.perturbation.varied.values import ValuePlace, literals, place_of
from bot.repair.verification.perturbation.varied.writing import (
    LARGEST,
    FoundTest,
    Naming,
    Numbered,
    label_of,
    rendered,
)


def found_tests(path: str, syntax: Syntax, names: Collection[str]) -> list[FoundTest]:
    """Return the tests of these ids, or with subtests of these ids, that a file declares."""
    del path
    found: dict[int, FoundTest] = {}
    for name, function in tests_in(Language.GO, syntax.root, names):
        size = function.end_byte - function.start_byte
        leaps = any(node.type == "goto_statement" for node in walk(function))
        is_clear = not leaps and not function.has_error
        if size <= LARGEST and is_clear and test_names(function):
            found.setdefault(function.id, FoundTest(whole_test(name), function, function))
    return list(found.values())


def places_in(test: FoundTest) -> list[ValuePlace]:
    """Return the values of a test, and of the variables of its file that it names."""
    bodies = [part(test.function, "body"), *data_in(test).values()]
    nodes = (node for body in bodies if body is not None for node in literals(body))
    return [
        place
        for node in nodes
        if (place := place_of(node)) is not None and not _is_said(node, test.function)
    ]


def _is_said(node: Node, function: Node) -> bool:
    """Whether a value is only what an assertion says."""
    call = next((parent for parent in parents(node) if parent.type == "call_expression"), None)
    chosen = part(call, "function") if call is not None else None
    if chosen is None or chosen.type != "selector_expression":
        return False
    owner, name = text_of(part(chosen, "operand")), text_of(part(chosen, "field"))
    return owner in test_names(function) and name in {*FAILING, "Log", "Logf", "Skip", "Skipf"}


def varied_files(
    path: str,
    source: bytes,
    syntax: Syntax,
    runs: Sequence[tuple[FoundTest, Sequence[Numbered]]],
    naming: Naming,
) -> dict[str, bytes]:
    """Return a test file in which these tests run as often as they have runs, and what that calls.

    Args:
        path: Of the file.
        source: What is in it.
        syntax: The same, parsed.
        runs: By test, each with its number.
        naming: Names in the file.
    """
    bodies: dict[int, bytes] = {}
    for test, numbered in runs:
        body = part(test.function, "body")
        copies = (
            GoCopy(source, test, naming.function, run).written(n, label_of(run, n, naming))
            for n, run in numbered
        )
        if body is not None:
            bodies[body.id] = b"{\n" + b"\n".join(copies) + b"\n}"
    text = rendered(syntax.root, source, lambda node, _: bodies.get(node.id))
    package = next(
        (text_of(child.named_children[0]) for child in syntax.root.named_children
         if child.type == "package_clause"), ""
    )  # fmt: skip
    folder = path.rpartition("/")[0]
    beside = f"{folder}/" if folder else ""
    name = f"{beside}{naming.function.strip('_')}_{package}_test.go"
    return {path: text, name: recorder(naming.function, package, naming.place)}
