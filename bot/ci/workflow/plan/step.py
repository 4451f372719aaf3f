"""A step as it would run now, and what the steps around it have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.ci.workflow.actions import ActionStatus
from bot.ci.workflow.expressions import ExpressionContext
from bot.ci.workflow.runner.command import Command
from bot.ci.workflow.spec.specification import ActionSpec, Defaults, StepSpec
from bot.ecosystems.tree import Tree
from bot.model.artifacts import ArtifactWish


class Decision(StrEnum):
    """Whether a step runs."""

    RUN = "run"
    SKIP = "skip"
    ON_FAILURE = "on-failure"
    UNSURE = "unsure"
    """Its condition needs something that is not known here: it runs, and that is said."""


@dataclass(frozen=True, slots=True)
class StepScope:
    """What the steps of one job or composite action have in common.

    Attributes:
        defaults: `defaults.run`, the job's before the workflow's.
        windows: Whether GitHub runs it on Windows.
        prefix: Of its steps' keys.
        environment: Variables that the calling step hands to all of them.
        inside: Files of the composite actions that it is inside of.
        keeps_artifacts: Whether another job takes what its steps upload.
        runner: Variables of `github` and `runner`, as the job has them.
    """

    tree: Tree
    defaults: Defaults = field(default_factory=Defaults)
    windows: bool = False
    prefix: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    inside: tuple[str, ...] = ()
    keeps_artifacts: bool = False
    runner: Mapping[str, str] = field(default_factory=dict)

    def key(self, spec: StepSpec) -> str:
        """Return what names a step's outputs."""
        return self.prefix + re.sub(r"[^\w-]", "-", spec.id or str(spec.number))


@dataclass(frozen=True, slots=True)
class Step:
    """A step as it would run now.

    Attributes:
        need: What became of its action; None for `run`.
        said: What differs from GitHub, as sentences.
        unknown: Names of what was not known; empty text stands in their place.
        command: What to run; None when there is nothing, or for a composite action.
        action: The repository's own action that it uses.
        inside: How the steps of a composite one see the world: their scope and frame.
        outputs: Outputs that are known without running it.
        check: Whether it is what the job is there for, rather than preparation.
        takes: Artifacts of the run that it unpacks.
        keeps: Name of the artifact that it makes, as far as it is known.
    """

    spec: StepSpec
    key: str
    title: str
    decision: Decision
    need: ActionStatus | None = None
    said: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    command: Command | None = None
    action: ActionSpec | None = None
    inside: tuple[ExpressionContext, StepScope] | None = None
    outputs: Mapping[str, str] = field(default_factory=dict)
    check: bool = False
    takes: ArtifactWish | None = None
    keeps: str | None = None
