"""Pack work trees into tar archives."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import BinaryIO


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
