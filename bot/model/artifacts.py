"""Artifacts of a workflow run: which ones a job takes, and what could be had of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

LARGEST_ARTIFACT = 64 * 2**20
"""Bytes of an artifact's zip; a bigger one is left where it is."""

MOST_ARTIFACTS = 20
"""Artifacts that one job takes."""

MOST_ARTIFACT_BYTES = 256 * 2**20
"""Of all the artifacts together that one job takes."""

_BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class ArtifactWish:
    """Which artifacts of the run a step takes: the one of that name, else those that the pattern fits.

    Neither means all of them.
    """

    name: str = ""
    pattern: str = ""

    def means(self, name: str) -> bool:
        """Whether an artifact is one of them."""
        if self.name or not self.pattern:
            return not self.name or name == self.name
        return any(fnmatchcase(name, alternative) for alternative in _alternatives(self.pattern))


def _alternatives(pattern: str) -> Iterator[str]:
    """Yield the patterns without braces that one with `{a,b}` stands for."""
    found = _BRACES.search(pattern)
    if found is None:
        yield pattern
        return
    before, after = pattern[: found.start()], pattern[found.end() :]
    for part in found[1].split(","):
        yield from _alternatives(f"{before}{part}{after}")


@dataclass(frozen=True, slots=True)
class Artifacts:
    """Artifacts that were brought.

    Attributes:
        zips: By the artifact's name.
        missing: What could not be had, as sentences.
    """

    zips: Mapping[str, bytes] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
