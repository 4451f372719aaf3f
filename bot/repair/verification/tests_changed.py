"""What a change does to tests and checks: gone, skipped, weaker, other words; rules relaxed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from tree_sitter import Node

from bot.ci.failure_identity import stable_name
from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.code.languages import Language
from bot.code.syntax import Syntax, compact, field, line_of, text_of, walk
from bot.model import GuardFinding, Observation
from bot.model.proof_card import Fact, FactKind
from bot.repair.guards.configuration import relaxed
from bot.repair.guards.runner import runner
from bot.repair.guards.suppressions import suppressions
from bot.repair.guards.weakening import weakened
from bot.reporting.reasons import proof_parts as reasons

_SEEN = frozenset({"test-removed", "test-skipped"})
"""Rules for which the runs speak, where these name tests."""

_ALIKE = 0.8
_CAST = re.compile(r"(?:typing\.|t\.)?cast")
_CASTS = frozenset({"as_expression", "non_null_expression", "type_assertion"})


def tests_changed(
    changes: Sequence[FileDiff], before: Observation, after: Observation
) -> tuple[Fact, ...]:
    """Return what a person should know of changed tests and checks: whether that is right, no run shows.

    Tests that are gone or skipped are told by the runs themselves, where these name tests.

    Args:
        changes: The files of a change.
        before: The suite without it.
        after: The suite with it.
    """
    facts = [
        Fact(FactKind.NOT_JUDGED, reasons.test_renamed(old, new), old)
        for old, new in _renamed(_unnamed(before, after), _unnamed(after, before))
    ]
    readable = [change for change in changes if change.is_readable]
    findings: list[GuardFinding] = [*weakened(readable)]
    for change in readable:
        findings += [*relaxed(change), *runner(change), *suppressions(change, frozenset())]
    named = bool(before.passed and after.passed)
    told = (item for item in dict.fromkeys(findings) if not (named and item.rule in _SEEN))
    facts += [
        Fact(FactKind.NOT_JUDGED, item.message, item.rule, item.file, item.line, item.line)
        for item in told
    ]
    return (*facts, *(fact for change in readable for fact in _casts(change)))


tests_changed.__test__ = False  # type: ignore[attr-defined] # not a pytest function


def _unnamed(left: Observation, right: Observation) -> list[str]:
    """Return the tests that passed in one run and have no result in another that names tests."""
    if not right.passed:
        return []
    there = {*map(stable_name, (*right.passed, *right.skipped, *right.failing_ids))}
    return sorted(test for test in left.passed if stable_name(test) not in there)


def _renamed(gone: Sequence[str], come: Sequence[str]) -> Iterator[tuple[str, str]]:
    left = [*come]
    for test in gone:
        found = get_close_matches(test, left, 1, _ALIKE)
        if found:
            left.remove(found[0])
            yield test, found[0]


def _casts(change: FileDiff) -> Iterator[Fact]:
    """Yield the places where a type checker is told a type, or nothing at all, and was not before."""
    if change.path.endswith(".pyi"):
        yield Fact(FactKind.NOT_JUDGED, reasons.stub_changed(change.path), "stub", change.path)
    if change.new is None or is_test_file(change.path):
        return
    known = {_key(node) for node in _told(change.old)}
    for node in _told(change.new):
        if change.added.touch(node) and _key(node) not in known:
            line = line_of(node)
            said = reasons.cast_added(_key(node))
            yield Fact(FactKind.NOT_JUDGED, said, "cast", change.path, line, line)


def _key(node: Node) -> str:
    """Return what a cast, or a type with what it is of, is known by: of a function, its name."""
    owner = node.parent if node.type == "type" else None
    if owner is None:
        return " ".join(text_of(node).split())
    if owner.type == "function_definition":
        return f"{text_of(field(owner, 'name'))}() -> {text_of(node)}"
    return " ".join(text_of(owner).split())


def _told(syntax: Syntax | None) -> Iterator[Node]:
    """Yield the casts of a program, and the types that allow everything."""
    for node in walk(syntax.root) if syntax is not None else ():
        if syntax is not None and syntax.language is Language.PYTHON:
            if (node.type == "call" and _CAST.fullmatch(compact(field(node, "function")))) or (
                node.type == "type" and compact(node) in {"Any", "typing.Any"}
            ):
                yield node
        elif node.type in _CASTS or (node.type == "predefined_type" and text_of(node) == "any"):
            yield node.parent or node if node.type == "predefined_type" else node
