"""Decide what of a proposed patch is verified, and read its files for the guards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from bot.code.change import SUBMODULE, FileDiff
from bot.code.files import is_restored, is_test_file
from bot.code.syntax import language_of
from bot.limited_process import TooMuch, run_limited
from bot.model import Observation, Patch
from bot.repair.guards.embedded_tests import with_tests_of
from bot.repair.guards.requested import is_requested
from bot.repair.workspace.patches import patch_between
from sandbox.git import ObjectStore

_CASE = re.compile(r"[\[(].*", re.DOTALL)


class TestEdits(StrEnum):
    """What becomes of a patch's changes to existing tests and protected configuration."""

    __test__ = False  # not a pytest class

    LEFT_OUT = "left out"
    """They are dropped: the patch is verified, and published, without them."""

    KEPT = "kept"
    """They belong to the repair, as a formatter's do; guards look at them."""

    REQUESTED = "requested"
    """A person asked for changes to tests; guards look at them, and leave them to a person."""

    BROUGHT = "brought"
    """They show what the patch repairs; guards look at them."""

    WANTED = "wanted"
    """The check fails although every test passes: tests may be the repair, and guards look at them."""

    SHOWN = "shown"
    """The patch is verified without them, and guards look at them: somebody else publishes it."""


SEEN_WHOLE = frozenset({TestEdits.WANTED, TestEdits.SHOWN})
"""Guards read what is put back as well."""


@dataclass(frozen=True, slots=True)
class CandidatePatch:
    """What is verified of a proposed patch.

    Attributes:
        patch: The proposed one without what was put back.
        whole: The proposed one without what the command writes.
        restored: Paths that were put back.
        own: Paths that were left out because the failing command writes them itself.
        changes: Files for the guards to look at.
        embedded: Paths of programs in which tests that they have inside were put back.
    """

    patch: Patch
    whole: Patch
    restored: tuple[str, ...]
    own: tuple[str, ...]
    changes: tuple[FileDiff, ...]
    embedded: tuple[str, ...] = ()


async def candidate_of(
    store: ObjectStore,
    base: str,
    patch: Patch,
    *,
    edits: TestEdits,
    globs: Sequence[str],
    written: Sequence[str] = (),
    requested: Sequence[str] = (),
    doctests: bool = False,
) -> CandidatePatch:
    """Return what is verified of a patch.

    Args:
        store: Has the base tree.
        base: Tree that the patch applies to.
        patch: As it was proposed.
        edits: What becomes of changes to tests and protected configuration.
        globs: Of the repo config, see `is_restored`.
        written: Paths that the failing command itself leaves in the work tree.
        requested: Globs of protected configuration that stays: the request asks to change it.
        doctests: Whether examples in docstrings run as tests.

    Raises:
        PatchDoesNotApply: When it does not fit the tree.
    """
    if not patch:
        return CandidatePatch(patch, patch, (), (), ())
    tree = await store.apply(base, patch.data)
    changes = await changes_between(store, base, tree)
    own = tuple(path for path in patch.files if path in set(written))
    if len(own) == len(patch.files):  # then the repair is what the command writes
        own = ()
    restored = tuple(
        change.path
        for change in changes
        if change.path not in own
        and _is_put_back(change, edits, globs)
        and (is_test_file(change.path) or not is_requested(change.path, requested))
    )
    left_out = {*own} if edits in SEEN_WHOLE else {*own, *restored}
    looked_at = tuple(change for change in changes if change.path not in left_out)
    rest = await without(store, base, patch, (*own, *restored))
    inside: dict[str, bytes] = {}
    if edits in {TestEdits.LEFT_OUT, TestEdits.SHOWN}:
        inside = await _with_own_tests(looked_at, doctests=doctests)
    if inside:
        tree = await store.with_content(await store.apply(base, rest.data), base, inside)
        rest = await patch_between(store, base, tree)
    if edits is TestEdits.LEFT_OUT:
        looked_at = tuple(
            replace(diff, after=inside.get(diff.path, diff.after)) for diff in looked_at
        )
    return CandidatePatch(
        patch=rest,
        whole=await without(store, base, patch, own),
        restored=restored,
        own=own,
        changes=looked_at,
        embedded=tuple(inside),
    )


async def _with_own_tests(changes: Sequence[FileDiff], *, doctests: bool) -> dict[str, bytes]:
    """Return the programs whose tests inside of them change, with these as they were."""
    found = {}
    for change in changes:
        if change.before is None or change.after is None or change.before == change.after:
            continue
        try:  # a program can be written so that reading it takes long
            text = await run_limited(
                partial(with_tests_of, doctests=doctests), change.path, change.before, change.after
            )
        except TooMuch:
            continue  # the guards say so
        if text is not None:
            found[change.path] = text
    return found


def runs_doctests(command: str, red: Observation | None) -> bool:
    """Whether a command runs examples in docstrings: it says so, or names one as a test."""
    named = red.failing_ids | red.passed if red is not None else frozenset()
    return "doctest" in command or any(
        marked and "." in name
        for _, marked, name in (_CASE.sub("", test).rpartition("::") for test in named)
    )


def _is_put_back(change: FileDiff, edits: TestEdits, globs: Sequence[str]) -> bool:
    match edits:
        case TestEdits.KEPT | TestEdits.BROUGHT:
            return False
        case TestEdits.REQUESTED | TestEdits.WANTED:
            if is_test_file(change.path):
                return False
        case TestEdits.LEFT_OUT | TestEdits.SHOWN:
            pass
    return is_restored(change.path, globs, is_new=change.is_new)


async def without(store: ObjectStore, base: str, patch: Patch, paths: Sequence[str]) -> Patch:
    """Return a patch less its changes to some paths.

    Raises:
        PatchDoesNotApply: When it does not fit the tree.
    """
    if not paths:
        return patch
    tree = await store.apply(base, patch.data)
    return await patch_between(store, base, await store.put_back(tree, base, paths))


def own_tests(changes: Sequence[FileDiff], command: str) -> tuple[str, ...]:
    """Return the test programs that a patch adds and that the failing command does not name.

    An empty file, which makes a folder of tests a package, tests nothing.
    """
    return tuple(
        change.path
        for change in changes
        if change.is_new
        and change.after
        and is_test_file(change.path)
        and language_of(change.path) is not None
        and change.path not in command
    )


async def changes_between(store: ObjectStore, base: str, tree: str) -> tuple[FileDiff, ...]:
    """Return the files in which two trees differ."""
    differing = await store.changes(base, tree)
    contents = await store.blobs(
        blob
        for change in differing
        for mode, blob in ((change.mode, change.blob), (change.mode_before, change.blob_before))
        if blob is not None and mode != SUBMODULE
    )
    return tuple(
        FileDiff(
            change.path,
            contents.get(change.blob_before, b"") if change.blob_before is not None else None,
            contents.get(change.blob, b"") if change.blob is not None else None,
            change.mode_before,
            change.mode,
        )
        for change in differing
    )
