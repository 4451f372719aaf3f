"""A folder for one run on this machine, gone when the run is over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import UsageError
from sandbox.removal import Removals


@contextmanager
def scratch_folder(folder: Path) -> Iterator[Path]:
    """Make the run's own folder and remove it in the end.

    Raises:
        UsageError: When it can't be made.
    """
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise UsageError(
            f"Could not create {folder} ({error.strerror}); set FIXPOINT_DATA to a writable folder."
        ) from error
    try:
        yield folder
    finally:
        removed = folder.parent / "removed"
        removed.mkdir(exist_ok=True)
        Removals().start(folder.rename(removed / folder.name))
