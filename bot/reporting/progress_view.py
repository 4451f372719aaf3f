"""What a run looks like from outside: one frozen state, advanced by events."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import assert_never

from bot.model import (
    Attempt,
    Commands,
    Limits,
    Observation,
    Report,
    Reproduction,
    Specification,
    Usage,
)
from bot.model.culprit import WhatChanged
from bot.model.plan import PlanStep
from bot.model.progress import (
    AttemptFinished,
    CommandOutput,
    CommandsFound,
    Explained,
    Noticed,
    Phase,
    PhaseStarted,
    Planned,
    Progress,
    Reproduced,
    RunFinished,
    SideBySide,
    Specified,
    Spent,
    ToolUsed,
    TurnFinished,
    UnderWay,
    Verified,
)
from bot.model.untrusted import strip_hidden

_KEPT_NOTES = 5
_KEPT_OUTPUT = 2_000
"""Characters of the last output that are kept to show."""


@dataclass(frozen=True, slots=True)
class ProgressView:
    """A run as far as it has come.

    Attributes:
        run_id: Of the run.
        started: When it started, with a time zone.
        limits: Its budget.
        phase: Where it is.
        since: When it came there, UTC; None where nobody noted it.
        detail: What the phase says of itself.
        attempt: The attempt it is at, from 1; 0 before the first.
        action: What the model does at the moment, in a few words; untrusted.
        turn: Model turns of the attempt so far.
        model: The model of the attempt, or empty.
        commands: How the repository is set up and tested, once it is known.
        reproduction: What fails, once it is known.
        failing: Ids of what fails at the last look, or None.
        attempts: The finished ones.
        current: Usage of the attempt that is under way.
        spent: What the run has paid for, once it was told; None before.
        plan: Of the model that works, or ().
        beside: Attempts that are made at the same time, or ().
        notes: The last things worth a line.
        output: The end of the last command's output, as plain text.
        wrote_test: The run had to write a failing test first.
        specification: What is asked, as points, once it is known; None where a failure says it.
        what_changed: Since the tests passed, once it is known.
        only_explains: Nothing is to be repaired.
        report: Once the run is over.
    """

    run_id: str
    started: datetime
    limits: Limits
    phase: Phase = Phase.PREPARE
    since: datetime | None = None
    detail: str = ""
    attempt: int = 0
    action: str = ""
    turn: int = 0
    model: str = ""
    commands: Commands | None = None
    reproduction: Reproduction | None = None
    failing: tuple[str, ...] | None = None
    attempts: tuple[Attempt, ...] = ()
    current: Usage = field(default_factory=Usage)
    spent: Usage | None = None
    plan: tuple[PlanStep, ...] = ()
    beside: tuple[UnderWay, ...] = ()
    notes: tuple[str, ...] = ()
    output: str = ""
    wrote_test: bool = False
    specification: Specification | None = None
    what_changed: WhatChanged | None = None
    only_explains: bool = False
    report: Report | None = None

    @property
    def usage(self) -> Usage:
        """What the run has used so far."""
        if self.report is not None:
            return self.report.usage
        if self.spent is not None:
            return self.spent
        return sum((attempt.proposal.usage for attempt in self.attempts), self.current)

    def elapsed(self, now: datetime) -> float:
        """Return seconds of wall time since the start; the run's own count once it is over."""
        if self.report is not None:
            return self.report.seconds
        return max(0.0, (now - self.started).total_seconds())


def at_moment(before: ProgressView, view: ProgressView, now: datetime) -> ProgressView:
    """Return a view that an event led to, with since when the run is where it is."""
    moved = (before.phase, before.attempt) != (view.phase, view.attempt)
    return replace(view, since=now) if moved or view.since is None else view


def advance(view: ProgressView, event: Progress) -> ProgressView:  # noqa: C901, PLR0911, PLR0912 - one case per event
    """Return the view after the event. An event told twice (after a restart) counts once."""
    match event:
        case PhaseStarted():
            return _enter(view, event)
        case CommandsFound(commands):
            return replace(view, commands=commands)
        case CommandOutput(text):
            return replace(
                view, output=(view.output + strip_hidden(text[-_KEPT_OUTPUT:]))[-_KEPT_OUTPUT:]
            )
        case Reproduced(reproduction):
            observation = reproduction.observation
            failing = () if observation is None else _ids(observation)
            return replace(view, reproduction=reproduction, failing=failing or None)
        case Explained(found):
            return replace(view, what_changed=found)
        case Specified(specification):
            return replace(view, specification=specification)
        case TurnFinished(attempt, turn, model, action, usage):
            return replace(
                view, attempt=attempt, turn=turn, model=model, action=action, current=usage
            )
        case ToolUsed():
            return view
        case Planned(attempt, steps):
            return replace(view, attempt=attempt, plan=steps)
        case SideBySide(attempts):
            return replace(view, beside=attempts)
        case Spent(usage):
            return replace(view, spent=usage)
        case Noticed(text):
            return replace(view, notes=(*view.notes, text)[-_KEPT_NOTES:])
        case Verified(attempt, verification):
            target = verification.target
            seen = () if target is None else _ids(target)
            if seen or (view.failing is not None and target is not None and target.ok):
                view = replace(view, failing=seen)
            return replace(view, attempt=attempt)
        case AttemptFinished(attempt):
            return _finish_attempt(view, attempt)
        case RunFinished(report):
            return replace(
                view, phase=Phase.DONE, detail="", action="", turn=0, model="", report=report
            )
        case _:
            assert_never(event)


def _ids(observation: Observation) -> tuple[str, ...]:
    return tuple(failure.test for failure in observation.named)


def _enter(view: ProgressView, event: PhaseStarted) -> ProgressView:
    return replace(
        view,
        phase=event.phase,
        detail=event.detail,
        attempt=view.attempt if event.attempt is None else event.attempt,
        action="",
        turn=0,
        model="",
        output="",
        plan=view.plan if event.phase is Phase.VERIFY else (),
        wrote_test=view.wrote_test or event.phase is Phase.WRITE_TEST,
    )


def _finish_attempt(view: ProgressView, attempt: Attempt) -> ProgressView:
    others = tuple(
        known
        for known in view.attempts
        if (known.n, known.proposer) != (attempt.n, attempt.proposer)
    )
    return replace(
        view,
        attempts=(*others, attempt),
        current=Usage(),
        action="",
        turn=0,
        model="",
        plan=(),
        beside=(),
    )
