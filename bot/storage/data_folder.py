"""Make the data folder: it holds what people wrote in private repositories, and their source."""

from __future__ import annotations

from pathlib import Path

from bot.errors import UsageError


def make_data_folder(folder: Path) -> Path:
    """Return the folder, made for this user alone unless it is there already.

    Raises:
        UsageError: When it can't be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"Could not create {folder} ({error.strerror}). Set FIXPOINT_DATA to a writable folder."
        ) from error
    return folder
