"""Decide which tests a command did not run. Pure.

A patch can make a command pass by keeping tests from running: it skips or deselects them, points
the runner elsewhere, or ends the process early. And a command that fails says nothing of a change
whose own tests gave no result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from bot.ci.failure_identity import identity_of
from bot.model import GuardFinding, Observation
from bot.model.guard_rules import found
from bot.reporting.reasons import guards_runs

_CASE = re.compile(r"[\[( ].*", re.DOTALL)
"""What follows the name of a test in the id of one of its cases or subtests."""

_PYTEST_SESSION = re.compile(
    r"^(?:=+ )?\d+ (?:passed|failed|errors?|skipped)\b.* in [\d.]+s", re.MULTILINE
)


_STOPPED = re.compile(r"stopping after \d+ failures|Interrupted:|no tests ran")
"""What pytest prints when it did not finish."""


def not_run(before: Observation, after: Observation) -> tuple[GuardFinding, ...]:
    """Return findings on tests that ran without the patch and did not in the passing run with it.

    Args:
        before: Without the patch.
        after: With it.
    """
    if before.counts is None:
        return ()
    if not after.ok:
        return _gone_from_red(before, after)
    return _gone_from_green(before, after)


def without_result(touched: Mapping[str, frozenset[str]], seen: Observation) -> tuple[str, ...]:
    """Return the files with changed tests of which a run shows no result.

    They were not collected, were skipped, or the run ended before their turn; or the runner names
    only what fails, and nobody knows.

    Args:
        touched: Words of the lines that were added, by file.
        seen: A run of its tests and others.
    """
    failing = (each for each in (*seen.named, *seen.others) if not identity_of(each).coarse)
    ran = {*seen.passed, *(each.test for each in failing)}
    return tuple(
        path for path, words in touched.items() if not _has_result(path, words, ran, seen.skipped)
    )


def _has_result(path: str, words: frozenset[str], ran: set[str], skipped: frozenset[str]) -> bool:
    """Whether one of the changed tests of a file ran, or one of the file's if none is known by name."""
    known = [test for test in (*ran, *skipped) if _is_of(test, path)]
    named = [test for test in known or (*ran, *skipped) if _last_word(test) in words]
    return any(test in ran for test in named or known)


def _is_of(test: str, path: str) -> bool:
    stem = PurePosixPath(path).name.partition(".")[0]
    return re.search(rf"(?<![\w-]){re.escape(stem)}(?![\w-])", test) is not None


def _last_word(test: str) -> str:
    return re.split(r"::|[./: ]", _test(test))[-1]


def _gone_from_green(before: Observation, after: Observation) -> tuple[GuardFinding, ...]:
    """Return findings on what a passing run leaves out."""
    if after.counts is None or not (after.counts.passed or after.passed):
        return (_rejected(guards_runs.NO_PASS_RECORDED),)
    # With no failed test, what failed was a compiler or linter behind the same command.
    told = before.counts is not None and before.counts.failed
    failed = before.failing_ids - {before.command} if told else frozenset[str]()
    others = (failure.test for failure in after.others)
    ran, skipped = _tests({*after.passed, *others}), _tests(after.skipped)
    if hidden := [test for test in failed if _test(test) in skipped - ran]:
        return (_rejected(guards_runs.now_skipped(sorted(hidden))),)
    lost = [test for test in failed | before.passed if not _did_run(test, ran)]
    if lost and _comparable(before, after):
        return (_rejected(guards_runs.no_longer_run(sorted(lost))),)
    around = [test for test in failed if test not in after.passed and _test(test) in after.passed]
    if around and after.counts.skipped > (before.counts.skipped if before.counts else 0):
        return (found("tests-unseen", guards_runs.pass_not_recorded(sorted(around))),)
    unseen = [test for test in failed if not _did_run(test, ran)]
    if not unseen or not after.passed:  # a runner that names no pass
        return ()
    return (found("tests-unseen", guards_runs.pass_not_recorded(sorted(unseen))),)


def _gone_from_red(before: Observation, after: Observation) -> tuple[GuardFinding, ...]:
    """Return findings on tests that passed and no longer run in a suite that still fails."""
    others = (failure.test for failure in after.others)
    ran = _tests({*after.passed, *after.failing_ids, *others})
    lost = [test for test in before.passed if not _did_run(test, ran)]
    complete = bool(after.passed) and not _STOPPED.search(after.output)
    if lost and complete and _comparable(before, after):
        return (_rejected(guards_runs.no_longer_run(sorted(lost))),)
    return ()


def _comparable(before: Observation, after: Observation) -> bool:
    """Whether both runs report the same tests.

    A command with several sessions leaves the report of the last one that ran.
    """
    sessions = len(_PYTEST_SESSION.findall(after.output))
    if sessions == 1 and after.passed:
        return True
    known = _tests({*before.failing_ids, *before.passed, *before.skipped})
    return not sessions and bool(known & _tests({*after.passed, *after.skipped}))


def _did_run(test: str, ran: frozenset[str]) -> bool:
    """Whether a test ran, or tests of the file that could not even be collected."""
    name = _test(test)
    return name in ran or any(other.startswith((f"{name}.", f"{name}::")) for other in ran)


def _rejected(message: str) -> GuardFinding:
    return found("tests-not-run", message)


def _test(identity: str) -> str:
    return _CASE.sub("", identity)


def _tests(identities: Iterable[str]) -> frozenset[str]:
    return frozenset(map(_test, identities))
