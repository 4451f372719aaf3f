"""Tell whether a patch of the prepared tree fits the commit that it is for."""

from __future__ import annotations

from dataclasses import dataclass

from bot.model import Patch
from bot.repair.workspace.patches import patch_between
from sandbox.git import ObjectStore, PatchDoesNotApply


@dataclass(frozen=True, slots=True)
class Destination:
    """Where an accepted patch goes.

    Attributes:
        head: The commit that it must fit.
        prepared: Tree of that commit after the setup.
    """

    head: str
    prepared: str

    async def check(self, store: ObjectStore, base_tree: str, patch: Patch) -> None:
        """Raise `PatchDoesNotApply` for a patch of what only the setup made.

        Args:
            store: With the trees.
            base_tree: To which the patch applies.
            patch: What is verified.
        """
        if await store.tree_of(self.head) == base_tree:
            return
        tree = await store.apply(base_tree, patch.data)
        whole = await patch_between(store, self.prepared, tree)
        try:
            await store.apply(self.head, whole.data)
        except PatchDoesNotApply as error:
            raise PatchDoesNotApply(
                "The patch builds on what the setup commands changed in the work tree, so it does "
                f"not apply to the commit itself: {error}"
            ) from error
