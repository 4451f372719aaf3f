"""Tell which npm packages are installed, or when a registry got the releases of some, as JSON.

Usage: `installed_node_packages.py installed`, `installed_node_packages.py uploads NAME ...`, or
`installed_node_packages.py sources NAME FILE`, which writes the package's programs, its `package.json` and its
changelog there. Runs in the sandbox, in the project's folder, with any Python from 3.8 on.

Sources: `package.json` of what is installed (https://docs.npmjs.com/cli/v11/configuring-npm/package-json) and the
registry's full documents, which have the times (https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md).
"""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Union
from urllib.parse import quote

_REGISTRY = "https://registry.npmjs.org"
_SECONDS = 60
_AT_ONCE = 4
_DATE_AND_TIME = len("2024-03-31T06:45:00")
_PROGRAMS = (".js", ".cjs", ".mjs", ".d.ts", ".d.mts", ".d.cts")
_MOST_CHARACTERS = 24 * 2**20
_CHANGELOG = re.compile(r"(?:changes|changelog|history|news)(?:\.\w+)?", re.IGNORECASE)
_NO_VERSIONS = ("created", "modified")

Facts = Dict[str, Union[str, bool, List[str]]]


def installed() -> list[Facts]:
    """Return each package that stands at the top: name, version, what it requires, whether it is a folder's."""
    top = Path("node_modules")
    places = [*top.glob("*/package.json"), *top.glob("@*/*/package.json")]
    return [_package(place, str(place.parent.relative_to(top))) for place in sorted(places)]


def _package(place: Path, name: str) -> Facts:
    try:
        told = json.loads(place.read_text("utf-8", "replace"))
    except (OSError, ValueError):
        told = {}
    requires = told.get("dependencies")
    return {
        "name": name,
        "version": str(told.get("version", "")),
        "modules": [name],
        "requires": sorted(requires) if isinstance(requires, dict) else [],
        "own": place.parent.is_symlink(),
    }


def sources(name: str) -> dict[str, str]:
    """Return a package's programs by path, with `package.json` and `CHANGELOG`; those it brings of others left out."""
    top = Path("node_modules") / name
    found: dict[str, str] = {}
    left = _MOST_CHARACTERS
    for file in sorted(top.rglob("*")):
        path = file.relative_to(top).as_posix()
        key = "CHANGELOG" if _CHANGELOG.fullmatch(path) else path
        wanted = key == "CHANGELOG" or path == "package.json" or path.endswith(_PROGRAMS)
        if wanted and "node_modules/" not in path and file.is_file() and not file.is_symlink():
            found[key] = file.read_text("utf-8", "replace")[:left]
            left -= len(found[key])
    return found


def uploads(name: str) -> tuple[str, list[tuple[str, list[str]]]]:
    """Return a package and its releases that are not deprecated, each with the time of its upload."""
    address = f"{_registry().rstrip('/')}/{quote(name, safe='@')}"
    request = urllib.request.Request(address, headers={"Accept": "application/json"})  # noqa: S310 - a registry
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310 - a registry
            page = json.loads(answer.read().decode("utf-8"))
    except (OSError, ValueError):
        return name, []
    there, times = page.get("versions", {}), page.get("time", {})
    return name, [
        (version, [times[version][:_DATE_AND_TIME]])
        for version in times
        if version not in _NO_VERSIONS
        and not there.get(version, {"deprecated": 1}).get("deprecated")
    ]


def _registry() -> str:
    """Return the registry that npm is set to."""
    named = [os.environ.get(key) for key in ("NPM_CONFIG_REGISTRY", "npm_config_registry")]
    for file in (".npmrc", os.environ.get("NPM_CONFIG_GLOBALCONFIG", "/etc/npmrc")):
        try:
            text = Path(file).read_text("utf-8", "replace")
        except OSError:
            continue
        found = re.search(r"(?m)^\s*registry\s*=\s*[\"']?(https?://[^\s\"']+)", text)
        named.append(found.group(1) if found else None)
    return next(filter(None, named), _REGISTRY)


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
