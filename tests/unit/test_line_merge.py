"""An earlier repair is merged into a newer tree: as git does, else line by line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.model import Patch
from bot.model.memory import TriedRepair
from bot.repair.memory.repair_merge import (
    LineEdit,
    LineMerge,
    MergedTree,
    lines_of,
    merged_into,
    merged_lines,
)
from bot.repair.workspace.patches import patch_between
from sandbox.git import ObjectStore
from sandbox.git.objects import EMPTY_TREE
from tests.unit.test_memory_recalled import ENTRY

BEFORE = b"one\ntwo\nthree\nfour\n"


RUN = b"diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"


def edit(start: int, end: int, *lines: bytes) -> LineEdit:
    return LineEdit(start, end, lines)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (edit(1, 2, b"TWO\n"), edit(2, 3, b"THREE\n"), LineMerge(b"one\nTWO\nTHREE\nfour\n")),
        (edit(1, 2, b"TWO\n"), edit(1, 2, b"TWO\n"), LineMerge(b"one\nTWO\nthree\nfour\n")),
        (edit(1, 2, b"TWO\n"), edit(1, 3, b"2\n"), LineMerge(b"one\nTWO\nthree\nfour\n", 1)),
        (edit(2, 2, b"a\n"), edit(2, 2, b"b\n"), LineMerge(b"one\ntwo\na\nb\nthree\nfour\n")),
        (
            edit(2, 2, b"a\n", b"\n"),
            edit(2, 2, b" a\n", b"\n"),
            LineMerge(b"one\ntwo\na\n\nthree\nfour\n", 1),
        ),
        (edit(1, 2), edit(2, 2, b"b\n"), LineMerge(b"one\nb\nthree\nfour\n")),
        (edit(2, 3, b"3\n"), edit(2, 2, b"b\n"), LineMerge(b"one\ntwo\nb\n3\nfour\n")),
        (edit(1, 3, b"x\n"), edit(2, 2, b"b\n"), LineMerge(b"one\nx\nfour\n", 1)),
    ],
    ids=[
        "neighbours",
        "the same",
        "overlap",
        "both add",
        "both add the same",
        "behind",
        "in front",
        "inside",
    ],
)
def test_only_the_same_lines_conflict(
    first: LineEdit, second: LineEdit, expected: LineMerge
) -> None:
    """What touches is kept; where lines are changed twice, the first change counts."""
    assert merged_lines(BEFORE, [first], [second]) == expected


def test_lines_are_counted_as_git_does() -> None:
    """Only a line feed ends one, and the last one may lack it."""
    assert lines_of(b"a\r\nb\x0bc\n") == (b"a\r\n", b"b\x0bc\n")
    assert lines_of(b"a\nb") == (b"a\n", b"b")
    assert lines_of(b"") == ()


async def merged(store: ObjectStore, now: dict[str, bytes | None], wanted: bytes | None) -> object:
    """Return what the repair, `wanted` in place of `BEFORE`, makes of a tree that has moved on."""
    base = await store.overlaid(EMPTY_TREE, {"a.py": BEFORE, "b.py": b"b\n"})
    program = await store.overlaid(base, {"a.py": wanted, "b.py": b"B\n", "run": b"#!/bin/sh\n"})
    repaired = await store.apply(program, RUN)
    patch = await patch_between(store, base, repaired)
    before = (("a.py", BEFORE), ("b.py", b"b\n"))
    tree = await store.overlaid(base, now)
    found = await merged_into(store, tree, replace(ENTRY, patch=patch, before=before))
    assert isinstance(found, MergedTree)
    [run] = [change for change in await store.changes(tree, found.tree) if change.path == "run"]
    assert run.mode == "100755"
    files = await store.files(found.tree, ("a.py", "b.py"))
    assert files["b.py"] == b"B\n"
    return files.get("a.py"), found.left_out


async def test_a_repair_is_merged_with_what_changed_beside_it(tmp_path: Path) -> None:
    """Where git sees a conflict, neighbouring lines are none, and the rest of the repair stays."""
    store = ObjectStore(tmp_path / "repo.git")
    await store.create()
    wanted = b"one\ntwo\nTHREE\nfour\nfive"
    beside = BEFORE.replace(b"two", b"TWO")
    assert await merged(store, {"a.py": beside}, wanted) == (b"one\nTWO\nTHREE\nfour\nfive", ())
    same = BEFORE.replace(b"three", b"3")
    assert await merged(store, {"a.py": same}, wanted) == (b"one\ntwo\n3\nfour\nfive", ("a.py",))
    assert await merged(store, {"a.py": None}, wanted) == (None, ("a.py",))
    assert await merged(store, {"a.py": same}, None) == (same, ("a.py",))


async def test_without_the_files_of_before_nothing_is_guessed(tmp_path: Path) -> None:
    """A patch alone says too little."""
    store = ObjectStore(tmp_path / "repo.git")
    await store.create()
    tree = await store.overlaid(EMPTY_TREE, {"a.py": b"x\n"})
    repair: TriedRepair = replace(
        ENTRY, patch=Patch(b"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n", ("a.py",), 1, 1)
    )
    assert await merged_into(store, tree, repair) is None
