"""Find out whether a commit has far too much in it before it is written to the host's disk.

A tree that names itself ten times, and that ten times more, has a billion files in a few objects:
https://kate.io/blog/git-bomb. So entries are counted as git lists them, and no further than need be.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from sandbox.git.layout import RepositoryRefused
from sandbox.git.process import GitError, environment, git
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
    found = await _files(git_dir, commit, files)
    if found.total() > files:
        raise RepositoryRefused(f"The commit has more than {files:,} files, so it is not read.")
    if await _bytes(git_dir, found) > size:
        raise RepositoryRefused(
            f"The files of the commit have more than {size >> 20:,} MiB, so it is not read."
        )


async def _files(git_dir: Path, tree: str, most: int) -> Counter[bytes]:
    """Return how many files have which content, by its id; of far too many, the first ones."""
    found: Counter[bytes] = Counter()
    rest = b""

    def is_enough(piece: bytes) -> bool:
        nonlocal rest
        *entries, rest = (rest + piece).split(b"\0")
        words = (entry.split(b"\t", 1)[0].split(b" ") for entry in entries)
        found.update(one for _, kind, one in words if kind == _FILE)
        return found.total() > most

    code, err = await finished_early(
        *("git", "ls-tree", "-r", "-z", tree),
        env=environment({"GIT_DIR": str(git_dir.absolute())}),
        cwd=Path("/"),
        is_enough=is_enough,
    )
    if code and found.total() <= most:
        raise GitError(f"git ls-tree failed: {err.decode('utf-8', 'replace').strip()[-2000:]}")
    return found


async def _bytes(git_dir: Path, found: Counter[bytes]) -> int:
    """Return the size of all files together; those that are missing have none."""
    asked = b"".join(one + b"\n" for one in found)
    batch = ("cat-file", "--batch-check=%(objectname) %(objectsize)")
    said = (await git(*batch, git_dir=git_dir, stdin=asked)).splitlines()
    words = (line.split(b" ") for line in said)
    return sum(found[one] * int(size) for one, size in words if size.isdigit())
