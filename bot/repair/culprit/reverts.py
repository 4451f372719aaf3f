"""Find the smallest part of the commits that broke it whose undoing makes the failing tests pass today.

The parts are those of the commit as it was made. What is taken back of it is merged three-way into
what came later, so lines that were changed since then are not lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.code.asserted_cases import TestCase, cases
from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.errors import BudgetExhausted
from bot.model import Patch, Proposal, Revert
from bot.model.culprit import Certainty, ChangedLines, Culprit, EventKind, WhatChanged
from bot.model.progress import Noticed
from bot.repair.culprit.commit_parts import smallest
from bot.repair.culprit.older_commits import UNNAMED, told_by
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.verification.candidate import changes_between
from bot.repair.verification.necessity.units import ChangePart, put_back, units_of
from bot.repair.workspace.patches import patch_between
from bot.reporting.reasons import revert as reasons
from bot.reporting.what_changed import WORK_TREE
from sandbox.git import Diff, ObjectStore, PatchDoesNotApply

_MOST_PARTS = 240
"""Of a commit; what else it has stays."""

_MOST_HUNKS = 64
"""That are taken apart; of a larger commit, only the lines that decided where it was made."""

_MOST_TRIES = 40
"""Each is a run of the failing tests."""


@dataclass(frozen=True, slots=True)
class _Commit:
    """A commit that broke tests.

    Attributes:
        culprit: It, with how that is known.
        tree: As it left it.
        files: The files that it changed, as it left them.
        parts: Of its change.
        tests: Those that it added or changed, each as its file and its name.
    """

    culprit: Culprit
    tree: str
    files: dict[str, bytes | None]
    parts: tuple[ChangePart, ...]
    tests: tuple[tuple[str, str], ...]

    @property
    def hunks(self) -> list[ChangePart]:
        return [part for part in self.parts if part.depth == 0]

    def statements(self, hunk: ChangePart) -> list[ChangePart]:
        """Return the statements and elements of a hunk; itself where it has but one."""
        found: list[ChangePart] = []
        for part in self.parts:
            apart = not any(part.overlaps(other) for other in found)
            if part.depth == 1 and hunk.holds(part) and self._has_own_lines(part) and apart:
                found.append(part)
        return found if len(found) > 1 else [hunk]

    def _has_own_lines(self, part: ChangePart) -> bool:
        data = self.files[part.file] or b""
        before, after = data[: part.start].rpartition(b"\n")[2], data[part.end :]
        return not before.strip() and not after.partition(b"\n")[0].strip()


_Undone = Sequence[tuple[int, ChangePart]]
"""Parts that are taken back together, each with the place of its commit."""


async def find_reverts(run: Run, context: RepairContext) -> None:
    """Have a run know what can be taken back of the commits that are proven to have broken it.

    Raises:
        RunStopped: When somebody stops it.
    """
    known, store = run.known, context.source.store
    if known.reverts is not None:
        return
    known.reverts = ()
    if len(await store.line(context.source.head, 2)) < 2:  # noqa: PLR2004 - a commit and one before it
        return
    found = known.what_changed or WhatChanged()
    culprits = [
        culprit
        for culprit in found.culprits
        if culprit.certainty is Certainty.PROVEN
        and culprit.event.kind is EventKind.COMMIT
        and culprit.event.title != WORK_TREE
    ]
    if not culprits:
        return
    undoing = _Undoing(run, context, [await _read(store, culprit) for culprit in culprits])
    try:
        known.reverts = await undoing.proposals()
    except BudgetExhausted as end:
        known.note(str(end))
        return
    if not known.reverts:
        known.note(*(reasons.entangled(culprit.event) for culprit in culprits))


async def _read(store: ObjectStore, culprit: Culprit) -> _Commit:
    before = await store.tree_of(culprit.event.before)
    tree = await store.tree_of(culprit.event.after)
    changes = await changes_between(store, before, tree)
    files = {change.path: change.after for change in changes}
    tests = tuple(test for change in changes for test in _tests_of(change))
    return _Commit(culprit, tree, files, units_of(changes, most=_MOST_PARTS), tests)


def _tests_of(change: FileDiff) -> Iterable[tuple[str, str]]:
    """Yield the tests that a change adds or changes."""
    if not is_test_file(change.path) or not change.is_readable or change.new is None:
        return
    before = cases(change.old) if change.old is not None else {}
    for name, case in cases(change.new).items():
        if name not in before or _said(before[name]) != _said(case):
            yield change.path, name


def _said(case: TestCase) -> tuple[object, ...]:
    return case.shape, tuple(value for _, value in case.values)


async def _undoing(
    store: ObjectStore, commit: _Commit, undone: Iterable[ChangePart], tree: str
) -> Diff:
    """Return the diff that takes parts of a commit back, with the paths that its files have in a later tree."""
    moved = await store.renamed(commit.tree, tree)
    files = put_back(undone, commit.files)
    there: dict[str, bytes | None] = {}
    for path in files:
        if path in moved:
            there |= {path: None, moved[path]: commit.files[path]}
    before = await store.overlaid(commit.tree, there)
    after = await store.overlaid(
        before, {moved.get(path, path): data for path, data in files.items()}
    )
    return await store.diff(before, after)


class _Undoing:
    """Looks for what is enough to take back."""

    def __init__(self, run: Run, context: RepairContext, commits: Sequence[_Commit]) -> None:
        self._run = run
        self._context = context
        self._commits = commits
        self._tries = 0

    async def proposals(self) -> tuple[Proposal, ...]:
        """Return patches with which the failing tests pass, the smallest first; none where no part is enough.

        Raises:
            BudgetExhausted: When the time is up.
            RunStopped: When somebody stops the run.
        """
        hunks = [(n, hunk) for n, each in enumerate(self._commits) for hunk in each.hunks]
        least = await self._least(hunks)
        if least is None:
            return ()
        rows = [least]
        statements = [(n, part) for n, hunk in least for part in self._commits[n].statements(hunk)]
        if len(statements) > len(least) and await self._is_enough(statements):
            rows.insert(0, await smallest(statements, self._is_enough))
        if len(hunks) > len(least) and await self._is_enough(hunks):
            rows.append(hunks)
        found: dict[bytes, Proposal] = {}
        for row in rows:
            patch = await self._patch(row)
            if patch:
                found.setdefault(patch.data, self._proposal(row, patch))
        return tuple(found.values())

    async def _least(self, hunks: _Undone) -> _Undone | None:
        """Return the hunks of which none can be left out; None where all together are not enough."""
        decided = [
            (n, hunk)
            for n, hunk in hunks
            if ChangedLines(hunk.file, hunk.line, hunk.end_line) in self._commits[n].culprit.lines
        ]
        if decided and await self._is_enough(decided):
            return decided
        if not hunks or len(hunks) > _MOST_HUNKS or not await self._is_enough(hunks):
            return None
        return await smallest(hunks, self._is_enough)

    async def _is_enough(self, undone: _Undone) -> bool:
        """Whether the failing tests pass with these parts taken back."""
        patch = await self._patch(undone) if self._tries < _MOST_TRIES else None
        if not patch:
            return False
        self._tries += 1
        run, seen = self._run, self._run.known.reproduction
        red = seen.observation if seen is not None else None
        if red is None:
            return False
        run.run_limits.check()
        run.listener(Noticed(reasons.trying(self._tries, len(undone))))
        told = await run.steps(
            f"revert: try {self._tries}",
            self._context.clean_room(run).passes,
            f"{run.job.run_id}-revert-{self._tries}", self._context.commands.failing, patch,
        )  # fmt: skip
        if isinstance(told, str):
            return False
        tests = tuple(sorted(red.failing_ids))
        return told_by(told, red, tests).passing >= frozenset(tests or (UNNAMED,))

    async def _patch(self, undone: _Undone) -> Patch | None:
        """Return what takes parts back, merged into the prepared tree; None where later changes forbid it."""
        store, base = self._context.source.store, self._context.prepared.tree
        tree = base
        for n, commit in enumerate(self._commits):
            own = [part for place, part in undone if place == n]
            if not own:
                continue
            change = await _undoing(store, commit, own, tree)
            try:
                tree = await store.merge(tree, change.data)
            except PatchDoesNotApply:
                return None
        return await patch_between(store, base, tree)

    def _proposal(self, undone: _Undone, patch: Patch) -> Proposal:
        reverts, said = [], []
        for n, commit in enumerate(self._commits):
            parts = {part for place, part in undone if place == n}
            if not parts:
                continue
            culprit, is_whole = commit.culprit, parts >= set(commit.hunks)
            reverts.append(Revert(culprit.event, is_whole, commit.tests))
            said.append(
                reasons.taken_back(
                    culprit.event, culprit.with_it, culprit.without_it, is_whole=is_whole
                )
            )
        whole = all(revert.is_whole for revert in reverts)
        authors = list(dict.fromkeys(filter(None, (each.event.author for each in reverts))))
        return Proposal(
            patch,
            "\n\n".join(
                (
                    *said,
                    reasons.lost(patch.files, patch.removed, is_whole=whole),
                    reasons.for_its_author(authors),
                )
            ),
            reverts=tuple(reverts),
        )
