"""The name and address that git wants for a commit, where tests make commits and nobody set them."""

from __future__ import annotations

import re
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
