"""Runs inside a sandbox: make a folder of wheels out of what pip has in its cache.

Usage: `keep_wheels.py CACHE FOLDER`. Without an index pip does not find what it has downloaded, but
it does take files from a folder (`--find-links`), if they are named as wheels are. In the cache they
are not: since pip 23.3 a file is what was downloaded, before that it stands behind a header. What pip
built itself has its name already. Standard library alone, any Python from 3.8 on.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

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
