"""Keep what a local repository's work tree looks like now, without touching it."""

from __future__ import annotations

from pathlib import Path

from sandbox.git.extent import refuse_far_too_much
from sandbox.git.foreign import ForeignRepository, foreign
from sandbox.git.layout import RepositoryRefused
from sandbox.git.objects import ObjectStore

_TAGS = ("for-each-ref", "--format=%(refname) %(objectname)", "refs/tags")


async def freeze(repository: Path, store: ObjectStore) -> tuple[str, bool]:
    """Store what a local repository's work tree looks like now, as a commit of `store`.

    Tracked, changed and untracked files count, ignored ones do not. Neither the repository nor
    its index is written to.

    Returns:
        The commit's id, and whether the work tree differs from `HEAD` (then the commit is new).

    Raises:
        GitError: When the directory is no git repository, or has no commit.
        RepositoryRefused: When the repository is of a kind that is not read.
    """
    async with foreign(repository) as theirs:
        head = await theirs.head()
        await store.create(borrow_from=theirs.objects)
        await _take_over(theirs, store)
        if theirs.is_partial and await store.lacks(head):
            raise RepositoryRefused(
                f"{theirs.root} is a partial clone, and files of its commit are still on the "
                "server, which is never asked for them. Clone it without `--filter`."
            )
        await refuse_far_too_much(store.directory, head)
        tree = await store.write_tree(theirs.root, base=head)
    if tree == await store.tree_of(head):
        return head, False
    return await store.commit(tree, parents=[head], message="Work tree as found"), True


async def _take_over(theirs: ForeignRepository, store: ObjectStore) -> None:
    """Take over tags, where a shallow clone ends, and what its owner excludes without a file."""
    if theirs.shallow:
        (store.directory / "shallow").write_bytes(theirs.shallow)
    store.exclude(theirs.exclude.decode("utf-8", "surrogateescape").splitlines())
    tags = (await theirs.git(*_TAGS)).decode("utf-8", "surrogateescape").splitlines()
    await store.refer(dict(tag.split(" ") for tag in tags))
