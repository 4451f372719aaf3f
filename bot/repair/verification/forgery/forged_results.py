"""Check that the results of a passing run are genuine, by runs in which its tests must fail."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.model import GuardFinding, Observation, Patch
from bot.model.guard_rules import found
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.criteria import PatchEvidence
from bot.repair.verification.forgery.must_fail import (
    Inversion,
    Sentinels,
    doomed_by,
    forged,
    reached,
    sentinels,
    without_effect,
)
from bot.repair.verification.forgery.must_fail_by_syntax import places_of_tests
from bot.repair.verification.forgery.must_fail_by_syntax import planted as planted_by_syntax
from bot.repair.verification.forgery.test_functions import candidate_files
from bot.repair.verification.repetition import not_repeated
from bot.reporting.reasons import guards_runs

_TURNS = (Inversion.REPEATED, Inversion.OTHER_VALUE, Inversion.ELSEWHERE)
_TURNS_OF_SLOW = (Inversion.REPEATED, Inversion.OTHER_VALUE)


@dataclass(frozen=True, slots=True)
class _Passed:
    """A passing run whose results are questioned.

    Attributes:
        name: Of its sandbox.
        patch: What was in the tree.
        red: The command without the patch.
        green: The same with it.
        sources: Files that may hold the tests, by path.
    """

    name: str
    patch: Patch
    red: Observation
    green: Observation
    sources: Mapping[str, bytes]


class HonestyTest:
    """Verifies passing runs of one run's patches."""

    def __init__(self, room: CleanRoom) -> None:
        self._room = room

    async def findings(self, evidence: PatchEvidence) -> tuple[GuardFinding, ...]:
        """Return a finding when tests are reported to pass that can't; up to three more runs of them.

        A command that takes too long to be repeated has two. An assertion that does nothing passes
        with another value as well, so that one that can't hold is only tried where that passes: it
        tells whether the value is equal to everything or nothing is compared.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        patch, red, green = evidence.patch, evidence.red, evidence.green
        if red is None or not (sources := await self._sources(patch, red, green)):
            return ()
        passed = _Passed(evidence.name, patch, red, green, sources)
        for turn in _TURNS_OF_SLOW if not_repeated(green) else _TURNS:
            lies = await self._lies(passed, turn)
            if lies and not await self._is_without_effect(passed):
                return (await self._finding(passed, turn, lies),)
        return ()

    async def _finding(
        self, passed: _Passed, turn: Inversion, lies: tuple[str, ...]
    ) -> GuardFinding:
        if turn is Inversion.REPEATED:
            return found("results-forged", guards_runs.forged(lies))
        if turn is Inversion.OTHER_VALUE:
            broken = await self._lies(passed, Inversion.BROKEN)
            if not broken:
                return found("equals-anything", guards_runs.equals_anything(lies))
            lies = broken
        return found("results-forged", guards_runs.turned_round(lies))

    async def _lies(self, passed: _Passed, turn: Inversion) -> tuple[str, ...]:
        """Return the tests that can't pass in a run and are reported to."""
        planted = await _planted(passed, turn)
        if planted is None:
            return ()
        seen = await self._run(f"{passed.name}-{turn.short}", passed, planted.files)
        lies = forged(planted, seen)
        if not lies or not planted.proof:
            return lies
        proof = await self._run(
            f"{passed.name}-reached", passed, {**planted.files, **planted.proof}
        )
        return reached(planted, lies, proof)

    async def _run(self, name: str, passed: _Passed, files: Mapping[str, bytes]) -> Observation:
        return await self._room.observe_with(name, passed.green.command, passed.patch, files)

    async def _sources(
        self, patch: Patch, red: Observation, green: Observation
    ) -> Mapping[str, bytes]:
        names = doomed_by(red, green)
        if not names:
            return {}
        tree = await self._room.store.apply(self._room.base_tree, patch.data)
        known = await self._room.store.paths(tree)
        paths = candidate_files(known, names) or places_of_tests(known, red)
        return await self._room.store.files(tree, paths) if paths else {}

    async def _is_without_effect(self, passed: _Passed) -> bool:
        """Whether the command runs other copies of these files, as of an installed package."""
        planted = await _planted(passed, Inversion.REPEATED)
        if planted is not None and planted.whole_names:
            return not await self._is_run(passed)
        if planted is None or not planted.controls:
            return False
        untouched = replace(passed, patch=Patch())
        seen = await self._run(f"{passed.name}-control", untouched, planted.files)
        return without_effect(planted, seen)

    async def _is_run(self, passed: _Passed) -> bool:
        """Whether what is raised in these files shows, without the patch, in what the command prints."""
        word = f"raised-{secrets.token_hex(8)}"
        files = planted_by_syntax(passed.sources, passed.red, passed.green, message=word)
        if files is None:
            return False
        untouched = replace(passed, patch=Patch())
        seen = await self._run(f"{passed.name}-control", untouched, files.files)
        return word in seen.output


def _planted_now(passed: _Passed, turn: Inversion) -> Sentinels | None:
    sources, red, green = passed.sources, passed.red, passed.green
    if all(path.endswith(".py") for path in sources):
        return sentinels(sources, red, green, turn)
    return planted_by_syntax(sources, red, green, turn)


async def _planted(passed: _Passed, turn: Inversion) -> Sentinels | None:
    return await asyncio.to_thread(_planted_now, passed, turn)
