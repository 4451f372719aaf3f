"""Decide which of several passing patches is taken. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.model import Acceptance, Attempt
from bot.model.patch_rank import Standing
from bot.repair.verification.perturbed_inputs import Records
from bot.reporting.reasons import attempts

_AS_IT_IS = 2
"""Records of a test as it is, before those of its variants; two that differ say nothing."""


@dataclass(frozen=True, slots=True)
class Crossed:
    """What an attempt's patch did with the new tests of the others."""

    tests: int = 0
    passed: int = 0


def believed(attempt: Attempt, others: Sequence[Attempt]) -> bool:
    """Whether a patch is good enough to stop the attempts that are still under way.

    It passes, asks nothing of a person, and something besides its own tests speaks for it: they
    notice every small fault in the lines that it changes, or another attempt left the same patch.
    """
    if not attempt.accepted or attempt.acceptance is not Acceptance.YES:
        return False
    verification = attempt.verification
    mutants = verification.mutants if verification is not None else None
    if mutants is not None and mutants.total and not mutants.survivors:
        return True
    same = attempt.proposal.patch.data
    return any(item.accepted and item.proposal.patch.data == same for item in others)


def agreements(behaviour: Mapping[int, Records]) -> dict[int, tuple[int, int]]:
    """Return for each attempt on how many telling inputs it does what most of the others do.

    Args:
        behaviour: What the tests' neighbourhoods show with each attempt's patch, by number.

    Returns:
        By number: the inputs that tell the patches apart, and those on which it agrees.
    """
    seen = {n: _answers(told) for n, told in behaviour.items()}
    shared = set.intersection(*map(set, seen.values())) if seen else set()
    telling = [pair for pair in shared if len({answers[pair] for answers in seen.values()}) > 1]
    return {
        n: (
            len(telling),
            sum(
                _is_common(answers[pair], [other[pair] for other in seen.values()])
                for pair in telling
            ),
        )
        for n, answers in seen.items()
    }


def chosen(
    passing: Sequence[Attempt],
    agreed: Mapping[int, tuple[int, int]],
    crossed: Mapping[int, Crossed],
) -> tuple[Attempt, ...]:
    """Return the passing attempts with their standing: one of them is taken.

    In this order: it passes the others' new tests, it behaves as most of the others do, it leaves
    less to a person, its tests notice more, it is smaller, it came first.
    """
    standings = {
        attempt.n: Standing(
            chosen=False,
            inputs=agreed.get(attempt.n, (0, 0))[0],
            agreed=agreed.get(attempt.n, (0, 0))[1],
            tests=crossed.get(attempt.n, Crossed()).tests,
            passed=crossed.get(attempt.n, Crossed()).passed,
        )
        for attempt in passing
    }
    best, *others = sorted(passing, key=lambda item: _rank(item, standings[item.n]))
    ranks = {attempt.n: _rank(attempt, standings[attempt.n]) for attempt in passing}

    def standing(one: Attempt) -> Standing:
        if one is best:
            why = _why(ranks[best.n], ranks[others[0].n]) if others else attempts.ONLY_ONE
        else:
            why = attempts.preferred(best.n, _why(ranks[best.n], ranks[one.n]))
        return replace(standings[one.n], chosen=one is best, why=why)

    return tuple(replace(attempt, standing=standing(attempt)) for attempt in passing)


_REASONS = (
    attempts.PASSES_TESTS,
    attempts.AGREES,
    attempts.LEAVES_LESS,
    attempts.NOTICES_MORE,
    attempts.SMALLEST,
    attempts.FIRST,
)
"""Of the parts of a rank, in their order."""


def _rank(attempt: Attempt, standing: Standing) -> tuple[int, ...]:
    verification, patch = attempt.verification, attempt.proposal.patch
    mutants = verification.mutants if verification is not None else None
    return (
        standing.tests - standing.passed,
        -standing.agreed,
        len(verification.to_check) if verification is not None else 0,
        len(mutants.survivors) if mutants is not None else 0,
        patch.added + patch.removed,
        attempt.n,
    )


def _why(best: tuple[int, ...], other: tuple[int, ...]) -> str:
    """Return what puts one rank before another."""
    return next(reason for reason, a, b in zip(_REASONS, best, other, strict=True) if a != b)


def _answers(told: Records) -> dict[tuple[str, str, str], tuple[str, ...]]:
    """Return what tests that show the same each time answer to inputs near their own."""
    found: dict[tuple[str, str, str], tuple[str, ...]] = {}
    for test, records in told.items():
        as_it_is = {record.outputs for record in records[:_AS_IT_IS]}
        if len(as_it_is) > 1:
            continue
        for record in records[_AS_IT_IS:]:
            if record.inputs:
                found.setdefault((test, record.place, record.inputs), record.outputs)
    return found


def _is_common(answer: tuple[str, ...], answers: Sequence[tuple[str, ...]]) -> bool:
    counts = Counter(answers)
    return counts[answer] > 1 and counts[answer] == max(counts.values())
