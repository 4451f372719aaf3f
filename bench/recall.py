"""How often memory finds the earlier failure of the same bug, on signatures of real bugs.

    python -m bench.recall --mirrors DIR --kept FILE REPOSITORY [REPOSITORY ...]

A bug is a commit of a public project that changes its source and its tests, where some of those
tests fail without the change to the source and pass with it. Each bug is seen twice:

- in memory: at the commit before its fix, the failing tests that name it first;
- as the question: at a commit some months older, with the same tests put there. Lines, functions
  and what fails besides are others by then. Where several tests show the bug, the question has only
  those that memory has not: then the two have no failing test in common.

Memory holds all bugs of a project at once, as it would in a repository of that age, and in the last
row those of all projects; the question is whether the right one is among the first five. Chance is
five out of the bugs in memory.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bot.model import Failure, Observation, Patch
from bot.model.memory import Became, FailureSignature, MemoryLimits, TriedRepair
from bot.model.repository import Repo
from bot.repair.memory.signature import signature_of_run
from bot.repair.workspace import observe
from bot.storage.database import open_database
from bot.storage.memory import MemoryStore
from sandbox.base import CommandResult

MOST_SCANNED = 4000
"""Commits of a project that are looked at, newest first."""

OLDER = 60
"""Commits between the two sightings of a bug."""

FIRST = 5
SECONDS = 60.0
_MOST_SOURCES = 3
_MOST_FAILING = 12
"""Tests that show a bug: of more, something else is wrong with the commit."""

_PYTEST = "python3 -m pytest -q -p no:cacheprovider -o addopts= --no-header --maxfail=20"


@dataclass(frozen=True, slots=True)
class Fix:
    """A commit that repairs a bug, as far as its paths tell."""

    commit: str
    parent: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bug:
    """One bug, seen twice.

    Attributes:
        commit: Of its fix.
        kept: How it showed right before the fix.
        asked: How it showed long before.
        other_tests: Whether the two have no test in common.
    """

    commit: str
    kept: FailureSignature
    asked: FailureSignature
    other_tests: bool


def main() -> None:
    """Measure the projects of the command line."""
    options = _options()
    kept = _kept(options.kept)
    for name in options.repository:
        if name not in kept:
            kept[name] = collect(options.mirrors, name, options.most, options.seconds)
            told = {key: [asdict(bug) for bug in bugs] for key, bugs in kept.items()}
            options.kept.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    asyncio.run(_measure({name: kept[name] for name in options.repository}))


def _kept(file: Path) -> dict[str, list[Bug]]:
    """Return the bugs that an earlier call collected."""
    if not file.exists():
        return {}
    told = json.loads(file.read_text("utf-8"))
    return {name: [_bug(bug) for bug in bugs] for name, bugs in told.items()}


def _bug(told: dict[str, Any]) -> Bug:
    kept, asked = (
        FailureSignature(**{**told[item], "frames": tuple(told[item]["frames"])})
        for item in ("kept", "asked")
    )
    return Bug(told["commit"], kept, asked, told["other_tests"])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.recall", description=__doc__)
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--kept", type=Path, required=True, help="file of bugs; those in it stay")
    parser.add_argument("--most", type=int, default=25, help="bugs of one project")
    parser.add_argument("--seconds", type=float, default=600, help="for collecting one project's")
    parser.add_argument("repository", nargs="+", help="owner/name of a pure Python project")
    return parser.parse_args()


def collect(mirrors: Path, name: str, most: int, seconds: float) -> list[Bug]:
    """Return bugs of a project, the newest first, as many as are found in that time."""
    until = time.monotonic() + seconds
    found: list[Bug] = []
    with tempfile.TemporaryDirectory(prefix="recall-") as scratch:
        tree = Path(scratch) / "tree"
        mirror = mirrors / name.replace("/", "+")
        _git(None, "clone", "--quiet", "--shared", "--no-checkout", str(mirror), str(tree))
        for fix in _fixes(tree):
            bug = _seen_twice(tree, fix)
            if bug is not None:
                found.append(bug)
                print(
                    f"{name}: {len(found)}. {fix.commit[:12]} {bug.kept.message[:70]}",
                    file=sys.stderr,
                )
            if len(found) >= most or time.monotonic() > until:
                break
    return found


def _fixes(tree: Path) -> Iterator[Fix]:
    """Yield commits that change little source and some tests, newest first."""
    listed = _git(tree, "log", f"--max-count={MOST_SCANNED}", "--no-merges", "--name-status",
                  "--format=%x00%H %P", "HEAD")  # fmt: skip
    for entry in listed.split("\0")[1:]:
        head, _, names = entry.partition("\n")
        commit, *parents = head.split()
        changed = [line.split("\t") for line in names.splitlines() if line.startswith("M\t")]
        paths = [path for _, path in changed if path.endswith(".py")]
        tests = tuple(path for path in paths if _is_test(path))
        sources = tuple(path for path in paths if not _is_test(path))
        if len(parents) == 1 and tests and 0 < len(sources) <= _MOST_SOURCES:
            yield Fix(commit, parents[0], sources, tests)


def _is_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith("test_") or name.endswith("_test.py") or "/test" in f"/{path}"


def _seen_twice(tree: Path, fix: Fix) -> Bug | None:
    """Return the bug of a fix, if its tests show it at both commits."""
    before = _run(tree, fix.parent, fix)
    if not before.named or len(before.named) > _MOST_FAILING:
        return None
    older = _git(tree, "rev-list", "--first-parent", f"--max-count={OLDER + 1}", fix.parent).split()
    if len(older) <= OLDER:
        return None
    long_before = _run(tree, older[-1], fix)
    shown = {failure.test for failure in before.named}
    again = [failure for failure in long_before.named if failure.test in shown]
    if not again or _run(tree, fix.commit, fix).exit_code != 0:
        return None
    kept, asked = _apart(before.named, again)
    return Bug(
        fix.commit,
        _signature(before, kept),
        _signature(long_before, asked),
        not {item.test for item in kept} & {item.test for item in asked},
    )


def _apart(
    kept: Sequence[Failure], asked: Sequence[Failure]
) -> tuple[Sequence[Failure], Sequence[Failure]]:
    """Give memory half of the tests and the question the other half, where there are several."""
    first = set(sorted(failure.test for failure in kept)[: (len(kept) + 1) // 2])
    others = [failure for failure in asked if failure.test not in first]
    if not others:
        return kept, asked
    return [failure for failure in kept if failure.test in first], others


def _signature(seen: Observation, failing: Sequence[Failure]) -> FailureSignature:
    shown = replace(seen, failing=tuple(failing))
    return signature_of_run(shown, step="python -m pytest", command="python -m pytest")


def _run(tree: Path, commit: str, fix: Fix) -> Observation:
    """Run the tests of a fix on the source of a commit, without a network."""
    _git(tree, "checkout", "--quiet", "--force", commit)
    _git(tree, "clean", "--quiet", "-fdx")
    _git(tree, "checkout", "--quiet", fix.commit, "--", *fix.tests)
    command = f"{_PYTEST} {' '.join(fix.tests)}"
    started = time.monotonic()
    walls = ("bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev",
             "--proc", "/proc", "--tmpfs", "/tmp", "--bind", str(tree), "/tmp/tree",
             "--chdir", "/tmp/tree")  # fmt: skip
    paths = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {
        "PATH": paths,
        "PYTHONPATH": "/tmp/tree:/tmp/tree/src",
        "HOME": "/tmp",
        "CI": "true",
    }
    try:
        ran = subprocess.run(
            [*walls, "bash", "-c", command], env=environment, timeout=SECONDS, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Observation(command, 124, timed_out=True)
    output = ran.stdout.decode("utf-8", "replace")
    result = CommandResult(ran.returncode, output, 0, time.monotonic() - started)
    return observe.read(command, result, ())


def _git(tree: Path | None, *arguments: str) -> str:
    ran = subprocess.run(
        ["git", *arguments], cwd=tree, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )  # fmt: skip
    return ran.stdout.decode("utf-8", "replace")


async def _measure(bugs: dict[str, list[Bug]]) -> None:
    print("| Project | Bugs | Found first | Among the first 5 | Chance | Same fingerprint |")
    print("|---|---|---|---|---|---|")
    every: list[tuple[int | None, Bug, int]] = []
    for name, known in bugs.items():
        places = await _places(name, known)
        every += [(place, bug, len(known)) for place, bug in zip(places, known, strict=True)]
        print(
            _row(name, [(place, bug, len(known)) for place, bug in zip(places, known, strict=True)])
        )
    print(_row("all", every))
    print(_row("of these, no test in common", [pair for pair in every if pair[1].other_tests]))
    together = [bug for known in bugs.values() for bug in known]
    places = await _places("all/projects", together)
    one_memory = [(place, bug, len(together)) for place, bug in zip(places, together, strict=True)]
    print(_row("all, in one memory", one_memory))


async def _places(name: str, bugs: Sequence[Bug]) -> list[int | None]:
    """Return for each bug at which place its earlier failure is found, from 0."""
    with tempfile.TemporaryDirectory() as folder:
        async with await open_database(SecretStr(f"sqlite:///{folder}/fixpoint.db")) as database:
            store, repo = MemoryStore(database), Repo(name, 1)
            await store.keep(repo, [_entry(bug) for bug in bugs], MemoryLimits(entries=2000))
            places = []
            for bug in bugs:
                found = (await store.similar(repo, bug.asked, FIRST)).entries
                ids = [entry.run_id for entry in found]
                places.append(ids.index(bug.commit) if bug.commit in ids else None)
            return places


def _entry(bug: Bug) -> TriedRepair:
    return TriedRepair(
        f"{bug.commit}-1", bug.commit, bug.kept, "agent", "", Patch(b"+x\n", ("x",), 1, 0), (),
        Became.MERGED, datetime.now(UTC),
    )  # fmt: skip


def _row(name: str, seen: Sequence[tuple[int | None, Bug, int]]) -> str:
    if not seen:
        return f"| {name} | 0 | | | | |"
    first = sum(place == 0 for place, _, _ in seen) / len(seen)
    among = sum(place is not None for place, _, _ in seen) / len(seen)
    chance = sum(min(1.0, FIRST / count) for _, _, count in seen) / len(seen)
    same = sum(bug.kept.fingerprint == bug.asked.fingerprint for _, bug, _ in seen)
    return f"| {name} | {len(seen)} | {first:.0%} | {among:.0%} | {chance:.0%} | {same} |"


if __name__ == "__main__":
    main()
