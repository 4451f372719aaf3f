"""Row *suite*: what becomes of all other tests, test by test. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.ci.failure_identity import stable_name
from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.model import Failure, Observation
from bot.model.proof_card import Fact, FactKind, Row, RowKind, RowState
from bot.repair.verification.comparison import uncompared
from bot.reporting.reasons import proof_rows


@dataclass(frozen=True, slots=True)
class SuiteRuns:
    """A command on both sides.

    Attributes:
        before: Without the change.
        after: With it.
        broken: What fails with the change alone, seen twice.
        too_slow: The suite that did not end in time, where a part of it was compared; else None.
    """

    before: Observation
    after: Observation
    broken: tuple[Failure, ...] = ()
    too_slow: Observation | None = None


def row_of_suite(
    runs: Sequence[SuiteRuns], changes: Sequence[FileDiff], changed_tests: tuple[Fact, ...]
) -> Row:
    """Return the row.

    Args:
        runs: Of each command: the suite first.
        changes: The files that changed.
        changed_tests: What became of tests and checks by their text.
    """
    told = (fact for item in runs for fact in _facts(item))  # one command may run another's tests
    facts = [*dict.fromkeys(told), *changed_tests]
    ran = tuple(item.after.command for item in runs)
    why_not = [said for item in runs if (said := _uncompared(item) or _unfinished(item))]
    if _is_wider(runs):
        why_not = []
    broken = {failure.test for item in runs for failure in item.broken}
    gone = len({stable_name(test) for item in runs for test in _lost(item)})
    passed = {stable_name(test) for item in runs for test in item.before.passed}
    after = {stable_name(test) for item in runs for test in item.after.passed}
    before, still = len(passed), len(passed & after)
    if broken:
        state, said = RowState.REFUTED, proof_rows.broken(len(broken))
    elif why_not:
        state, said = RowState.UNDECIDED, why_not[0]
    elif gone and _only_by_tests(changes):
        state, said = RowState.NOT_SHOWN, proof_rows.tests_gone(gone, before)
    elif gone:
        state, said = RowState.REFUTED, proof_rows.tests_gone(gone, before)
    else:
        state, said = RowState.SHOWN, proof_rows.nothing_broke(still, before, ran)
    return Row(RowKind.SUITE, state, said, tuple(facts), ran)


def _is_wider(runs: Sequence[SuiteRuns]) -> bool:
    """Whether a command ran no test before, as its tests are new, and one that runs more was compared."""
    first, *others = runs
    ran = first.before.passed or first.before.failing_ids - {first.before.command}
    wider = (item for item in others if not (_uncompared(item) or _unfinished(item)))
    return not ran and any({*first.after.passed} <= {*item.after.passed} for item in wider)


def _uncompared(runs: SuiteRuns) -> str:
    """Return why nothing can be compared; a check of coverage that passes now hides no test."""
    return "" if runs.before.asks_for_more and runs.after.ok else uncompared(runs.before)


def _unfinished(runs: SuiteRuns) -> str:
    slow = runs.too_slow or (runs.after if runs.after.timed_out else None)
    return proof_rows.suite_too_slow(slow.command, slow.seconds) if slow is not None else ""


def _only_by_tests(changes: Sequence[FileDiff]) -> bool:
    """Whether tests may be gone because their files were changed."""
    return any(is_test_file(change.path) for change in changes)


def _gone(runs: SuiteRuns) -> list[str]:
    """Return the tests that passed before and have no result any more."""
    after = {*runs.after.passed, *runs.after.skipped, *runs.after.failing_ids}
    if not runs.after.passed:
        return []
    known = {*map(stable_name, after)}
    return sorted(test for test in runs.before.passed if stable_name(test) not in known)


def _lost(runs: SuiteRuns) -> list[str]:
    """Return those of which as many cases pass no more.

    A case may be called otherwise, as one that is named by the time is in each run.
    """
    before, now = (Counter(map(_whole, run.passed)) for run in (runs.before, runs.after))
    return [
        test
        for test in _gone(runs)
        if _whole(test) == test or now[_whole(test)] < before[_whole(test)]
    ]


def _whole(test: str) -> str:
    """Return a test's id without the case."""
    return test.partition("[")[0]


def _facts(runs: SuiteRuns) -> Iterator[Fact]:
    for failure in runs.broken:
        said = proof_rows.test_broken(failure.test, failure.message)
        yield Fact(FactKind.REFUTED, said, failure.test, failure.file, failure.line)
    skipped = {*map(stable_name, runs.after.skipped)}
    for test in sorted(runs.before.passed):
        if stable_name(test) in skipped:
            yield Fact(FactKind.NOT_JUDGED, proof_rows.test_skipped(test), test)
    for test in _gone(runs):
        yield Fact(FactKind.NOT_JUDGED, proof_rows.test_gone(test), test)
    failing = {stable_name(failure.test): failure for failure in runs.after.named}
    same = [failure for failure in runs.before.named if stable_name(failure.test) in failing]
    if same:
        said = proof_rows.fail_on_both([failure.test for failure in same])
        yield Fact(FactKind.NOT_COVERED, said)
