"""Compare two runs of the whole suite: what did a patch break? Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bot.ci.failure_identity import KnownFailures, others_than, stable_name
from bot.model import Failure, Observation, OtherFailure
from bot.reporting.reasons import verification


def new_failures(
    before: Observation, after: Observation, mended: frozenset[str] = frozenset()
) -> tuple[Failure, ...]:
    """Return what fails with the patch and did not without it, or not for that reason.

    When the runner names no tests, an exit code that was zero and no longer is counts as one.

    Args:
        before: Without the patch.
        after: With it.
        mended: What failed without it and must not fail any more.
    """
    if after.ok:
        return ()
    kept = (failure for failure in (*before.failing, *before.others) if failure.test not in mended)
    fresh = others_than(after.failing, kept)
    if fresh or not before.ok:
        return fresh
    return (Failure(test=after.command, message=verification.exited(after.exit_code)),)


def passing_now(
    others: Sequence[OtherFailure], before: Observation, after: Observation
) -> tuple[str, ...]:
    """Return the ids of what failed besides and passes with a patch that did not have to mend it.

    A runner that names no passing test tells so by passing as a whole.

    Args:
        others: What failed besides.
        before: A run without the patch.
        after: The same with it.
    """
    failed = {failure.test for failure in (*before.failing, *before.others)}
    failing = KnownFailures((*after.failing, *after.others))
    passed = {stable_name(test) for test in after.passed}
    all_pass = not after.exit_code and not passed
    return tuple(
        failure.test
        for failure in others
        if failure.test in failed
        and (all_pass or stable_name(failure.test) in passed)
        and not failing.named(Failure(failure.test))
    )


def seen_again(first: tuple[Failure, ...], second: tuple[Failure, ...]) -> tuple[Failure, ...]:
    """Return the failures of the second run that the first one had too."""
    known = {failure.test for failure in first}
    return tuple(failure for failure in second if failure.test in known)


def steady(
    fresh: tuple[Failure, ...], first: Observation, second: Observation
) -> tuple[Failure, ...]:
    """Return the failures less those whose reason differs in two runs without the patch.

    Args:
        fresh: What seems to fail of something else with the patch.
        first: The suite without it.
        second: The same once more.
    """
    failures, other = (
        KnownFailures((*first.failing, *first.others)),
        (*second.failing, *second.others),
    )
    varying = KnownFailures(
        each for each in other if failures.named(each) and not failures.same(each)
    )
    return tuple(failure for failure in fresh if not varying.named(failure))


def uncompared(before: Observation) -> str:
    """Return why a suite can't show what a patch broke, as a sentence; empty when it can.

    Args:
        before: The suite on the untouched tree.
    """
    if before.ok:
        return ""
    if before.timed_out:
        return verification.suite_too_slow(before.command, before.seconds)
    if not before.failing_ids - {before.command} and not before.others:
        return verification.suite_names_no_test(before.command, before.exit_code)
    if before.counts is not None and not before.counts.passed:
        return verification.suite_passes_nothing(before.command)
    return ""
