"""Check that the results of a passing run are genuine, by a run in which its tests must fail."""

from __future__ import annotations

import asyncio

from bot.model import GuardFinding, Observation, Patch
from bot.model.guard_rules import found
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.must_fail import (
    Sentinels,
    candidate_files,
    doomed_by,
    forged,
    sentinels,
    without_effect,
)
from bot.reporting.reasons import guards_runs
from sandbox.git import ObjectStore


class HonestyTest:
    """Verifies passing runs of one run's patches; Python's test runners alone."""

    def __init__(self, room: CleanRoom, store: ObjectStore, base_tree: str) -> None:
        self._room = room
        self._store = store
        self._base_tree = base_tree

    async def findings(
        self, name: str, patch: Patch, red: Observation | None, green: Observation
    ) -> tuple[GuardFinding, ...]:
        """Return a finding when tests are reported to pass that can't; one more run of them.

        Args:
            name: Of the sandbox.
            patch: What is verified.
            red: The command without the patch, or None.
            green: The same with it: it passed.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        planted = await self._planted(patch, red, green) if red is not None else None
        if planted is None:
            return ()
        seen = await self._room.observe_with(
            f"{name}-sentinel", green.command, patch, planted.files
        )
        lies = forged(planted, seen)
        if not lies or await self._is_without_effect(name, green.command, planted):
            return ()
        return (found("results-forged", guards_runs.forged(lies)),)

    async def _planted(
        self, patch: Patch, red: Observation, green: Observation
    ) -> Sentinels | None:
        names = doomed_by(red, green)
        if not names:
            return None
        tree = await self._store.apply(self._base_tree, patch.data)
        paths = candidate_files(await self._store.paths(tree), names)
        if not paths:
            return None
        sources = await self._store.files(tree, paths)
        return await asyncio.to_thread(sentinels, sources, red, green)

    async def _is_without_effect(self, name: str, command: str, planted: Sentinels) -> bool:
        """Whether the command runs other copies of these files, as of an installed package."""
        if not planted.controls:
            return False
        untouched = await self._room.observe_with(
            f"{name}-control", command, Patch(), planted.files
        )
        return without_effect(planted, untouched)
