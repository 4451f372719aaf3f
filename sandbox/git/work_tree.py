"""Store an untrusted work tree as a tree, without git looking into repositories inside it.

For a submodule, `git add` runs `git status` in its folder, under the settings of whatever `.git`
stands there, and `.gitmodules` of the same tree has the last word on that. So git never has a
submodule in its index while it reads a work tree: they are taken out before, and put back after.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.git.hazards import refuse_pipes, too_large
from sandbox.git.process import git

_SUBMODULE = b"160000 "


@dataclass(frozen=True, slots=True)
class WorkTree:
    """A work tree, the repository of ours that it is stored in, and an index for the time being."""

    folder: Path
    git_dir: Path
    index: Path

    async def stored(self, base: str, force: Sequence[str]) -> str:
        """Return the id of its tree; see `ObjectStore.write_tree`.

        Raises:
            GitError: The tree would make git wait for ever, or holds far too much.
        """
        await refuse_pipes(self.folder)
        await self._git("read-tree", base)
        submodules = dict(_submodules(await self._git("ls-files", "--stage", "-z")))
        await self._enter((b"0" * 40 + b"\t" + path for path in submodules), mode=b"0 ")
        kept = [path for path in submodules if _is_folder(self.folder, os.fsdecode(path))]
        out = [*map(os.fsdecode, kept), *await self._left_out(kept)]
        await self._git("add", "--all", "--", ".", *(f":(exclude,literal){name}" for name in out))
        if force:
            await self._git("add", "--force", "--", *force)
        await self._enter((submodules[path] + b"\t" + path for path in kept), mode=_SUBMODULE)
        return (await self._git("write-tree")).decode().strip()

    async def _enter(self, entries: Iterable[bytes], *, mode: bytes) -> None:
        """Put entries into the index, or take them out by mode 0."""
        lines = b"".join(mode + entry + b"\0" for entry in entries)
        if lines:
            await self._git("update-index", "-z", "--index-info", stdin=lines)

    async def _left_out(self, kept: Iterable[bytes]) -> list[str]:
        """Return untracked repositories, and far too large files."""
        below = [f":(exclude,literal){os.fsdecode(path)}" for path in kept]
        listing = await self._git(
            "ls-files", "--others", "--exclude-standard", "-z", "--", ".", *below
        )
        names = [os.fsdecode(name) for name in listing.split(b"\0") if name]
        foreign = [name.rstrip("/") for name in names if name.endswith("/")]
        files = [name for name in names if not name.endswith("/")]
        return foreign + await asyncio.to_thread(list, too_large(self.folder, files))

    async def _git(self, *arguments: str, stdin: bytes | None = None) -> bytes:
        places: Mapping[str, str] = {
            "GIT_INDEX_FILE": str(self.index.absolute()),
            "GIT_WORK_TREE": str(self.folder.absolute()),
        }
        return await git(
            *arguments, git_dir=self.git_dir, cwd=self.folder, extra=places, stdin=stdin
        )


def _submodules(listing: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield path and commit of each submodule, as `ls-files --stage -z` lists them."""
    for entry in listing.split(b"\0"):
        if entry.startswith(_SUBMODULE):
            meta, path = entry.split(b"\t", 1)
            yield path, meta.split(b" ")[1]


def _is_folder(root: Path, path: str) -> bool:
    """Whether a path leads to a folder, and through no link."""
    place = root
    for part in path.split("/"):
        place /= part
        try:
            if not stat.S_ISDIR(place.lstat().st_mode):
                return False
        except OSError:
            return False
    return True
