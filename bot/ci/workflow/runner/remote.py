"""The remote of a job's checkout, which answers without a network; see `inside/git_remote.sh`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remote:
    """The repository that a checkout comes from.

    Attributes:
        name: `owner/name`.
        branches: Those that it has; the default one first.
        unshallow: Whether a step asks for the history that a runner's checkout lacks.
    """

    name: str
    branches: tuple[str, ...]
    unshallow: bool

    def command(self) -> str:
        """Return the bash line that makes it."""
        words = (self.name, "yes" if self.unshallow else "", *self.branches)
        return shlex.join(("ci_git", *words))
