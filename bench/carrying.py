"""How often a merged change is found again where its code went, and where else its lines are.

    python -m bench.carrying --mirrors DIR REPOSITORY [REPOSITORY ...]

A change is a commit of a public project that edits one to three of its sources. It is looked for
twice, with what memory uses for it:

- *moved*: in the tree before the commit, with those files under other names. It is found if a place
  becomes exactly what the commit made of it;
- *elsewhere*: in the tree behind the commit, where it is done already. A place there is code that was
  copied, or reads alike by chance; the failing command and the verification would have to tell.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.tables import print_machine, print_table
from bot.code.files import is_test_file
from bot.model.memory import FailureSignature
from bot.repair.memory.recall import MOST_BYTES, changes_of, elsewhere, readable
from bot.repair.memory.similar_repairs import near_files
from sandbox.git import ObjectStore

_MOST_SCANNED = 1000
_MOST_SOURCES = 3
_SUFFIXES = (".go", ".js", ".py", ".rs", ".ts")
_NOWHERE = FailureSignature("")
"""A failure whose frames name no file: what is looked into depends on the change alone."""


@dataclass(slots=True)
class Tally:
    """What became of the changes of a project."""

    changes: int = 0
    found: int = 0
    with_others: int = 0
    others: int = 0
    seconds: float = 0.0


async def main() -> None:
    """Measure each project, and print a row for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirrors", type=Path, required=True, help="bare clones: OWNER+NAME")
    parser.add_argument("--most", type=int, default=40, help="changes of each project")
    parser.add_argument("repositories", nargs="+")
    asked = parser.parse_args()
    print_machine()
    rows = []
    for name in asked.repositories:
        tally = await _measured(asked.mirrors / name.replace("/", "+"), asked.most)
        per_change = 1000 * tally.seconds / max(1, 2 * tally.changes)
        figures = (tally.changes, tally.found, tally.with_others, tally.others, round(per_change))
        rows.append((name, *map(str, figures)))
    head = ("Project", "Changes", "Found when moved", "Elsewhere, too", "Places", "ms each")
    print_table("Changes that are carried over", head, rows)


async def _measured(mirror: Path, most: int) -> Tally:
    store, tally = ObjectStore(mirror.resolve()), Tally()
    for commit in await _commits(mirror):
        patch = await _git(mirror, "show", "--format=", "--full-index", "--no-renames", commit)
        sources = [file.path for file in changes_of(patch) if not is_test_file(file.path)]
        if 0 < len(sources) <= _MOST_SOURCES and all(
            source.endswith(_SUFFIXES) for source in sources
        ):
            before = await _near(store, f"{commit}^", sources)
            await _look(tally, patch, sources, before, await _near(store, commit, sources))
        if tally.changes == most:
            break
    return tally


async def _look(
    tally: Tally,
    patch: str,
    sources: list[str],
    before: Mapping[str, str],
    after: Mapping[str, str],
) -> None:
    names = {path: f"moved/{path}" for path in sources}
    wanted = {names[path]: after.get(path) for path in sources}
    if None in wanted.values():  # too large
        return
    began = time.process_time()
    moved = elsewhere(patch, {names.get(path, path): text for path, text in before.items()})
    others = elsewhere(patch, after)
    tally.seconds += time.process_time() - began
    tally.changes += 1
    tally.found += any(wanted.items() <= dict(item.files).items() for item in moved)
    tally.with_others += bool(others)
    tally.others += len(others)


async def _near(store: ObjectStore, commit: str, sources: list[str]) -> dict[str, str]:
    """Return the files that memory would look into."""
    near = near_files(await store.paths(commit), sources, _NOWHERE)
    return readable(await store.files(commit, near, longest=MOST_BYTES))


async def _commits(mirror: Path) -> list[str]:
    most = f"--max-count={_MOST_SCANNED}"
    return (await _git(mirror, "log", "--no-merges", "--format=%H", most, "HEAD")).split()


async def _git(mirror: Path, *words: str) -> str:
    process = await asyncio.create_subprocess_exec(
        "git", "-C", str(mirror), *words, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    return said.decode("utf-8", "replace")


if __name__ == "__main__":
    asyncio.run(main())
