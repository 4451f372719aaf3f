"""Mount and unmount overlays by the system calls: a program for each would cost 3 ms."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from sandbox.base import SandboxError

_DETACH = 2
"""`MNT_DETACH` of Linux: the mount is gone at once, its files when nobody uses them any more."""

_libc = ctypes.CDLL(None, use_errno=True)


def mount_overlay(target: Path, options: str) -> None:
    """Mount an overlay, described in the kernel's Documentation/filesystems/overlayfs.rst.

    Raises:
        SandboxError: The kernel refused.
    """
    if _libc.mount(b"overlay", os.fsencode(target), b"overlay", 0, options.encode()):
        raise _refusal("mounted", target)


def unmount(target: Path) -> None:
    """Take a mount away.

    Raises:
        SandboxError: The kernel refused.
    """
    if _libc.umount2(os.fsencode(target), _DETACH):
        raise _refusal("unmounted", target)


def _refusal(act: str, target: Path) -> SandboxError:
    return SandboxError(f"{target} can't be {act}: {os.strerror(ctypes.get_errno())}.")
