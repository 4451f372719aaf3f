"""A commit is searched in git's objects as the agent searches its work tree, whatever is asked of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.repair.proposers.agent.code_grep import SearchCode, SearchKind
from bot.repair.proposers.agent.reader import Reader, search_lines
from bot.runs.commit_search import CommitFiles, NotSearched
from sandbox.base import WORKSPACE
from sandbox.git import ObjectStore
from tests.unit.local_workbench import LocalWorkbench

FILES = {
    "shop.py": "RATE = 3\n\n\ndef total(cart):\n    return sum(cart) * RATE\n\n\nprint(total([1]))\n",
    "docs/a b.md": "The total is a sum.\n",
    ".gitattributes": "*.md diff=word filter=word\n*.py diff=word -text\n",
    "*.py": "total = 1\n",
    "aaa.txt": "a" * 60 + "!\n",
}


BOMB = "((((a{1,200}){1,200}){1,200}){1,200})b"
"""Takes a compiler of POSIX patterns all there is."""


class Bench(LocalWorkbench):
    """Has its files where a sandbox has them."""

    async def read_file(self, path: str) -> bytes:
        return await super().read_file(path.removeprefix(f"{WORKSPACE}/"))


async def searched(folder: Path) -> tuple[Reader, CommitFiles]:
    """Return the same files as a work tree and as a commit."""
    bench = await Bench(folder / "work", FILES).start()
    store = ObjectStore(folder / "store.git")
    await store.create()
    await store.fetch(str(folder / "work"), "+HEAD:refs/heads/main")
    said = await bench.run("git rev-parse HEAD", 60)
    return Reader(bench), CommitFiles(store, said.output.strip())


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("total", SearchKind.SYMBOL),
        ("TotAl", SearchKind.SYMBOL),
        (r"tot\w+\(", SearchKind.TEXT),
        ("(", SearchKind.TEXT),
        ("--all", SearchKind.TEXT),
        (r"total\|RATE", SearchKind.TEXT),
        ("nothing", SearchKind.SYMBOL),
    ],
)
async def test_a_commit_answers_as_the_work_tree_does(
    tmp_path: Path, query: str, kind: SearchKind
) -> None:
    """Word by word, with what is looked for where nothing matches."""
    tree, commit = await searched(tmp_path)
    assert await search_lines(commit, SearchCode(query, kind, path="")) == await search_lines(
        tree, SearchCode(query, kind)
    )


async def test_a_path_is_a_name_and_no_pattern(tmp_path: Path) -> None:
    """Of a file or a folder, whatever signs it has."""
    _, commit = await searched(tmp_path)
    found = {
        path: await search_lines(commit, SearchCode("total", path=path))
        for path in ("*.py", "docs", "docs/a b.md", ":(exclude)docs", "none")
    }
    assert found == snapshot(
        {
            "*.py": "Defined (1):\n*.py:1: total = 1",
            "docs": "Mentioned (1):\ndocs/a b.md:1: The total is a sum.",
            "docs/a b.md": "Mentioned (1):\ndocs/a b.md:1: The total is a sum.",
            ":(exclude)docs": "Nothing matches 'total'.",
            "none": "Nothing matches 'total'.",
        }
    )


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+(a+)+(a+)+$",  # takes a backtracking matcher longer than the universe lasts
        BOMB,
        r"(?C1)a(*LIMIT_MATCH=4000000000)(a+)+$",
        "--open-files-in-pager=touch stolen",
        "-O",
    ],
)
async def test_no_pattern_takes_more_than_its_share(tmp_path: Path, pattern: str) -> None:
    """It ends within its limits, with an answer, and runs nothing."""
    _, commit = await searched(tmp_path)
    async with asyncio.timeout(600):
        answer = await search_lines(commit, SearchCode(pattern, SearchKind.TEXT, ""))
    assert "Found" not in str(answer)
    assert not list(tmp_path.rglob("stolen"))


async def test_a_search_ends_when_its_time_is_up(tmp_path: Path) -> None:
    """Here the compiler of a pattern would take all there is."""
    _, commit = await searched(tmp_path)
    head, store = commit.commit, commit.store
    found = await store.grep(head, ("-E", "-e", BOMB), path="", most=1_000, seconds=1)
    assert found.is_out_of_time
    cut = await store.grep(head, ("-F", "-e", "a"), path="", most=10)
    assert (cut.is_out_of_time, bool(cut.output)) == (False, True)


async def test_an_outline_is_of_a_file(tmp_path: Path) -> None:
    """What else is named is said to be something else."""
    _, commit = await searched(tmp_path)
    assert await commit.outline("shop.py") == "1-1 RATE = 3\n4-5 def total(cart):"
    said: dict[str, Any] = {}
    for path in ("docs", "", "none.py", "docs/a b.md"):
        with pytest.raises(NotSearched) as problem:
            await commit.outline(path)
        said[path] = str(problem.value)
    assert said == snapshot(
        {
            "docs": "docs is a folder: name a file.",
            "": "The path is a folder: name a file.",
            "none.py": "none.py doesn't exist at this commit.",
            "docs/a b.md": "docs/a b.md defines nothing that can be read.",
        }
    )
