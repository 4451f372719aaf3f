"""What a proof on GitHub starts from: a pull request at one head."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

from bot.model.repository import Repo

EXTERNAL_PREFIX = "proof-"
"""Before a proof's id in the external id of its check run; that of a run is its bare id."""


@dataclass(frozen=True, slots=True)
class ProofRequest:
    """A pull request that is to be proved, at one of its heads.

    Attributes:
        repository: `owner/name` when it was asked.
        installation_id: Of the App there.
        repository_id: GitHub's number of the repository.
        number: Of the pull request.
        head: Commit (40 hex digits) that is proved.
        asked_at: UTC.
        turn: Of the proofs that this head had: 0 for the first.
    """

    repository: str
    installation_id: int
    repository_id: int | None
    number: int
    head: str
    asked_at: datetime
    turn: int = 0

    @property
    def repo(self) -> Repo:
        """The repository, and how it is reached."""
        return Repo(self.repository, self.installation_id, self.repository_id)

    @property
    def run_id(self) -> str:
        """Id of the proof, 12 hex digits: the same head has one, unless it is asked for again."""
        key = f"{self.repo.identity}?{self.number}@{self.head}#{self.turn}"
        return hashlib.sha256(key.encode()).hexdigest()[:12]

    @property
    def external_id(self) -> str:
        """Of its check run."""
        return f"{EXTERNAL_PREFIX}{self.run_id}"
