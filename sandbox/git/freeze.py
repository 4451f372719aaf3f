"""Keep what a local repository's work tree looks like now, without touching it."""

from __future__ import annotations

from pathlib import Path

from sandbox.git.objects import ObjectStore
from sandbox.git.process import git

_PATHS = ("objects", "shallow", "info/exclude")
_COMMITS = ("HEAD^{commit}", "HEAD^{tree}")


async def freeze(repository: Path, store: ObjectStore) -> tuple[str, bool]:
    """Store what a local repository's work tree looks like now, as a commit of `store`.

    Tracked, changed and untracked files count, ignored ones do not. Neither the repository nor
    its index is written to.

    Returns:
        The commit's id, and whether the work tree differs from `HEAD` (then the commit is new).

    Raises:
        GitError: When the directory is no git repository, or has no commit.
    """
    asked = ("--show-toplevel", *(part for path in _PATHS for part in ("--git-path", path)))
    said = await git("rev-parse", *asked, *_COMMITS, cwd=repository)
    top, objects, shallow, exclude, head, head_tree = said.decode(
        "utf-8", "surrogateescape"
    ).splitlines()
    root = Path(top)
    await store.create(borrow_from=(repository / objects).resolve())
    await _borrow_settings(root, repository / shallow, repository / exclude, store)
    tree = await store.write_tree(root, base=head)
    if tree == head_tree:
        return head, False
    return await store.commit(tree, parents=[head], message="Work tree as found"), True


async def _borrow_settings(root: Path, shallow: Path, exclude: Path, store: ObjectStore) -> None:
    """Take over tags, where a shallow clone ends, and what its owner excludes without a file."""
    if shallow.is_file():
        (store.directory / "shallow").write_bytes(shallow.read_bytes())
    if exclude.is_file():
        store.exclude(exclude.read_text("utf-8", "surrogateescape").splitlines())
    await store.fetch(f"file://{root}")
