"""Confirm what a patch seems to break: a flaky test says nothing about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from bot.ci.failure_identity import KnownFailures
from bot.ecosystems.selection import alone
from bot.model import Failure, Observation, Patch
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.comparison import new_failures, seen_again, steady
from bot.repair.verification.tree_files import decided

_SLOW = 15.0
"""Seconds; of a suite that takes longer, the new failures run again alone."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Runs the whole suite, or the tests in doubt, once more.

    Attributes:
        room: Where.
    """

    room: CleanRoom

    async def confirmed(
        self,
        name: str,
        patch: Patch,
        baseline: Observation,
        suite: Observation,
        mended: frozenset[str],
    ) -> tuple[Observation, tuple[Failure, ...]]:
        """Return the suite with the patch, and what fails in it again and not without the patch.

        Args:
            name: Of the sandboxes.
            patch: What is verified.
            baseline: The suite without it.
            suite: The same with it.
            mended: Tests that fail without it and pass alone with it: here they must too.
        """
        fresh = new_failures(baseline, suite, mended)
        if not fresh:
            return suite, ()
        if baseline.seconds > _SLOW:
            found = await self._alone(name, patch, baseline, fresh)
            if found is not None:
                return suite, found
        again = await self.room.observe(f"{name}-suite-again", baseline.command, patch)
        suite = replace(again, order=suite.order)
        fresh = seen_again(fresh, new_failures(baseline, suite, mended))
        if fresh:  # one that now fails without the patch too says nothing either
            without_it = await self.room.observe(f"{name}-suite-b", baseline.command, Patch())
            fresh = seen_again(fresh, new_failures(without_it, suite, mended))
            fresh = steady(fresh, baseline, without_it)
        return suite, fresh

    async def _alone(
        self, name: str, patch: Patch, baseline: Observation, fresh: tuple[Failure, ...]
    ) -> tuple[Failure, ...] | None:
        """Return what fails alone with the patch and not without it.

        None where the tests can't run alone, or don't all fail so for the same reason: then their
        neighbours matter. A test that failed before as well, of something else, is such a one.
        """
        if any(map(KnownFailures(baseline.failing).named, fresh)):
            return None
        tests = sorted(failure.test for failure in fresh)
        paths = await self.room.store.paths(self.room.base_tree)
        choose = partial(alone, baseline.command, tests, paths)
        command = await decided(choose, self.room.store, self.room.base_tree)
        if command is None:
            return None
        with_it = await self.room.observe(f"{name}-fresh", command, patch)
        if not all(map(KnownFailures(with_it.failing).same, fresh)):
            return None
        without_it = await self.room.observe(f"{name}-fresh-b", command, Patch())
        return tuple(item for item in fresh if item.test not in without_it.failing_ids)
