"""Patches on their way in and out of sandboxes."""

from __future__ import annotations

from bot.repair.model import Patch
from sandbox.base import SCRATCH, Sandbox
from sandbox.git import ObjectStore, PatchDoesNotApply

_PATCH_FILE = f"{SCRATCH}/fixpoint/candidate.patch"
_SECONDS = 120.0
_APPLY = "git -c core.protectHFS=true -c core.protectNTFS=true apply --whitespace=nowarn"
"""Refuses what is a path into `.git` on somebody's Mac or Windows."""


async def apply_patch(sandbox: Sandbox, patch: Patch) -> None:
    """Apply a patch to a sandbox's work tree.

    Raises:
        PatchDoesNotApply: When it does not fit; the text is git's.
    """
    if not patch:
        return
    await sandbox.write_file(_PATCH_FILE, patch.data)
    applied = await sandbox.run(f"{_APPLY} {_PATCH_FILE}", timeout=_SECONDS)
    if not applied.ok:
        raise PatchDoesNotApply(applied.output.strip())


async def patch_between(
    store: ObjectStore, before: str, after: str, only: tuple[str, ...] | None = None
) -> Patch:
    """Return the difference of two trees as a patch, of the paths `only` when given."""
    diff = await store.diff(before, after, only=only)
    return Patch(diff.data, diff.files, diff.added, diff.removed)
