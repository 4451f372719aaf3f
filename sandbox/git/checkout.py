"""Make a commit of a repository of ours a repository of its own, with its work tree.

A large one shares files with what is there already, by hard links: packs with the mirror that they
were fetched into, and the work tree with an older one. Nobody writes to any of them: git replaces
files as a whole.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sandbox.git.index_stamps import restamp
from sandbox.git.process import GitError, git
from sandbox.spawn import finished

ALL_TAGS = "+refs/tags/*:refs/tags/*"

_REF = "refs/fixpoint/head"
_MAIN = "refs/heads/main"

_ALL_CORES = (("checkout.workers", "0"),)
"""Files of a large tree are written by as many processes as there are cores."""


@dataclass(frozen=True, slots=True)
class CommitCheckout:
    """A commit on its way to a folder of its own.

    Attributes:
        source: The repository that has it.
        commit: The commit.
        place: The folder, which does not exist yet.
        full_history: Whether it gets all of the history that is there, and the tags.
    """

    source: Path
    commit: str
    place: Path
    full_history: bool

    async def make(self, *, linked: bool) -> None:
        """Make it; if `linked`, its packs may be those that the source borrows."""
        git_dir = self.place / ".git"
        await git("init", "--quiet", "--template=", "--initial-branch=main", str(self.place))
        packs = await self._borrowed_packs() if linked else ()
        if packs:
            await asyncio.to_thread(link_all, packs, git_dir / "objects" / "pack")
            copy_cut(self.source, git_dir)
            await git("update-ref", _MAIN, self.commit, git_dir=git_dir)
        else:
            await self._copy_history()
        # whoever copies the files or owns them by another name, git need not read them all again
        await git("config", "core.checkStat", "minimal", git_dir=git_dir)
        await self._reset()

    async def follow(self, like: Path) -> None:
        """Make it of an older work tree's files, and of what was changed since."""
        argv = ("cp", "-al", "--", str(like), str(self.place))
        code, _, said = await finished(*argv, env={"PATH": os.defpath})
        if code:
            raise GitError(f"cp failed: {said.decode('utf-8', 'replace').strip()}")
        # the only files of git's that are not replaced as a whole when they change
        await asyncio.to_thread(shutil.rmtree, self.place / ".git" / "logs", ignore_errors=True)
        await self._copy_history()
        await self._reset()
        for tree in (like, self.place):
            await asyncio.to_thread(restamp, tree / ".git" / "index", tree)

    async def _copy_history(self) -> None:
        await git("update-ref", _REF, self.commit, git_dir=self.source)
        shallow, tags = ((), (ALL_TAGS,)) if self.full_history else (("--depth=1",), ())
        await git(
            "fetch", "--quiet", "--no-write-fetch-head", "--no-tags", "--update-shallow", "--update-head-ok", *shallow,
            f"file://{self.source.absolute()}", f"+{_REF}:{_MAIN}", *tags, git_dir=self.place / ".git",
        )  # fmt: skip

    async def _reset(self) -> None:
        start = ("reset", "--quiet", "--hard", _MAIN)
        git_dir = self.place / ".git"
        await git(*start, git_dir=git_dir, cwd=self.place, config=_ALL_CORES)

    async def _borrowed_packs(self) -> tuple[Path, ...]:
        """Return the files of the packs that are borrowed, where they are of one shallow fetch."""
        alternates = self.source / "objects" / "info" / "alternates"
        if not (self.source / "shallow").exists() or not alternates.exists():
            return ()
        lender = Path(alternates.read_text(encoding="utf-8").strip())
        refs = ("for-each-ref", "--format=%(objectname)")
        named = (await git(*refs, git_dir=lender.parent)).decode().split()
        return tuple((lender / "pack").glob("pack-*")) if set(named) == {self.commit} else ()


def copy_cut(source: Path, git_dir: Path) -> None:
    """End a repository's history where another one's does, if that ends early."""
    if (source / "shallow").exists():
        (git_dir / "shallow").write_bytes((source / "shallow").read_bytes())


def link_all(files: Iterable[Path], folder: Path) -> None:
    """Give files another name in a folder; where that can't be, copy them."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        try:
            os.link(file, folder / file.name)
        except OSError:  # another file system, or one without links
            shutil.copy2(file, folder / file.name)
