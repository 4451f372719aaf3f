"""The option `--as-of`: the date of the packages that are installed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from bot.errors import UsageError
from sandbox.git import GitError, foreign

_COMMIT = "commit"


async def moment_of(text: str | None, repository: Path | None) -> datetime | None:
    """Return the moment that the option names, or None without it.

    Args:
        text: A date, a time with a date, or `commit` for the date of HEAD.
        repository: Whose HEAD; None for one that is not on this machine.

    Raises:
        UsageError: When it is no date.
    """
    if text is None:
        return None
    if text == _COMMIT and repository is None:
        raise UsageError("--as-of commit needs a local repository; use a date instead.")
    if text == _COMMIT and repository is not None:
        return _read(await _committed(repository), text)
    return _read(text, text)


async def _committed(repository: Path) -> str:
    """Return when HEAD was committed; nothing where there is none."""
    try:
        async with foreign(repository) as theirs:
            said = await theirs.git("log", "-1", "--format=%cI", "HEAD")
    except GitError:
        return ""
    return said.decode().strip()


def _read(date: str, given: str) -> datetime:
    try:
        moment = datetime.fromisoformat(date)
    except ValueError as error:
        raise UsageError(f"--as-of {given}: use a date such as 2026-01-31.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
