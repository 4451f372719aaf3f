"""Runs inside a sandbox: keep files as an artifact, and take artifacts that earlier jobs kept.

    artifacts.py keep STORE NAME HIDDEN PATTERNS
    artifacts.py take STORE NAME PATTERN PATH MERGE EACH

STORE is a folder with one zip for each artifact. `keep` takes what `actions/upload-artifact` does:
lines of paths and patterns, `!` for what is left out, and paths in the zip begin behind the folder
that all of them share. `take` does what `actions/download-artifact` does; an artifact may come from
another machine, so nothing is written outside of PATH. Flags are `true` or not. The exit status is
3 when there is no such file or artifact. Standard library alone, any Python from 3.8 on.

Source: https://github.com/actions/toolkit, packages `glob` and `artifact`.
"""

from __future__ import annotations

import os
import re
import sys
import zipfile
from pathlib import Path, PurePosixPath
from typing import Iterator

_MISSING = 3
_MOST_BYTES = 2**30
"""Of what one artifact unpacks to."""
_MOST_FILES = 50_000
_SPECIAL = re.compile(r"[*?\[]")
_BRACES = re.compile(r"\{([^{}]*)\}")


def keep(store: Path, name: str, hidden: bool, patterns: str) -> bool:  # noqa: FBT001 - argv
    """Make the artifact `name` of the files that match; false when none does."""
    lines = [line.strip() for line in patterns.splitlines()]
    wanted = [_absolute(line) for line in lines if line and not line.startswith(("!", "#"))]
    left_out = [_absolute(line[1:].strip()) for line in lines if line.startswith("!")]
    places = _outermost([_place(path) for path in wanted])
    found = sorted({file for path in wanted for file in _files(_place(path)) if _fits(file, path)})
    kept = [
        file
        for file in found
        if (hidden or not _is_hidden(file, places)) and not any(_fits(file, no) for no in left_out)
    ]
    if not kept:
        return False
    root = _root(places, kept)
    store.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(
        store / f"{name}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False
    ) as archive:
        for file in kept[:_MOST_FILES]:
            archive.write(str(file), file.relative_to(root).as_posix())
    return True


def _absolute(pattern: str) -> PurePosixPath:
    return PurePosixPath(os.path.normpath(Path.cwd() / Path(pattern).expanduser()))


def _place(pattern: PurePosixPath) -> Path:
    """Return the part of a pattern that names a file or folder as it is."""
    parts = pattern.parts
    special = next((n for n, part in enumerate(parts) if _SPECIAL.search(part)), len(parts))
    return Path(*parts[:special])


def _files(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
    for folder, _, names in os.walk(str(place)):
        for name in names:
            file = Path(folder, name)
            if file.is_file():
                yield file


def _fits(file: Path, pattern: PurePosixPath) -> bool:
    """Whether a pattern names a file or one of the folders that it is in."""
    return re.match(_expression(pattern.parts[1:]), file.as_posix()) is not None


def _expression(parts: tuple[str, ...]) -> str:
    found = ""
    for part in parts:
        found += r"(?:/[^/]+)*" if part == "**" else "/" + _segment(part)
    return found + r"(?:/|\Z)"


def _segment(part: str) -> str:
    found, rest = "", part
    while rest:
        group = re.match(r"\[([!^]?)([^\]]+)\]", rest)
        if group:
            inside = group[2].replace("\\", r"\\").replace("[", r"\[")
            found += f"[{'^' if group[1] else ''}{inside}]"
            rest = rest[group.end() :]
        else:
            found += {"*": "[^/]*", "?": "[^/]"}.get(rest[0], re.escape(rest[0]))
            rest = rest[1:]
    return found


def _outermost(places: list[Path]) -> list[Path]:
    return [
        fromkey
        for fromkey in dict.fromkeys(places)
        if not any(p in places for p in fromkey.parents)
    ]


def _root(places: list[Path], kept: list[Path]) -> Path:
    if len(places) > 1:
        return Path(os.path.commonpath([str(place) for place in places]))
    return places[0].parent if kept == places else places[0]


def _is_hidden(file: Path, places: list[Path]) -> bool:
    place = next((path for path in places if path == file or path in file.parents), file.parent)
    return any(part.startswith(".") for part in (place.name, *file.relative_to(place).parts))


def take(store: Path, name: str, pattern: str, path: Path, merge: bool, each: bool) -> bool:  # noqa: FBT001 - argv
    """Unpack the artifacts that are meant below `path`; false when there is none."""
    there = {file.stem: file for file in sorted(store.glob("*.zip"))} if store.is_dir() else {}
    wanted = [name] if name else [item for item in there if not pattern or _is_named(item, pattern)]
    taken = [item for item in wanted if item in there]
    for item in taken:
        own_folder = not merge if not name else each
        _unpack(there[item], path / item if own_folder else path)
        sys.stdout.write(f"Artifact {item}\n")
    return bool(taken)


def _is_named(name: str, pattern: str) -> bool:
    """Whether a pattern as of minimatch names an artifact; names have no slashes."""
    found = _BRACES.search(pattern)
    if found:
        before, after = pattern[: found.start()], pattern[found.end() :]
        return any(_is_named(name, f"{before}{part}{after}") for part in found[1].split(","))
    return re.fullmatch(_segment(pattern.replace("**", "*")), name) is not None


def _unpack(archive: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(str(archive)) as opened:
        members = opened.infolist()
        if len(members) > _MOST_FILES or sum(member.file_size for member in members) > _MOST_BYTES:
            raise SystemExit(f"{archive.name} unpacks to more than is taken.")
        for member in members:
            path = PurePosixPath(member.filename.replace("\\", "/"))
            if path.is_absolute() or ".." in path.parts:
                sys.stdout.write(f"Left out: {member.filename}\n")
                continue
            opened.extract(member, str(folder))


def main(words: list[str]) -> int:
    """Do what the words say; return the exit status."""
    act, store, *rest = words
    if act == "keep":
        name, hidden, patterns = rest
        done = keep(Path(store).expanduser(), name, hidden == "true", patterns)
    else:
        name, pattern, path, merge, each = rest
        place = Path(path).expanduser() if path else Path()
        done = take(Path(store).expanduser(), name, pattern, place, merge == "true", each == "true")
    return 0 if done else _MISSING


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
