"""Tell at once that a process which used the same SQLite file has ended.

Each holds a lock on a file of its own beside the database, which the kernel lets go of with the
process, however that ends. Processes of one SQLite database are on one machine anyway.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from pydantic import SecretStr
from sqlalchemy import make_url


class ServerLocks:
    """The lock files of one database; none on PostgreSQL, where only missing beats tell."""

    def __init__(self, folder: Path | None, own: str) -> None:
        """Keep them in `folder`, for the process of the id `own`."""
        self._folder = folder
        self.own = own
        self._held: int | None = None

    @classmethod
    def of(cls, url: SecretStr, own: str) -> Self:
        """Return the locks of a database."""
        parsed = make_url(url.get_secret_value())
        if parsed.get_backend_name() != "sqlite" or not parsed.database:
            return cls(None, own)
        return cls(Path(f"{parsed.database}.servers"), own)

    def hold(self) -> None:
        """Take this process's lock."""
        if self._folder is None:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Not `flock`, which a forked process would go on holding.
        self._held = os.open(self._folder / self.own, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.lockf(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def ended(self, ids: Iterable[str]) -> frozenset[str]:
        """Return which of these processes have ended for certain."""
        if self._folder is None:
            return frozenset()
        return frozenset(item for item in ids if item != self.own and self._is_free(item))

    def clear(self, server_id: str) -> None:
        """Remove the file of a process that has ended."""
        if self._folder is not None:
            (self._folder / server_id).unlink(missing_ok=True)

    def release(self) -> None:
        """Let go of this process's lock."""
        if self._held is not None:
            self.clear(self.own)
            os.close(self._held)
            self._held = None

    def _is_free(self, server_id: str) -> bool:
        if self._folder is None:
            return False
        try:
            file = os.open(self._folder / server_id, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return True
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        else:
            return True
        finally:
            os.close(file)
