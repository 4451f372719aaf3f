# ruff: noqa: INP001 - mkdocs loads it as a file
"""Hooks of mkdocs: pages that stand outside of docs/ are parts of the site, and links lead to them.

https://www.mkdocs.org/user-guide/configuration/#hooks
"""

from __future__ import annotations

import posixpath
import re
from functools import partial
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
HOME = "README.md"
PAGES = {
    HOME: "index.md",
    **{
        name: f"repository/{name}"
        for name in (
            *("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "prompts/README.md"),
            *("bench/README.md", "bench/cases.md", "bench/cheats.md"),
        )
    },
}
"""Pages outside of docs/, by their paths in the repository, and where they are in the site."""

_SOURCES = {place: name for name, place in PAGES.items()}
_LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)\s#:]*)(?P<anchor>#[^)\s]*)?\)")
_FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)


def _targets() -> dict[str, str]:
    """Return where in the site the files are that pages lead to and that are no pages: as text."""
    found: dict[str, str] = {}
    pages = (*(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")), *PAGES)
    for page in pages:
        for part in _FENCE.split((ROOT / page).read_text("utf-8"))[::2]:
            for link in _LINK.finditer(part):
                path = _path(page, link["target"])
                if path not in PAGES and not path.startswith("docs/") and (ROOT / path).is_file():
                    found[path] = f"repository/{path}"
    return found


def _path(page: str, target: str) -> str:
    """Return what a link of a page leads to, by its path in the repository."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), target))


BROUGHT = {**PAGES, **_targets()}
"""All that comes from outside of docs/."""


def on_files(files: Files, *, config: Any) -> Files:
    """Add what stands outside of docs/."""
    for name, place in BROUGHT.items():
        if place.endswith(".md"):
            content = (ROOT / name).read_text("utf-8")
            files.append(File.generated(config, place, content=content))
        else:
            files.append(File.generated(config, place, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Let links in the repository be links in the site."""
    place = page.file.src_uri
    parts = _FENCE.split(markdown)
    relink = partial(_relinked, _SOURCES.get(place, f"docs/{place}"), place)
    parts[::2] = [_LINK.sub(relink, part) for part in parts[::2]]
    return "".join(parts)


def _relinked(source: str, place: str, link: re.Match[str]) -> str:
    if not link["target"]:
        return link[0]
    path = _path(source, link["target"])
    target = BROUGHT.get(path, path.removeprefix("docs/"))
    there = posixpath.relpath(target, posixpath.dirname(place) or ".")
    return f"{link['before']}{there}{link['anchor'] or ''})"
