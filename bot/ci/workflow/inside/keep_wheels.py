"""Runs inside a sandbox, with network: make a folder of the wheels that pip may ask for again.

Usage: `keep_wheels.py FOLDER CACHE TREE [SETTINGS...]`. Prints shell lines with which pip uses that
folder, and what its settings name on this machine, instead of an index.

Without an index pip does not find what it has in its cache, but it does take files from a folder
(`--find-links`), if they are named as wheels are. In the cache they are not: since pip 23.3 a file is
what was downloaded, before that it stands behind a header. An index may also forbid to keep files;
then what the environments of the work tree hold, and what builds the project, is downloaded once
more. Standard library alone, any Python from 3.8 on.
"""

from __future__ import annotations

import configparser
import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Iterator

_SECONDS = 240
"""Longest time of one download."""

_END = b"PK\x05\x06"
_END_BYTES = 22
"""Of a zip archive's last record, whose last two bytes say how long a comment follows."""


def main(folder: Path, cache: Path, tree: Path) -> None:
    """Fill the folder: out of the cache, by links where that is possible, and with what it lacks."""
    folder.mkdir(parents=True, exist_ok=True)
    for built in (cache / "wheels").rglob("*.whl"):
        _link(built, folder / built.name)
    for kept in ("http", "http-v2"):
        for path in (cache / kept).rglob("*"):
            if path.is_file():
                _keep(path, folder)
    places = list(environments(tree))
    for environment in places:
        _download(environment, ["--no-deps", *installed(environment, folder)], folder)
    building = build_requirements(tree)
    for environment in [Path.home() / ".venv", *places]:
        _download(environment, building, folder)


def environments(tree: Path) -> Iterator[Path]:
    """Yield the Python environments of a work tree: `env`, `.tox/lint`."""
    for pattern in ("*", "*/*", "*/*/*"):
        for file in tree.glob(f"{pattern}/pyvenv.cfg"):
            yield file.parent


def installed(environment: Path, folder: Path) -> list[str]:
    """Return what an environment has from an index and the folder lacks, as `name==version`."""
    found = []
    for page in sorted(environment.glob("lib/python*/site-packages/*.dist-info")):
        name, _, version = page.name[: -len(".dist-info")].partition("-")
        local = (page / "direct_url.json").exists()
        if not local and not any(folder.glob(f"{name}-{version}-*.whl")):
            found.append(f"{name}=={version}")
    return found


def build_requirements(tree: Path) -> list[str]:
    """Return what builds the project of a work tree; nothing when it has none (PEP 517, PEP 518)."""
    try:
        text = (tree / "pyproject.toml").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    table = re.search(r"^\[build-system\]\s*$(.*?)(?=^\[\w|\Z)", text, re.MULTILINE | re.DOTALL)
    requires = (
        re.search(r"^requires\s*=\s*\[(.*?)\]\s*(?:#.*)?$", table[1], re.MULTILINE | re.DOTALL)
        if table
        else None
    )
    if requires:
        return [
            double or single
            for double, single in re.findall(r"\"([^\"]+)\"|'([^']+)'", requires[1])
        ]
    return ["setuptools", "wheel"] if (tree / "setup.py").exists() else []


def _download(environment: Path, wanted: list[str], folder: Path) -> None:
    """Have an environment's own pip download wheels, all at once or else one by one."""
    options = [word for word in wanted if word.startswith("-")]
    names = [word for word in wanted if not word.startswith("-")]
    pip = [str(environment / "bin" / "python"), "-m", "pip", "download", "-q", "-d", str(folder)]
    if names and _ran([*pip, *options, *names]):
        return
    for name in names:
        _ran([*pip, *options, name])


def _ran(command: list[str]) -> bool:
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def settings(folder: Path, files: list[str]) -> Iterator[str]:
    """Yield the shell lines; of the indexes in pip's settings only those on this machine are left.

    Args:
        folder: With wheels.
        files: `pip.conf` of the system and the user, as far as they are there.
    """
    parser = configparser.RawConfigParser(strict=False)
    with contextlib.suppress(configparser.Error, UnicodeDecodeError):  # pip takes no such file
        parser.read(files)
    values = {
        name: value for section in parser.sections() for name, value in parser[section].items()
    }
    links = [str(folder), *values.get("find-links", "").split()]
    indexes = f"{values.get('index-url', '')} {values.get('extra-index-url', '')}".split()
    local = [index for index in indexes if index.startswith(("file:", "/"))]
    yield f"export PIP_FIND_LINKS={shlex.quote(' '.join(links))} PIP_DISABLE_PIP_VERSION_CHECK=1"
    if local:
        first, others = shlex.quote(local[0]), shlex.quote(" ".join(local[1:]))
        yield f"export PIP_INDEX_URL={first} PIP_EXTRA_INDEX_URL={others}"
    else:
        yield "export PIP_NO_INDEX=1"


def _keep(path: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            name = wheel_name(archive)
            start = min(entry.header_offset for entry in archive.infolist())
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return  # an index page, or another kind of file
    if name is None or (folder / name).exists():
        return
    if start == 0:
        _link(path, folder / name)
    else:
        data = path.read_bytes()
        end = data.rindex(_END) + _END_BYTES
        comment = int.from_bytes(data[end - 2 : end], "little")
        (folder / name).write_bytes(data[start : end + comment])


def wheel_name(archive: zipfile.ZipFile) -> str | None:
    """Return how a wheel's file is called, by its own metadata; None for another archive.

    Source: https://packaging.python.org/en/latest/specifications/binary-distribution-format/
    """
    pages = (re.fullmatch(r"([^/]+)\.dist-info/WHEEL", name) for name in archive.namelist())
    page = next((match for match in pages if match), None)
    if page is None:
        return None
    lines = archive.read(page[0]).decode("utf-8", "replace").splitlines()
    tags = [line.partition(":")[2].strip().split("-") for line in lines if line.startswith("Tag:")]
    build = [line.partition(":")[2].strip() for line in lines if line.startswith("Build:")]
    parts = [".".join(dict.fromkeys(part)) for part in zip(*tags)]
    return "-".join([page[1], *build, *parts]) + ".whl"


def _link(source: Path, target: Path) -> None:
    if target.exists():
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
    sys.stdout.writelines(f"{line}\n" for line in settings(Path(sys.argv[1]), sys.argv[4:]))
