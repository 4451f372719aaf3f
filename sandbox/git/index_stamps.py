"""Have an index take note of when its files were last changed, where that alone has moved.

A hard link counts as a change of the file that it leads to, so git would read all files of two work
trees that share them. Format: https://git-scm.com/docs/index-format.
"""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path
from uuid import uuid4

_HEAD = struct.Struct(">4sLL")
_ENTRY = struct.Struct(">10L20sH")
_CHANGED = struct.Struct(">2L")
_VERSION = 2
_NAME_LENGTH = 0xFFF
_SUM = 20
_WORD = 0xFFFFFFFF
_SECOND = 10**9


def restamp(index: Path, root: Path) -> None:
    """Set the times of last change in an index to those of its files, if all else is as it says.

    Args:
        index: Of git, version 2; one of another version is left alone.
        root: The work tree; nothing writes there.
    """
    data = bytearray(index.read_bytes())
    signature, version, count = _HEAD.unpack_from(data)
    if signature != b"DIRC" or version != _VERSION:
        return
    at = _HEAD.size
    prefix = os.fsencode(root) + b"/"
    for _ in range(count):
        fields = _ENTRY.unpack_from(data, at)
        name_at = at + _ENTRY.size
        length = fields[-1] & _NAME_LENGTH
        end = name_at + length if length < _NAME_LENGTH else data.index(b"\0", name_at)
        _restamp_entry(data, at, fields, prefix + data[name_at:end])
        at += (end - at + 8) // 8 * 8
    data[-_SUM:] = hashlib.sha1(data[:-_SUM], usedforsecurity=False).digest()
    making = index.with_name(f"{index.name}.{uuid4().hex}")
    making.write_bytes(data)
    times = index.stat()
    os.utime(making, ns=(times.st_atime_ns, times.st_mtime_ns))
    making.rename(index)


def _restamp_entry(data: bytearray, at: int, fields: tuple[int, ...], path: bytes) -> None:
    _, _, seconds, fraction, _, inode, _, _, _, size, *_ = fields
    try:
        found = os.lstat(path)
    except OSError:
        return
    known = (seconds, fraction, inode, size)
    modified = divmod(found.st_mtime_ns, _SECOND)
    if known == (*modified, found.st_ino & _WORD, found.st_size & _WORD):
        _CHANGED.pack_into(data, at, *divmod(found.st_ctime_ns, _SECOND))
