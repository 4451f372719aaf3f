"""Decide the next move of a run from what happened so far. Pure: no IO, no clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from bot.ci.network import lacks_network
from bot.ecosystems.package_hosts import unreached_registries
from bot.model import Attempt, Cause, Observation, Patch, Reproduction, Verdict, suggestion_of
from bot.model.proposers import PROPOSERS, ProposerTraits
from bot.reporting.reasons import job_target, reproduction, run_life


@dataclass(frozen=True, slots=True)
class Try:
    """Let a proposer make an attempt."""

    proposer: ProposerTraits


@dataclass(frozen=True, slots=True)
class Accept:
    """This attempt's patch is accepted: publish it."""

    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Conclude:
    """Nothing more to try: report."""

    verdict: Verdict
    reason: str


Move = Try | Accept | Conclude

_IN_VAIN = 2
"""Attempts in a row that leave no change: another one would be paid for the same."""


@dataclass(frozen=True, slots=True)
class State:
    """What a run knows when it decides.

    Attributes:
        ladder: The proposers that this run has, cheapest first.
        tried: Names of the proposers that were asked, once per try, those without a patch too.
        attempts: Tries that count: those that left a patch, and those of proposers whose `empty_counts`.
        most_attempts: Of the budget.
        failing_before: Ids that fail on the untouched tree.
        not_looked: Those that were asked and can't look in this language.
    """

    ladder: tuple[ProposerTraits, ...]
    tried: tuple[str, ...]
    attempts: tuple[Attempt, ...]
    most_attempts: int
    failing_before: frozenset[str]
    not_looked: frozenset[str] = frozenset()


def next_move(state: State) -> Move:
    """Return what to do next: the cheapest proposer that was not asked yet, until a patch is accepted."""
    end = _end_of_attempts(state)
    if end is not None:
        resort = next((each for each in state.ladder if each.last_resort), None)
        if resort is None or resort.name in state.tried or isinstance(end, Accept):
            return end
        return Try(resort)
    for proposer in state.ladder:
        asked = state.tried.count(proposer.name)
        if proposer.once and asked and not _finds_another(state, proposer):
            continue
        return Try(proposer)
    if state.attempts:
        return _conclude(state, run_life.NOBODY_ELSE_TO_ASK)
    if not state.tried:
        return _conclude(state, run_life.NO_PROPOSER)
    looked = tuple(name for name in dict.fromkeys(state.tried) if name not in state.not_looked)
    return _conclude(state, run_life.nothing_to_change(looked, tuple(sorted(state.not_looked))))


def _end_of_attempts(state: State) -> Accept | Conclude | None:
    """Return how the attempts so far end the run; None when another one may be made."""
    accepted = next((attempt for attempt in state.attempts if attempt.accepted), None)
    if accepted is not None:
        return Accept(accepted)
    answered = next(filter(_changes_nothing, state.attempts), None)
    if answered is not None:
        return _conclude(state, run_life.changes_nothing(answered.proposal.summary))
    if len(state.attempts) >= _IN_VAIN and not any(
        attempt.proposal.patch for attempt in state.attempts[-_IN_VAIN:]
    ):
        return _conclude(state, run_life.attempts_in_vain(_IN_VAIN))
    if len(state.attempts) >= state.most_attempts:
        return _conclude(state, run_life.attempts_used(state.most_attempts))
    return None


def _changes_nothing(attempt: Attempt) -> bool:
    """Whether a model was asked for a change that no test shows, and is done without making one.

    A question, say: another attempt would be asked the same.
    """
    proposal = attempt.proposal
    return attempt.passed_before and not proposal.patch and not proposal.ended


def _finds_another(state: State, proposer: ProposerTraits) -> bool:
    """Whether a search continues after a rejected patch: only when no model is left to ask."""
    if any(attempt.doubtful for attempt in state.attempts):
        return False  # it has gone on by itself until its time was up
    patches = sum(attempt.proposer == proposer.name for attempt in state.attempts)
    behind = state.ladder[state.ladder.index(proposer) + 1 :]
    last = not any(other.needs_model for other in behind)
    return proposer.finds_another and last and patches == state.tried.count(proposer.name)


def already_asked(earlier: Sequence[Attempt]) -> tuple[str, ...]:
    """Return the proposers that a run with these attempts had asked.

    Those that are asked only once come before those that may be asked again, but for a last resort.
    """
    names = tuple(attempt.proposer for attempt in earlier)
    once = [name for name, traits in PROPOSERS.items() if traits.once and not traits.last_resort]
    if all(name in once for name in names):
        return names
    return (*(name for name in once if name not in names), *names)


def _conclude(state: State, reason: str) -> Conclude:
    suggestion = suggestion_of(state.attempts)
    if suggestion is not None:
        return Conclude(Verdict.SUGGESTED, why_suggested(suggestion))
    if best_partial(state.attempts, state.failing_before) is not None:
        return Conclude(Verdict.IMPROVED, reason)
    return Conclude(Verdict.GAVE_UP, reason)


def why_suggested(attempt: Attempt) -> str:
    """Return why a patch that passes is not called a repair."""
    return run_life.REVERT_SUGGESTED if attempt.proposal.reverts else run_life.SUGGESTED


def best_partial(attempts: Sequence[Attempt], failing_before: frozenset[str]) -> Attempt | None:
    """Return the rejected attempt that leaves the fewest tests failing and breaks none, if any."""

    def left(attempt: Attempt) -> frozenset[str] | None:
        verification = attempt.verification
        if verification is None or verification.target is None or verification.new_failures:
            return None
        return verification.target.failing_ids

    helpful = [
        (len(failing), attempt)
        for attempt in attempts
        if (failing := left(attempt)) and failing < failing_before
    ]
    return min(helpful, key=lambda pair: pair[0])[1] if helpful else None


def draft_of(attempts: Sequence[Attempt], reproduction: Reproduction | None) -> Attempt | None:
    """Return the attempt whose patch is worth a draft, where nothing tells what the problem is about."""
    if reproduction is None or not reproduction.undecided or reproduction.observation is None:
        return None
    best = best_partial(attempts, reproduction.observation.failing_ids)
    verification = best.verification if best is not None else None
    if verification is None or verification.refused or verification.problem:
        return None
    return best


def best_patch(attempts: Sequence[Attempt], failing_before: frozenset[str]) -> Patch:
    """Return the patch to show when none is accepted: a suggestion, the best partial one, the last."""
    suggestion = suggestion_of(attempts)
    if suggestion is not None:
        return suggestion.proposal.patch
    partial = best_partial(attempts, failing_before)
    if partial is not None:
        return partial.proposal.patch
    return next((a.proposal.patch for a in reversed(attempts) if a.proposal.patch), Patch())


COMMAND_NOT_FOUND = 127
NO_TESTS_COLLECTED = 5  # https://docs.pytest.org/en/stable/reference/exit-codes.html


def read_reproduction(runs: Sequence[Observation], *, may_hang: bool = True) -> Reproduction:
    """Conclude from executions of the failing command on the untouched tree.

    Args:
        runs: In order; the first decides what is shown, the others whether it is stable.
        may_hang: Whether a command that does not end may be what somebody wants to be repaired.
    """
    first, red = runs[0], sum(not run.ok for run in runs)
    if (none := _no_failure(runs, may_hang=may_hang)) is not None:
        cause, reason = none
    elif red == 0:
        cause, reason = Cause.NOT_REPRODUCED, reproduction.passes(first.command)
    elif red < len(runs):
        reason = reproduction.flaky(first.command, failed=red, runs=len(runs))
        cause, first = Cause.FLAKY, next(run for run in runs if not run.ok)
    elif first.timed_out and not first.named:
        cause, reason = Cause.REAL, reproduction.did_not_end(first.command, first.seconds)
    else:
        cause, reason = Cause.REAL, reproduction.fails(first.command)
    return Reproduction(cause, first, reason=reason, runs=tuple(run.exit_code for run in runs))


def _no_failure(runs: Sequence[Observation], *, may_hang: bool) -> tuple[Cause, str] | None:
    """Return what kept the command from showing anything, and how to say so; None if nothing did."""
    first = runs[0]
    if _not_started(first):
        return Cause.INFRASTRUCTURE, reproduction.program_missing(first.command)
    if all(map(only_lacks_network, runs)):
        return Cause.INFRASTRUCTURE, reproduction.lacks_network(
            first.command, unreached_registries(first.output)
        )
    failed = [each for each in first.named if each.message != job_target.TEST_DID_NOT_END]
    if first.timed_out and not failed and not may_hang:
        return Cause.INFRASTRUCTURE, reproduction.only_slow(first.command, first.seconds)
    if first.exit_code == NO_TESTS_COLLECTED and "pytest" in first.command:
        return Cause.NOT_REPRODUCED, reproduction.no_tests(first.command)
    return None


def only_lacks_network(observation: Observation) -> bool:
    """Whether a command failed for want of a network, and no runner or tool names a failure."""
    if observation.ok or observation.timed_out or observation.named:
        return False
    return lacks_network(observation.output) or bool(unreached_registries(observation.output))


def _not_started(observation: Observation) -> bool:
    """Whether a program that the command names is missing: no test ran, so none failed."""
    return observation.exit_code == COMMAND_NOT_FOUND and not observation.named


def verdict_of(cause: Cause) -> Verdict | None:
    """Return the verdict with which a reproduction of this cause ends the run, None to go on."""
    match cause:
        case Cause.REAL:
            return None
        case Cause.FLAKY:
            return Verdict.FLAKY
        case Cause.RED_ON_BASE:
            return Verdict.RED_ON_BASE
        case Cause.NOT_REPRODUCED:
            return Verdict.NOT_REPRODUCED
        case Cause.INFRASTRUCTURE:
            return Verdict.INFRASTRUCTURE
        case _:
            assert_never(cause)
