"""What every run of this process works with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.model.culprit import KnownReleases
from bot.model.mcp_servers import McpServer
from bot.model.memory import Memory
from bot.model.route import Rung, RungRecord
from bot.repair.workspace.redaction import Scrub
from sandbox.base import SandboxProvider

if TYPE_CHECKING:
    from bot.repair.goal.failure_reader import FailureJudge
    from bot.repair.job import ArtifactSource
    from bot.repair.proposers.base import AskPerson, Proposer
    from bot.repair.symbols.index import SymbolIndex
    from bot.repair.test_proof import ProofReviewer, SpecificationApprover, SpecificationAuthor
    from bot.repair.workspace.environments import Environments
    from bot.repair.workspace.remembered_setups import RememberedSetups


class RouteHistory(Protocol):
    """Knows what became of the attempts of earlier runs."""

    async def records(self, identity: str) -> tuple[RungRecord, ...]:
        """Return what became of each rung's attempts in the newest runs of a repository."""
        ...


StandIn = Callable[[], Awaitable[SandboxProvider | None]]
"""Gives another kind of sandbox in place of one that died; None when there is none, or it lives."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What every run of this process works with.

    Attributes:
        sandboxes: The one kind of sandbox that is used.
        proposers: By name, cheapest first.
        reviewer: Says whether a written test shows the problem; None without a model.
        environments: Prepared ones that are kept from run to run; None keeps none.
        scrub: Takes secrets out of what commands print, before it is kept or shown.
        judge: Says which of several failures a problem is about; None without a model.
        remembered_setups: What setups lacked in earlier runs; None remembers nothing.
        artifacts: Brings what earlier jobs of a workflow run uploaded; None where there is no GitHub.
        symbols: What repositories define; None draws no maps.
        ask: Asks a person whether a tool may be used; None where nobody can be asked.
        memory: What earlier runs in its repository tried; None remembers nothing.
        mcp_servers: Whose tools a model gets besides its own.
        stand_in: Where a run starts over whose sandboxes die before it reproduces anything; None
            where it ends then.
        rungs: The configured models, small to large.
        history: What became of the models' attempts in earlier runs; None knows nothing.
        specifier: Says in points what a problem asks that no test shows; None without a model.
        approver: Asks the person who waits here about a specification; None where nobody does.
        releases: Which releases broke the repositories of this server; None where nobody knows.
    """

    sandboxes: SandboxProvider
    proposers: Mapping[str, Proposer]
    reviewer: ProofReviewer | None = None
    environments: Environments | None = None
    scrub: Scrub = str
    judge: FailureJudge | None = None
    remembered_setups: RememberedSetups | None = None
    artifacts: ArtifactSource | None = None
    symbols: SymbolIndex | None = None
    ask: AskPerson | None = None
    mcp_servers: tuple[McpServer, ...] = ()
    stand_in: StandIn | None = None
    rungs: tuple[Rung, ...] = ()
    history: RouteHistory | None = None
    memory: Memory | None = None
    specifier: SpecificationAuthor | None = None
    approver: SpecificationApprover | None = None
    releases: KnownReleases | None = None
