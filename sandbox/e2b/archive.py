"""Pack a host folder for the sandbox, and follow what the sandbox says was removed or made."""

from __future__ import annotations

import tarfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from sandbox.archives import cleared, inside, remove
from sandbox.base import SandboxError


def pack(source: Path, target: Path) -> None:
    """Write the content of `source` as a gzipped tar: files, folders and links, no owners.

    Raises:
        SandboxError: Something in `source` can't be read.
    """
    try:
        with tarfile.open(target, "w:gz", compresslevel=1, format=tarfile.GNU_FORMAT) as archive:
            archive.add(source, arcname=".", filter=_portable)
    except OSError as error:
        raise SandboxError(f"The source can't be packed: {error}") from error


def _portable(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if not (member.isfile() or member.isdir() or member.issym() or member.islnk()):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def remove_all(tree: Path, names: Iterable[str]) -> None:
    """Remove paths below `tree`."""
    for name in names:
        place = inside(name)
        if place.parts:
            _remove_inside(tree, place)


def _remove_inside(tree: Path, name: PurePosixPath) -> None:
    folder = tree
    for part in name.parts[:-1]:
        folder /= part
        if folder.is_symlink() or not folder.is_dir():
            return
    remove(folder / name.name)


def make_folders(tree: Path, names: Iterable[str]) -> None:
    """Make folders below `tree`; each name comes after the folder it is in."""
    for name in names:
        cleared(tree, inside(name)).mkdir()
