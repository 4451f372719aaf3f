"""Workflows and actions of other repositories: how `uses` names them, a tree that has them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.ecosystems.tree import Tree

_PLACE = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)/(?P<path>[^@\s]+\.ya?ml)@(?P<ref>\S+)")
_ACTION = re.compile(
    r"(?P<repository>[\w-][\w.-]*/[\w.-]+)(?P<folder>(?:/[\w.-]+)*)@(?P<ref>[\w./-]+)"
)
_USES = re.compile(r"\buses:[ \t]*[\"']?(?P<uses>[\w./-]+@[\w./-]+|\$/[\w./-]+)")
_COMPOSITE = re.compile(r"\busing:[ \t]*[\"']?composite\b")


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
class ActionOfRepository:
    """An action as `uses:` names one of another repository.

    Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsuses
    """

    repository: str
    folder: str
    ref: str

    @classmethod
    def parse(cls, uses: str) -> ActionOfRepository | None:
        """Return what `owner/name[/folder]@ref` names, None for anything else."""
        match = _ACTION.fullmatch(uses)
        return cls(match["repository"], match["folder"].strip("/"), match["ref"]) if match else None

    @property
    def uses(self) -> str:
        """How `uses` names it."""
        return f"{'/'.join(filter(None, (self.repository, self.folder)))}@{self.ref}"

    @property
    def files(self) -> tuple[str, str]:
        """The paths in that repository at which its file may be."""
        front = f"{self.folder}/" if self.folder else ""
        return f"{front}action.yml", f"{front}action.yaml"

    def place(self, file: str) -> str:
        """Return how a file of the same repository and commit is named."""
        return f"{self.repository}/{file}@{self.ref}"


def at_place(path: str) -> ActionOfRepository | None:
    """Return the action of another repository whose file a path is, None for one of the work tree."""
    there = ActionOfRepository.parse(path)
    return there and replace(there, folder=there.folder.rpartition("/")[0])


def actions_named(
    text: str, of: ActionOfRepository | None = None
) -> tuple[ActionOfRepository, ...]:
    """Return the actions of other repositories that a file names, in any notation of YAML.

    Args:
        text: Of a workflow or an action.
        of: The action whose file it is, None for a workflow.
    """
    named = dict.fromkeys(match["uses"] for match in _USES.finditer(text))
    found = [ActionOfRepository.parse(uses) for uses in named if _PLACE.fullmatch(uses) is None]
    if of is not None:
        paths = (uses for uses in named if uses.startswith("$/"))
        found += [replace(of, folder=in_same_repository(uses) or "") for uses in paths]
    return tuple(repository for repository in found if repository is not None)


def is_composite(text: str) -> bool:
    """Whether an action's file says that it is made of steps."""
    return _COMPOSITE.search(text) is not None


@dataclass(frozen=True, slots=True)
class TreeWithCalled:
    """A tree that also reads files of other repositories, by what `uses` names."""

    tree: Tree
    called: Mapping[str, str]

    def read(self, path: str) -> str | None:
        """Return a file of the tree, or of another repository."""
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
