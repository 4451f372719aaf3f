"""Decide whether the packages of a commit's day show more of a project than today's. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.model import Observation, Problem
from bot.repair.goal.environment import Surroundings, environment_cause, of_other_version
from bot.repair.goal.failure_classes import sort_failures

_YOUNG = timedelta(days=1)
"""The packages of what is not older are as good as today's."""


def is_old(moment: datetime, now: float) -> bool:
    """Whether packages have changed since; `now` is in seconds since the epoch."""
    return datetime.fromtimestamp(now, UTC) - moment > _YOUNG


def worth_older_packages(seen: Observation, problem: Problem, surroundings: Surroundings) -> bool:
    """Whether today's packages may be what keeps tests from running.

    What a problem names is what somebody sees with today's packages: that is to be repaired.

    Args:
        seen: The failing command with today's packages.
        problem: What people reported, perhaps nothing.
        surroundings: Of the project.
    """
    if seen.ok or seen.timed_out or sort_failures(seen, problem, surroundings).named:
        return False
    return not tests_run(seen, surroundings) or any(
        of_other_version(failure, surroundings) for failure in seen.failing
    )


def shows_more(then: Observation, today: Observation, surroundings: Surroundings) -> bool:
    """Whether more tests ran with the packages of then, and some failed."""
    return (
        not then.ok
        and not then.timed_out
        and tests_run(then, surroundings) > tests_run(today, surroundings)
    )


def tests_run(seen: Observation, surroundings: Surroundings) -> int:
    """Return how many tests passed, or failed of something else than their environment."""
    passed = max(len(seen.passed), seen.counts.passed if seen.counts is not None else 0)
    return passed + sum(not environment_cause(failure, surroundings) for failure in seen.named)
