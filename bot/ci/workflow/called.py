"""Reusable workflows of other repositories: how calls name them, and a tree that has them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.detect.tree import Tree

_PLACE = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)/(?P<path>[^@\s]+\.ya?ml)@(?P<ref>\S+)")


@dataclass(frozen=True, slots=True)
class WorkflowOfRepository:
    """A workflow as `uses:` names one of another repository.

    Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_iduses
    """

    repository: str
    path: str
    ref: str

    @classmethod
    def parse(cls, uses: str) -> WorkflowOfRepository | None:
        """Return what `owner/name/path@ref` names, None for anything else."""
        match = _PLACE.fullmatch(uses)
        return cls(match["repository"], match["path"], match["ref"]) if match else None

    def beside(self, path: str) -> str:
        """Return how another workflow of the same repository and commit is named."""
        return f"{self.repository}/{path}@{self.ref}"


@dataclass(frozen=True, slots=True)
class TreeWithCalled:
    """A tree that also reads workflows of other repositories, by what calls name them."""

    tree: Tree
    called: Mapping[str, str]

    def read(self, path: str) -> str | None:
        """Return a file of the tree, or a called workflow."""
        return self.called[path] if path in self.called else self.tree.read(path)

    def exists(self, path: str) -> bool:
        """Whether the tree has it."""
        return self.tree.exists(path)

    def glob(self, pattern: str) -> tuple[str, ...]:
        """Return what matches in the tree."""
        return self.tree.glob(pattern)


def in_same_repository(uses: str) -> str | None:
    """Return the path that `./path` or `$/path` names, None for what another repository has.

    `$/` is the repository and commit of the file that says it; `./` is the checked-out work tree.
    Source: https://github.com/actions/runner/pull/4457
    """
    return uses[2:].strip("/") if uses.startswith(("./", "$/")) else None


def place_called(uses: str, caller: str) -> str:
    """Return the path at which a called workflow is read.

    Args:
        uses: What the call says; `./path` is in the repository of the calling workflow.
        caller: Path of that workflow.
    """
    path = in_same_repository(uses)
    if path is None:
        return uses
    there = WorkflowOfRepository.parse(caller)
    return there.beside(path) if there else path
