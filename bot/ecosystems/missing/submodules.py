"""Submodules whose files a command looked for: a checkout leaves them empty."""

from __future__ import annotations

import configparser
import shlex
from collections.abc import Iterator

from bot.ecosystems.remedy import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair


def empty_submodules(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the fetching of each empty submodule that the output names.

    A relative address would need the repository's own remote, which a sandbox does not have.
    """
    for path, url in _submodules(tree.read(".gitmodules") or ""):
        if path in symptoms.output and url.startswith("https://") and not tree.glob(f"{path}/*"):
            command = f"git submodule update --init --depth 1 -- {shlex.quote(path)}"
            why = setup_repair.submodule_fetched(path)
            yield Remedy(f"submodule {path}", why, (command,), outside=True)


def _submodules(text: str) -> Iterator[tuple[str, str]]:
    """Yield path and address of each submodule."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string("\n".join(line.strip() for line in text.split("\n")))
    except configparser.Error:
        return
    for section in parser.sections():
        path, url = (parser.get(section, key, fallback="") for key in ("path", "url"))
        if path:
            yield path, url
