"""Patches on their way in and out of sandboxes."""

from __future__ import annotations

from base64 import b64encode

from bot.model import Patch
from sandbox.base import SCRATCH, Sandbox
from sandbox.git import ObjectStore, PatchDoesNotApply

_PATCH_FILE = f"{SCRATCH}/fixpoint/candidate.patch"
_SECONDS = 120.0
_APPLY = "git -c core.protectHFS=true -c core.protectNTFS=true apply --whitespace=nowarn"
"""Refuses what is a path into `.git` on somebody's Mac or Windows."""


_IN_A_COMMAND = 32_768
"""Bytes; a patch of that size needs no file of its own."""


async def apply_patch(sandbox: Sandbox, patch: Patch) -> None:
    """Apply a patch to a sandbox's work tree.

    Raises:
        PatchDoesNotApply: When it does not fit; the text is git's.
    """
    if not patch:
        return
    if len(patch.data) <= _IN_A_COMMAND:
        text = b64encode(patch.data).decode()
        command = f"printf %s {text} | base64 -d | {_APPLY}"
    else:
        await sandbox.write_file(_PATCH_FILE, patch.data)
        command = f"{_APPLY} {_PATCH_FILE}"
    applied = await sandbox.run(command, timeout=_SECONDS)
    if not applied.ok:
        raise PatchDoesNotApply(applied.output.strip())


async def patch_between(
    store: ObjectStore, before: str, after: str, only: tuple[str, ...] | None = None
) -> Patch:
    """Return the difference of two trees as a patch, of the paths `only` when given."""
    diff = await store.diff(before, after, only=only)
    return Patch(diff.data, diff.files, diff.added, diff.removed)
