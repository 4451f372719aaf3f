"""What a proposer is given and what it gives back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from bot.errors import BudgetExhausted
from bot.llm.base import Model
from bot.model import (
    Attempt,
    Commands,
    Limits,
    Problem,
    Proposal,
    Reproduction,
    SearchLimits,
    Specification,
    Usage,
)
from bot.model.culprit import EventLead
from bot.model.deadline import StopSign
from bot.model.flaky import FlakyGoal
from bot.model.mcp_servers import McpServer
from bot.model.memory import NOTHING_RECALLED, MergedRepair, Recalled
from bot.model.money.reservations import OwnReservations, Reservations
from bot.model.progress import Listener
from bot.model.proposers import ProposerTraits
from bot.model.route import Route, Rung
from bot.model.steps import Steps
from bot.model.tool_rules import ToolAnswer, ToolQuestion, ToolRules
from bot.repair.changed_texts import ChangedText
from bot.repair.workspace.base import Workbench
from bot.repair.workspace.redaction import Scrub

AskPerson = Callable[[ToolQuestion], Awaitable[ToolAnswer]]
"""Asks a person, and returns when there is an answer or none will come: an act for `Steps`."""


@dataclass(frozen=True, slots=True)
class Task:
    """One attempt's work, all of it values.

    Attributes:
        n: The attempt's number, from 1.
        problem: What people wrote.
        commands: How the repository is set up and tested.
        reproduction: What fails, before any change.
        earlier: Attempts so far, oldest first.
        limits: Of the run.
        spent: Before this attempt.
        deadline: `time.time()` at which the run's time is up.
        route: Which model to ask, and how.
        rungs: The configured models, small to large: another one may help; () names none.
        recovery: Whether a model that gets no further is helped within its attempt.
        write_test: Write a failing test for the problem and change nothing else.
        specification: What is asked, as points; None where a failure says it.
        near_tests: Tests of the project to write others like, by path.
        wrong_fixes: Changes that the tests written so far accept, as diffs; tests are to be written
            that tell them from a right repair.
        model: Exact model that the repo config asks for, or None.
        effort: Effort that the repo config asks for, or None.
        guidance: The repository's own instructions for agents (AGENTS.md and the like), or "".
        allow_snapshots: Whether the snapshots of tests may be rewritten.
        search: What a search without a model may take.
        tool_rules: What the tools of a model may do.
        repository_map: What the repository defines, as far as it matters here, or "".
        recent: Lines that were changed lately, as path and number.
        lead: What changed since the tests passed; None where nobody knows.
        texts: Those of programs that were changed lately.
        clues: What an earlier proposer found out: suspicious lines, edits that come near.
        recalled: What is remembered of earlier runs.
        again: What repaired the very same failure, merged into this tree.
        flaky: The flaky test that is to be mended; None where nothing flaky is.
        reverts: What takes back a part of the commits since which the tests fail, the smallest first.
        protected: Globs that no patch may touch.
        requested: Globs of what it may touch nevertheless, because the request asks for it.
        ask: Asks a person whether a tool may be used; None where nobody can be asked.
        mcp_servers: Whose tools a model gets besides its own.
        reservations: Pays for model calls.
        stopped: Set once a person stops the run.
        key: Front of its steps' names where the attempt's number is not enough: names are unique.
    """

    n: int
    problem: Problem
    commands: Commands
    reproduction: Reproduction
    earlier: tuple[Attempt, ...]
    limits: Limits
    spent: Usage
    deadline: float
    route: Route = field(default_factory=Route)
    rungs: tuple[Rung, ...] = ()
    recovery: bool = True
    write_test: bool = False
    specification: Specification | None = None
    near_tests: Mapping[str, str] = field(default_factory=dict)
    wrong_fixes: tuple[str, ...] = ()
    model: str | None = None
    effort: str | None = None
    guidance: str = ""
    protected: tuple[str, ...] = ()
    requested: tuple[str, ...] = ()
    allow_snapshots: bool = False
    search: SearchLimits = field(default_factory=SearchLimits)
    tool_rules: ToolRules = field(default_factory=ToolRules)
    repository_map: str = ""
    recent: frozenset[tuple[str, int]] = frozenset()
    lead: EventLead | None = None
    texts: tuple[ChangedText, ...] = ()
    clues: str = ""
    ask: AskPerson | None = None
    recalled: Recalled = NOTHING_RECALLED
    again: tuple[MergedRepair, ...] = ()
    flaky: FlakyGoal | None = None
    reverts: tuple[Proposal, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    reservations: Reservations = field(default_factory=OwnReservations)
    stopped: StopSign = field(default_factory=StopSign)
    key: str = ""

    @property
    def deciding(self) -> frozenset[tuple[str, int]]:
        """Lines, as path and number, of the commit that broke the tests and without which they pass."""
        return frozenset() if self.lead is None else self.lead.lines


class AttemptCutShort(BudgetExhausted):
    """The run's budget ended in the middle of an attempt; `proposal` is what there is of it."""

    def __init__(self, reason: str, proposal: Proposal) -> None:
        super().__init__(reason)
        self.proposal = proposal


class Proposer(Protocol):
    """Tries to repair, once per call."""

    traits: ProposerTraits

    async def warm(self) -> None:
        """Do ahead what would make the first attempt slow; called while the tree is prepared."""
        ...

    async def propose(
        self,
        task: Task,
        workbench: Workbench,
        steps: Steps,
        listener: Listener,
        spend: Callable[[Usage], None],
    ) -> Proposal:
        """Change the work tree and return the patch.

        Everything that costs or touches goes through `steps`, each with a name of its own; between
        steps the code is deterministic, so that a restarted run walks the same way. `spend` is
        called after every model call with its usage, so that money is not lost when this raises.

        Raises:
            BudgetExhausted: When the run's money, tokens or time are used up; `AttemptCutShort`
                where there is something to show for them. An attempt that only reaches its own
                limit (turns) returns its patch with `ended` set instead.
            RunStopped: When the run was stopped.
            ProviderError: When no model answers.
        """
        ...


BuildProposer = Callable[[Model | None, Scrub], Proposer]
"""What a proposer's folder has as `build`: the model is there for all that need one."""
