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
BROUGHT = {
    HOME: "index.md",
    **{
        name: f"repository/{name}"
        for name in (
            *("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "prompts/README.md"),
            *("bench/README.md", "bench/cases.md", "bench/cheats.md"),
            # Files that pages lead to, as text.
            *("app.yml", "compose.yml", "Dockerfile", "Procfile", "LICENSE"),
            *("deploy/systemd/fixpoint.service", "deploy/helm/fixpoint/values.yaml"),
            "bot/ci/workflow/spec/github_rules.toml",
        )
    },
}
"""Paths in the repository, and where they are in the site."""

_SOURCES = {place: name for name, place in BROUGHT.items()}
_LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)\s#:]*)(?P<anchor>#[^)\s]*)?\)")
_FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)


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
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link["target"]))
    if (ROOT / path).is_dir():
        path = next((item for item in BROUGHT if item.startswith(f"{path}/")), path)
    target = BROUGHT.get(path, path.removeprefix("docs/"))
    there = posixpath.relpath(target, posixpath.dirname(place) or ".")
    return f"{link['before']}{there}{link['anchor'] or ''})"
