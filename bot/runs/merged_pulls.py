"""Note that a pull request of ours was merged, with what was merged: people may have changed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.github.github import GitHub
from bot.model import Patch
from bot.model.memory import TriedRepair
from bot.model.repository import Repo
from bot.redaction import Redactor
from bot.repair.memory.entries import plain_files, without_secrets
from bot.repair.workspace.patches import patch_between
from bot.storage.memory_rows import changed_lines
from bot.storage.stores import Stores
from sandbox.git import EMPTY_TREE, ObjectStore, PatchDoesNotApply
from sandbox.scratch import scratch_folder

MOST_FILES = 50
"""Files of a pull request that are read; of one that changes more, no patch is kept as merged."""

Files = Mapping[str, bytes | None]
"""Contents by path; None where there is no such file."""


@dataclass(frozen=True, slots=True)
class _Whole:
    """What a pull request changes as a whole.

    Attributes:
        patch: Empty where it holds a secret.
        before: The files as they were.
    """

    patch: Patch
    before: tuple[tuple[str, bytes], ...]


class MergedPulls:
    """Keeps what was merged; noting the same merge again changes nothing."""

    def __init__(self, github: GitHub, stores: Stores, redactor: Redactor) -> None:
        self._github = github
        self._outcomes = stores.outcomes
        self._memory = stores.pull_memory
        self._redactor = redactor

    async def merged(self, repo: Repo, number: int, merge_commit: str) -> bool:
        """Note that a pull request was merged; return whether it has a repair.

        Where it holds other changes than a run proposed, because a later run or a person went on
        with it, that run's patch is superseded, and the pull request's is kept as what was merged.

        Raises:
            GitHubError: When GitHub does not tell what was merged.
            StorageError: When the database fails.
        """
        tried = await self._memory.undecided(repo, number)
        superseded = await self._replaced(repo, number, tried, merge_commit) if tried else ()
        return await self._outcomes.closed(
            repo, number, merge_commit=merge_commit, superseded=superseded
        )

    async def _replaced(
        self, repo: Repo, number: int, tried: Sequence[TriedRepair], merge_commit: str
    ) -> tuple[str, ...]:
        """Keep the pull request's own patch; return the ids of the entries that have another one."""
        pull = await self._github.pull_request(repo, number)
        if [repair.commit for repair in tried] == [pull.head_sha]:
            return ()
        base = await self._github.first_parent(repo, merge_commit)
        whole = await self._whole(repo, base, pull.head_sha, tried)
        lines = None if whole is None else changed_lines(whole.patch)
        others = [repair for repair in tried if changed_lines(repair.patch) != lines]
        has_it = {repair.signature.fingerprint for repair in tried if repair not in others}
        newest = {repair.signature.fingerprint: repair for repair in others}
        for fingerprint, repair in newest.items():
            if whole is not None and whole.patch and fingerprint not in has_it:
                await self._memory.keep_as_merged(repair, whole.patch, whole.before, pull.head_sha)
        return tuple(repair.id for repair in others)

    async def _whole(
        self, repo: Repo, base: str, head: str, tried: Sequence[TriedRepair]
    ) -> _Whole | None:
        """Return what a head changes since it parted from its base; None for too much."""
        compared = await self._github.compared(repo, base, head)
        paths = sorted(
            {*compared.files, *(path for repair in tried for path in repair.patch.files)}
        )
        if len(paths) > MOST_FILES:
            return None
        before = await self._files(repo, paths, compared.parted)
        after = await self._files(repo, paths, head)
        with scratch_folder("merged") as folder:
            store = ObjectStore(Path(folder) / "repo.git")
            await store.create()
            patch = await merged_patch(store, before, after, [repair.patch for repair in tried])
        there = {path: data for path, data in before.items() if data is not None}
        changed = {path: there[path] for path in patch.files if path in there}
        return _Whole(without_secrets(patch, self._redactor), plain_files(changed, self._redactor))

    async def _files(self, repo: Repo, paths: Sequence[str], commit: str) -> Files:
        return {path: await self._github.read_file(repo, path, commit) for path in paths}


async def merged_patch(
    store: ObjectStore, before: Files, after: Files, proposed: Sequence[Patch]
) -> Patch:
    """Return the difference of files, with the modes that one of the proposed patches gives new ones."""
    old = await store.overlaid(EMPTY_TREE, before)
    like = old
    for patch in proposed:
        with suppress(PatchDoesNotApply):
            like = await store.apply(like, patch.data)
    return await patch_between(store, old, await store.overlaid(like, after))
