"""Join the observations of several commands into one. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bot.ci.failures.base import shortened
from bot.model import Observation, TestCounts

_OUTPUT = 60_000


def joined(observations: Sequence[Observation]) -> Observation:
    """Return the observations as one that passes when each of them does.

    The first exit code that is not zero counts; ids, counts, outputs and times are put together.
    """
    if len(observations) == 1:
        return observations[0]
    broken = next((each for each in observations if not each.ok), observations[0])
    counted = [each.counts for each in observations if each.counts is not None]
    return Observation(
        command=" && ".join(dict.fromkeys(each.command for each in observations)),
        exit_code=broken.exit_code,
        failing=tuple(failure for each in observations for failure in each.failing),
        passed=frozenset().union(*(each.passed for each in observations)),
        skipped=frozenset().union(*(each.skipped for each in observations)),
        counts=_sum(counted) if counted else None,
        output=shortened("\n".join(f"$ {o.command}\n{o.output}" for o in observations), _OUTPUT),
        seconds=sum(each.seconds for each in observations),
        timed_out=any(each.timed_out for each in observations),
        written=tuple(dict.fromkeys(path for each in observations for path in each.written)),
        refused=tuple(dict.fromkeys(host for each in observations for host in each.refused)),
        tolerated=frozenset().union(*(each.tolerated for each in observations)),
        others=tuple(failure for each in observations for failure in each.others),
    )


def _sum(counts: Sequence[TestCounts]) -> TestCounts:
    return TestCounts(
        passed=sum(each.passed for each in counts),
        failed=sum(each.failed for each in counts),
        skipped=sum(each.skipped for each in counts),
    )
