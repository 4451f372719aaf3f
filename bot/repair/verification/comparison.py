"""Compare two runs of the whole suite: what did a patch break? Pure."""

from __future__ import annotations

from bot.ci.failure_identity import KnownFailures, others_than, stable_name
from bot.model import Failure, Observation, OtherFailure, Reproduction, Verification
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
    kept = (one for one in (*before.failing, *before.others) if one.test not in mended)
    fresh = others_than(after.failing, kept)
    if fresh or not before.ok:
        return fresh
    return (Failure(test=after.command, message=verification.exited(after.exit_code)),)


def passing_now(reproduction: Reproduction, verification: Verification) -> tuple[OtherFailure, ...]:
    """Return what failed besides and passes with a patch that did not have to mend it.

    A runner that names no passing test tells so by passing as a whole.
    """
    ran = [one for one in (verification.target, verification.suite) if one is not None]
    failing = KnownFailures(each for run in ran for each in (*run.failing, *run.others))
    passed = {stable_name(test) for run in ran for test in run.passed}
    narrowed = reproduction.whole is not None
    whole = ran[1:] if narrowed else ran
    all_pass = any(not run.exit_code and not run.passed for run in whole)
    return tuple(
        one
        for one in reproduction.others
        if (all_pass or stable_name(one.test) in passed) and not failing.named(Failure(one.test))
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
    one, other = KnownFailures((*first.failing, *first.others)), (*second.failing, *second.others)
    varying = KnownFailures(each for each in other if one.named(each) and not one.same(each))
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
