"""Pack work trees into tar archives, and unpack archives that untrusted code filled."""

from __future__ import annotations

import io
import shutil
import tarfile
from pathlib import Path
from typing import BinaryIO

from sandbox.base import SandboxError

_PERMISSIONS = 0o777


def pack_tree(tree: Path, archive: BinaryIO, owner: int) -> None:
    """Write a folder's content, links as links, all of it belonging to `owner`.

    GNU's format keeps file names that are not UTF-8 byte for byte.
    """

    def owned(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = owner
        member.uname = member.gname = ""
        return member

    with tarfile.open(fileobj=archive, mode="w|", format=tarfile.GNU_FORMAT) as tar:
        tar.add(tree, arcname=".", filter=owned)


def pack_file(name: str, data: bytes, owner: int) -> bytes:
    """Return an archive with one file."""
    member = tarfile.TarInfo(name)
    member.size, member.uid, member.gid = len(data), owner, owner
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        tar.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def unpack_tree(archive: Path, folder: Path) -> None:
    """Unpack into an empty folder: links stay links, and nothing is written through one.

    Devices and pipes are left out; owners, set-id bits and sticky bits are not taken over.

    Raises:
        SandboxError: The archive is broken, or names a place outside of the folder.
    """
    try:
        with tarfile.open(archive, "r:") as tar:
            for member in tar:
                _unpack(tar, member, folder)
    except tarfile.TarError as error:
        raise SandboxError(f"The sandbox's files can't be read: {error}") from error


def _unpack(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    place = _inside(folder, member.name)
    if member.isdir():
        place.mkdir(exist_ok=True)
    elif member.issym():
        place.symlink_to(member.linkname)
    elif member.islnk():
        shutil.copy2(_inside(folder, member.linkname), place, follow_symlinks=False)
    elif member.isfile() and (content := tar.extractfile(member)) is not None:
        with content, place.open("xb") as file:
            shutil.copyfileobj(content, file)
        place.chmod((member.mode & _PERMISSIONS) | 0o400)  # we read it, whoever else may not


def _inside(folder: Path, name: str) -> Path:
    """Refuse a name that leaves the folder by itself or through a link unpacked before."""
    relative = Path(name)
    if relative.is_absolute() or ".." in relative.parts:
        raise SandboxError(f"The sandbox's archive contains a path outside the sandbox: {name!r}.")
    for parent in relative.parents:
        if (folder / parent).is_symlink():
            raise SandboxError(f"The sandbox's archive writes through a link: {name!r}.")
    return folder / relative
