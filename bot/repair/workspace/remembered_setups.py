"""Remember what the setup of a repository lacked, so that the next run starts with it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path

from bot.ecosystems.missing import Remedy
from bot.model import Commands

MOST_KEPT = 200
"""Repositories that are remembered; the one that was not used for longest goes first."""

OLDEST = 30 * 86_400.0
"""Seconds after which it is found out anew: what a project needs moves on."""


@dataclass(frozen=True, slots=True)
class RememberedSetup:
    """What one run found out.

    Attributes:
        commit: Of the run, 40 hex digits.
        remedies: In the order in which they were found.
    """

    commit: str
    remedies: tuple[Remedy, ...]


class RememberedSetups:
    """A file for each repository and the commands that were detected in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def recall(self, identity: str, detected: Commands) -> RememberedSetup | None:
        """Return what the last run found missing after these commands, if anything."""
        return await asyncio.to_thread(self._read, self._file(identity, detected))

    async def keep(self, identity: str, detected: Commands, found: RememberedSetup) -> None:
        """Remember it in place of what was known."""
        await asyncio.to_thread(self._write, self._file(identity, detected), found)

    async def forget(self, identity: str, detected: Commands) -> None:
        """Drop what turned out to be of no use."""
        file = self._file(identity, detected)
        await asyncio.to_thread(file.unlink, missing_ok=True)

    def _file(self, identity: str, detected: Commands) -> Path:
        parts = (identity, *detected.setup, detected.test)
        digest = hashlib.sha256(json.dumps(parts).encode(errors="surrogateescape"))
        return self._folder / f"{digest.hexdigest()[:32]}.json"

    def _read(self, file: Path) -> RememberedSetup | None:
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
            if time.time() - kept["made"] > OLDEST:
                return None
            return RememberedSetup(kept["commit"], tuple(map(_remedy, kept["remedies"])))
        except (OSError, ValueError, KeyError, TypeError):
            return None  # nothing was kept, or the file is no use: it is found out anew

    def _write(self, file: Path, found: RememberedSetup) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept = {
            "commit": found.commit,
            "made": time.time(),
            "remedies": [asdict(remedy) for remedy in found.remedies],
        }
        passing = self._folder / f"{file.stem}.{uuid.uuid4().hex}.passing"
        passing.write_text(json.dumps(kept), encoding="utf-8")
        passing.replace(file)
        files = sorted(self._folder.glob("*.json"), key=lambda kept: kept.stat().st_mtime)
        for old in files[: max(0, len(files) - MOST_KEPT)]:
            old.unlink(missing_ok=True)


def _remedy(kept: dict[str, object]) -> Remedy:
    """Return a remedy of JSON, in which tuples are lists."""
    values = dict(kept)
    values["setup"] = tuple(kept["setup"])  # type: ignore[arg-type]
    values["instead"] = tuple(kept["instead"]) if kept["instead"] else None  # type: ignore[arg-type]
    values["variables"] = tuple((name, value) for name, value in kept["variables"])  # type: ignore[attr-defined]
    return Remedy(**values)  # type: ignore[arg-type]
