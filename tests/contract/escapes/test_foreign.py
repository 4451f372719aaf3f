"""A repository that a person names runs nothing on the host, and leads to no other one."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bot.commands.ci_choice import JobChoice, find_jobs, plan_chosen
from bot.commands.doctor_repository import diagnose
from bot.commands.handover import apply_to_work_tree, check_branch, commit_to_branch
from bot.commands.package_date_option import moment_of
from bot.errors import UsageError
from bot.model import Patch
from bot.repair.workspace.checkouts import LocalCheckout, provide
from sandbox.git import GitError, ObjectStore, RepositoryRefused, foreign, freeze
from sandbox.git.extent import refuse_far_too_much

SECONDS = 600.0
SECRET = "untold-4b7f91"
WORKFLOW = "on: push\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n"
PATCH = Patch(
    b"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n",
    ("a.txt",),
    1,
    1,
)


def shell(folder: Path, script: str, **variables: str) -> str:
    who = {
        f"GIT_{role}_{part}": "t@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, **who, **variables}
    asked = ("bash", "-ec", script)
    return subprocess.run(
        asked, cwd=folder, env=environ, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two commits, a workflow and a test."""
    root = tmp_path / "theirs"
    (root / ".github" / "workflows").mkdir(parents=True)
    (root / ".github" / "workflows" / "ci.yml").write_text(WORKFLOW, "utf-8")
    (root / "test_it.py").write_text("def test_it():\n    assert True\n", "utf-8")
    shell(
        root,
        "git init -q -b main; echo old >a.txt; git add .; git commit -qm first; git tag v1;"
        "echo one >a.txt; git commit -qam second",
    )
    return root


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """Another repository of the operator's, of which nothing may be read."""
    root = tmp_path / "private"
    root.mkdir()
    shell(root, f"git init -q -b main; echo {SECRET} >secret; git add .; git commit -qm secret")
    return root


async def freezing(root: Path, scratch: Path) -> None:
    checkout = LocalCheckout(root, scratch)
    await checkout.provide(await checkout.head())


async def planning(root: Path, _: Path) -> None:
    choice = JobChoice(root)
    jobs, _listing = await find_jobs(choice)
    await plan_chosen(choice, jobs[0])


async def dating(root: Path, _: Path) -> None:
    await moment_of("commit", root)


async def diagnosing(root: Path, _: Path) -> None:
    await diagnose(root)


async def branching(root: Path, _: Path) -> None:
    await check_branch(root, "repair")
    await commit_to_branch(root, "repair", PATCH, "Repair\n")


async def applying(root: Path, _: Path) -> None:
    await apply_to_work_tree(root, PATCH)


EVERYTHING: tuple[Callable[[Path, Path], Awaitable[None]], ...] = (
    *(freezing, planning, dating, diagnosing, branching, applying),
)
"""What commands do with a folder that they are given."""

PROGRAMS = (
    *("core.fsmonitor", "core.sshCommand", "core.gitProxy", "core.alternateRefsCommand"),
    *("core.editor", "core.pager", "pager.show", "core.askPass", "credential.helper"),
    *("filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.external", "diff.x.textconv"),
    *("diff.x.command", "merge.x.driver", "gpg.program", "gpg.x509.program", "gpg.ssh.program"),
    *("uploadpack.packObjectsHook", "remote.origin.uploadpack", "remote.origin.vcs"),
    *("trailer.x.command", "sequence.editor", "submodule.sub.update", "hook.x.command"),
    *("alias.rev-parse", "alias.cat-file", "tar.zip.command", "gc.recentObjectsHook"),
    *("remote.origin.receivepack", "interactive.diffFilter", "trailer.x.cmd", "imap.tunnel"),
    *("sendemail.sendmailCmd", "difftool.x.cmd", "mergetool.x.cmd", "man.x.cmd", "web.browser"),
    *("credential.https://github.com.helper", "merge.tool", "diff.tool", "guitool.x.cmd"),
)
"""Settings that name a program."""

HOSTILE = {
    "a promisor remote": (
        "git config core.repositoryFormatVersion 1; git config extensions.partialClone origin;"
        "git config remote.origin.url ../nowhere; git config remote.origin.promisor true;"
        'git config remote.origin.uploadpack "$RUN; false"; {lose}'
    ),
    "a promisor remote without an extension": (
        "git config remote.origin.url ../nowhere; git config remote.origin.promisor true;"
        'git config remote.origin.partialCloneFilter blob:none; git config remote.origin.uploadpack "$RUN; false"; {lose}'
    ),
    "a promisor remote with a program of its own": (
        "git config core.repositoryFormatVersion 1; git config extensions.partialClone origin;"
        'git config remote.origin.url "ext::sh -c $RUN"; git config protocol.ext.allow always; {lose}'
    ),
    "a signature": (
        'git config log.showSignature true; git config gpg.program "$PROGRAM";'
        "git cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n x\\n -----END PGP SIGNATURE-----' >../signed;"
        "git update-ref HEAD $(git hash-object -t commit -w ../signed)"
    ),
    "settings in another file": (
        'git config -f .git/more filter.x.clean "$RUN; cat"; git config include.path more;'
        'git config includeIf.gitdir:/.path more; echo "* filter=x" >.git/info/attributes; touch a.txt'
    ),
    "filters": (
        'git config filter.x.clean "$RUN; cat"; git config filter.x.smudge "$RUN; cat";'
        'echo "* filter=x" >.gitattributes'
    ),
    "settings of the work tree": (
        'git config extensions.worktreeConfig true; git config --worktree filter.x.smudge "$RUN; cat";'
        'git config --worktree core.fsmonitor "$PROGRAM"; echo "* filter=x" >.gitattributes'
    ),
    "hooks": (
        "for hook in post-index-change post-checkout reference-transaction pre-commit update;"
        'do cp "$PROGRAM" .git/hooks/$hook; done; mkdir hooks; cp .git/hooks/* hooks; git config core.hooksPath hooks'
    ),
    "an address that is written anew": (
        'git config "url.ext::sh -c $RUN %.insteadOf" "https://"; git config protocol.ext.allow always;'
        "git config core.repositoryFormatVersion 1; git config extensions.partialClone origin;"
        "git config remote.origin.url https://x/y; git config remote.origin.promisor true; {lose}"
    ),
    "bundles": (
        'git config fetch.bundleURI "ext::sh -c $RUN"; git config transfer.bundleURI true;'
        'git config bundle.version 1; git config bundle.mode all; git config bundle.x.uri "ext::sh -c $RUN";'
        "git config protocol.ext.allow always"
    ),
    "rules and templates that are pipes": (
        "mkfifo ../pipe; for key in core.attributesFile core.excludesFile init.templateDir"
        " blame.ignoreRevsFile mailmap.file commit.template include.path; do git config $key $PWD/../pipe; done"
    ),
    "submodules that update themselves": (
        "c=$(git rev-parse HEAD); git update-index --add --cacheinfo 160000,$c,sub;"
        'printf \'[submodule "../../x"]\\n\\tpath = sub\\r\\n\\turl = ext::sh -c $RUN\\n\\tupdate = !%s\\n\' "$RUN" >.gitmodules;'
        "git add .gitmodules; git commit -qm sub; git init -q sub; mkdir -p .git/modules/sub/hooks;"
        'git -C sub config core.fsmonitor "$PROGRAM"; git -C sub config core.worktree ../..;'
        'for hook in post-checkout pre-commit; do cp "$PROGRAM" .git/modules/sub/hooks/$hook; done'
    ),
    "replaced objects": (
        "git replace -f $(git rev-parse HEAD:a.txt) $(echo else | git hash-object -w --stdin);"
        'git config filter.x.clean "$RUN; cat"; echo "* filter=x ident working-tree-encoding=UTF-16" >.git/info/attributes'
    ),
    "a watcher": "git config core.fsmonitor true; git config core.untrackedCache true; git config feature.manyFiles true",
    "every program": "".join(f'git config {key} "$RUN";' for key in PROGRAMS)
    + 'echo "* filter=x diff=x merge=x" >.gitattributes',
}
"""Commands that make a repository hostile; `$RUN` leaves a trace, as does the file `$PROGRAM`."""

LOSE = "o=$(git rev-parse {what}); rm -f .git/objects/${{o:0:2}}/${{o:2}}"
LOST = ("HEAD^{tree}", "HEAD:a.txt", "HEAD^:a.txt", "HEAD^")
"""Objects that are missing, for which git would ask the remote."""

CASES = {
    f"{name}, {what}" if "{lose}" in script else name: script.replace(
        "{lose}", LOSE.format(what=shlex.quote(what))
    )
    for name, script in HOSTILE.items()
    for what in LOST
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
async def test_no_setting_of_a_repository_runs_a_program(
    name: str, repository: Path, tmp_path: Path
) -> None:
    """Whatever a command does with the folder; it may fail, with a sentence."""
    canary, program = tmp_path / "canary", tmp_path / "program"
    run = f"touch {shlex.quote(str(canary))}"
    program.write_text(f"#!/bin/sh\n{run}\n", "utf-8")
    program.chmod(0o755)
    shell(repository, CASES[name], RUN=run, PROGRAM=str(program))
    canary.unlink(missing_ok=True)
    for number, act in enumerate(EVERYTHING):
        scratch = tmp_path / f"scratch-{number}"
        scratch.mkdir()
        with suppress(UsageError, GitError):
            await act(repository, scratch)
        assert not canary.exists(), act.__name__


LEADING = {
    "a work tree elsewhere": "git config core.worktree ../../private",
    "a file that leads to it": "rm -r .git; echo gitdir: ../private/.git >.git",
    "a link that leads to it": "rm -r .git; ln -s ../private/.git .git",
    "a shared folder of git's": "echo ../../private/.git >.git/commondir",
    "a work tree of it": (
        "rm -r .git; git -C ../private worktree add -q ../other;"
        "echo gitdir: ../private/.git/worktrees/other >.git"
    ),
    "objects that are a link": "rm -r .git/objects; ln -s ../../private/.git/objects .git",
    "a folder of objects that is a link": (
        "for at in ../private/.git/objects/??; do"
        "  [ -e .git/objects/${at##*/} ] || ln -s ../../$at .git/objects/; done"
    ),
    "packs that are a link": "rm -rf .git/objects/pack; ln -s ../../../private/.git/objects/pack .git/objects",
    "packed refs that are a link": "ln -sf ../../private/.git/HEAD .git/packed-refs",
    "a shallow file that is a link": "ln -sf ../../private/.git/HEAD .git/shallow",
    "a folder in the tree that shares it": (
        "mkdir fake; cp .git/HEAD fake; echo ../../private/.git >fake/commondir; rm -r .git; echo gitdir: fake >.git"
    ),
    "a device": "rm -r .git; echo gitdir: /dev/stdin >.git",
    "objects that are borrowed": "cd .git; realpath ../../private/.git/objects >objects/info/alternates",
    "refs that are a link": "rm -r .git/refs; ln -s ../../private/.git/refs .git",
    "a ref that is a link": "ln -sf ../../../../private/.git/refs/heads/main .git/refs/heads/main",
    "a HEAD that is a link": "ln -sf ../../private/.git/HEAD .git/HEAD",
    "a ref that is a pipe": "rm .git/refs/heads/main; mkfifo .git/refs/heads/main",
    "a HEAD that is a pipe": "rm .git/HEAD; mkfifo .git/HEAD",
    "settings that are a pipe": "rm .git/config; mkfifo .git/config",
    "rules that are a pipe": "rm .git/info/exclude; mkfifo .git/info/exclude",
}
"""Commands that make a repository lead to the private one, or keep its reader waiting."""


@pytest.mark.usefixtures("private")
@pytest.mark.parametrize("name", LEADING)
async def test_a_repository_that_leads_elsewhere_is_refused(
    name: str, repository: Path, tmp_path: Path
) -> None:
    """With a sentence of its own, before anything is read there."""
    shell(repository, LEADING[name])
    with pytest.raises(RepositoryRefused):
        await asyncio.wait_for(freeze(repository, ObjectStore(tmp_path / "store.git")), SECONDS)


async def test_a_tree_that_names_itself_is_not_read(repository: Path) -> None:
    """A billion files in eleven objects, or far too many bytes."""
    commit = bomb(repository)
    with pytest.raises(RepositoryRefused, match="more than 10,000 files"):
        await refuse_far_too_much(repository / ".git", commit, files=10_000)
    small = f"{commit}:d0/d1/d2/d3/d4/d5/d6"
    with pytest.raises(RepositoryRefused, match="more than 0 MiB"):
        await refuse_far_too_much(repository / ".git", small, size=1000)
    await refuse_far_too_much(repository / ".git", small, files=300)


@pytest.mark.exhaustive
async def test_nor_is_it_written(repository: Path, tmp_path: Path) -> None:
    """As a server would that fetched it."""
    commit = bomb(repository)
    with pytest.raises(UsageError, match="more than 1,000,000 files"):
        await LocalCheckout(repository, tmp_path).head()
    store = ObjectStore(tmp_path / "store.git")
    await store.create(borrow_from=repository / ".git" / "objects")
    with pytest.raises(UsageError, match="more than 1,000,000 files"):
        await provide(store, commit, tmp_path / "source")


def bomb(repository: Path) -> str:
    """Make the newest commit one whose folders are all the same ten folders, nine times over."""
    level = "t=$(for i in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %s\\td%s\\n' $t $i; done | git mktree);"
    script = "t=$(git rev-parse HEAD^{tree});" + 9 * level
    shell(repository, script + 'git update-ref HEAD $(git commit-tree -m x "$t")')
    return shell(repository, "git rev-parse HEAD").strip()


async def test_linked_work_trees_and_submodules_are_read(repository: Path, tmp_path: Path) -> None:
    """Both have a file in place of `.git`, and a folder of git's that names them."""
    shell(repository, "git worktree add -q -b other ../other; git branch -q apart")
    shell(
        repository,
        "git -c protocol.file.allow=always submodule --quiet add -b apart ./ below; git commit -qm below",
        GIT_ALLOW_PROTOCOL="file",
    )
    for number, root in enumerate((tmp_path / "other", repository / "below")):
        (root / "new.txt").touch()
        store = ObjectStore(tmp_path / f"store-{number}.git")
        head, changed = await freeze(root, store)
        assert changed
        assert await store.show(head, "a.txt") == b"one\n"
    head, changed = await freeze(repository, ObjectStore(tmp_path / "store.git"))
    assert not changed
    await commit_to_branch(tmp_path / "other", "repair", PATCH, "Repair\n")
    assert shell(repository, "git show repair:a.txt") == "two\n"


async def test_a_git_folder_apart_has_to_lead_back(repository: Path, tmp_path: Path) -> None:
    """Whoever made it can say so: the sentence tells how."""
    shell(repository, "git init -q --separate-git-dir ../apart.git")
    store = ObjectStore(tmp_path / "store.git")
    with pytest.raises(RepositoryRefused, match="does not lead back") as caught:
        await freeze(repository, store)
    shell(repository, str(caught.value).split("`")[1])
    _, changed = await freeze(repository, store)
    assert not changed


async def test_a_partial_clone_is_read_as_far_as_it_goes(repository: Path, tmp_path: Path) -> None:
    """Its checkout has no history, because that has gaps."""
    shell(repository, "git config uploadpack.allowFilter true")
    shell(tmp_path, f"git clone -q --filter=blob:none file://{repository} partial")
    checkout = LocalCheckout(tmp_path / "partial", tmp_path)
    source = await checkout.provide(await checkout.head())
    assert (source.directory / "a.txt").read_text("utf-8") == "one\n"
    assert shell(source.directory, "git rev-list --count HEAD") == "1\n"


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("extensions.objectFormat sha256", "objectformat is 'sha256'"),
        ("extensions.unheardOf 1", "unheardof is '1'"),
        ("core.bare true", "no work tree"),
    ],
)
async def test_unknown_formats_are_refused(
    setting: str, sentence: str, repository: Path, tmp_path: Path
) -> None:
    """Rather than guessed at."""
    shell(repository, f"git config -f .git/config {setting}")
    with pytest.raises(RepositoryRefused, match=sentence):
        await freeze(repository, ObjectStore(tmp_path / "store.git"))


async def test_settings_are_data(repository: Path) -> None:
    """They can be asked for, without what they include."""
    shell(
        repository,
        "git config remote.origin.url https://github.com/acme/app; git config include.path x",
    )
    async with foreign(repository / ".github") as theirs:
        assert theirs.settings["remote.origin.url"] == "https://github.com/acme/app"
        assert theirs.root == repository
