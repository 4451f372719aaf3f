"""Share a snapshot's home between sandboxes through overlay mounts, instead of copying it.

A prepared home holds an environment of thousands of files. What a snapshot has is a *layer*, a
folder that nothing writes any more; a sandbox that starts from it gets a home that shows the
layer and keeps its own changes apart. Both name the layer by a link called `layer`, and a layer
goes when nothing names it. Only root may mount; others get copies.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path

from sandbox.base import SandboxError, SandboxGone
from sandbox.overlay import is_mountable, mount_overlay
from sandbox.store import Store

_LINK = "layer"


class Layers:
    """The layers of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._root = store.root / "layers"
        self._usable: bool | None = None

    async def share(self, place: Path, staged: Path) -> bool:
        """Make a sandbox's home a layer of itself and of its staged snapshot, without a copy.

        Returns:
            False when the home has to be copied: it stands on a layer already, or can't.
        """
        if layer_of(place) is not None or not await self.can_mount():
            return False
        layer = self._name_layer(staged)
        (place / _LINK).symlink_to(layer)
        (place / "home").rename(layer)
        _mount(layer, place)
        return True

    def keep(self, staged: Path) -> None:
        """Make the home of a staged snapshot a layer."""
        (staged / "home").rename(self._name_layer(staged))

    def _name_layer(self, staged: Path) -> Path:
        """Return where a new layer goes; it is named before it is there, so it is never unused."""
        layer = self.new()
        (staged / _LINK).symlink_to(layer)
        return layer

    def new(self) -> Path:
        """Return where a new layer may go; who makes it has to name it before."""
        self._root.mkdir(mode=0o700, exist_ok=True)
        return self._root / uuid.uuid4().hex

    async def start(self, staged: Path, snapshot: Path) -> Path | None:
        """Give a staged sandbox the snapshot's home; return the layer if it must be copied.

        Raises:
            SandboxGone: The snapshot was removed meanwhile.
        """
        layer = layer_of(snapshot)
        if layer is None:
            raise SandboxGone(f"Snapshot {snapshot.name} was removed: take a new one.")
        if not await self.can_mount():
            return layer
        (staged / _LINK).symlink_to(layer)
        await self.mount(staged)
        return None

    async def mount(self, place: Path) -> None:
        """Mount a sandbox's home, unless it is: after a restart of the machine it is not."""
        layer = layer_of(place)
        if layer is None or os.path.ismount(place / "home"):
            return
        if not layer.is_dir():
            raise SandboxError(
                f"The environment of sandbox {place.name} no longer exists: remove the sandbox."
            )
        _mount(layer, place)

    async def drop_unused(self, named_by: Callable[[Path], Iterable[Path]]) -> None:
        """Remove the layers that nothing names: as a home, or by what a place names besides."""
        layers = list(self._root.iterdir()) if self._root.is_dir() else []
        places = self._store.places() if layers else ()
        named = {path for place in places for path in (layer_of(place), *named_by(place))}
        for layer in layers:
            if layer not in named:
                await self._store.remove(layer)

    async def can_mount(self) -> bool:
        """Try once: containers and some file systems forbid it to root too."""
        if self._usable is None:
            self._usable = False
            if os.geteuid() == 0 and is_mountable(self._store.root):
                self._usable = await self._try_mount()
        return self._usable

    async def _try_mount(self) -> bool:
        async with self._store.staging("lower") as staged:
            try:
                _mount(staged / "lower", staged)
            except SandboxError:
                return False
        return True


def layer_of(place: Path) -> Path | None:
    """Return the layer that a sandbox or snapshot names."""
    try:
        return (place / _LINK).readlink()
    except OSError:
        return None


def _mount(layer: Path, place: Path) -> None:
    for folder in ("home", "upper", "work"):
        (place / folder).mkdir(exist_ok=True)
    mount_overlay(place / "home", (layer,), place / "upper", place / "work")
