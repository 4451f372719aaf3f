"""Pack a host folder for the sandbox, and unpack what comes back without trusting it."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath

from sandbox.base import SandboxError

_PERMISSIONS = 0o777
_OWNER_READS = 0o400


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


def unpack(archive: Path, tree: Path, wanted: Collection[str] | None = None) -> None:
    """Add the members of a gzipped tar to `tree`, replacing what has their names.

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
        with tarfile.open(archive, "r:gz") as members:
            for member in members:
                _unpack_member(members, member, tree, wanted)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise SandboxError(f"The sandbox sent a damaged archive: {error}") from error


def _unpack_member(
    archive: tarfile.TarFile,
    member: tarfile.TarInfo,
    tree: Path,
    wanted: Collection[str] | None,
) -> None:
    name = _inside(member.name)
    if not name.parts:
        return
    if wanted is not None and str(name) not in wanted:
        raise SandboxError(f"The sandbox sent {member.name!r}, which was not requested.")
    path = _free(tree, name)
    if member.isdir():
        path.mkdir()
    elif member.issym():
        path.symlink_to(member.linkname)
    elif member.islnk():
        _copy(_existing(tree, _inside(member.linkname)), path)
    elif member.isfile():
        _write(archive, member, path)


def _inside(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise SandboxError(f"The sandbox sent a file for {name!r}, which is outside the workspace.")
    return path


def _free(tree: Path, name: PurePosixPath) -> Path:
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
    """Return a regular file that is in `tree` itself, not behind a link."""
    path = tree
    for part in name.parts:
        path /= part
        if path.is_symlink():
            raise SandboxError(f"The sandbox sent a hard link through the link {path.name!r}.")
    return path


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


def remove_all(tree: Path, names: Iterable[str]) -> None:
    """Remove paths below `tree`."""
    for name in names:
        inside = _inside(name)
        if inside.parts:
            _remove_inside(tree, inside)


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
        _free(tree, _inside(name)).mkdir()
