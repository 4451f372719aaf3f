"""Keep what a local repository's work tree looks like now, without touching it."""

from __future__ import annotations

from pathlib import Path

from sandbox.git.objects import ObjectStore
from sandbox.git.process import text


async def freeze(repository: Path, store: ObjectStore) -> tuple[str, bool]:
    """Store what a local repository's work tree looks like now, as a commit of `store`.

    Tracked, changed and untracked files count, ignored ones do not. Neither the repository nor
    its index is written to.

    Returns:
        The commit's id, and whether the work tree differs from `HEAD` (then the commit is new).

    Raises:
        GitError: When the directory is no git repository, or has no commit.
    """
    root = Path(await text("rev-parse", "--show-toplevel", cwd=repository))
    head = await text("rev-parse", "--verify", "HEAD^{commit}", cwd=root)
    objects = Path(await text("rev-parse", "--git-path", "objects", cwd=root))
    await store.create(borrow_from=(root / objects).resolve())
    await _borrow_settings(root, store)
    head_tree = await store.tree_of(head)
    tree = await store.write_tree(root, base=head)
    if tree == head_tree:
        return head, False
    return await store.commit(tree, parents=[head], message="Work tree as found"), True


async def _borrow_settings(root: Path, store: ObjectStore) -> None:
    """Take over tags, where a shallow clone ends, and what its owner excludes without a file."""
    shallow = root / await text("rev-parse", "--git-path", "shallow", cwd=root)
    if shallow.is_file():
        (store.directory / "shallow").write_bytes(shallow.read_bytes())
    excluded = root / await text("rev-parse", "--git-path", "info/exclude", cwd=root)
    if excluded.is_file():
        store.exclude(excluded.read_text("utf-8", "surrogateescape").splitlines())
    await store.fetch(f"file://{root}")
