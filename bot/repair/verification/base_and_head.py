"""The two sides of a change, and what its tests showed on them: what the rows of a proof card start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from bot.code.change import FileDiff
from bot.ecosystems.selection import alone
from bot.model import Observation, Patch
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.tree_files import decided


@dataclass(frozen=True, slots=True)
class Side:
    """A tree that commands run on, each in its own sandbox.

    Where a change leaves the declared dependencies alone, both sides share one room, and the patch
    makes the difference; else each was set up by itself, and neither has a patch.

    Attributes:
        room: Where they run.
        patch: Against the room's tree.
        tree: What the patched tree holds, as a tree of the room's store.
    """

    room: CleanRoom
    patch: Patch
    tree: str

    async def observe(
        self, name: str, command: str, files: Mapping[str, bytes] = MappingProxyType({})
    ) -> Observation:
        """Run a command, with these files (by path) in the tree.

        Raises:
            PatchDoesNotApply: The tree is not what the patch was made for.
        """
        return await self.room.observe_with(name, command, self.patch, files)

    async def alone(self, command: str, tests: Sequence[str]) -> str | None:
        """Return the command that runs these of a command's tests and as few others as its runner allows.

        None where no way is known, or it would be the same command.
        """
        if not tests:
            return None
        store = self.room.store
        paths = await store.paths(self.tree)
        return await decided(
            partial(alone, command, list(tests), paths, shortest=True), store, self.tree
        )


@dataclass(frozen=True, slots=True)
class Sides:
    """A change: base and head.

    Attributes:
        before: Without it.
        after: With it.
        changes: Its files.
    """

    before: Side
    after: Side
    changes: tuple[FileDiff, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """What the tests showed on both sides.

    Attributes:
        command: Runs the whole suite.
        before: It, without the change.
        after: It, with the change.
        laid: It, or a part of it, without the change but with the tests of the change; None where the change
            has no tests.
        proving: Ids of the tests that fail without the change and pass with it, sorted.
        proving_command: Runs these and as few others as the runner allows; empty where there are
            none.
    """

    command: str
    before: Observation
    after: Observation
    laid: Observation | None = None
    proving: tuple[str, ...] = ()
    proving_command: str = ""

    @property
    def narrow_command(self) -> str:
        """The command of the proving tests, else that of the suite."""
        return self.proving_command or self.command
