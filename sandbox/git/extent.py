"""Find out whether a commit has far too much in it before it is written to the host's disk.

A tree that names itself ten times, and that ten times more, has a billion files in a few objects:
https://kate.io/blog/git-bomb. So entries are counted as git lists them, and no further than need be.
"""

from __future__ import annotations

from pathlib import Path

from sandbox.git.layout import RepositoryRefused
from sandbox.git.process import GitError, environment
from sandbox.spawn import finished_early

MOST_FILES = 1_000_000
"""Several times those of the largest public repositories."""

MOST_BYTES = 20 * 2**30
"""Of all files; what a sandbox may hold."""

_FILE = b"blob"


async def refuse_far_too_much(
    git_dir: Path, commit: str, *, files: int = MOST_FILES, size: int = MOST_BYTES
) -> None:
    """Refuse a commit whose files would fill the host.

    Args:
        git_dir: A repository that was made here.
        commit: Or a tree.
        files: How many are too many.
        size: Of all of them together, in bytes.

    Raises:
        RepositoryRefused: It has more; the text is a sentence.
        GitError: It can't be listed.
    """
    count, total = 0, 0
    rest = b""

    def is_enough(piece: bytes) -> bool:
        nonlocal count, total, rest
        *entries, rest = (rest + piece).split(b"\0")
        for entry in entries:
            _, kind, _, length = entry.partition(b"\t")[0].split()
            if kind == _FILE:
                count += 1
                total += int(length) if length.isdigit() else 0  # one that is missing has none
        return count > files or total > size

    code, err = await finished_early(
        *("git", "ls-tree", "-r", "-l", "-z", commit),
        env=environment({"GIT_DIR": str(git_dir.absolute())}),
        cwd=Path("/"),
        is_enough=is_enough,
    )
    if count > files:
        raise RepositoryRefused(f"The commit has more than {files:,} files, so it is not read.")
    if total > size:
        raise RepositoryRefused(
            f"The files of the commit have more than {size >> 20:,} MiB, so it is not read."
        )
    if code:
        raise GitError(f"git ls-tree failed: {err.decode('utf-8', 'replace').strip()[-2000:]}")
