"""What the engine reports while it works; listeners show it on a terminal or in a comment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from bot.model import (
    Attempt,
    Commands,
    Report,
    Reproduction,
    Specification,
    Usage,
    Verification,
)
from bot.model.culprit import WhatChanged
from bot.model.plan import PlanStep


class Phase(StrEnum):
    """Where a run is."""

    PREPARE = "prepare"
    SETUP = "set up"
    REPRODUCE = "reproduce"
    SPECIFY = "write a specification"
    WRITE_TEST = "write a failing test"
    EXPLAIN = "find out what changed"
    ATTEMPT = "attempt"
    VERIFY = "verify"
    PUBLISH = "publish"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class PhaseStarted:
    """The run entered a phase; `attempt` counts from 1 inside attempts."""

    phase: Phase
    attempt: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class CommandsFound:
    """The commands that set up and test the repository are known."""

    commands: Commands


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """A piece of output of the command in the sandbox (untrusted text)."""

    text: str


@dataclass(frozen=True, slots=True)
class Reproduced:
    """The reproduction is finished."""

    reproduction: Reproduction


@dataclass(frozen=True, slots=True)
class Explained:
    """What changed since the tests passed is known, as far as it will be."""

    found: WhatChanged


@dataclass(frozen=True, slots=True)
class Specified:
    """What is asked is known as points; told again once tests show them."""

    specification: Specification


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """A model turn is finished: `action` says in a few words what it does next."""

    attempt: int
    turn: int
    model: str
    action: str
    usage: Usage
    """Of the attempt so far."""

    said: str = ""
    """What the model wrote besides, cut if it is long (untrusted text)."""

    calls: int = 0
    """How many tools it asks for."""

    seconds: float = 0.0
    """That the answer took; next to nothing when the turn is told again after a restart."""

    thought: str = ""
    """What the model thought before, as far as its provider shows that; cut, and untrusted."""


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """A tool did what a model asked for.

    Attributes:
        attempt: Counts from 1.
        turn: The model's turn that asked for it, from 1.
        tool: Its name.
        action: The call in a few words.
        asked: The call's input, each text cut if it is long (untrusted).
        answer: What the model is told, cut if it is long (untrusted).
        failed: Whether the model is told that it failed.
        path: Of the file that was read or changed, in the repository; else "".
        operation: `read`, `create` or `edit` for a file; else "".
        seconds: That it took; next to nothing when it is told again after a restart.
    """

    attempt: int
    turn: int
    tool: str
    action: str
    asked: Mapping[str, str]
    answer: str
    failed: bool
    path: str = ""
    operation: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Planned:
    """A model made a plan of an attempt, or ticked something off; the steps are untrusted."""

    attempt: int
    steps: tuple[PlanStep, ...]


@dataclass(frozen=True, slots=True)
class UnderWay:
    """How far one of several attempts is that are made at the same time.

    Attributes:
        attempt: Counts from 1.
        phase: `ATTEMPT`, `VERIFY`, or `DONE` once it is over.
        turn: Of its model, 0 before the first.
        model: That answered last, or "".
        action: What the model does next, in a few words; untrusted.
        usage: Of the attempt so far.
        plan: Of its model.
    """

    attempt: int
    phase: Phase = Phase.ATTEMPT
    turn: int = 0
    model: str = ""
    action: str = ""
    usage: Usage = field(default_factory=Usage)
    plan: tuple[PlanStep, ...] = ()


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One of the attempts that are made at the same time got further; what each did is told later."""

    attempts: tuple[UnderWay, ...]


@dataclass(frozen=True, slots=True)
class Spent:
    """The run paid for something: all that it used so far."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something worth a line while it works: a fallback, a retry, a search's progress."""

    text: str


@dataclass(frozen=True, slots=True)
class Verified:
    """A candidate patch is verified."""

    attempt: int
    verification: Verification


@dataclass(frozen=True, slots=True)
class AttemptFinished:
    """An attempt is over."""

    attempt: Attempt


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run is over."""

    report: Report


Progress = (
    PhaseStarted
    | CommandsFound
    | CommandOutput
    | Reproduced
    | Explained
    | Specified
    | TurnFinished
    | ToolUsed
    | Planned
    | SideBySide
    | Spent
    | Noticed
    | Verified
    | AttemptFinished
    | RunFinished
)


class Listener(Protocol):
    """Is told what happens. Must return at once and never raise."""

    def __call__(self, event: Progress, /) -> None:
        """Take note of the event."""
        ...


class FirstListener(Protocol):
    """Is told what happens once, when it is kept: not again when a restarted run repeats it."""

    def __call__(self, event: Progress, at: float, /) -> None:
        """Take note of the event, which happened at that Unix time."""
        ...


def together(*listeners: Listener) -> Listener:
    """Return a listener that tells each of them, in order."""

    def tell(event: Progress, /) -> None:
        for listener in listeners:
            listener(event)

    return tell


def silent(event: Progress, /) -> None:
    """Ignore the event."""
    del event
