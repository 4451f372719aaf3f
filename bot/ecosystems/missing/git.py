"""What git lacks: somebody to commit as, and submodules that a checkout leaves empty."""

from __future__ import annotations

import configparser
import re
import shlex
from collections.abc import Iterator

from bot.ecosystems.remedy import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

_ASKED = re.compile(
    r"\*\*\* Please tell me who you are|unable to auto-detect email address"
    r"|empty ident name|(?:Author|Committer) identity unknown"
)
"""What git says: https://github.com/git/git/blob/master/ident.c"""

_SET = (
    "git config --global user.name fixpoint"
    " && git config --global user.email fixpoint@users.noreply.github.com"
)


def unknown_identity(symptoms: Symptoms, _: Tree) -> Iterator[Remedy]:
    """Yield the setting of an identity in the sandbox where git asked for one."""
    if _ASKED.search(symptoms.output):
        yield Remedy("git identity", setup_repair.IDENTITY_SET, (_SET,))


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
