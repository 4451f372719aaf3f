"""Work trees of a few files."""

from __future__ import annotations

from pathlib import Path

from bot.ecosystems.tree import DirectoryTree


def written(root: Path, files: dict[str, str]) -> DirectoryTree:
    """Write files below a folder, and return it as a tree."""
    for name, text in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return DirectoryTree(root)
