"""The section `proof` of the repo config: which pull requests get a proof card, and what it decides."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Literal

from pydantic import Field

from bot.config.section import ConfigSection
from bot.config.values import Duration, Label, ProofRows, Proved, Texts
from bot.model.proof_card import RowKind

LABEL = "proof"
SECONDS = 900.0

_BOT = "[bot]"
"""Behind the logins of GitHub's Apps."""


class ProofSection(ConfigSection):
    """Which pull requests get a check run that says what was shown of them."""

    on: Proved | None = Field(
        None,
        description="Which pull requests are proved: off, fixes (those that link an issue, say so in "
        "their title, or change tests and source together), all, or labelled; the server's default "
        "if unset.",
    )
    authors: Texts = Field(
        (), description="Globs of logins; if set, only their pull requests are proved."
    )
    label: Label = Field(
        LABEL,
        description="Label that has a pull request proved, whoever wrote it, and a draft too, unless "
        "`on` is off.",
    )
    conclusion: Literal["neutral", "required"] = Field(
        "neutral",
        description="Whether the check run is always neutral, or fails where a required row is not "
        "shown.",
    )
    required: ProofRows = Field(
        (RowKind.TESTS, RowKind.SUITE),
        json_schema_extra={"default": [RowKind.TESTS, RowKind.SUITE]},
        description="Rows that must be shown with `conclusion: required`.",
    )
    seconds: Duration = Field(
        SECONDS, description="Time limit of one proof: seconds, or with a unit, such as 15m."
    )

    def counts(self, author: str) -> bool:
        """Whether pull requests of somebody with that login are proved.

        An App's login may be given without its `[bot]`.
        """
        login = author.lower()
        names = {login, login.removesuffix(_BOT)}
        return not self.authors or any(
            fnmatchcase(name, _literal(glob)) for glob in self.authors for name in names
        )


def _literal(glob: str) -> str:
    """Return a glob whose brackets stand for themselves: they are a part of logins."""
    return re.sub(r"\[", "[[]", glob.lower())
