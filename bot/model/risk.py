"""How much harm an action could do, and how far a repository lets results go."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How much harm an act of a tool, or an outcome, could do."""

    LOW = "low"
    """Only reads."""

    MEDIUM = "medium"
    """Changes only what is discarded, or verified before anybody relies on it."""

    HIGH = "high"
    """Needs a person's approval."""


class Confidence(StrEnum):
    """How far a repository lets results go, the most careful first."""

    DIAGNOSE = "diagnose"
    SUGGEST = "suggest"
    DRAFT = "draft"
    PUSH = "push"

    @property
    def publishes(self) -> bool:
        """Whether there may be a branch and a pull request."""
        return self in {Confidence.DRAFT, Confidence.PUSH}


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What a patch may delete before a person has to approve it.

    Attributes:
        deleted_files: Whole files.
        deleted_lines: Lines, less those that are added.
        reverted_lines: Lines of a commit that is taken back.
    """

    deleted_files: int = 3
    deleted_lines: int = 300
    reverted_lines: int = 50
