"""Where the file of an action is read: in the work tree, or among those of other repositories. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from bot.ci.workflow.actions import is_known
from bot.ci.workflow.spec.referenced_workflows import (
    ActionOfRepository,
    at_place,
    in_same_repository,
)
from bot.ecosystems.tree import Tree

_OWN_FILES = re.compile(r"github\.action_path|GITHUB_ACTION_PATH")


@dataclass(frozen=True, slots=True)
class ActionPlace:
    """Where an action's file is read.

    Attributes:
        files: Its possible paths.
        folder: Of it in the work tree; "" for one of another repository.
    """

    files: tuple[str, str]
    folder: str = ""


def action_place(uses: str, inside: tuple[str, ...], tree: Tree) -> ActionPlace | None:
    """Return where the file of an action is read, None for one that only its name tells of.

    `$/` is in the repository of the file that says it, `./` in the work tree.

    Args:
        uses: What a step says.
        inside: Files of the composite actions that the step is inside of.
        tree: Where files are read.
    """
    here = ActionOfRepository.parse(uses)
    folder = in_same_repository(uses)
    if folder is not None:
        around = at_place(inside[-1]) if inside and uses.startswith("$/") else None
        here = replace(around, folder=folder) if around else None
        if here is None:
            names = (f"{folder}/action.yml".lstrip("/"), f"{folder}/action.yaml".lstrip("/"))
            return ActionPlace(names, folder)
    if here is None or is_known(uses):
        return None
    names = (here.place(here.files[0]), here.place(here.files[1]))
    return ActionPlace(names) if any(tree.read(name) is not None for name in names) else None


def needs_own_files(script: str, inside: tuple[str, ...]) -> bool:
    """Whether a step of another repository's action runs files that come with the action."""
    elsewhere = bool(inside) and at_place(inside[-1]) is not None
    return elsewhere and _OWN_FILES.search(script) is not None
