"""What of a proposed patch is judged; git is real."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.code.change import FileDiff
from bot.model import Failure, Observation
from bot.repair.verification.candidate import (
    CandidatePatch,
    TestEdits,
    candidate_of,
    own_tests,
    runs_doctests,
)
from bot.repair.workspace.patches import patch_between
from sandbox.git import ObjectStore

BEFORE = {
    "app.py": "wrong\n",
    "tests/test_app.py": "assert app\n",
    "pytest.ini": "[pytest]\n",
    "old/file": "text\n",
}
EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@pytest.fixture
async def store(tmp_path: Path) -> ObjectStore:
    made = ObjectStore(tmp_path / "repo.git")
    await made.create()
    return made


async def tree(store: ObjectStore, tmp_path: Path, files: dict[str, str]) -> str:
    """Return a tree of these files."""
    folder = tmp_path / f"tree-{len(list(tmp_path.iterdir()))}"
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return await store.write_tree(folder, base=EMPTY)


async def judged(
    store: ObjectStore,
    tmp_path: Path,
    after: dict[str, str],
    edits: TestEdits = TestEdits.LEFT_OUT,
    written: tuple[str, ...] = (),
) -> CandidatePatch:
    """Return what is judged of a patch that leaves these files."""
    base = await tree(store, tmp_path, BEFORE)
    patch = await patch_between(store, base, await tree(store, tmp_path, after))
    return await candidate_of(store, base, patch, edits=edits, globs=(), written=written)


CHANGED = BEFORE | {
    "app.py": "right\n",
    "tests/test_app.py": "assert True\n",
    "tests/test_new.py": "assert app\n",
    "pytest.ini": "[pytest]\naddopts = -k no\n",
    "tox.ini": "[tox]\n",
    "report.txt": "1 passed\n",
}


async def test_tests_and_configuration_are_put_back(store: ObjectStore, tmp_path: Path) -> None:
    """New tests stay; new configuration does not."""
    candidate = await judged(store, tmp_path, CHANGED)
    assert candidate.patch.files == ("app.py", "report.txt", "tests/test_new.py")
    assert candidate.restored == ("pytest.ini", "tests/test_app.py", "tox.ini")
    assert {change.path for change in candidate.changes} == set(candidate.patch.files)


@pytest.mark.parametrize("edits", [TestEdits.KEPT, TestEdits.BROUGHT])
async def test_they_may_belong_to_the_repair(
    store: ObjectStore, tmp_path: Path, edits: TestEdits
) -> None:
    """A formatter's changes stay, and those that a person asks for."""
    candidate = await judged(store, tmp_path, CHANGED, edits)
    assert candidate.restored == ()
    assert len(candidate.patch.files) == 6


async def test_a_request_for_tests_is_none_for_rules(store: ObjectStore, tmp_path: Path) -> None:
    """Configuration is put back all the same."""
    candidate = await judged(store, tmp_path, CHANGED, TestEdits.REQUESTED)
    assert candidate.restored == ("pytest.ini", "tox.ini")


async def test_all_of_a_shown_patch_is_read(store: ObjectStore, tmp_path: Path) -> None:
    """What is put back for the judgement is published by somebody else all the same."""
    candidate = await judged(store, tmp_path, CHANGED, TestEdits.SHOWN)
    assert len(candidate.changes) == len(candidate.whole.files) == 6
    assert "tests/test_app.py" not in candidate.patch.files


INLINE = "fn one() -> i32 { 0 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn is_one() { assert_eq!(super::one(), 1); }\n}\n"


@pytest.mark.parametrize("edits", [TestEdits.LEFT_OUT, TestEdits.SHOWN])
async def test_tests_inside_of_a_program_are_put_back(
    store: ObjectStore, tmp_path: Path, edits: TestEdits
) -> None:
    """The rest of the patch to that file stays."""
    base = await tree(store, tmp_path, {"src/lib.rs": INLINE})
    after = INLINE.replace("{ 0 }", "{ 2 }").replace("one(), 1", "one(), 2")
    patch = await patch_between(store, base, await tree(store, tmp_path, {"src/lib.rs": after}))
    candidate = await candidate_of(store, base, patch, edits=edits, globs=())
    assert (candidate.embedded, candidate.restored) == (("src/lib.rs",), ())
    left = await store.apply(base, candidate.patch.data)
    assert await store.show(left, "src/lib.rs") == INLINE.replace("{ 0 }", "{ 2 }").encode()


def test_which_commands_run_doctests() -> None:
    """They say so, or a test has a dotted name."""
    named = Observation("pytest", 1, (Failure("app.sizes::app.sizes.f"),))
    plain = Observation("pytest", 1, (Failure("tests.test_a::test_b[1.5]"),))
    told = [runs_doctests("pytest --doctest-modules", None), runs_doctests("pytest", named)]
    assert [*told, runs_doctests("pytest", plain)] == [True, True, False]


async def test_what_the_command_writes_is_left_out(store: ObjectStore, tmp_path: Path) -> None:
    """Unless nothing else is there."""
    candidate = await judged(store, tmp_path, CHANGED, written=("report.txt", "other.txt"))
    assert candidate.own == ("report.txt",)
    assert "report.txt" not in candidate.patch.files
    alone = BEFORE | {"report.txt": "made by hand\n"}
    candidate = await judged(store, tmp_path, alone, written=("report.txt",))
    assert (candidate.own, candidate.patch.files) == ((), ("report.txt",))


async def test_a_file_in_the_place_of_a_folder(store: ObjectStore, tmp_path: Path) -> None:
    """Putting back makes room first."""
    after = {name: text for name, text in BEFORE.items() if name != "old/file"}
    base = await tree(store, tmp_path, BEFORE)
    changed = await tree(store, tmp_path, after | {"old": "a file\n"})
    assert await store.put_back(changed, base, ["old", "old/file"]) == base


async def test_contents_of_many_files(store: ObjectStore, tmp_path: Path) -> None:
    """One process reads them all, and what is no blob is left out."""
    base = await tree(store, tmp_path, BEFORE)
    ids = [change.blob for change in await store.changes(EMPTY, base) if change.blob is not None]
    found = await store.blobs([*ids, base, "0" * 40])
    assert sorted(found.values()) == sorted(text.encode() for text in BEFORE.values())
    assert await store.blobs([]) == {}


def test_an_empty_file_is_no_test_of_the_patch() -> None:
    """It makes a folder of tests a package; a file with code is one, unless the command names it."""
    added = [FileDiff(f"tests/{name}.py", None, after) for name, after in ADDED.items()]
    assert own_tests(added, "pytest tests/test_named.py") == ("tests/test_more.py",)


ADDED = {"__init__": b"", "test_more": b"def test_more(): ...\n", "test_named": b"1\n"}
