"""Which lines were changed lately, read from real repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bot.repair.preparation.prepare import (
    lines_of,
    recent_lines,
)
from bot.repair.workspace.checkouts import LocalCheckout

FIRST = "".join(f"line {n}\n" for n in range(1, 10))


def commit(repository: Path, **files: str) -> None:
    for name, text in files.items():
        (repository / f"{name}.py").write_text(text, encoding="utf-8")
    who = ("-c", "user.name=a", "-c", "user.email=a@localhost")
    for arguments in (("add", "--all"), (*who, "commit", "--quiet", "--message=x")):
        subprocess.run(("git", *arguments), cwd=repository, check=True)


def repository_in(folder: Path) -> Path:
    repository = folder / "project"
    subprocess.run(("git", "init", "--quiet", str(repository)), check=True)
    return repository


async def recent(repository: Path, scratch: Path) -> frozenset[tuple[str, int]]:
    scratch.mkdir()
    checkout = LocalCheckout(repository, scratch)
    return await recent_lines(await checkout.provide(await checkout.head()))


async def test_lines_of_the_last_commits(tmp_path: Path) -> None:
    """Changed lines count, and the neighbours of removed ones; new files do not."""
    repository = repository_in(tmp_path)
    commit(repository, a=FIRST)
    assert await recent(repository, tmp_path / "one") == frozenset()
    changed = FIRST.replace("line 3", "line three").replace("line 7\n", "")
    commit(repository, a=changed, new=FIRST)
    assert await recent(repository, tmp_path / "two") == {("a.py", 3), ("a.py", 6), ("a.py", 7)}


async def test_changes_of_the_work_tree_come_before_commits(tmp_path: Path) -> None:
    """What nobody committed yet is newer than all else."""
    repository = repository_in(tmp_path)
    commit(repository, a=FIRST)
    commit(repository, a=FIRST.replace("line 3", "line three"))
    (repository / "a.py").write_text(FIRST.replace("line 9", "++ nine"), encoding="utf-8")
    assert await recent(repository, tmp_path / "one") == {("a.py", 3), ("a.py", 9)}


def test_lines_that_look_like_headers_are_lines() -> None:
    """A removed `-- x` and an added `++ x` are read as what they are."""
    diff = b"--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n--- x\n--- y\n+++ b/other\n++++ b/z\n"
    assert list(lines_of(diff)) == [("m.py", 1), ("m.py", 2)]
