"""Tell what is installed, or when an index got the releases of packages, as JSON.

Usage: `installed_packages.py installed`, `installed_packages.py uploads NAME ...`, or
`installed_packages.py sources NAME FILE`, which writes the package's programs, its metadata and its
changelog there. Runs in the sandbox with the project's own Python, 3.8 or newer.

Sources: installed distributions (https://packaging.python.org/en/latest/specifications/recording-installed-packages/),
`direct_url.json` (PEP 610), and the simple API in JSON (PEP 691, 700).
"""

from __future__ import annotations

import json
import os
import re
import sys
import sysconfig
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Union

_SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"
_INDEX = "https://pypi.org/simple"
_SECONDS = 60
_AT_ONCE = 4
_WHEEL_PARTS = 5
_MOST_CHARACTERS = 24 * 2**20
_CHANGELOG = re.compile(r"(?:changes|changelog|history|news)(?:\.\w+)?", re.IGNORECASE)
_DATE_AND_TIME = len("2024-03-31T06:45:00")

Facts = Dict[str, Union[str, bool, List[str]]]


def installed() -> list[Facts]:
    """Return each distribution: name, version, top modules, what it requires, whether it is a folder's."""
    return [_distribution(place) for place in _places()]


def _places() -> list[Path]:
    folders = {Path(sysconfig.get_path(key)) for key in ("purelib", "platlib")}
    return sorted({place for folder in folders for place in folder.glob("*.dist-info")})


def sources(name: str) -> dict[str, str]:
    """Return a distribution's programs by path, with `METADATA` and `CHANGELOG`."""
    place = next((place for place in _places() if _distribution(place)["name"] == name), None)
    if place is None:
        return {}
    found = {"METADATA": _text(place / "METADATA")}
    left = _MOST_CHARACTERS
    for line in _text(place / "RECORD").splitlines():
        path = line.rsplit(",", 2)[0].strip('"')
        file = path.rpartition("/")[2]
        if path.endswith((".py", ".pyi")) and "/tests/" not in path and ".." not in path:
            found[path] = _text(place.parent / path)[:left]
            left -= len(found[path])
        elif _CHANGELOG.fullmatch(file) and ".." not in path:
            found["CHANGELOG"] = _text(place.parent / path)[:left]
    return found


def _distribution(place: Path) -> Facts:
    metadata = _text(place / "METADATA")
    name, version = [re.search(rf"(?m)^{key}: (.+)$", metadata) for key in ("Name", "Version")]
    return {
        "name": re.sub(r"[-_.]+", "-", name.group(1).strip()).lower() if name else "",
        "version": version.group(1).strip() if version else "",
        "modules": _modules(place),
        "requires": re.findall(r"(?m)^Requires-Dist: ([\w.-]+)", metadata),
        "own": '"dir_info"' in _text(place / "direct_url.json"),
    }


def _modules(place: Path) -> list[str]:
    found: set[str] = set()
    for line in _text(place / "RECORD").splitlines():
        first, _, rest = line.rsplit(",", 2)[0].strip('"').partition("/")
        if rest and first.isidentifier() and rest.endswith((".py", ".so", ".pyd")):
            found.add(first)
        elif not rest and first.endswith(".py"):
            found.add(first[: -len(".py")])
    return sorted(found)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""


def uploads(name: str) -> tuple[str, list[tuple[str, list[str]]]]:
    """Return a package and its releases that were not yanked, each with the times of its files."""
    named = (os.environ.get(key) for key in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"))
    index = next(filter(None, named), _INDEX).rstrip("/")
    headers = {"Accept": _SIMPLE_JSON}
    request = urllib.request.Request(f"{index}/{name}/", headers=headers)  # noqa: S310 - an index
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310 - an index
            page = json.loads(answer.read().decode("utf-8"))
    except (OSError, ValueError):
        return name, []
    times: dict[str, set[str]] = {}
    for file in page.get("files", ()):
        version = version_of(file.get("filename", ""), name)
        if version and file.get("upload-time") and not file.get("yanked"):
            times.setdefault(version, set()).add(file["upload-time"][:_DATE_AND_TIME])
    return name, [(version, sorted(moments)) for version, moments in times.items()]


def version_of(file: str, name: str) -> str:
    """Return the version in the name of a distribution's file; "" where it has none."""
    if file.endswith(".whl"):
        parts = file.split("-")
        return parts[1] if len(parts) >= _WHEEL_PARTS else ""
    stem = re.sub(r"\.(?:tar\.gz|tar\.bz2|zip|tgz)$", "", file)
    words = "[-_.]+".join(map(re.escape, name.split("-")))
    front = re.match(rf"{words}[-_](?=\d)", stem, re.IGNORECASE)
    return stem[front.end() :] if front and stem != file else ""


def main(kind: str, *names: str) -> None:
    """Print what is asked for."""
    answer: list[Facts] | dict[str, list[tuple[str, list[str]]]]
    if kind == "installed":
        answer = installed()
    elif kind == "sources":
        package, file = names
        Path(file).write_text(json.dumps(sources(package)), "utf-8")
        answer = []
    else:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            answer = dict(pool.map(uploads, names))
    sys.stdout.write(f"\n{json.dumps(answer)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
