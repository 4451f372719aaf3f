"""Set failures aside that no patch of a run has to mend. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from bot.ci.failure_identity import KnownFailures, stable_name
from bot.model import Failure, Observation, OtherFailure
from bot.reporting.reasons import outside_causes, verification

_FAILED_TESTS = 1
"""The exit status with which most runners say that tests failed, and nothing else."""


@dataclass(frozen=True, slots=True)
class Aside:
    """The failures that a run leaves alone.

    Attributes:
        failures: As they are on the untouched tree: what fails of something else is another one.
        varying: Names of the tests whose reason differs from run to run, see `stable_name`.
        exit_codes: With which a command may end that shows no other failure than these.
    """

    failures: tuple[Failure, ...] = ()
    varying: frozenset[str] = frozenset()
    exit_codes: frozenset[int] = frozenset()

    def left_by(self, observation: Observation) -> Observation:
        """Return an observation whose `failing` has what is left to mend, the rest in `others`.

        A command that ends in another way than failing tests make it end, with nothing left to
        mend, has failed itself.
        """
        if observation.ok or not self.failures:
            return observation
        known = KnownFailures(self.failures)
        others = tuple(
            failure
            for failure in observation.failing
            if known.same(failure) or stable_name(failure.test) in self.varying
        )
        if not others:
            return observation
        failing = tuple(failure for failure in observation.failing if failure not in others)
        if not failing and observation.exit_code not in self.exit_codes:
            why = verification.exited(observation.exit_code)
            failing = (Failure(test=observation.command, message=why),)
        return replace(observation, failing=failing, others=(*observation.others, *others))

    def joined(self, other: Aside) -> Aside:
        """Return what sets the failures of both aside."""
        return Aside(
            (*self.failures, *other.failures),
            self.varying | other.varying,
            self.exit_codes | other.exit_codes,
        )


NOTHING_ASIDE = Aside()
"""Whatever fails has to be mended."""


def told_of(others: Iterable[OtherFailure]) -> list[str]:
    """Return what a person is told of what fails besides, one sentence for each cause."""
    ordered = sorted(others, key=lambda item: (item.kind, item.cause))
    return [
        outside_causes.left_alone(cause, [failure.test for failure in group])
        for cause, group in groupby(ordered, key=lambda entry: entry.cause)
    ]


def aside_of(tests: Iterable[str], *red: Observation, unstable: Iterable[str] = ()) -> Aside:
    """Return what sets these tests aside, as they failed in runs of the untouched tree.

    Args:
        tests: Their ids.
        red: The runs; what fails of something else in each varies.
        unstable: Ids of tests that are to be left alone whatever they fail of.
    """
    names = frozenset(map(stable_name, tests))
    failures, varying = list[Failure](), set(map(stable_name, unstable))
    for run in red:
        known = KnownFailures(failures)
        for failure in (*run.failing, *run.others):
            if (name := stable_name(failure.test)) not in names:
                continue
            if known.named(failure) and not known.same(failure):
                varying.add(name)
            failures.append(failure)
    if not failures:
        return NOTHING_ASIDE
    exit_codes = frozenset({_FAILED_TESTS, *(run.exit_code for run in red)})
    return Aside(tuple(failures), frozenset(varying & names), exit_codes)
