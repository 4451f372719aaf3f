"""Objects are kept from run to run, and a damaged mirror costs a fetch and nothing else."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from bot.errors import UsageError
from bot.runs.mirrors import IN_USE_SECONDS, Mirrors, tidy_mirrors
from bot.runs.remote_checkout import MANY_FILES, RECENT_COMMITS, RemoteCheckout
from bot.runs.sources import VersionHistory
from sandbox.git import GitError, ObjectStore, git

NOW = 2_000_000_000.0


class Origin:
    """A repository on a server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self._git("init", "--quiet", "--initial-branch=main")
        self._git("config", "uploadpack.allowFilter", "true")

    def commit(self, text: str, *more: str) -> str:
        """Change its file, and add others; return the commit."""
        (self.folder / "app.py").write_text(text)
        self._git("add", "app.py", *more)
        self._git("-c", "user.name=Ada", "-c", "user.email=ada@x", "commit", "-qm", text[:20])
        return self._git("rev-parse", "HEAD").strip()

    def blob(self, path: str) -> str:
        """Return the id of a file's content."""
        return self._git("rev-parse", f"HEAD:{path}").strip()

    def tag(self, name: str) -> None:
        """Tag the last commit."""
        self._git("tag", name)

    def checkout(
        self,
        mirrors: Mirrors,
        scratch: Path,
        *,
        size: int = 0,
        extras: tuple[VersionHistory, ...] = (),
    ) -> RemoteCheckout:
        """Return what a run of it uses, where the server says that it has so many bytes."""

        async def said() -> int:
            return size

        mirror = mirrors.of("Acme/App")
        return RemoteCheckout(
            f"file://{self.folder}", scratch, mirror=mirror, size=said, extras=lambda: extras
        )

    def _git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout


async def test_a_mirror_serves_runs_and_grows(tmp_path: Path) -> None:
    """The second run gets the first one's commit without the server, and a new one with it."""
    origin, mirrors = Origin(tmp_path / "origin"), Mirrors(tmp_path / "mirrors")
    first = origin.commit("print(1)\n")
    await origin.checkout(mirrors, tmp_path / "one").provide(first)
    second = origin.commit("print(2)\n")
    away = origin.folder.rename(tmp_path / "away")
    source = await origin.checkout(mirrors, tmp_path / "two").provide(first)
    assert (source.directory / "app.py").read_text() == "print(1)\n"
    away.rename(origin.folder)
    source = await origin.checkout(mirrors, tmp_path / "three").provide(second)
    assert (source.directory / "app.py").read_text() == "print(2)\n"
    assert [path.name for path in (tmp_path / "mirrors" / "acme").iterdir()] == ["app.git"]


async def test_runs_that_want_the_same_fetch_once(tmp_path: Path) -> None:
    """Of several runs at once, the others find what the first one fetched."""
    origin, mirrors = Origin(tmp_path / "origin"), Mirrors(tmp_path / "mirrors")
    commit = origin.commit("print(1)\n")
    runs = [origin.checkout(mirrors, tmp_path / f"run{n}") for n in range(4)]
    await asyncio.gather(*(run.provide(commit) for run in runs))
    fetched = tmp_path / "mirrors" / "acme" / "app.git" / "refs" / "fixpoint"
    assert len(list(fetched.iterdir())) == 1


async def test_of_a_large_repository_the_last_commits_are_fetched(tmp_path: Path) -> None:
    """What is new later too; how far back a run can look, the run before it doesn't change."""
    origin, mirrors = Origin(tmp_path / "origin"), Mirrors(tmp_path / "mirrors")
    commits = [origin.commit(f"print({n})\n") for n in range(RECENT_COMMITS + 3)]
    for run in ("one", "two"):
        source = await origin.checkout(mirrors, tmp_path / run, size=2**40).provide(commits[-1])
        store = source.store
        assert (source.directory / "app.py").read_text() == f"print({len(commits) - 1})\n"
        assert not await store.has(commits[0])
        assert await store.before(commits[-1], commits[-1], 1000) == commits[-RECENT_COMMITS]
        assert await store.before(commits[-1], commits[-4], 30) == commits[-4]
        commits.append(origin.commit(f"print({len(commits)})\n"))
    assert await store.before(commits[-2], commits[-2], 1000) == commits[-1 - RECENT_COMMITS]


async def test_of_a_mirror_with_all_commits_none_is_forgotten(tmp_path: Path) -> None:
    """Though the repository has become large since."""
    origin, mirrors = Origin(tmp_path / "origin"), Mirrors(tmp_path / "mirrors")
    commits = [origin.commit(f"print({n})\n") for n in range(RECENT_COMMITS + 3)]
    await origin.checkout(mirrors, tmp_path / "one").provide(commits[-1])
    latest = origin.commit("print('new')\n")
    source = await origin.checkout(mirrors, tmp_path / "two", size=2**40).provide(latest)
    assert await source.store.before(latest, latest, 1000) == commits[0]


async def test_objects_are_asked_of_servers_by_nobody_but_us(tmp_path: Path) -> None:
    """Settings name a server for what is missing: git does not go there, nor would an older one."""
    origin = Origin(tmp_path / "origin")
    origin.commit("print(1)\n")
    store = ObjectStore(tmp_path / "store.git")
    await store.create()
    with (store.directory / "config").open("a") as config:
        config.write(f'[remote "o"]\n\turl = file://{origin.folder}\n\tpromisor = true\n')
    blob = origin.blob("app.py")
    as_before = {"GIT_NO_LAZY_FETCH": "0"}
    with pytest.raises(GitError, match="transport 'file' not allowed"):
        await git("cat-file", "blob", blob, git_dir=store.directory, extra=as_before)
    with pytest.raises(GitError, match="bad file"):
        await store.blob(blob)


@pytest.mark.parametrize("damage", [b"", b"\0" * 64])
async def test_a_damaged_mirror_is_replaced(tmp_path: Path, damage: bytes) -> None:
    """A disk that lost what it was told: the run goes on, and so do those after it."""
    origin, mirrors = Origin(tmp_path / "origin"), Mirrors(tmp_path / "mirrors")
    commit = origin.commit("print(1)\n")
    await origin.checkout(mirrors, tmp_path / "one").provide(commit)
    objects = tmp_path / "mirrors" / "acme" / "app.git" / "objects"
    for file in [path for path in objects.rglob("*") if path.is_file()]:
        file.chmod(0o600)
        file.write_bytes(damage)
    for run, text in (("two", commit), ("three", origin.commit("print(2)\n"))):
        source = await origin.checkout(mirrors, tmp_path / run).provide(text)
        assert (source.directory / "app.py").exists()
    names = sorted(path.name for path in (tmp_path / "mirrors" / "acme").iterdir())
    assert names == ["app.git", "app~2.git"]


async def test_a_commit_that_is_not_there_damages_no_mirror(tmp_path: Path) -> None:
    """A branch that was deleted is told as before."""
    origin, mirrors = Origin(tmp_path / "origin"), Mirrors(tmp_path / "mirrors")
    commit = origin.commit("print(1)\n")
    await origin.checkout(mirrors, tmp_path / "one").provide(commit)
    with pytest.raises(UsageError, match="not our ref"):
        await origin.checkout(mirrors, tmp_path / "two").provide("1" * 40)
    assert [path.name for path in (tmp_path / "mirrors" / "acme").iterdir()] == ["app.git"]


def made(mirrors: Path, name: str, *, used: float, size: int = 2**20) -> None:
    """Make what looks like a mirror."""
    folder = mirrors / "acme" / f"{name}.git"
    folder.mkdir(parents=True)
    (folder / "pack").write_bytes(b"\0" * size)
    os.utime(folder, (used, used))


async def test_the_least_recently_used_mirrors_go(tmp_path: Path) -> None:
    """Those of long ago, damaged ones, and the oldest until the rest fits; none of today's."""
    idle = NOW - IN_USE_SECONDS - 1
    made(tmp_path, "ancient", used=NOW - 100 * IN_USE_SECONDS)
    made(tmp_path, "older", used=idle - 20, size=5 * 2**20)
    made(tmp_path, "old", used=idle - 10)
    made(tmp_path, "broken", used=idle)
    made(tmp_path, "today", used=NOW - 5)
    broken = tmp_path / "acme" / "broken.git"
    (broken / "damaged").touch()
    os.utime(broken, (idle, idle))
    unused_since = NOW - 30 * IN_USE_SECONDS
    removed = await tidy_mirrors(tmp_path, unused_since=unused_since, now=NOW, most_bytes=4 * 2**20)
    assert removed == 3
    assert sorted(path.name for path in (tmp_path / "acme").iterdir()) == ["old.git", "today.git"]
    await tidy_mirrors(tmp_path, unused_since=unused_since, now=NOW, most_bytes=10)
    assert [path.name for path in (tmp_path / "acme").iterdir()] == ["today.git"]


async def test_many_packs_become_one(tmp_path: Path) -> None:
    """And everything that was borrowed is still there."""
    origin, mirrors = Origin(tmp_path / "origin"), Mirrors(tmp_path / "mirrors")
    commits = [origin.commit(f"print({n})\n") for n in range(3)]
    await origin.checkout(mirrors, tmp_path / "one").provide(commits[-1])
    store = ObjectStore(tmp_path / "mirrors" / "acme" / "app.git")
    await store.pack()
    assert len(list((store.directory / "objects" / "pack").glob("*.pack"))) == 1
    assert [await store.has(commit) for commit in commits] == [True] * 3


def kept(trees: Path, name: str, *, used: float) -> None:
    """Make what looks like a work tree."""
    (trees / name).mkdir(parents=True)
    os.utime(trees / name, (used, used))


async def test_work_trees_go_before_their_mirror(tmp_path: Path) -> None:
    """The last few of a repository stay for a day, and each as long as a run may use it."""
    made(tmp_path, "app", used=NOW)
    trees = tmp_path / "acme" / "app.git.trees"
    for n in range(6):
        kept(trees, f"idle{n}", used=NOW - 4 * 3600 - n)
    kept(trees, "busy", used=NOW - 3600)
    kept(trees, "old", used=NOW - IN_USE_SECONDS - 1)
    await tidy_mirrors(tmp_path, unused_since=0, now=NOW, most_bytes=2**40)
    assert sorted(path.name for path in trees.iterdir()) == ["busy", "idle0", "idle1", "idle2"]


async def test_the_work_tree_of_many_files_is_kept(tmp_path: Path) -> None:
    """Of a large repository it has the packs of the mirror; the next run finds it as it was."""
    origin, mirrors = Origin(tmp_path / "origin"), Mirrors(tmp_path / "mirrors")
    folder = origin.folder / "many"
    folder.mkdir()
    for n in range(MANY_FILES):
        (folder / f"{n}.txt").touch()
    for n in range(RECENT_COMMITS + 1):
        origin.commit(f"print('{n}')\n", "many")
    commit = origin.commit("print(1)\n")
    source = await origin.checkout(mirrors, tmp_path / "one", size=2**40).provide(commit)
    assert source.stays
    assert (source.directory / "app.py").read_text() == "print(1)\n"
    [pack] = (source.directory / ".git" / "objects" / "pack").glob("*.pack")
    assert pack.stat().st_nlink == 2
    again = await origin.checkout(mirrors, tmp_path / "two", size=2**40).provide(commit)
    assert again.directory == source.directory
    (again.directory / "app.py").write_text("print(3)\n")
    tree = await again.store.write_tree(again.directory, base=commit)
    assert await again.store.show(tree, "app.py") == b"print(3)\n"
    later = origin.commit("print(2)\n")
    third = await origin.checkout(mirrors, tmp_path / "three", size=2**40).provide(later)
    assert (third.directory / "app.py").read_text() == "print(2)\n"
    assert (source.directory / "app.py").read_text() == "print(3)\n"
    one = "many/1.txt"
    assert (third.directory / one).samefile(source.directory / one)
    for seen in (source, third):
        index = {"GIT_INDEX_FILE": str(seen.directory / ".git" / "index")}
        places = {**index, "GIT_WORK_TREE": str(seen.directory)}
        compare = ("diff-files", "--name-only")
        store = seen.store.directory
        unlike = await git(*compare, git_dir=store, cwd=seen.directory, extra=places)
        assert unlike == (b"app.py\n" if seen is source else b"")
    for seen in (source, third):
        counted = await git("rev-list", "--count", "HEAD", git_dir=seen.directory / ".git")
        assert int(counted) >= RECENT_COMMITS


async def test_a_version_is_read_from_the_tags_of_a_large_repository(tmp_path: Path) -> None:
    """Where the project says that something does so: all commits and tags, without their files."""
    origin, mirrors = Origin(tmp_path / "origin"), Mirrors(tmp_path / "mirrors")
    origin.commit("print(1)\n")
    origin.tag("v1.0")
    for n in range(RECENT_COMMITS + 2):
        origin.commit(f"print('{n}')\n")
    (origin.folder / "pyproject.toml").write_text('requires = ["setuptools_scm"]\n')
    commit = origin.commit("print(2)\n", "pyproject.toml")
    fetched = []

    async def fetch(store: ObjectStore, head: str) -> None:
        fetched.append(head)
        await store.fetch_history(f"file://{origin.folder}", head)

    for run in ("one", "two"):
        history = VersionHistory(mirrors.of("Acme/App").folder("history.git"), fetch)
        checkout = origin.checkout(mirrors, tmp_path / run, size=2**40, extras=(history,))
        work = (await checkout.provide(commit)).directory
        said = await git("describe", "--tags", git_dir=work / ".git")
        assert said.startswith(f"v1.0-{RECENT_COMMITS + 3}-g".encode())
        assert await git("status", "--short", git_dir=work / ".git", cwd=work) == b""
    assert fetched == [commit]
    config = (tmp_path / "mirrors" / "acme" / "app.git" / "history.git" / "config").read_text()
    assert "promisor" not in config
    assert "partial" not in config.lower()
