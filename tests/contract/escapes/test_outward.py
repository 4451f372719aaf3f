"""What comes out of a sandbox, a tree and a patch, does nothing on the host."""

from __future__ import annotations

import asyncio
import os
import shlex
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.model import Patch
from bot.repair.proposers.mechanical.protected_files import without
from bot.repair.workspace.patches import apply_patch, patch_between
from sandbox.base import SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider
from sandbox.git import GitError, ObjectStore, PatchDoesNotApply, freeze
from sandbox.git.hazards import LARGEST_FILE
from tests.contract.conftest import Kind

SECONDS = 600.0
PAYLOAD = "owned\n"


@dataclass
class Desk:
    """A run's objects on the host.

    Attributes:
        store: With the commit in it.
        head: The commit.
        work: A checkout of it.
        outside: A folder of the host that nobody may write.
        canary: A file that appears when something was run.
    """

    store: ObjectStore
    head: str
    work: Path
    outside: Path
    canary: Path

    def untouched(self) -> bool:
        """Whether nothing was run, and nothing written outside."""
        return not self.canary.exists() and list(self.outside.iterdir()) == []


@pytest.fixture
async def desk(tmp_path: Path) -> Desk:
    repository, outside = tmp_path / "repository", tmp_path / "outside"
    repository.mkdir()
    outside.mkdir()
    shell(
        repository, "git init -q; echo one >a.txt; git add .; git config user.email t@example.org"
    )
    shell(repository, "git config user.name T; git commit -qm first")
    store = ObjectStore(tmp_path / "store.git")
    head, _ = await freeze(repository, store)
    work = tmp_path / "work"
    await store.check_out(head, work, full_history=False)
    return Desk(store, head, work, outside, tmp_path / "canary")


def shell(folder: Path, command: str) -> None:
    subprocess.run(["bash", "-ec", command], cwd=folder, check=True, capture_output=True)


def new_file(path: str, content: str = PAYLOAD, mode: str = "100644") -> str:
    """Return a patch that adds a file, whatever its path."""
    lines = content.splitlines()
    body = "".join(f"+{line}\n" for line in lines)
    cut = "" if content.endswith("\n") else "\\ No newline at end of file\n"
    return (
        f"diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n"
        f"@@ -0,0 +1,{len(lines)} @@\n{body}{cut}"
    )


def renamed(source: str, target: str) -> str:
    return (
        f"diff --git a/{source} b/{target}\nsimilarity index 100%\n"
        f"rename from {source}\nrename to {target}\n"
    )


REFUSED = {
    "parent folder": new_file("../outside/x"),
    "parent folder behind a folder": new_file("a/../../outside/x"),
    "absolute path": new_file("/tmp/fixpoint-intruder"),
    "hook": new_file(".git/hooks/post-checkout", mode="100755"),
    "configuration": new_file(".git/config"),
    "hook in capital letters": new_file(".GIT/hooks/post-checkout"),
    "hook by a short name": new_file("git~1/hooks/post-checkout"),
    "hook with an invisible character": new_file(".g\u200cit/hooks/post-checkout"),
    "hook with a stream": new_file(".git::$INDEX_ALLOCATION/x"),
    "hook of a repository below": new_file("below/.git/hooks/post-checkout"),
    "through a link of its own": new_file("to", "../outside", "120000") + new_file("to/x"),
    "rename out of the tree": renamed("a.txt", "../outside/x"),
    "rename of what is outside": renamed("../../../../etc/hostname", "b.txt"),
    "file in place of its folder": new_file("a.txt/b.txt"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_a_patch_that_leaves_the_tree_does_not_apply(name: str, desk: Desk) -> None:
    """In no spelling that some file system takes for it."""
    with pytest.raises(PatchDoesNotApply):
        await desk.store.apply(desk.head, REFUSED[name].encode())
    assert desk.untouched()
    assert not Path("/tmp/fixpoint-intruder").exists()


async def test_a_patch_that_leaves_the_tree_is_refused_inside_too(tmp_path: Path) -> None:
    """Where it is applied to a work tree, with its links."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.txt").write_text("one\n")
    sandbox = await BubblewrapProvider(tmp_path / "data").open(SandboxSpec("one", source=source))
    applied = []
    for name, patch in REFUSED.items():
        try:
            await apply_patch(sandbox, Patch(patch.encode(), ("x",), 1, 0))
            applied.append(name)
        except PatchDoesNotApply:
            assert await sandbox.read_file("a.txt") == b"one\n"
    assert applied == []
    await sandbox.close()


async def test_a_patch_makes_no_devices(desk: Desk) -> None:
    """Nor set-user-id programs: git knows plain files, programs, links and submodules."""
    patch = new_file("device", mode="020644") + new_file("program", mode="104755")
    after = await desk.store.apply(desk.head, patch.encode())
    modes = {each.path: each.mode for each in await desk.store.changes(desk.head, after)}
    assert modes == {"device": "100644", "program": "100755"}


async def test_a_tree_configures_nothing(desk: Desk) -> None:
    """Filters, textconv, external diffs, monitors and hooks of a tree are not run."""
    run = f"touch {shlex.quote(str(desk.canary))}"
    shell(
        desk.work,
        "git init -q below; git -C below -c user.name=x -c user.email=x@y commit -q --allow-empty -m x;"
        f"for at in . below; do for key in core.fsmonitor core.sshCommand diff.external filter.x.clean"
        f" filter.x.smudge filter.x.process diff.x.textconv diff.x.command merge.x.driver"
        f" uploadpack.packObjectsHook core.editor core.pager gpg.program credential.helper;"
        f' do git -C $at config "$key" "{run}"; done;'
        f" git -C $at config core.hooksPath hooks; done; mkdir -p .git/hooks hooks;"
        f" for hook in post-index-change post-checkout pre-commit fsmonitor-watchman reference-transaction;"
        f" do printf '#!/bin/sh\\n{run}\\n' | tee .git/hooks/$hook >hooks/$hook; done;"
        " chmod +x .git/hooks/* hooks/*; echo '* filter=x diff=x merge=x' >.gitattributes",
    )
    desk.canary.unlink(missing_ok=True)
    after = await desk.store.write_tree(desk.work, base=desk.head)
    patch = await patch_between(desk.store, desk.head, after)
    assert await desk.store.apply(desk.head, patch.data) == after
    commit = await desk.store.commit(after, parents=[desk.head], message="x")
    await desk.store.check_out(commit, desk.work.with_name("again"), full_history=False)
    assert "below" not in patch.files
    assert desk.untouched()


async def test_the_repository_to_repair_configures_nothing(desk: Desk, tmp_path: Path) -> None:
    """Neither does the one that a person names, when its work tree is stored."""
    run = f"touch {shlex.quote(str(desk.canary))}"
    shell(
        desk.work,
        f"for key in core.fsmonitor diff.external filter.x.clean uploadpack.packObjectsHook; do"
        f' git config "$key" "{run}"; done; echo "* filter=x" >.gitattributes; echo two >a.txt',
    )
    desk.canary.unlink(missing_ok=True)
    _, changed = await freeze(desk.work, ObjectStore(tmp_path / "other.git"))
    assert changed
    assert desk.untouched()


async def test_submodules_are_not_fetched(desk: Desk) -> None:
    """Whatever their address would run."""
    run = f"touch {desk.canary}"
    (desk.work / ".gitmodules").write_text(
        f'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "{run}"\n\tupdate = !{run}\n'
    )
    shell(
        desk.work,
        "git add .gitmodules; git update-index --add --cacheinfo 160000,"
        "1234567890123456789012345678901234567890,x; git -c user.name=x -c user.email=x@y commit -qm x",
    )
    store = ObjectStore(desk.work.with_name("other.git"))
    head, _ = await freeze(desk.work, store)
    await store.check_out(head, desk.work.with_name("again"), full_history=True)
    with pytest.raises(GitError):
        await store.fetch(f'ext::sh -c "{run}"', "HEAD")
    with pytest.raises(GitError):
        await store.fetch(f"--upload-pack={run}", "HEAD")
    assert desk.untouched()


async def test_a_repository_in_a_submodules_place_is_not_asked(desk: Desk) -> None:
    """Git would run its own `status` there, by that repository's settings, if `.gitmodules` says so."""
    hostile = desk.work.with_name("hostile")
    hostile.mkdir()
    shell(
        hostile,
        "git init -q; echo one >a; echo '* filter=x' >.gitattributes; git add .;"
        f"git -c user.name=x -c user.email=x@y commit -qm x; git config filter.x.clean"
        f" 'touch {shlex.quote(str(desk.canary))}; cat'; echo two >a",
    )
    shell(
        desk.work,
        "for at in kept moved gone; do mkdir $at; git update-index --add --cacheinfo"
        " 160000,$(git -C ../hostile rev-parse HEAD),$at; done;"
        "git -c user.name=x -c user.email=x@y commit -qm x",
    )
    store = ObjectStore(desk.work.with_name("other.git"))
    head, _ = await freeze(desk.work, store)
    tree = desk.work.with_name("tree")
    await store.check_out(head, tree, full_history=False)
    shell(
        tree,
        "rm -r gone moved kept; cp -a ../hostile kept; cp -a ../hostile elsewhere; ln -s elsewhere moved;"
        "for at in kept moved; do"
        "  printf '[submodule \"%s\"]\\n\\tpath = %s\\n\\turl = ./x\\n\\tignore = none\\n' $at $at;"
        "done >.gitmodules",
    )
    desk.canary.unlink(missing_ok=True)
    after = await store.write_tree(tree, base=head)
    assert desk.untouched()
    assert [*await store.submodules(after)] == ["kept"]
    changes = {each.path: each.mode for each in await store.changes(head, after)}
    assert changes == {".gitmodules": "100644", "gone": None, "moved": "120000"}


async def test_links_come_out_as_links(desk: Desk) -> None:
    """They are neither followed when the tree is stored, nor when it is checked out again."""
    (desk.work / "file").symlink_to("/etc/hostname")
    (desk.work / "folder").symlink_to(desk.outside)
    (desk.work / ".gitignore").symlink_to("/etc/hostname")
    after = await desk.store.write_tree(desk.work, base=desk.head)
    assert await desk.store.show(after, "file") == b"/etc/hostname"
    modes = {each.path: each.mode for each in await desk.store.changes(desk.head, after)}
    assert modes == dict.fromkeys((".gitignore", "file", "folder"), "120000")
    commit = await desk.store.commit(after, parents=[desk.head], message="x")
    again = desk.work.with_name("again")
    await desk.store.check_out(commit, again, full_history=False)
    assert (again / "folder").is_symlink()
    through = new_file("folder/x")
    with pytest.raises(PatchDoesNotApply):
        await desk.store.apply(after, through.encode())
    assert desk.untouched()


async def test_names_are_only_names(desk: Desk) -> None:
    """With newlines, quotes, dashes, globs, bytes that are no text, and differing only in case."""
    names = [
        "new\nline",
        '"quoted"',
        "-rf",
        "*",
        ":(top)x",
        "A.TXT",
        os.fsdecode(b"\xff"),
        " ",
        "a\tb",
    ]
    for name in names:
        (desk.work / name).write_text(name, "utf-8", "surrogateescape")
    odd = ("new\nline", "a\tb", os.fsdecode(b"\xff"))
    after = await desk.store.write_tree(desk.work, base=desk.head, force=odd)
    patch = await patch_between(desk.store, desk.head, after)
    assert sorted(patch.files) == sorted(names)
    assert await desk.store.apply(desk.head, patch.data) == after
    for name in names:
        only = await patch_between(desk.store, desk.head, after, (name,))
        assert only.files == (name,)
        assert without(only, ("**",)) == (Patch(), (name,))
    assert await desk.store.show(after, "a.txt") == b"one\n"
    assert await desk.store.show(after, "A.TXT") == b"A.TXT"
    for name in names:
        (desk.work / name).write_text("changed", "utf-8")
    changed = await desk.store.write_tree(desk.work, base=after)
    assert (await patch_between(desk.store, after, changed)).files == patch.files


@pytest.mark.parametrize(
    "name", ["new\nline", "a\tb", "\x1b[2Jx.py", "x\u2028y", "d/\x7f", os.fsdecode(b"d/\xe9")]
)
async def test_new_files_with_control_characters_are_left_out(name: str, desk: Desk) -> None:
    """Nobody could read in a list of files what they are called; letters of any script are fine."""
    (desk.work / "d").mkdir()
    for new in (name, "fine é 文.py"):
        (desk.work / new).touch()
    after = await desk.store.write_tree(desk.work, base=desk.head)
    assert (await patch_between(desk.store, desk.head, after)).files == ("fine é 文.py",)


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder", [".GIT", ".git", "below/.Git", "below/.git", "git~1", ".g\u200cit", ".git "]
)
@pytest.mark.parametrize("kind", ["folder", "file"])
async def test_what_is_gits_folder_somewhere_is_left_out(
    folder: str, kind: str, desk: Desk
) -> None:
    """Git refuses to store it; the rest is stored."""
    place = desk.work / folder
    place.parent.mkdir(exist_ok=True)
    if kind == "folder":
        place.mkdir(exist_ok=True)
        (place / "hooks").touch()
    elif not place.exists():
        place.touch()
    (desk.work / "new").touch()
    after = await desk.store.write_tree(desk.work, base=desk.head)
    assert (await patch_between(desk.store, desk.head, after)).files == ("new",)


@pytest.mark.parametrize("kind", ["pipe", "socket", "folder", "repository", "link above"])
async def test_what_stands_in_a_files_place_removes_it(kind: str, desk: Desk) -> None:
    """A tree has files and links; what lies behind a link is not in it."""
    (desk.work / "below").mkdir()
    (desk.work / "below" / "b").write_text("b")
    base = await desk.store.write_tree(desk.work, base=desk.head)
    place = desk.work / "below" / "b"
    place.unlink()
    match kind:
        case "pipe":
            os.mkfifo(place)
        case "socket":
            with socket.socket(socket.AF_UNIX) as bound:
                bound.bind(str(place))
        case "folder":
            place.mkdir()
            (place / "c").touch()
        case "repository":
            await asyncio.to_thread(subprocess.run, ["git", "init", "-q", str(place)], check=True)
        case _:
            place.parent.rmdir()
            (desk.work / "other").mkdir()
            (desk.work / "other" / "b").touch()
            (desk.work / "below").symlink_to("other")
    after = await desk.store.write_tree(desk.work, base=base)
    more = {"folder": ("below/b/c",), "link above": ("below", "other/b")}.get(kind, ())
    files = (await patch_between(desk.store, base, after)).files
    assert files == tuple(sorted(("below/b", *more)))


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes", "below/.gitignore"])
async def test_a_pipe_keeps_nobody_waiting(name: str, desk: Desk) -> None:
    """Git would wait for somebody to write its rules."""
    (desk.work / "below").mkdir()
    (desk.work / "below" / "b.txt").touch()
    os.mkfifo(desk.work / name)
    with pytest.raises(GitError, match="pipe"):
        await asyncio.wait_for(desk.store.write_tree(desk.work, base=desk.head), SECONDS)


@pytest.mark.parametrize("name", [".gitignore", "below/.gitattributes"])
async def test_rules_without_end_are_not_read(name: str, desk: Desk) -> None:
    """Git would take them into its memory, however long they are; nothing is written for that."""
    (desk.work / "below").mkdir()
    with (desk.work / name).open("wb") as file:
        file.truncate(2 * 2**30)
    with pytest.raises(GitError, match="larger than 8 MiB"):
        await asyncio.wait_for(desk.store.write_tree(desk.work, base=desk.head), SECONDS)


async def test_pipes_and_sockets_are_no_part_of_a_tree(desk: Desk) -> None:
    """They are left out, whoever made them."""
    os.mkfifo(desk.work / "pipe")
    server = await asyncio.start_unix_server(lambda *_: None, desk.work / "socket")
    async with server:
        after = await desk.store.write_tree(desk.work, base=desk.head)
    assert after == await desk.store.tree_of(desk.head)


async def test_huge_files_stay_inside(desk: Desk) -> None:
    """One that nobody could push is left out; too much of the others is an error."""
    with (desk.work / "huge").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    after = await desk.store.write_tree(desk.work, base=desk.head)
    assert after == await desk.store.tree_of(desk.head)
    for number in range(30):
        with (desk.work / f"large-{number}").open("wb") as file:
            file.truncate(LARGEST_FILE)
    with pytest.raises(GitError, match="MiB of new files"):
        await asyncio.wait_for(desk.store.write_tree(desk.work, base=desk.head), SECONDS)


async def test_a_sandbox_hands_out_a_tree_that_does_nothing(kind: Kind, desk: Desk) -> None:
    """Made inside: links out, pipes, set-user-id programs, a hostile repository, odd names."""
    sandbox = await kind.open()
    run = f"touch {desk.canary}"
    made = await sandbox.run(
        f"ln -s {desk.outside} out; ln -s /etc/passwd passwords; mkfifo pipe; echo x >new;"
        "chmod 6755 run.sh; mkdir -p .git/hooks below; mkfifo below/.gitattributes;"
        f"printf '[core]\\n\\tfsmonitor = \"{run}\"\\n' >.git/config; touch $'new\\nline';"
        f"printf '#!/bin/sh\\n{run}\\n' >.git/hooks/post-checkout; chmod 755 .git/hooks/*",
        timeout=SECONDS,
    )
    assert made.ok, made
    tree = await sandbox.tree()
    assert (tree / "out").readlink() == desk.outside
    assert (tree / "passwords").is_symlink()
    storing = asyncio.wait_for(desk.store.write_tree(tree, base=desk.head), SECONDS)
    if kind.name == "bubblewrap":  # the others leave pipes behind
        with pytest.raises(GitError, match="pipe"):
            await storing
        return
    after = await storing
    paths = set(await desk.store.paths(after))
    assert {"new", "out", "passwords"} <= paths
    assert "new\nline" not in paths
    assert not any((tree / name).exists() for name in ("pipe", "below/.gitattributes"))
    assert desk.untouched()
