"""Which jobs of a repository turned out to be flaky, from the runs that found that. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bot.storage.runs import RunRecord


@dataclass(frozen=True, slots=True)
class FlakyJob:
    """A job, or what a person asked about.

    Attributes:
        name: Of the check; of a run that a person asked for, its command or where they asked.
        times: How many runs found it flaky.
        last: The youngest of them.
    """

    name: str
    times: int
    last: RunRecord


def flaky_jobs(runs: Iterable[RunRecord]) -> tuple[FlakyJob, ...]:
    """Return the jobs, the most frequent first.

    Args:
        runs: That ended as flaky, the youngest first.
    """
    found: dict[str, FlakyJob] = {}
    for run in runs:
        for name in _names(run):
            known = found.get(name)
            times = 1 if known is None else known.times + 1
            found[name] = FlakyJob(name, times, run if known is None else known.last)
    return tuple(sorted(found.values(), key=lambda item: -item.times))


def _names(run: RunRecord) -> tuple[str, ...]:
    request = run.request
    if request.failed is not None and request.failed.checks:
        return tuple(dict.fromkeys(check.name for check in request.failed.checks))
    if request.options.test:
        return (request.options.test,)
    return (f"asked in #{request.number}" if request.number is not None else "asked here",)
