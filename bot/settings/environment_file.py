"""The file `.env`: settings of a server, as systemd, Docker, Compose and shells read them, too."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, MutableMapping
from pathlib import Path

from bot.errors import UsageError

NAME = ".env"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def environment_files(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Return where settings may stand: in the working directory, and in the folder of the data."""
    data = environ.get("FIXPOINT_DATA", "").strip()
    return (Path(NAME), Path(data).expanduser() / NAME) if data else (Path(NAME),)


def add_environment_files(environ: MutableMapping[str, str]) -> None:
    """Add what the files say; what is set already stays, and so does what an earlier file said.

    A file that other users can read or change is refused: it holds secrets, and whoever changes it
    decides what the server runs. So one that came with a clone is never read by accident.

    Raises:
        UsageError: When a file is open to others, or can't be read.
    """
    for path in environment_files(environ):
        try:
            found = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise UsageError(f"{path} can't be read: {error.strerror}.") from error
        if found.st_mode & _OTHERS or found.st_uid not in {os.geteuid(), 0}:
            raise UsageError(
                f"{path.absolute()} holds settings, and other users of this machine can read or "
                f"change it. Run `chmod 600 {path}`, or start Fixpoint in another folder."
            )
        for name, value in _read(path).items():
            environ.setdefault(name, value)


def write_settings(path: Path, values: Mapping[str, str]) -> None:
    """Set variables in a file that only its owner reads; its other lines stay as they are.

    No value needs quotes, which not all readers of such files understand.

    Raises:
        UsageError: When it can't be written; the file is as it was.
    """
    given = [f"{name}={value}\n" for name, value in values.items()]
    beside = path.with_name(f"{path.name}.new")
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        kept = [f"{line}\n" for line in lines if _name(line) not in values]
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.unlink(missing_ok=True)
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.writelines([*kept, *given])
        beside.replace(path)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path.absolute()} can't be written: {error}.") from error


def _name(line: str) -> str:
    """Return the variable that a line sets."""
    return line.partition("=")[0].strip().removeprefix("export ").strip()


def _read(path: Path) -> dict[str, str]:
    from dotenv import dotenv_values

    try:
        found = dotenv_values(path, interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path.absolute()} can't be read: {error}.") from error
    return {name: value for name, value in found.items() if value is not None}
