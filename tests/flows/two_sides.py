"""Both sides of a small change, each command in a real sandbox."""

from __future__ import annotations

import shutil
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from bot.model import Patch
from bot.model.deadline import RunLimits, StopSign
from bot.model.observation import Observation
from bot.repair.verification.base_and_head import Compared, Side, Sides
from bot.repair.verification.candidate import changes_between
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.workspace.patches import patch_between
from sandbox.base import Sandbox, SandboxSpec
from sandbox.bubblewrap.provider import BubblewrapProvider
from sandbox.git import EMPTY_TREE, ObjectStore

COMMAND = "python3 -m unittest -q"


@asynccontextmanager
async def two_sides(
    folder: Path,
    before: Mapping[str, str | bytes],
    after: Mapping[str, str | bytes],
    deps: Path | None = None,
) -> AsyncIterator[Sides]:
    """Yield the change between two trees, the second of which keeps what it doesn't name."""
    store = ObjectStore(folder / "repo.git")
    await store.create()
    trees = []
    for name, files in (("before", before), ("after", {**before, **after})):
        for path, text in files.items():
            place = folder / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode() if isinstance(text, str) else text)
        trees.append(await store.write_tree(folder / name, base=EMPTY_TREE))
    if deps is not None:
        shutil.copytree(deps, folder / "before" / ".deps")
    patch = await patch_between(store, trees[0], trees[1])
    provider = BubblewrapProvider(folder / "sandboxes")

    async def opener(name: str) -> Sandbox:
        return await provider.open(SandboxSpec(name=name, source=folder / "before"))

    room = CleanRoom(
        opener,
        store,
        trees[0],
        run_limits=RunLimits(time.time() + 3600, StopSign()),
        listener=lambda _: None,
        command_seconds=600,
    )
    changes = await changes_between(store, trees[0], trees[1])
    yield Sides(Side(room, Patch(), trees[0]), Side(room, patch, trees[1]), changes)
    await provider.close()


def proving(*tests: str, command: str = COMMAND) -> Compared:
    """Return what was seen where these tests fail without the change and pass with it."""
    return Compared(command, Observation(command, 1), Observation(command, 0), None, tests)
