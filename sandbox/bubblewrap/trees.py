"""Share a large work tree between sandboxes through overlay mounts, instead of copying it.

What a sandbox shows as its work tree is a *chain* of folders that nothing writes any more: the
source that it was opened on, and on top of it what earlier sandboxes changed until a snapshot was
taken. It keeps its own changes apart, so neither a sandbox nor a snapshot costs more than what
was changed. The chain is named in a file beside the work tree.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from sandbox.base import SandboxError, SandboxGone
from sandbox.bubblewrap.layers import Layers
from sandbox.overlay import is_mountable, mount_overlay, unmount

_CHAIN = "tree-chain"
_UPPER = "tree-upper"
_WORK = "tree-work"
_LONGEST = 12
"""Folders of a chain; its options have to fit into a page of memory."""


class SharedTrees:
    """The work trees of one store that are shared."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers

    async def begin(self, staged: Path, source: Path) -> bool:
        """Give a staged sandbox a source as its work tree; False where it has to be copied."""
        if not is_mountable(source) or not await self._layers.can_mount():
            return False
        _show(staged, (source.absolute(),))
        return True

    async def start(self, staged: Path, snapshot: Path) -> bool:
        """Give a staged sandbox a snapshot's work tree; False where that is no chain.

        Raises:
            SandboxGone: A part of the chain was removed, or can't be shown here any more.
        """
        if not (chain := chain_of(snapshot)):
            return False
        if not all(map(Path.is_dir, chain)) or not await self._layers.can_mount():
            raise SandboxGone(f"The work tree of snapshot {snapshot.name} no longer exists.")
        _show(staged, chain)
        return True

    def share(self, place: Path, staged: Path) -> bool:
        """Make what a sandbox changed a part of its chain, and of its staged snapshot's.

        Returns:
            False when the work tree has to be copied.
        """
        chain = chain_of(place)
        if not chain or len(chain) >= _LONGEST:
            return False
        layer = self._layers.new()
        longer = (layer, *chain)
        _write(staged, longer)  # named before it is there, so it is never unused
        unmount(place / "workspace")
        _write(place, longer)
        (place / _UPPER).rename(layer)
        shutil.rmtree(place / _WORK)
        _show(place, longer)
        return True

    def mount(self, place: Path) -> None:
        """Mount a sandbox's work tree, unless it is: after a restart of the machine it is not.

        Raises:
            SandboxError: A part of its chain was removed.
        """
        chain = chain_of(place)
        if not chain or os.path.ismount(place / "workspace"):
            return
        if not all(map(Path.is_dir, chain)):
            raise SandboxError(
                f"The work tree of sandbox {place.name} no longer exists: remove the sandbox."
            )
        _show(place, chain)


def changes_of(place: Path) -> str:
    """Return the name of the folder that holds a sandbox's own files of its work tree."""
    return _UPPER if (place / _UPPER).is_dir() else "workspace"


def chain_of(place: Path) -> tuple[Path, ...]:
    """Return the folders that a sandbox or snapshot shows as its work tree, the uppermost first."""
    try:
        return tuple(map(Path, (place / _CHAIN).read_text("utf-8").splitlines()))
    except OSError:
        return ()


def _write(place: Path, chain: Sequence[Path]) -> None:
    (place / _CHAIN).write_text("".join(f"{folder}\n" for folder in chain), "utf-8")


def _show(place: Path, chain: Sequence[Path]) -> None:
    """Mount a chain as a sandbox's work tree, and note that the source below it is used."""
    if chain_of(place) != tuple(chain):
        _write(place, chain)
    os.utime(chain[-1])
    for folder in ("workspace", _UPPER, _WORK):
        (place / folder).mkdir(exist_ok=True)
    mount_overlay(place / "workspace", chain, place / _UPPER, place / _WORK)
