"""Find what in an untrusted work tree would stop git, or fill the host, when it is stored."""

from __future__ import annotations

import os
import stat
import unicodedata
from asyncio.subprocess import DEVNULL
from collections.abc import Iterable, Iterator
from pathlib import Path

from sandbox.git.process import GitError
from sandbox.spawn import finished

LARGEST_FILE = 100 * 2**20
"""Bytes; GitHub takes no larger one: https://docs.github.com/repositories/working-with-files."""

LARGEST_TREE = 2 * 2**30
"""Bytes of all files that the repository does not track yet."""


_LARGEST_RULES = 8
"""MiB of one file from which git reads its rules: it reads them whole into memory."""

_PIPES = ("-name", ".git*", "!", "-type", "f", "!", "-type", "l", "!", "-type", "d")
_RULES = ("-name", ".gitignore", "-o", "-name", ".gitattributes", "-o", "-name", ".gitmodules")
_LARGE = ("-type", "f", "-size", f"+{_LARGEST_RULES}M", "(", *_RULES, ")")


async def refuse_rules(work_tree: Path) -> None:
    """Refuse a tree in which git would wait for ever, or fill the memory: it reads its rules unseen.

    Raises:
        GitError: With the name of the first pipe, socket or device that stands in for a file
            from which git reads its rules, or of the first such file that is too large.
    """
    _, found, _ = await finished(
        *("find", str(work_tree.absolute()), "(", *_PIPES, "-o", *_LARGE, ")"),
        *("-printf", "%y%P", "-quit"),
        stderr=DEVNULL,  # git itself complains of folders that can't be read
        env={"PATH": os.defpath},
    )
    kind, name = os.fsdecode(found[:1]), os.fsdecode(found[1:])
    if kind == "f":
        raise GitError(
            f"The commands left {name!r} in the work tree, from which git reads its rules, and it is "
            f"larger than {_LARGEST_RULES} MiB: make them remove it."
        )
    if found:
        raise GitError(
            f"The commands left {name!r} in the work tree, which is a pipe, a socket or "
            "a device where git reads its rules: make them remove it."
        )


async def odd_file(*places: Path) -> Path | None:
    """Return the first thing in files and folders that is neither, such as a link or a pipe.

    Places that are not there have none.
    """
    there = [str(place.absolute()) for place in places if os.path.lexists(place)]
    if not there:
        return None
    _, found, _ = await finished(
        *("find", "-P", *there, "!", "-type", "f", "!", "-type", "d", "-print0", "-quit"),
        stderr=DEVNULL,
        env={"PATH": os.defpath},
    )
    return Path(os.fsdecode(found.rstrip(b"\0"))) if found else None


def is_line(name: str) -> bool:
    """Whether a name is text without control characters: a new file's could not be shown as it is.

    A newline in a name ends a line of whatever lists files, and GitHub's API takes text alone; no
    program's source needs anything else.
    """
    return not any(unicodedata.category(item) in {"Cc", "Cs", "Zl", "Zp"} for item in name)


def sorted_out(work_tree: Path, names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the names that are files and links, and those that are something else, or nothing.

    What lies behind a link is not in the work tree.
    """
    root = str(work_tree)
    folders: dict[str, bool] = {"": True}

    def is_folder(name: str) -> bool:
        if name not in folders:
            folders[name] = is_folder(name.rpartition("/")[0]) and stat.S_ISDIR(mode_of(name))
        return folders[name]

    def mode_of(name: str) -> int:
        try:
            return os.lstat(f"{root}/{name}").st_mode
        except OSError:  # it is gone, or its name is too long for anybody
            return 0

    here: list[str] = []
    gone: list[str] = []
    for name in names:
        mode = mode_of(name) if is_folder(name.rpartition("/")[0]) else 0
        (here if stat.S_ISREG(mode) or stat.S_ISLNK(mode) else gone).append(name)
    return here, gone


def too_large(work_tree: Path, untracked: Iterable[str]) -> Iterator[str]:
    """Yield the untracked files that are left out of every tree, because nobody could push them.

    Raises:
        GitError: All the others together are larger than `LARGEST_TREE`.
    """
    total = 0
    for name in untracked:
        try:
            found = (work_tree / name).lstat()
        except OSError:
            continue  # it is gone again, or its name is too long for anybody
        if found.st_size > LARGEST_FILE:
            yield name
        else:
            total += found.st_size
    if total > LARGEST_TREE:
        raise GitError(
            f"The commands left {total // 2**20} MiB of new files in the work tree: make them "
            "clean up, or add the files to .gitignore."
        )
