"""Have ext4 keep the folders of a parent apart, so that deleting one does not slow another down.

ext4 doesn't give out the number of a deleted file again for a while (`recently_deleted` in the
kernel's fs/ext4/ialloc.c), and looks past each such number whenever it makes a file in the same
group of the disk. Where folders of a thousand files come and go, making one becomes thirty times
as slow within a minute. Folders of a parent that counts as the top of a hierarchy (`chattr +T`) are
spread over all groups.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
from pathlib import Path

_GET_FLAGS = 0x80086601
_SET_FLAGS = 0x40086602
"""`FS_IOC_GETFLAGS` and `FS_IOC_SETFLAGS` of linux/fs.h where a `long` has eight bytes."""

_TOP_OF_HIERARCHY = 0x00020000
"""`FS_TOPDIR_FL`."""

_FLAGS = struct.Struct("i")


def spread_folders(parent: Path) -> None:
    """Have new folders of a parent stand apart; other file systems than ext4 need no such thing."""
    descriptor = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):
            (flags,) = _FLAGS.unpack(fcntl.ioctl(descriptor, _GET_FLAGS, bytes(_FLAGS.size)))
            if not flags & _TOP_OF_HIERARCHY:
                fcntl.ioctl(descriptor, _SET_FLAGS, _FLAGS.pack(flags | _TOP_OF_HIERARCHY))
    finally:
        os.close(descriptor)
