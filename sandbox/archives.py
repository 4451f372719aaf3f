"""Unpack archives that untrusted code filled."""

from __future__ import annotations

import os
import shutil
import tarfile
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from sandbox.base import SandboxError, SandboxFault

_PERMISSIONS = 0o777
_OWNER_READS = 0o400
_LONGEST_NAME = 3_500
"""Bytes; Linux opens no path of 4,096, and the tree lies somewhere itself (PATH_MAX)."""


def unpack(archive: Path, tree: Path, wanted: Collection[str] | None = None) -> None:
    """Add the members of a tar, gzipped or not, to `tree`, replacing what has their names.

    Nothing is written outside of `tree`, whatever the archive says: names are taken apart, no
    link is followed, hard links become copies, devices and set-user-id bits don't arrive.

    Args:
        archive: Written inside the sandbox.
        tree: A folder that nobody else writes.
        wanted: The only names to accept, or None for all.

    Raises:
        SandboxError: The archive is damaged, or has a member that was not asked for.
    """
    try:
        with tarfile.open(archive, "r:*") as members:
            for member in members:
                _unpack_member(members, member, tree, wanted)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise SandboxFault(f"The sandbox sent a damaged archive: {error}") from error


def _unpack_member(
    archive: tarfile.TarFile,
    member: tarfile.TarInfo,
    tree: Path,
    wanted: Collection[str] | None,
) -> None:
    name = inside(member.name)
    if not name.parts or is_too_long(member.name):
        return
    if wanted is not None and str(name) not in wanted:
        raise SandboxError(f"The sandbox sent {member.name!r}, which was not requested.")
    path = cleared(tree, name)
    if member.isdir():
        path.mkdir()
    elif member.issym():
        path.symlink_to(member.linkname)
    elif member.islnk():
        _copy(_existing(tree, inside(member.linkname)), path)
    elif member.isfile():
        _write(archive, member, path)


def is_too_long(name: str) -> bool:
    """Whether no program could open a file of this name by its path, so that it is left out."""
    return len(os.fsencode(name)) > _LONGEST_NAME


def inside(name: str) -> PurePosixPath:
    """Return the name as a path below the tree.

    Raises:
        SandboxError: It leads out of it.
    """
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise SandboxError(f"The sandbox sent a file for {name!r}, which is outside the workspace.")
    return path


def cleared(tree: Path, name: PurePosixPath) -> Path:
    """Return the place for `name`, with nothing there and real folders above it."""
    folder = tree
    for part in name.parts[:-1]:
        folder /= part
        if folder.is_symlink() or not folder.is_dir():
            folder.unlink(missing_ok=True)
            folder.mkdir()
    path = folder / name.name
    remove(path)
    return path


def _existing(tree: Path, name: PurePosixPath) -> Path:
    """Return what is in `tree` itself, not behind a link; it may be a link."""
    folder = tree
    for part in name.parts[:-1]:
        folder /= part
        if folder.is_symlink():
            raise SandboxError(f"The sandbox sent a hard link through the link {folder.name!r}.")
    return folder / name.name


def _copy(source: Path, path: Path) -> None:
    shutil.copy2(source, path, follow_symlinks=False)


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    content = archive.extractfile(member)
    if content is None:
        raise SandboxError(f"The sandbox sent {member.name!r} without content.")
    with content, path.open("xb") as file:
        shutil.copyfileobj(content, file)
    path.chmod(member.mode & _PERMISSIONS | _OWNER_READS)


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder, if there is one; links are not followed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
