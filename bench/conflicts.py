"""How much of what conflicts for git merges line by line, and whether that is what people committed.

    python -m bench.conflicts --mirrors DIR [--most N] REPOSITORY [REPOSITORY ...]

A case is a file that conflicted in a merge of a public project, whose commit shows how people
resolved it. The side that was merged is taken for a repair whose base has moved to the other side.
Nothing is run: what a verifier would say of a merge is not known here.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from bench.case import mirror_of
from bench.tables import print_table
from bot.model import Patch
from bot.model.memory import Became, FailureSignature, TriedRepair
from bot.repair.memory.repair_merge import merged_into
from bot.repair.workspace.patches import patch_between
from sandbox.git import GitError, ObjectStore, git

MOST = 500
"""Merges of a project that are looked at, newest first."""

_REPAIR = TriedRepair(
    "bench-1", "bench", FailureSignature(""), "memory", "", Patch(), (), Became.VERIFIED,
    datetime(2026, 1, 1, tzinfo=UTC),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file that conflicted: commits where both parted, of both, and of the merge."""

    path: str
    parted: str
    ours: str
    theirs: str
    merge: str


async def conflicts(store: ObjectStore, head: str, most: int) -> AsyncIterator[Conflict | None]:
    """Yield the conflicts of a project's merges, and None for each merge that was looked at."""
    listed = await _ask(store, "rev-list", "--merges", "--parents", f"--max-count={most}", head)
    for line in listed.splitlines():
        merge, *parents = line.split()
        if len(parents) != len(("ours", "theirs")):
            continue
        yield None
        ours, theirs = parents
        try:
            parted = await _ask(store, "merge-base", ours, theirs)
        except GitError:  # histories without a common beginning
            continue
        try:
            await _ask(store, "merge-tree", "--write-tree", ours, theirs)
        except GitError:
            for path in await _conflicting(store, parted, ours, theirs):
                yield Conflict(path, parted, ours, theirs, merge)


async def _conflicting(store: ObjectStore, parted: str, ours: str, theirs: str) -> list[str]:
    """Return files that both sides changed and that don't merge, where all versions are there."""
    sides = [
        {change.path: change for change in await store.changes(parted, side)}
        for side in (ours, theirs)
    ]
    both = [path for path, change in sides[0].items() if path in sides[1] and change.blob_before]
    found = []
    for path in both:
        blobs = [side[path].blob for side in sides]
        before = sides[0][path].blob_before
        if None in blobs or before is None or blobs[0] == blobs[1]:
            continue
        texts = [await store.blob(item) for item in (before, *filter(None, blobs))]
        if any(b"\0" in text for text in texts):
            continue
        repair = await _repair(store, Conflict(path, parted, ours, theirs, ""))
        try:
            await store.merge(ours, repair.patch.data, [content for _, content in repair.before])
        except GitError:
            found.append(path)
    return found


async def _repair(store: ObjectStore, conflict: Conflict) -> TriedRepair:
    patch = await patch_between(store, conflict.parted, conflict.theirs, (conflict.path,))
    before = await store.files(conflict.parted, patch.files)
    return replace(_REPAIR, patch=patch, before=tuple(before.items()))


async def look(store: ObjectStore, head: str, most: int) -> Counter[str]:
    """Return how the conflicts of one project merge."""
    counts: Counter[str] = Counter()
    async for conflict in conflicts(store, head, most):
        if conflict is None:
            counts["merges"] += 1
            continue
        counts["files"] += 1
        merged = await merged_into(store, conflict.ours, await _repair(store, conflict))
        if merged is None or merged.left_out:
            continue
        counts["whole"] += 1
        committed = await store.show(conflict.merge, conflict.path)
        counts["as committed"] += await store.show(merged.tree, conflict.path) == committed
    return counts


async def main(mirrors: Path, repositories: list[str], most: int) -> None:
    """Print a row for each project."""
    rows, total = [], Counter[str]()
    columns = ("merges", "files", "whole", "as committed")
    for name in repositories:
        mirror = mirror_of(name, mirrors.absolute())
        with tempfile.TemporaryDirectory() as scratch:
            store = ObjectStore(Path(scratch, "repo.git"))
            await store.create(borrow_from=mirror / "objects")
            head = (await git("rev-parse", "HEAD", git_dir=mirror)).decode().strip()
            counts = await look(store, head, most)
        total += counts
        rows.append((name, *(str(counts[column]) for column in columns)))
    rows.append(("all", *(str(total[column]) for column in columns)))
    print_table("Conflicting files", ("Project", *columns), rows)


async def _ask(store: ObjectStore, *arguments: str) -> str:
    return (await git(*arguments, git_dir=store.directory)).decode().strip()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--most", type=int, default=MOST)
    parser.add_argument("repositories", nargs="+")
    given = parser.parse_args()
    asyncio.run(main(given.mirrors, given.repositories, given.most))
