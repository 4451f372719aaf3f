"""Find where a repository keeps what git needs, following nothing that leads to another one.

Formats: https://git-scm.com/docs/gitrepository-layout.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from sandbox.git.process import GitError

MOST_BYTES = 16 * 2**20
"""Of a file that is read as a whole; a commit at which a shallow clone ends takes 41."""

_POINTER = b"gitdir:"


class RepositoryRefused(GitError):
    """A repository is not read for what it is made of; the text is a sentence of its own."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a repository keeps what.

    Attributes:
        root: Folder with its `.git`: its work tree.
        own: Git folder of this work tree.
        common: Git folder of all its work trees; usually the same.
    """

    root: Path
    own: Path
    common: Path

    @property
    def refers_back(self) -> bool:
        """Whether the git folder is part of the work tree's folder, or names it."""
        if self.own.is_relative_to(self.root):
            return True
        named = read_plain(self.own / "gitdir")
        return named is not None and _resolved(self.own, named) == self.root / ".git"


def layout_of(folder: Path) -> Layout:
    """Return the layout of the repository that a folder belongs to.

    Raises:
        GitError: It belongs to none.
        RepositoryRefused: Its `.git` leads to where nothing says that it belongs.
    """
    start = folder.resolve()
    root = next((at for at in (start, *start.parents) if os.path.lexists(at / ".git")), None)
    if root is None:
        raise GitError(f"{folder} is not a git repository")
    own = _git_folder(root)
    return Layout(root, own, _common(own))


def _git_folder(root: Path) -> Path:
    place = root / ".git"
    kind = place.lstat().st_mode
    if stat.S_ISDIR(kind):
        return place
    pointer = read_plain(place)
    if pointer is None or not pointer.startswith(_POINTER):
        raise GitError(f"{root} is not a git repository: its .git is no git folder")
    return _resolved(root, pointer.removeprefix(_POINTER))


def _common(own: Path) -> Path:
    """Return the git folder that a linked work tree shares; the other one has to hold it."""
    named = read_plain(own / "commondir")
    if named is None:
        return own
    common = _resolved(own, named)
    if own.parent != common / "worktrees":
        raise RepositoryRefused(
            f"{own} says that it belongs to {common}, which does not hold it. If that is right, "
            "run `git worktree repair` there."
        )
    return common


def read_plain(file: Path) -> bytes | None:
    """Return the content of a file that is one; None where nothing stands.

    Raises:
        RepositoryRefused: It is something else, or far too large.
    """
    try:
        opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RepositoryRefused(f"{file} can't be read: {error.strerror}.") from error
    with open(opened, "rb") as stream:  # noqa: PTH123 - of a descriptor
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise RepositoryRefused(f"{file} is not a file, so the repository is not read.")
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise RepositoryRefused(f"{file} is larger than {MOST_BYTES // 2**20} MiB.")
    return content


def _resolved(base: Path, named: bytes) -> Path:
    """Return the real path of what a file of git's names, relative to a folder."""
    return Path(os.path.realpath(base / os.fsdecode(named.strip())))
