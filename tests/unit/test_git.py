"""Git on the host, with real repositories."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from sandbox.git import (
    EMPTY_TREE,
    Credential,
    GitError,
    ObjectStore,
    PatchDoesNotApply,
    environment,
    freeze,
    git,
    parted,
)


def shell(directory: Path, *commands: str) -> None:
    for command in commands:
        subprocess.run(["bash", "-ec", command], cwd=directory, check=True, capture_output=True)


def said(directory: Path, command: str) -> str:
    return subprocess.check_output(["bash", "-c", command], cwd=directory, text=True).strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit, one tag and an ignore file."""
    root = tmp_path / "their repo"
    root.mkdir()
    shell(
        root,
        "git init -q -b main . && git config user.name T && git config user.email t@example.org",
        "echo one >a.txt && echo '*.log' >.gitignore && printf 'x\\0y' >data.bin && ln -s a.txt link",
        "git add -A && git commit -qm first && git tag v1",
    )
    return root


async def frozen(repository: Path, tmp_path: Path) -> tuple[ObjectStore, str, bool]:
    store = ObjectStore(tmp_path / "store.git")
    commit, changed = await freeze(repository, store)
    return store, commit, changed


async def test_a_clean_work_tree_freezes_to_its_head(repository: Path, tmp_path: Path) -> None:
    """Nothing new is made when nothing was changed."""
    _, commit, changed = await frozen(repository, tmp_path)
    head = said(repository, "git rev-parse HEAD")
    assert (commit, changed) == (head, False)


async def test_a_repository_inside_is_left_out(repository: Path, tmp_path: Path) -> None:
    """With a commit or without one: it would become a submodule that nobody can fetch."""
    shell(
        repository,
        "git init -q 'no commit'; git init -q deep/one; cd deep/one; touch file; git add file",
        "cd deep/one; git -c user.name=T -c user.email=t@example.org commit -qm theirs",
        "echo new >deep/b.txt",
    )
    store, commit, _ = await frozen(repository, tmp_path)
    assert set(await store.paths(commit)) == {
        *(".gitignore", "a.txt", "data.bin", "link", "deep/b.txt"),
    }


async def test_the_work_tree_as_found_is_what_is_repaired(repository: Path, tmp_path: Path) -> None:
    """Changed, staged, new and deleted files count; ignored and excluded ones do not."""
    shell(
        repository,
        "echo two >a.txt; echo new >b.txt; rm link; echo x >noise.log",
        "echo staged >c.txt; git add c.txt; echo secret >mine; echo mine >>.git/info/exclude",
    )
    before = (repository / ".git" / "index").read_bytes()
    store, commit, changed = await frozen(repository, tmp_path)
    assert changed
    assert await store.paths(commit) == (".gitignore", "a.txt", "b.txt", "c.txt", "data.bin")
    assert await store.show(commit, "a.txt") == b"two\n"
    assert (repository / ".git" / "index").read_bytes() == before


async def test_a_checkout_stands_alone(repository: Path, tmp_path: Path) -> None:
    """The sandbox's copy has history and tags, no remote, and borrows no object."""
    store, commit, _ = await frozen(repository, tmp_path)
    copy = tmp_path / "copy"
    await store.check_out(commit, copy, full_history=True)
    assert (copy / "a.txt").read_text() == "one\n"
    assert said(copy, "git describe --tags") == "v1"
    assert said(copy, "git remote") == ""
    assert not (copy / ".git" / "objects" / "info" / "alternates").exists()


async def test_patches_round_trip(repository: Path, tmp_path: Path) -> None:
    """Binary files, modes, links, deletions, renames and odd names survive diff and apply."""
    store, commit, _ = await frozen(repository, tmp_path)
    work = tmp_path / "work"
    await store.check_out(commit, work, full_history=False)
    shell(
        work,
        "printf '\\0\\1\\2' >data.bin; chmod +x a.txt; rm link; ln -s data.bin other",
        "mkdir -p d; printf 'caf\\xe9' >'d/na\nme'; printf 'no newline' >d/plain",
    )
    after = await store.write_tree(work, base=commit, force=("d",))
    diff = await store.diff(commit, after)
    assert await store.apply(commit, diff.data) == after
    assert diff.files == ("a.txt", "d/na\nme", "d/plain", "data.bin", "link", "other")
    modes = {change.path: change.mode for change in await store.changes(commit, after)}
    assert modes == {
        "a.txt": "100755",
        "d/na\nme": "100644",
        "d/plain": "100644",
        "data.bin": "100644",
        "link": None,
        "other": "120000",
    }


async def test_a_diff_can_be_limited_to_paths(repository: Path, tmp_path: Path) -> None:
    """Paths are taken literally, also when they look like globs."""
    store, commit, _ = await frozen(repository, tmp_path)
    work = tmp_path / "work"
    await store.check_out(commit, work, full_history=False)
    shell(work, "echo x >'*.txt'; echo y >a.txt")
    after = await store.write_tree(work, base=commit)
    assert (await store.diff(commit, after, only=("*.txt",))).files == ("*.txt",)
    assert (await store.diff(commit, after, only=())).data == b""


@pytest.mark.parametrize("path", ["../out", ".git/hooks/pre-commit", "/etc/passwd", "a/../../out"])
async def test_a_patch_stays_inside_the_tree(path: str, repository: Path, tmp_path: Path) -> None:
    """A path that leaves the tree, or goes into `.git`, does not apply."""
    store, commit, _ = await frozen(repository, tmp_path)
    patch = (
        f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
        "@@ -0,0 +1 @@\n+x\n"
    )
    with pytest.raises((PatchDoesNotApply, GitError)):
        await store.apply(commit, patch.encode())


async def test_a_hostile_work_tree_runs_nothing(repository: Path, tmp_path: Path) -> None:
    """Hooks, monitors, filters and external diffs that a tree configures are not run."""
    store, commit, _ = await frozen(repository, tmp_path)
    work, canary = tmp_path / "work", tmp_path / "canary"
    await store.check_out(commit, work, full_history=False)
    run = f"touch '{canary}'"
    shell(
        work,
        f'git config core.fsmonitor "{run}"; git config diff.external "{run}"',
        f'git config filter.x.clean "{run}"; git config diff.x.textconv "{run}"',
        "echo '* filter=x diff=x' >.gitattributes",
        f"mkdir -p .git/hooks; printf '#!/bin/sh\\n{run}\\n' >.git/hooks/post-index-change",
        "chmod +x .git/hooks/post-index-change",
        "mkdir nested; cd nested; git init -q; git -c user.name=x -c user.email=x@y commit -q "
        "--allow-empty -m x; git config core.fsmonitor 'touch \"" + str(canary) + "\"'",
    )
    canary.unlink(missing_ok=True)
    after = await store.write_tree(work, base=commit)
    await store.diff(commit, after)
    assert not canary.exists()


async def test_a_folder_without_git_is_refused(tmp_path: Path) -> None:
    """The error is git's own."""
    with pytest.raises(GitError, match="not a git repository"):
        await freeze(tmp_path, ObjectStore(tmp_path / "store.git"))


async def test_a_shallow_clone_can_be_repaired(repository: Path, tmp_path: Path) -> None:
    """Where the history ends early, the copy ends there too."""
    shell(repository, "echo 2 >a.txt; git commit -qam second")
    shallow = tmp_path / "shallow"
    shell(tmp_path, f"git clone -q --depth 1 'file://{repository}' '{shallow}'")
    store, commit, _ = await frozen(shallow, tmp_path)
    await store.check_out(commit, tmp_path / "copy", full_history=True)
    assert (tmp_path / "copy" / "a.txt").read_text() == "2\n"


def test_a_token_is_only_in_the_environment() -> None:
    """It goes to its own host as a header, and its repr is silent."""
    credential = Credential("https://github.example/", "t0ken")
    variables = environment(credential=credential)
    number = next(
        k for k, v in variables.items() if v == "http.https://github.example/.extraHeader"
    )
    assert variables[number.replace("KEY", "VALUE")].startswith("Authorization: Basic ")
    assert "t0ken" not in repr(credential)


async def test_cancelling_ends_the_process(tmp_path: Path) -> None:
    """A git process does not outlive the task that waits for it."""
    task = asyncio.create_task(git("hash-object", "--stdin-paths", git_dir=tmp_path, stdin=None))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_git_looks_for_no_repository(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that needs none is not told anything by the one around the current folder."""
    monkeypatch.chdir(repository)
    await git("ls-remote", "--quiet", f"file://{repository}")
    shell(repository, f"git config url./nowhere.insteadOf file://{repository}")
    assert b"refs/tags/v1" in await git("ls-remote", "--quiet", f"file://{repository}")
    with pytest.raises(GitError, match="not a git repository"):
        await git("status")
    store = ObjectStore(Path("relative.git"))
    await store.create()
    assert (repository / "relative.git" / "HEAD").is_file()
    assert not await store.has("HEAD")


async def test_files_that_are_known_need_not_be_read(repository: Path, tmp_path: Path) -> None:
    """But a change is seen that keeps size and time, as only a hostile program's does."""
    store, commit, _ = await frozen(repository, tmp_path)
    work = tmp_path / "work"
    await store.check_out(commit, work, full_history=False)
    store.known_files = work / ".git" / "index"
    assert await store.write_tree(work, base=commit) == await store.tree_of(commit)
    shell(work, "echo two >b && touch -r a.txt b && cat b >a.txt && touch -r b a.txt && rm b")
    tree = await store.write_tree(work, base=commit)
    assert await store.files(tree, ("a.txt", "link")) == {"a.txt": b"two\n", "link": b"a.txt"}


async def tree_with(store: ObjectStore, folder: Path, lines: list[str]) -> str:
    """Return a tree with one file of these lines."""
    folder.mkdir()
    shell(folder, "git init -q .")
    (folder / "a.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return await store.write_tree(folder, base=EMPTY_TREE)


async def test_an_older_patch_is_merged_where_it_does_not_apply(tmp_path: Path) -> None:
    """With the file as it was: it moved since, and a line beside the change is another one."""
    old = ObjectStore(tmp_path / "old.git")
    await old.create()
    lines = [f"line {n}" for n in range(20)]
    before = await tree_with(old, tmp_path / "before", lines)
    after = await tree_with(old, tmp_path / "after", [*lines[:10], "mended", *lines[11:]])
    patch = (await old.diff(before, after)).data
    content = (await old.files(before, ("a.txt",)))["a.txt"]

    new = ObjectStore(tmp_path / "new.git")
    await new.create()
    moved = ["new", "new too", *lines[:7], "another", *lines[8:]]
    tree = await tree_with(new, tmp_path / "moved", moved)
    with pytest.raises(PatchDoesNotApply):
        await new.merge(tree, patch)
    merged = await new.merge(tree, patch, [content])
    text = (await new.files(merged, ("a.txt",)))["a.txt"].decode().split("\n")
    assert text[:3] == ["new", "new too", "line 0"]
    assert text[9:13] == ["another", "line 8", "line 9", "mended"]
    assert await new.merge(merged, patch, [content]) == merged  # it is there already

    other = await tree_with(new, tmp_path / "other", [*lines[:10], "otherwise", *lines[11:]])
    with pytest.raises(PatchDoesNotApply):
        await new.merge(other, patch, [content])


@pytest.mark.parametrize(
    ("address", "shown", "whom"),
    [
        ("https://example.test/a/b.git", "https://example.test/a/b.git", None),
        ("https://u:p@example.test/b", "https://example.test/b", ("u", "p")),
        ("http://t0ken@example.test:8080/b?x=1", "http://example.test:8080/b?x=1", ("t0ken", "")),
        ("https://u%40v:p%3A%2F@example.test/b", "https://example.test/b", ("u@v", "p:/")),
        ("https://u:p@[::1]:1/b", "https://[::1]:1/b", ("u", "p")),
        ("ssh://git:p@example.test/b", "ssh://git@example.test/b", None),
        ("file:///srv/b", "file:///srv/b", None),
    ],
)
def test_an_address_is_parted_from_its_credential(
    address: str, shown: str, whom: tuple[str, str] | None
) -> None:
    """What is left may be shown and stand in a command line."""
    url, credential = parted(address)
    assert url == shown
    assert whom == (None if credential is None else (credential.user, credential.token))
    assert credential is None or credential.url == shown


async def test_a_file_is_found_under_its_new_name(repository: Path, tmp_path: Path) -> None:
    """Lines that changed since are no hindrance; a file that is gone has no new name."""
    shell(
        repository,
        "seq 30 >b.txt && seq 9 >gone.txt && git add -A && git commit -qm second && git tag v2",
        "mkdir in && git mv b.txt in/c.txt && echo 31 >>in/c.txt && git rm -q gone.txt && git commit -qam third",
    )
    store, _, _ = await frozen(repository, tmp_path)
    second, third = (said(repository, f"git rev-parse {name}") for name in ("v2", "HEAD"))
    assert await store.renamed(second, third) == {"b.txt": "in/c.txt"}
