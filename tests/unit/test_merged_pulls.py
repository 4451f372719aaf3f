"""What a pull request changes as a whole, from its files before and after."""

from __future__ import annotations

from pathlib import Path

from bot.model import Patch
from bot.runs.merged_pulls import merged_patch
from sandbox.git import EMPTY_TREE, ObjectStore

PROPOSED = Patch(
    b"diff --git a/run.sh b/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/run.sh\n"
    b"@@ -0,0 +1 @@\n+make\n",
    ("run.sh",),
    1,
    0,
)


async def test_it_applies_where_the_files_are_as_they_were(tmp_path: Path) -> None:
    """With new, changed, deleted and binary files; a new one keeps the mode that was proposed."""
    store = ObjectStore(tmp_path / "repo.git")
    await store.create()
    before = {"a.py": b"1\n2\n3\n", "old.py": b"x\n", "run.sh": None, "logo": b"\0\1"}
    after = {"a.py": b"1\nzwei\n3\n", "old.py": None, "run.sh": b"make all\n", "logo": b"\0\2"}
    misfit = Patch(
        b"diff --git a/no b/no\n--- a/no\n+++ b/no\n@@ -1 +1 @@\n-x\n+y\n", ("no",), 1, 1
    )
    patch = await merged_patch(store, before, after, [misfit, PROPOSED])
    assert patch.files == ("a.py", "logo", "old.py", "run.sh")
    assert b"new file mode 100755" in patch.data
    tree = await store.overlaid(EMPTY_TREE, before)
    applied = await store.apply(tree, patch.data)
    there = {path: data for path, data in after.items() if data is not None}
    assert await store.files(applied, tuple(after)) == there


async def test_what_was_proposed_and_not_merged_is_left_out(tmp_path: Path) -> None:
    """A file that somebody took back, or a repair that the base has by now."""
    store = ObjectStore(tmp_path / "repo.git")
    await store.create()
    files = {"run.sh": None, "a.py": b"1\n"}
    assert not await merged_patch(store, files, files, [PROPOSED])
