"""Count each room's modules, lines, and what makes them hard to find. `make house` prints it.

What a change may do to these totals is in CONTRIBUTING.md, under Growth.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import subprocess
import sys
import tarfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("bot", "sandbox")
SHORT = 60
"""Lines below which a module with one importer is likely a part of that importer."""

LISTED = 5
"""Modules with the same only importer from which on that is a list, and they are its entries: an
ecosystem, a parser, a page or a command has one importer, as it should have."""

HELD = "bench/house.toml"
_ABOUT = """\
# `make growth` holds the totals of `make house` to these. `make growth WHY="..."` records today's,
# with the reason where a total rose: CONTRIBUTING.md, Growth.
"""

COLUMNS = (
    *("modules", "lines", "one importer", "of these entries", "of these short"),
    *("ambiguous names", "loops `one`"),
)
"""Modules with one importer; those of them that are entries of a list (`LISTED`); those under `SHORT`
lines; public class names that several modules define; loops over a variable called `one`."""

_FREE = frozenset({"of these entries"})
"""What may rise without a reason: one more entry is how a list is meant to grow."""


Sources = Mapping[str, str]
"""The text of each module, by its path in the repository."""


@dataclass(frozen=True, slots=True)
class House:
    """What is counted, by room.

    Attributes:
        rooms: For each room, one number for each of `COLUMNS`.
        names: Public class names that more than one module defines.
    """

    rooms: Mapping[str, tuple[int, ...]]
    names: frozenset[str]

    def row(self, room: str) -> tuple[int, ...]:
        """Return a room's numbers, or the `total`: of names, how many differ."""
        if room != "total":
            return self.rooms.get(room, (0,) * len(COLUMNS))
        sums = [sum(column) for column in zip(*self.rooms.values(), strict=True)]
        sums[COLUMNS.index("ambiguous names")] = len(self.names)
        return tuple(sums)


def measure(sources: Sources) -> House:
    """Count what is in a tree."""
    trees = {path: ast.parse(text) for path, text in sources.items()}
    paths = {_module(path): path for path in sources}
    importers: dict[str, set[str]] = defaultdict(set)
    meanings: dict[str, set[str]] = defaultdict(set)
    for path, tree in trees.items():
        for name in _imported(tree, paths):
            importers[paths[name]].add(path)
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                meanings[node.name].add(path)
    ambiguous = {name: places for name, places in meanings.items() if len(places) > 1}
    rooms: dict[str, list[int]] = defaultdict(lambda: [0] * len(COLUMNS))
    others = {path: who - {path} for path, who in importers.items()}
    only = {path: min(who) for path, who in others.items() if len(who) == 1}
    lists = Counter(only.values())
    for path, text in sources.items():
        lines = len(text.splitlines())
        counted = (
            1,
            lines,
            path in only,
            lists[only.get(path, "")] >= LISTED,
            path in only and lines < SHORT,
            sum(path in places for places in ambiguous.values()),
            _loops_over_one(trees[path]),
        )
        room = rooms[_room(path)]
        room[:] = [a + b for a, b in zip(room, counted, strict=True)]
    return House({name: tuple(rooms[name]) for name in sorted(rooms)}, frozenset(ambiguous))


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _room(path: str) -> str:
    """Return the package below `bot` that a module is in, or the package itself."""
    first, *rest = path.split("/")
    return f"{first}/{rest[0]}" if first == "bot" and len(rest) > 1 else first


def _imported(tree: ast.Module, known: Mapping[str, str]) -> Iterator[str]:
    """Yield the modules that a module imports, wherever it does."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            below = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else node.module for name in below]
        yield from (name for name in names if name in known)


def _loops_over_one(tree: ast.Module) -> int:
    loops = (ast.For, ast.AsyncFor, ast.comprehension)
    targets = (node.target for node in ast.walk(tree) if isinstance(node, loops))
    return sum(
        any(isinstance(name, ast.Name) and name.id == "one" for name in ast.walk(target))
        for target in targets
    )


def here(root: Path = ROOT) -> Sources:
    """Return the modules of the work tree."""
    paths = (path for package in PACKAGES for path in (root / package).rglob("*.py"))
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in sorted(paths)}


def at(revision: str, root: Path = ROOT) -> Sources:
    """Return the modules of a revision, without checking it out."""
    archive = _git(root, "archive", revision, *PACKAGES)
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        members = ((member.name, tar.extractfile(member)) for member in tar)
        return {
            name: file.read().decode()
            for name, file in members
            if file is not None and name.endswith(".py")
        }


def held(root: Path = ROOT) -> dict[str, int]:
    """Return the totals that may not be exceeded, by column; empty where none were recorded."""
    path = root / HELD
    return tomllib.loads(path.read_text("utf-8"))["totals"] if path.exists() else {}


def record(totals: Mapping[str, int], rose: Sequence[str], why: str, root: Path = ROOT) -> None:
    """Write totals down as those that hold from now on, with the reason where some rose."""
    path = root / HELD
    kept = tomllib.loads(path.read_text("utf-8")).get("growth", []) if path.exists() else []
    reasons = [*kept, {"why": why, "rose": ", ".join(rose)}] if rose else kept
    lines = [_ABOUT, "[totals]", *(f"{json.dumps(name)} = {n}" for name, n in totals.items())]
    for reason in reasons:
        lines += ["", "[[growth]]", *(f"{key} = {json.dumps(reason[key])}" for key in reason)]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(
        ["git", "-C", str(root), *arguments], check=True, stdout=subprocess.PIPE
    ).stdout


def table(now: House, before: House | None = None) -> str:
    """Return the rooms as lines, each number with its difference to an earlier tree."""
    before = before or now
    rooms = (*sorted({*now.rooms, *before.rooms}), "total")
    rows: list[Sequence[str]] = [("room", *COLUMNS)]
    rows += [(room, *map(_cell, now.row(room), before.row(room))) for room in rooms]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if n else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def _cell(new: int, old: int) -> str:
    return f"{new:,}" if new == old else f"{new:,} ({new - old:+,})"


def grown(totals: Mapping[str, int], limits: Mapping[str, int]) -> list[str]:
    """Return the totals that exceed what was recorded, as words."""
    return [
        f"{name} {totals[name] - limit:+,}"
        for name, limit in limits.items()
        if totals[name] > limit
    ]


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Print the table; with `--hold`, fail where a total exceeds what was recorded."""
    parser = argparse.ArgumentParser(prog="house", description=__doc__)
    parser.add_argument("base", nargs="?", help="a revision to compare with")
    parser.add_argument("--hold", action="store_true", help=f"compare with the totals of {HELD}")
    parser.add_argument("--why", default="", help="record today's totals, for this reason")
    asked = parser.parse_args(arguments)
    now = measure(here(root))
    print(table(now, measure(at(asked.base, root)) if asked.base else None))
    if not asked.hold:
        return 0
    counted = zip(COLUMNS, now.row("total"), strict=True)
    totals = {column: number for column, number in counted if column not in _FREE}
    rose = grown(totals, held(root))
    if asked.why:
        record(totals, rose, asked.why, root)
        return 0
    if not rose:
        return 0
    print(
        f"\nTotals rose ({', '.join(rose)}) above those of {HELD}. "
        'Take something out, or record why: make growth WHY="...".'
    )
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
