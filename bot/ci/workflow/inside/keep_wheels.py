"""Runs inside a sandbox: make a folder of wheels out of what pip has in its cache.

Usage: `keep_wheels.py CACHE FOLDER [SETTINGS...]`. Prints shell lines with which pip uses that folder, and
what the settings name on this machine, instead of an index. Without an index pip does not find what it has downloaded, but
it does take files from a folder (`--find-links`), if they are named as wheels are. In the cache they
are not: since pip 23.3 a file is what was downloaded, before that it stands behind a header. What pip
built itself has its name already. Standard library alone, any Python from 3.8 on.
"""

from __future__ import annotations

import configparser
import contextlib
import os
import re
import shlex
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Iterator

_END = b"PK\x05\x06"
_END_BYTES = 22
"""Of a zip archive's last record, whose last two bytes say how long a comment follows."""


def main(cache: Path, folder: Path) -> None:
    """Put every wheel of the cache into the folder, as a link where that is possible."""
    folder.mkdir(parents=True, exist_ok=True)
    for built in (cache / "wheels").rglob("*.whl"):
        _link(built, folder / built.name)
    for kept in ("http", "http-v2"):
        for path in (cache / kept).rglob("*"):
            if path.is_file():
                _keep(path, folder)


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
    main(Path(sys.argv[1]), Path(sys.argv[2]))
    sys.stdout.writelines(f"{line}\n" for line in settings(Path(sys.argv[2]), sys.argv[3:]))
