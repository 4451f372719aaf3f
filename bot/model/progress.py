"""What the engine reports while it works; listeners show it on a terminal or in a comment."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.model import Attempt, Commands, Report, Reproduction, Usage, Verification


class Phase(StrEnum):
    """Where a run is."""

    PREPARE = "prepare"
    SETUP = "set up"
    REPRODUCE = "reproduce"
    WRITE_TEST = "write a failing test"
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
class TurnFinished:
    """A model turn is finished: `action` says in a few words what it does next."""

    attempt: int
    turn: int
    model: str
    action: str
    usage: Usage
    """Of the attempt so far."""


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
    | TurnFinished
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


def together(*listeners: Listener) -> Listener:
    """Return a listener that tells each of them, in order."""

    def tell(event: Progress, /) -> None:
        for listener in listeners:
            listener(event)

    return tell


def silent(event: Progress, /) -> None:
    """Ignore the event."""
    del event
