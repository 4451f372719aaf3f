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

from sandbox.git.hazards import is_line, refuse_rules, sorted_out, too_large
from sandbox.git.process import git

_SUBMODULE = b"160000 "


@dataclass(frozen=True, slots=True)
class WorkTree:
    """A work tree, the repository of ours that it is stored in, and an index for the time being.

    Attributes:
        folder: The work tree.
        git_dir: The repository.
        index: The index; where it is there already, files that are as it says need not be read.
        set_aside: Paths that the tree has as its base has them.
    """

    folder: Path
    git_dir: Path
    index: Path
    set_aside: frozenset[str] = frozenset()

    async def stored(self, base: str, force: Sequence[str]) -> str:
        """Return the id of its tree; see `ObjectStore.write_tree`.

        Raises:
            GitError: The tree would make git wait for ever, or holds far too much.
        """
        await refuse_rules(self.folder)
        await self._git("read-tree", *(("-m",) if self.index.exists() else ()), base)
        submodules = dict(_submodules(await self._git("ls-files", "--stage", "-z")))
        await self._enter((b"0" * 40 + b"\t" + path for path in submodules), mode=b"0 ")
        kept = [path for path in submodules if _is_folder(self.folder, os.fsdecode(path))]
        await self._take(await self._changed())
        await self._take(await self._untracked(kept))
        if force:
            await self._git("add", "--force", "--", *force)
        await self._enter((submodules[path] + b"\t" + path for path in kept), mode=_SUBMODULE)
        return (await self._git("write-tree")).decode().strip()

    async def _enter(self, entries: Iterable[bytes], *, mode: bytes) -> None:
        """Put entries into the index, or take them out by mode 0."""
        lines = b"".join(mode + entry + b"\0" for entry in entries)
        if lines:
            await self._git("update-index", "-z", "--index-info", stdin=lines)

    async def _take(self, names: Iterable[str]) -> None:
        """Put files and links into the index as they are now; what is none of these is gone.

        Names that would be git's own folder on some machine (`.GIT`, `git~1`) are passed over:
        `git update-index` ignores them, where `git add` fails.
        """
        here, gone = await asyncio.to_thread(sorted_out, self.folder, names)
        await self._enter((b"0" * 40 + b"\t" + os.fsencode(name) for name in gone), mode=b"0 ")
        if here:
            listed = b"".join(os.fsencode(name) + b"\0" for name in here)
            await self._git("update-index", "--add", "--remove", "-z", "--stdin", stdin=listed)

    async def _changed(self) -> list[str]:
        """Return the tracked files that may have changed."""
        listing = await self._git("diff-files", "--name-only", "--ignore-submodules", "-z")
        names = (os.fsdecode(name) for name in listing.split(b"\0") if name)
        return [name for name in names if name not in self.set_aside]

    async def _untracked(self, kept: Iterable[bytes]) -> list[str]:
        """Return new files, without repositories, far too large files and unprintable names."""
        below = [f":(exclude,literal){os.fsdecode(path)}" for path in kept]
        listing = await self._git(
            "ls-files", "--others", "--exclude-standard", "-z", "--", ".", *below
        )
        names = [os.fsdecode(name) for name in listing.split(b"\0") if name]
        files = [name for name in names if not name.endswith("/") and is_line(name)]
        out = set(await asyncio.to_thread(list, too_large(self.folder, files)))
        return [name for name in files if name not in out]

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
    for entry in listing.split(b"\0") if _SUBMODULE in listing else ():
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


def is_empty_folder(root: Path, path: str) -> bool:
    """Whether a path of a work tree leads to an empty folder, through no link and not outside."""
    return _is_plain(path) and _is_folder(root, path) and not any((root / path).iterdir())


def is_plain_file(root: Path, path: str) -> bool:
    """Whether a path of a work tree leads to a file, through no link and not outside."""
    folder = path.rpartition("/")[0]
    if not _is_plain(path) or (folder and not _is_folder(root, folder)):
        return False
    try:
        return stat.S_ISREG((root / path).lstat().st_mode)
    except OSError:
        return False


def _is_plain(path: str) -> bool:
    return all(part not in {"", ".", ".."} for part in path.split("/"))
