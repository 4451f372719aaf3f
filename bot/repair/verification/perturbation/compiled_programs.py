"""Run failing tests in Go and Rust on inputs near their own, with a patch and without it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType

from bot.apart import TooMuch, apart
from bot.code.change import FileDiff
from bot.concurrency import both
from bot.model import Observation, Patch
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.forgery.must_fail_by_syntax import places_of_tests
from bot.repair.verification.generalisation import Reached, reached
from bot.repair.verification.perturbation.conditions import Condition
from bot.repair.verification.perturbation.guarded_conditions import NOTHING, BothTrees, ShownByTest
from bot.repair.verification.perturbation.varied.compiled_conditions import watched_programs
from bot.repair.verification.perturbation.varied.compiled_files import (
    cannot_compile,
    compiled_files,
    for_other_tree,
    is_compiled,
    settled_programs,
    with_seen,
)
from bot.repair.verification.perturbation.varied.files import (
    Noted,
    VariedFiles,
    comparable,
    records_of,
    shown_by,
    turned_green,
    with_settled,
)
from bot.repair.verification.perturbation.varied.writing import Naming
from sandbox.base import SCRATCH, WORKSPACE

_FOLDER = f"{SCRATCH}/fixpoint-varied"
_PLACE = f"{_FOLDER}/answer.json"
_SECONDS = 180.0
"""Wall time on one tree: a compiler may take long beside other programs."""

_TRIES = 3
"""How often the files are written: without what does not compile."""

_MOST_SAID = 20_000

_SCRIPT = """\
export GOFLAGS="$GOFLAGS -vet=off -gcflags=-e"
(
{command}
) > {folder}/output 2>&1
[ -s {place} ] || head -c 400000 {folder}/output > {place}
"""
"""Where nothing was noted, the answer is what the compiler says: all of its errors, in Go."""


@dataclass(frozen=True, slots=True)
class _Ran:
    """What the runs of both trees showed.

    Attributes:
        sources: The files that hold the tests, on the patched tree.
        varied: The same, varied.
        before: Without the patch.
        after: With it.
        noted: The same, as it was noted.
    """

    sources: Mapping[str, bytes] = field(default_factory=dict)
    varied: VariedFiles = field(default_factory=VariedFiles)
    before: ShownByTest = field(default_factory=dict)
    after: ShownByTest = field(default_factory=dict)
    noted: bytes = b""


class VariedPrograms:
    """Compares the neighbourhood of failing tests in Go and Rust."""

    def __init__(self, room: CleanRoom) -> None:
        self._room = room
        self._naming = Naming(f"__fixpoint_{secrets.token_hex(4)}", _PLACE)
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
        ran = await self._ran(name, patch, red, green, self._naming)
        return reached(*records_of(*comparable(ran.before, ran.after)))

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
        watched = watched_programs(changes, conditions, self._shared)
        ran = await self._ran(f"{name}-held", patch, red, green, self._shared, watched)
        if not ran.after:
            return NOTHING
        after = with_seen(ran.after, ran.noted, ran.varied)
        try:
            settled = await apart(settled_programs, ran.sources, ran.varied, after, self._shared)
        except TooMuch:
            return NOTHING
        if settled.runs:
            files = replace(settled, files={**watched, **settled.files})
            again = await self._noted(name, green.command, "settled", patch, files)
            after = with_settled(after, again, settled)
        return BothTrees(*comparable(ran.before, after))

    async def _ran(
        self,
        name: str,
        patch: Patch,
        red: Observation,
        green: Observation,
        naming: Naming,
        watched: Mapping[str, bytes] = MappingProxyType({}),
    ) -> _Ran:
        """Return what the runs of both trees showed; `watched` are files of the patched one."""
        patched = await self._room.store.apply(self._room.base_tree, patch.data)
        here, there = await both(
            self._sources(patched, red), self._sources(self._room.base_tree, red)
        )
        here |= {path: data for path, data in watched.items() if path in here}
        said = "\n".join(
            f"{failure.test} {failure.message} {failure.detail}" for failure in red.named
        )
        dropped: tuple[Noted, ...] = ()
        for _ in range(_TRIES):
            try:  # a program can be written so that reading it takes long
                varied = await apart(
                    compiled_files, here, turned_green(red, green), said[:_MOST_SAID], naming,
                    dropped,
                )  # fmt: skip
                other = await apart(for_other_tree, varied, here, there, naming)
            except TooMuch:
                break
            if not varied.runs:
                break
            run = partial(self._noted, name, green.command)
            whole = replace(varied, files={**watched, **varied.files})
            noted, old = await both(run("near", patch, whole), run("near-b", Patch(), other))
            after = shown_by(noted, varied)
            if after:
                return _Ran(here, varied, shown_by(old, varied), after, noted or b"")
            more = cannot_compile(varied, (noted or b"").decode("utf-8", "replace"))
            if more is None:
                break
            dropped += more
        return _Ran()

    async def _sources(self, tree: str, red: Observation) -> dict[str, bytes]:
        paths = places_of_tests(await self._room.store.paths(tree), red)
        compiled = [path for path in paths if is_compiled(path)]
        return dict(await self._room.store.files(tree, compiled)) if compiled else {}

    async def _noted(
        self, name: str, command: str, which: str, patch: Patch, varied: VariedFiles
    ) -> bytes | None:
        files: Mapping[str, bytes] = varied.files
        question = {
            f"{_FOLDER}/.keep": b"",
            **{f"{WORKSPACE}/{path}": data for path, data in files.items()},
        }
        script = _SCRIPT.format(command=command, folder=_FOLDER, place=_PLACE)
        return await self._room.answer(f"{name}-{which}", patch, question, script, _SECONDS)
