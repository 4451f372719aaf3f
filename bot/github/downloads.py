"""Download what GitHub keeps in a storage on another host: logs and artifacts.

GitHub answers such a request with an address that is signed and good for a minute. Our token goes
to GitHub alone, never to that host. https://docs.github.com/en/rest/actions/workflow-jobs
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field
from typing import Protocol

from bot.errors import GitHubError

PIECE = 64 * 1024
"""Bytes that are handed on at once."""

LARGEST_ARCHIVE = 64 * 2**20
"""Bytes of an archive that is read; a bigger one is left alone, and said."""

LARGEST_MEMBER = 32 * 2**20
"""Bytes of one unpacked file of an archive."""

MOST_MEMBERS = 2_000
"""Files of an archive that are looked at."""


class TooLarge(GitHubError):
    """A download is bigger than what is read."""


class Sink(Protocol):
    """Takes the bytes of a download, piece by piece."""

    def feed(self, piece: bytes) -> None:
        """Take the next bytes; may raise `TooLarge` to end the download."""
        ...


@dataclass
class Archive:
    """A zip on its way in, kept in memory up to a limit.

    Attributes:
        name: What it is, for the error.
        limit: Bytes.
    """

    name: str
    limit: int = LARGEST_ARCHIVE
    _data: bytearray = field(default_factory=bytearray)

    def feed(self, piece: bytes) -> None:
        """Take the next bytes.

        Raises:
            TooLarge: When they are too many.
        """
        self._data += piece
        if len(self._data) > self.limit:
            raise TooLarge(
                f"{self.name} is larger than {self.limit // 2**20} MiB and was not read."
            )

    @property
    def data(self) -> bytes:
        """The zip as it came."""
        return bytes(self._data)

    def files(self, suffix: str) -> dict[str, bytes]:
        """Return its files with that ending by name; nothing when it is no zip.

        What unpacks to more than `LARGEST_MEMBER`, or claims less than it has, is left out.
        """
        try:
            with zipfile.ZipFile(io.BytesIO(self._data)) as opened:
                members = opened.infolist()[:MOST_MEMBERS]
                wanted = [m for m in members if m.filename.lower().endswith(suffix)]
                return {m.filename: data for m in wanted if (data := _read(opened, m)) is not None}
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError):
            return {}


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes | None:
    if member.file_size > LARGEST_MEMBER:
        return None
    with archive.open(member) as opened:
        data = opened.read(LARGEST_MEMBER + 1)
    return data if len(data) <= LARGEST_MEMBER else None
