"""Folders for the time being, which do not outlive a process that is killed by more than a while.

They stand in one folder of this user's, each locked by the process that made it. The kernel gives
a dead process's locks back, so a folder that anybody can lock is nobody's any more.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def scratch_folder(kind: str) -> Iterator[Path]:
    """Yield a new folder that nobody else may enter, and remove it.

    Args:
        kind: What it is for, as a word.
    """
    parent = _parent()
    with contextlib.ExitStack() as held:
        with contextlib.ExitStack() as making:
            if parent is not None:
                making.enter_context(_locked(parent, fcntl.LOCK_SH))
            folder = Path(tempfile.mkdtemp(prefix=f"fixpoint-{kind}-", dir=parent))
            held.callback(shutil.rmtree, folder, ignore_errors=True)
            held.enter_context(_locked(folder, fcntl.LOCK_SH))
        yield folder


def sweep_scratch() -> None:
    """Remove the folders of dead processes."""
    parent = _parent()
    if parent is None:
        return
    with contextlib.suppress(BlockingIOError), _locked(parent, fcntl.LOCK_EX | fcntl.LOCK_NB):
        for folder in parent.iterdir():
            with contextlib.suppress(OSError), _locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
                shutil.rmtree(folder, ignore_errors=True)


def _parent() -> Path | None:
    """Return the folder that they stand in; None where somebody else was there first."""
    folder = Path(tempfile.gettempdir(), f"fixpoint-of-{os.geteuid()}")
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    is_own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    return folder if is_own and not found.st_mode & 0o077 else None


@contextlib.contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)
