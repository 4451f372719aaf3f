"""Run failing tests in JavaScript and TypeScript on inputs near their own, with a patch and without it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.apart import TooMuch, apart
from bot.code.change import FileDiff
from bot.code.languages import Language
from bot.code.syntax import language_of
from bot.concurrency import both
from bot.model import Observation, Patch
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.forgery.must_fail_by_syntax import places_of_tests
from bot.repair.verification.generalisation import NOT_TRIED, Reached, reached
from bot.repair.verification.perturbation.conditions import Condition
from bot.repair.verification.perturbation.guarded_conditions import NOTHING, BothTrees, ShownByTest
from bot.repair.verification.perturbation.varied.files import (
    VariedFiles,
    comparable,
    records_of,
    settled_files,
    shown_by,
    turned_green,
    varied_files,
    with_settled,
)
from bot.repair.verification.perturbation.varied.javascript_conditions import watched_scripts
from bot.repair.verification.perturbation.varied.javascript_recorder import NAME
from bot.repair.verification.perturbation.varied.writing import Naming
from sandbox.base import SCRATCH, WORKSPACE

_FOLDER = f"{SCRATCH}/fixpoint-varied"
_PLACE = f"{_FOLDER}/answer.json"
_SECONDS = 30.0
"""Wall time for all runs of one tree."""


class VariedScripts:
    """Compares the neighbourhood of failing tests; node:test, jest, vitest and mocha."""

    def __init__(self, room: CleanRoom) -> None:
        self._room = room
        self._naming = Naming(f"{NAME}_{secrets.token_hex(4)}", _PLACE)
        self._shared = replace(self._naming, is_shared=True)

    async def reach(self, name: str, patch: Patch, red: Observation, green: Observation) -> Reached:
        """Return how far the effect of a patch goes beyond the tests' own inputs.

        Args:
            name: Of the sandbox.
            patch: What is verified.
            red: The command without the patch.
            green: The same with it: it passed.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        sources = await self._sources(patch, red)
        varied = await self._varied(sources, turned_green(red, green), worn=True)
        if not varied.runs:
            return NOT_TRIED
        after, before = await both(
            self._noted(f"{name}-near", green.command, patch, varied.files),
            self._noted(f"{name}-near-b", green.command, Patch(), varied.files),
        )
        trees = comparable(shown_by(before, varied), shown_by(after, varied))
        return reached(*records_of(*trees))

    async def on_both_trees(
        self,
        name: str,
        patch: Patch,
        red: Observation,
        green: Observation,
        changes: Sequence[FileDiff],
        conditions: Sequence[Condition],
    ) -> BothTrees:
        """Return what the tests show near their inputs, with conditions of the patch settled or not.

        Args:
            name: Of the sandbox.
            patch: What is verified.
            red: The command without it.
            green: The same with it.
            changes: Files of the patch.
            conditions: That it brings.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        sources = await self._sources(patch, red)
        varied = await self._varied(sources, turned_green(red, green), worn=False)
        if not varied.runs:
            return NOTHING
        watched = watched_scripts(changes, conditions, self._naming.function)
        noted, old = await both(
            self._noted(f"{name}-held", green.command, patch, {**varied.files, **watched}),
            self._noted(f"{name}-held-b", green.command, Patch(), varied.files),
        )
        before, after = shown_by(old, varied), shown_by(noted, varied)
        settled = await self._settled(sources, varied, after)
        if settled.runs:
            files = {**settled.files, **watched}
            again = await self._noted(f"{name}-settled", green.command, patch, files)
            after = with_settled(after, again, settled)
        return BothTrees(*comparable(before, after))

    async def _varied(
        self, sources: Mapping[str, bytes], names: frozenset[str], *, worn: bool
    ) -> VariedFiles:
        try:  # a program can be written so that reading it takes long
            naming = self._naming if worn else self._shared
            return await apart(varied_files, sources, names, naming, worn)
        except TooMuch:
            return VariedFiles()

    async def _settled(
        self, sources: Mapping[str, bytes], varied: VariedFiles, shown: ShownByTest
    ) -> VariedFiles:
        try:
            return await apart(settled_files, sources, varied, shown, self._shared)
        except TooMuch:
            return VariedFiles()

    async def _sources(self, patch: Patch, red: Observation) -> dict[str, bytes]:
        """Return the files that may hold the failing tests, as they are with the patch."""
        tree = await self._room.store.apply(self._room.base_tree, patch.data)
        paths = places_of_tests(await self._room.store.paths(tree), red)
        scripts = [path for path in paths if language_of(path) is Language.JAVASCRIPT]
        return dict(await self._room.store.files(tree, scripts)) if scripts else {}

    async def _noted(
        self, name: str, command: str, patch: Patch, files: Mapping[str, bytes]
    ) -> bytes | None:
        question = {
            f"{_FOLDER}/.keep": b"",
            **{f"{WORKSPACE}/{path}": data for path, data in files.items()},
        }
        return await self._room.answer(name, patch, question, command, _SECONDS)
