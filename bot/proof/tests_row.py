"""Row *tests*: which tests fail without the change and pass with it, and for which reason. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.ci.failure_identity import stable_name
from bot.code.asserted_cases import cases
from bot.code.change import FileDiff
from bot.code.files import is_document, is_test_file
from bot.code.syntax import parse
from bot.model import Failure, Observation
from bot.model.observation import names_test
from bot.model.proof_card import Fact, FactKind, Row, RowKind, RowState
from bot.reporting.reasons import proof_rows

_WORD = re.compile(r"[^\W\d]\w*")
_CASE = re.compile(r"[\[(].*", re.DOTALL)
_LACKS = re.compile(
    r"""\b(?:ImportError|ModuleNotFoundError|AttributeError|NameError|NoMethodError|ReferenceError
      |undefined|unresolved|unexpected\ keyword|got\ an\ unexpected|is\ not\ a\ function
      |is\ not\ defined|not\ found|no\ field|no\ method|cannot\ find|can't\ find|has\ no)\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""How languages say that something is not there."""


@dataclass(frozen=True, slots=True)
class TestRuns:
    """What the tests showed.

    Attributes:
        before: Without the change.
        laid: Without its code, but with its tests; None where it has none.
        after: With the change.
        again: Without it, a second time; None where it was run once.
    """

    __test__ = False  # not a pytest class

    before: Observation
    laid: Observation | None
    after: Observation
    again: Observation | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """What the tests of a change show.

    Attributes:
        proving: Fail without the change for the reason that they assert, and pass with it.
        lacking: Fail without it for want of a name that it brings, and pass with it.
        indifferent: Are new or changed, and pass without it too.
        failing: Are new or changed, and fail with it.
        silent: Files of tests of the change whose tests gave no result with it.
        by_tests: Fail without it, and pass with its tests alone, so that its code plays no part.
        silenced: The command, where it fails without the change, passes with it and names no test.
        unsteady: Failed without it in one run of two, and pass with it: the change plays no part.
        unrun: The command that runs no test on either side, its exit code with the change and the
            end of what it printed; None where it runs any.
    """

    proving: tuple[Failure, ...] = ()
    lacking: tuple[Failure, ...] = ()
    indifferent: tuple[str, ...] = ()
    failing: tuple[Failure, ...] = ()
    silent: tuple[str, ...] = ()
    by_tests: tuple[Failure, ...] = ()
    silenced: str = ""
    unsteady: tuple[Failure, ...] = ()
    unrun: tuple[str, int, str] | None = None


def was_seen_once(runs: TestRuns, shown: Shown, changes: Sequence[FileDiff]) -> bool:
    """Whether something counts as proof that failed in a single run without the change.

    Tests of the change are others there than without their file: no second run is the same.
    """
    touched = _Touched.of(runs.before, changes)
    return bool(shown.silenced) or any(
        _is_single(failure, runs, touched) for failure in shown.proving
    )


def _is_single(failure: Failure, runs: TestRuns, touched: _Touched) -> bool:
    name = stable_name(failure.test)
    reds = [
        seen
        for seen in (runs.before, runs.laid, runs.again)
        if seen is not None and name in {stable_name(each.test) for each in seen.named}
    ]
    return len(reds) < 2 and not touched.is_of_change(failure.test)  # noqa: PLR2004 - it failed again


def shown_by(runs: TestRuns, changes: Sequence[FileDiff]) -> Shown:
    """Return what the tests of a change show."""
    without = runs.laid or runs.before
    passed = {stable_name(test) for test in runs.after.passed}
    failing_after = {stable_name(failure.test) for failure in runs.after.named}
    red = [
        failure
        for failure in (*without.named, *(runs.before.named if runs.laid else ()))
        if _passes(failure.test, runs.after, passed, failing_after)
    ]
    red = list({stable_name(failure.test): failure for failure in reversed(red)}.values())
    both = {stable_name(test) for test in (runs.laid.passed if runs.laid else ())}
    only_tests = all(is_test_file(change.path) for change in changes)
    by_tests = [failure for failure in red if only_tests or stable_name(failure.test) in both]
    red = [failure for failure in red if failure not in by_tests]
    touched = _Touched.of(runs.before, changes)
    unsteady = [failure for failure in red if runs.again and _is_single(failure, runs, touched)]
    red = [failure for failure in red if failure not in unsteady]
    brought = _brought(changes)
    lacking = [failure for failure in red if _lacks(failure, brought)]
    return Shown(
        proving=tuple(failure for failure in red if failure not in lacking),
        lacking=tuple(lacking),
        indifferent=tuple(sorted(test for test in both & passed if touched.is_of_change(test))),
        failing=tuple(
            failure for failure in runs.after.named if touched.is_of_change(failure.test)
        ),
        silent=_silent(runs.after, changes),
        by_tests=tuple(by_tests),
        silenced=runs.after.command if _is_silenced(runs) else "",
        unsteady=tuple(unsteady),
        unrun=_unrun(runs),
    )


def _unrun(runs: TestRuns) -> tuple[str, int, str] | None:
    after = runs.after
    if after.ok or after.timed_out or any(map(names_any, (runs.before, after))):
        return None
    printed = [line.strip() for line in after.output.splitlines() if line.strip()]
    told = [line for line in printed if "error" in line.lower()] or printed
    return after.command, after.exit_code, told[-1] if told else ""


def names_any(seen: Observation) -> bool:
    """Whether a run names a test, or a problem."""
    return bool(seen.passed or seen.named or seen.others or (seen.counts and seen.counts.passed))


def row_of_tests(shown: Shown, changes: Sequence[FileDiff], *, ran: tuple[str, ...]) -> Row:
    """Return the row."""
    facts = tuple(_facts(shown))
    has_tests = any(is_test_file(change.path) for change in changes)
    has_code = any(
        not (is_test_file(change.path) or is_document(change.path)) for change in changes
    )
    tests = sum(names_test(failure.test) for failure in shown.proving)
    gone = len(shown.proving) - tests
    if shown.unrun is not None:
        state, said = RowState.UNDECIDED, proof_rows.nothing_ran(*shown.unrun)
    elif shown.failing:
        state, said = RowState.REFUTED, proof_rows.tests_fail(len(shown.failing))
    elif shown.proving:
        state = RowState.SHOWN
        said = proof_rows.tests_prove(tests, len(shown.indifferent), len(shown.lacking), gone)
    elif shown.silenced:
        state, said = RowState.SHOWN, proof_rows.check_silent(shown.silenced)
    elif shown.by_tests:
        state, said = RowState.NOT_SHOWN, proof_rows.mended_by_tests(len(shown.by_tests))
    elif shown.lacking:
        state, said = RowState.NOT_SHOWN, proof_rows.tests_lack_names(len(shown.lacking))
    elif not has_code:
        state = RowState.NOT_ASKED
        said = proof_rows.ONLY_TESTS if has_tests else proof_rows.ONLY_DOCUMENTS
    elif has_tests:
        state = RowState.NOT_SHOWN
        said = proof_rows.tests_indifferent(len(shown.indifferent), shown.silent)
    else:
        state, said = RowState.NOT_SHOWN, proof_rows.NO_TEST_SHOWS_IT
    if shown.unsteady:
        said = f"{said} {proof_rows.unsteady(len(shown.unsteady))}"
    return Row(RowKind.TESTS, state, said, facts, ran)


def _facts(shown: Shown) -> Iterable[Fact]:
    for failure in shown.failing:
        said = proof_rows.test_fails_with_change(failure.test, failure.message)
        yield _fact(FactKind.REFUTED, said, failure)
    for failure in shown.proving:
        says = proof_rows.test_proves if names_test(failure.test) else proof_rows.problem_gone
        yield _fact(FactKind.PROVEN, says(failure.test, failure.message), failure)
    if shown.silenced and not shown.proving:
        said = proof_rows.command_proves(shown.silenced)
        yield Fact(FactKind.PROVEN, said, shown.silenced)
    for failure in shown.by_tests:
        said = proof_rows.test_mended_by_tests(failure.test, failure.message)
        yield _fact(FactKind.NOT_JUDGED, said, failure)
    for failure in shown.lacking:
        said = proof_rows.test_lacks(failure.test, failure.message)
        yield _fact(FactKind.NOT_COVERED, said, failure)
    for test in () if shown.proving else shown.indifferent:
        yield Fact(FactKind.NOT_COVERED, proof_rows.test_indifferent(test), test)
    for path in shown.silent:
        yield Fact(FactKind.NOT_COVERED, proof_rows.no_result(path), path, path)


def _fact(kind: FactKind, said: str, failure: Failure) -> Fact:
    return Fact(kind, said, failure.test, failure.file, failure.line)


def _passes(test: str, after: Observation, passed: set[str], failing: set[str]) -> bool:
    """Whether a test passes with the change; a runner that names no passing test tells so as a whole."""
    name = stable_name(test)
    if name in passed:
        return True
    return after.ok and not passed and name not in failing


def _is_silenced(runs: TestRuns) -> bool:
    """Whether a check that names nothing fails without the change and passes with it."""
    before, again = runs.before, runs.again
    if again is not None and again.ok:
        return False
    return runs.after.ok and not (before.ok or before.timed_out or before.named or before.others)


def _brought(changes: Sequence[FileDiff]) -> frozenset[str]:
    """Return the words that only the changed code has."""
    new, old = set[str](), set[str]()
    for change in changes:
        if not is_test_file(change.path):
            new |= set(_WORD.findall((change.after or b"").decode("utf-8", "replace")))
            old |= set(_WORD.findall((change.before or b"").decode("utf-8", "replace")))
            new |= set(_WORD.findall(change.path)) if change.is_new else set()
    return frozenset(new - old)


def _lacks(failure: Failure, brought: frozenset[str]) -> bool:
    """Whether a test fails for want of a name that the change brings."""
    said = failure.message or failure.detail[-500:]
    return bool(_LACKS.search(said) and brought & set(_WORD.findall(said)))


@dataclass(frozen=True, slots=True)
class _Touched:
    """Which tests are new or changed.

    Attributes:
        known: All tests before.
        names: Of the tests that changed in files which have been there.
    """

    known: frozenset[str]
    names: frozenset[str]

    @classmethod
    def of(cls, before: Observation, changes: Sequence[FileDiff]) -> _Touched:
        known = {*before.passed, *before.skipped, *before.failing_ids}
        known |= {failure.test for failure in before.others}
        names = {
            name
            for change in changes
            if is_test_file(change.path)
            for name in _changed_cases(change)
        }
        return cls(frozenset(map(stable_name, known)), frozenset(names))

    def is_of_change(self, test: str) -> bool:
        """Whether a test is new or changed; nothing is new where no test was named before."""
        name = _CASE.sub("", test)
        last = re.split(r"::|[.>/\s]", name)[-1]
        changed = last in self.names or any(name.endswith(known) for known in self.names)
        return changed or (bool(self.known) and stable_name(test) not in self.known)


def _changed_cases(change: FileDiff) -> set[str]:
    before, after = (_cases(change.path, side) for side in (change.before, change.after))
    changed = {name for name, case in after.items() if before.get(name) != case}
    return changed | {re.split(r"::|[.>]", name)[-1].strip() for name in changed}


def _cases(path: str, data: bytes | None) -> dict[str, tuple[object, ...]]:
    syntax = parse(path, data) if data else None
    if syntax is None:
        return {}
    return {
        name: (case.shape, tuple(value for _, value in case.values))
        for name, case in cases(syntax).items()
    }


def _silent(after: Observation, changes: Sequence[FileDiff]) -> tuple[str, ...]:
    """Return files of tests of which no changed test gave a result, and that can be loaded."""
    seen = {*after.passed, *after.skipped, *after.failing_ids}
    if not seen - {after.command}:
        return ()
    ends = {re.split(r"::|[.>/\s]", _CASE.sub("", test))[-1] for test in seen}
    return tuple(
        change.path
        for change in changes
        if is_test_file(change.path)
        and not {change.path, re.sub(r"\.\w+$", "", change.path).replace("/", ".")} & seen
        and (names := _changed_cases(change))
        and not any(name in ends or any(name in test for test in seen) for name in names)
    )
