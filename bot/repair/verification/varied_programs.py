"""Run failing tests in Go and Rust on inputs near their own, with a patch and without it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from functools import partial

from bot.apart import TooMuch, apart
from bot.at_once import both
from bot.model import Observation, Patch
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.held_back import ShownByTest
from bot.repair.verification.must_fail_by_syntax import places_of_tests
from bot.repair.verification.neighbourhood import Reached, reached
from bot.repair.verification.varied.compiled_files import (
    cannot_compile,
    compiled_files,
    for_other_tree,
    is_compiled,
)
from bot.repair.verification.varied.files import (
    Noted,
    VariedFiles,
    comparable,
    records_of,
    shown_by,
    turned_green,
)
from bot.repair.verification.varied.writing import Naming
from sandbox.base import SCRATCH, WORKSPACE
from sandbox.git import ObjectStore

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


class VariedPrograms:
    """Compares the neighbourhood of failing tests in Go and Rust."""

    def __init__(self, room: CleanRoom, store: ObjectStore, base_tree: str) -> None:
        self._room = room
        self._store = store
        self._base_tree = base_tree
        self._naming = Naming(f"__fixpoint_{secrets.token_hex(4)}", _PLACE)

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
        before, after = await self._on_both_trees(name, patch, red, green)
        return reached(*records_of(*comparable(before, after)))

    async def _on_both_trees(
        self, name: str, patch: Patch, red: Observation, green: Observation
    ) -> tuple[ShownByTest, ShownByTest]:
        patched = await self._store.apply(self._base_tree, patch.data)
        here, there = await both(self._sources(patched, red), self._sources(self._base_tree, red))
        said = "\n".join(f"{one.test} {one.message} {one.detail}" for one in red.named)
        dropped: tuple[Noted, ...] = ()
        for _ in range(_TRIES):
            try:  # a program can be written so that reading it takes long
                varied = await apart(
                    compiled_files, here, turned_green(red, green), said[:_MOST_SAID], self._naming,
                    dropped,
                )  # fmt: skip
                other = await apart(for_other_tree, varied, here, there, self._naming)
            except TooMuch:
                break
            if not varied.runs:
                break
            run = partial(self._noted, name, green.command)
            noted, old = await both(run("near", patch, varied), run("near-b", Patch(), other))
            after = shown_by(noted, varied)
            if after:
                return shown_by(old, varied), after
            more = cannot_compile(varied, (noted or b"").decode("utf-8", "replace"))
            if more is None:
                break
            dropped += more
        return {}, {}

    async def _sources(self, tree: str, red: Observation) -> dict[str, bytes]:
        paths = places_of_tests(await self._store.paths(tree), red)
        compiled = [path for path in paths if is_compiled(path)]
        return dict(await self._store.files(tree, compiled)) if compiled else {}

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
