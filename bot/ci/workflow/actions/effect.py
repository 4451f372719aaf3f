"""What an action does in a sandbox."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.model.artifacts import ArtifactWish


class ActionStatus(StrEnum):
    """Whether an action's work is done here."""

    DONE = "done"
    """Its commands run here, or what it gives is there anyway."""
    NOT_NEEDED = "not-needed"
    """It stores, reports or publishes something; the job's outcome does not depend on it."""
    SKIPPED = "skipped"
    """It is unknown, or can't work here; later steps may miss what it does."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What happens in place of an action.

    Attributes:
        said: A short sentence for people.
        script: Bash to run, or empty.
        environment: Variables for its script.
        exported: Variables for all steps after it.
        outputs: Its outputs as far as they are known without running it.
        check: Whether its script is what the job is there for, instead of preparation.
        takes: Artifacts of the run that its script unpacks.
        keeps: Name of the artifact that its script makes.
    """

    need: ActionStatus
    said: str
    script: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    exported: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    check: bool = False
    takes: ArtifactWish | None = None
    keeps: str | None = None


@dataclass(frozen=True, slots=True)
class Inputs:
    """The `with` of a step, rendered.

    Attributes:
        values: By lower-case name.
        version: What stands behind the `@` of `uses`.
    """

    values: Mapping[str, str]
    version: str = ""

    def text(self, *names: str, default: str = "") -> str:
        """Return the first of these inputs that is given and not empty."""
        found = (self.values.get(name, "").strip() for name in names)
        return next((value for value in found if value), default)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a boolean input."""
        return self.text(name, default=str(default)).lower() == "true"


Act = Callable[[Inputs], Effect]
"""Says what an action does with its inputs."""


def done(said: str, script: str = "", **outputs: str) -> Effect:
    """Return the effect of preparing something."""
    names = {name.replace("_", "-"): value for name, value in outputs.items()}
    return Effect(ActionStatus.DONE, said, script, outputs=names)


def checked(said: str, script: str) -> Effect:
    """Return the effect of a check: its exit status is the step's."""
    return Effect(ActionStatus.DONE, said, script, check=True)


def not_needed(said: str, **outputs: str) -> Effect:
    """Return the effect of an action that is left out without harm."""
    names = {name.replace("_", "-"): value for name, value in outputs.items()}
    return Effect(ActionStatus.NOT_NEEDED, said, outputs=names)


def skipped(said: str) -> Effect:
    """Return the effect of an action that can't be done here."""
    return Effect(ActionStatus.SKIPPED, said)


def quoted(*words: str) -> str:
    """Return words as shell text, empty ones left out."""
    return shlex.join(word for word in words if word)
