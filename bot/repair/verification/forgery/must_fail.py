"""Have tests that passed fail on purpose, and see whether the run says so. Pure.

A test and the code that it tests run in one process, which also writes the report and ends with
the exit status. So code can write both by itself. What it can't know is that a test must fail this
time: as it failed without the patch, or because one of its assertions is turned round. A run in
which it passes is forged.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from bot.model import Failure, Observation
from bot.repair.verification.forgery.mutated_assertions import (
    InvertibleAssertion,
    assertions_in,
)
from bot.repair.verification.forgery.repeated_failure import (
    PLAIN,
    Function,
    place_of,
    raise_at,
    raises,
)
from bot.repair.verification.forgery.test_functions import (
    MOST_FILES,
    functions_of,
    name_of,
)
from bot.repair.verification.source_edits import PythonProgram, SourceEdit

MOST_CONTROLS = 5


class Inversion(StrEnum):
    """What makes the tests of a run fail."""

    REPEATED = "the failure that was seen"
    """They fail as they did without the patch, or at their end."""

    BROKEN = "the assertion that failed"
    """It can't hold whatever its values are."""

    OTHER_VALUE = "its expected value"
    """The assertion that failed expects another value; one that expects none can't hold."""

    ELSEWHERE = "another assertion"
    """Another one of the same test can't hold."""

    @property
    def short(self) -> str:
        """A word for the name of a sandbox."""
        return self.name.lower().replace("_", "-")


@dataclass(frozen=True, slots=True)
class Sentinels:
    """Test files in which some tests can't pass.

    Attributes:
        files: Their content, by path.
        doomed: Names of the tests that failed without the patch and must fail now.
        controls: Names of others that passed without the patch and must fail too.
        proof: The files with an error raised at each place that was changed: a test that passes
            although its assertion is turned round has come there if it fails with these. Empty
            where every test fails for sure.
        whole_names: Whether names are ids as they stand, as titles are.
    """

    files: Mapping[str, bytes]
    doomed: frozenset[str]
    controls: frozenset[str] = frozenset()
    proof: Mapping[str, bytes] = field(default_factory=dict)
    whole_names: bool = False

    def name(self, identity: str) -> str:
        """Return the name of a test."""
        return identity if self.whole_names else name_of(identity)


def doomed_by(red: Observation, green: Observation) -> frozenset[str]:
    """Return the names of the tests that failed without a patch and passed with it.

    A module that could not be loaded stands for all of its tests. A runner that names no passing
    test is believed that those which failed passed.
    """
    failed = {name_of(test) for test in red.failing_ids - {red.command}}
    passed = {name_of(test) for test in green.passed}
    if not passed:
        return frozenset(failed)
    return frozenset(
        name for name in passed if name in failed or any(name.startswith(f"{f}.") for f in failed)
    )


def sentinels(
    sources: Mapping[str, bytes],
    red: Observation,
    green: Observation,
    turn: Inversion = Inversion.REPEATED,
) -> Sentinels | None:
    """Return the test files with tests that can't pass, or None where there is none.

    Args:
        sources: Of `candidate_files`, by path.
        red: The command without the patch.
        green: The same with it.
        turn: What makes them fail.
    """
    wanted = doomed_by(red, green)
    steady = {name_of(test) for test in red.passed & green.passed} - wanted
    known = {name_of(failure.test): failure for failure in reversed(red.failing)}
    broken = [
        one
        for path, source in sources.items()
        if (one := _broken(path, source, _Wish(wanted, steady, known, turn))) is not None
    ][:MOST_FILES]
    if not broken:
        return None
    return Sentinels(
        {item.path: item.source for item in broken},
        frozenset().union(*(item.doomed for item in broken)),
        frozenset().union(*(item.controls for item in broken)),
        {item.path: item.proof for item in broken if item.proof},
    )


def forged(planted: Sentinels, seen: Observation) -> tuple[str, ...]:
    """Return the names of the tests that a run claims to have passed although they can't.

    Args:
        planted: What was put into the tree.
        seen: The command's run with it.
    """
    name = planted.name
    said = {name(test) for test in seen.passed} - {name(test) for test in seen.failing_ids}
    lies = planted.doomed & said
    if not lies and seen.ok:
        lies = planted.doomed - {name(test) for test in seen.skipped}
    return tuple(sorted(lies))


def reached(planted: Sentinels, lies: Iterable[str], proof: Observation) -> tuple[str, ...]:
    """Return the tests that do come to the places that were changed.

    Args:
        planted: What was put into the tree.
        lies: Tests that pass although an assertion is turned round.
        proof: The command's run with an error raised in the place of that assertion.
    """
    failing = {planted.name(test) for test in proof.failing_ids}
    return tuple(name for name in lies if name in failing)


def without_effect(planted: Sentinels, untouched: Observation) -> bool:
    """Whether the raising tests are not what the command runs: they pass without the patch too.

    Args:
        planted: What was put into the tree.
        untouched: The command's run with it, without the patch.
    """
    said = {name_of(test) for test in untouched.passed}
    return bool(planted.controls & said)


@dataclass(frozen=True, slots=True)
class _Wish:
    """What is to become of a file's tests: which must fail, which may besides, and how."""

    doomed: frozenset[str]
    steady: Iterable[str]
    known: Mapping[str, Failure]
    turn: Inversion

    def failure(self, name: str) -> Failure | None:
        """Return how a test, or the module that holds it, failed without the patch."""
        parts = name.split(".")
        names = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
        return next((self.known[item] for item in names if item in self.known), None)


@dataclass(frozen=True, slots=True)
class _Broken:
    path: str
    source: bytes
    doomed: frozenset[str]
    controls: frozenset[str]
    proof: bytes


def _broken(path: str, source: bytes, wish: _Wish) -> _Broken | None:
    """Return a file whose tests of these names fail, or None when it has none of them."""
    try:
        program = PythonProgram(source)
    except ValueError:
        return None
    doomed = functions_of(path, program.module, sorted(wish.doomed))
    if not doomed:
        return None
    steady = functions_of(path, program.module, sorted(wish.steady))
    steady = dict([*steady.items()][:MOST_CONTROLS]) if wish.turn is Inversion.REPEATED else {}
    edits: dict[int, Sequence[SourceEdit]] = {}
    proof: dict[int, Sequence[SourceEdit]] = {}
    for name, function in (doomed | steady).items():
        if id(function) not in edits:
            failure = wish.failure(name) if name in doomed else None
            edits[id(function)], proof[id(function)] = _edits(
                path, program, function, failure, wish.turn
            )
    changed = program.edited(edit for some in edits.values() for edit in some)
    proven = program.edited(edit for some in proof.values() for edit in some)
    failing = frozenset(name for name, function in doomed.items() if edits[id(function)])
    if not failing or changed is None or proven is None:
        return None
    return _Broken(
        path, changed, failing, frozenset(steady), proven if any(proof.values()) else b""
    )


def _edits(
    path: str, program: PythonProgram, function: Function, failure: Failure | None, turn: Inversion
) -> tuple[Sequence[SourceEdit], Sequence[SourceEdit]]:
    """Return edits by which a test fails, and those that show whether it comes to that place."""
    if turn is Inversion.REPEATED:
        return raises(function, program, failure, path), []
    chosen = _chosen(assertions_in(function), place_of(failure, path, function), turn)
    if chosen is None:
        return [], []
    other = chosen.other_value if turn is Inversion.OTHER_VALUE else ()
    edits = other or chosen.broken
    return edits, raise_at(chosen.place, PLAIN) if edits else []


def _chosen(
    assertions: Sequence[InvertibleAssertion], place: ast.stmt | None, turn: Inversion
) -> InvertibleAssertion | None:
    """Return which assertion of a test is turned round; that which failed, where it is known."""
    if not assertions:
        return None
    line = place.lineno if place is not None else 0
    covering = [assertion for assertion in assertions if assertion.covers(line)]
    after = [assertion for assertion in assertions if assertion.place.lineno > line]
    failed = (covering[-1:] or after or [*assertions])[0]
    if turn is not Inversion.ELSEWHERE:
        return failed
    others = [assertion for assertion in assertions if assertion is not failed]
    return max(others, key=lambda item: (item.form != failed.form, item.place.lineno), default=None)
