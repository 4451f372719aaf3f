"""What the tools of a model may do, and which of them a person has to allow."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ToolRisk(StrEnum):
    """The most that a tool can do, the least first."""

    READ = "read"
    """Looks at the attempt's own sandbox."""

    WRITE = "write"
    """Changes that sandbox: what leaves it is verified."""

    NETWORK = "network"
    """Reaches something outside of it, and changes nothing there."""

    DANGEROUS = "dangerous"
    """Changes something outside of it, or may."""


class ToolPermission(StrEnum):
    """What happens when a model calls a tool."""

    ALLOW = "allow"
    ASK = "ask"
    """A person is asked first, once for each tool of a run."""

    DENY = "deny"


@dataclass(frozen=True, slots=True)
class ToolRules:
    """What a repository lets tools do.

    Attributes:
        read, write, network, dangerous: For tools of that risk.
        named: For single tools; this counts before their risk.
        map_tokens: Size of the repository's map in the first prompt; 0 draws none.
        try_edits: Whether a model may have the search try edits for it.
        refer_back: Whether a result that repeats one in the conversation is told by a reference or a diff.
        parallel: Whether calls of one turn that only look are done at the same time.
        pruning: Whether a long conversation is shortened.
        caching: Whether providers are told what to keep in their cache.
        mcp: Whether a model gets the tools of the operator's MCP servers.
    """

    read: ToolPermission = ToolPermission.ALLOW
    write: ToolPermission = ToolPermission.ALLOW
    network: ToolPermission = ToolPermission.ASK
    dangerous: ToolPermission = ToolPermission.DENY
    named: tuple[tuple[str, ToolPermission], ...] = ()
    map_tokens: int = 1_000
    try_edits: bool = True
    refer_back: bool = True
    parallel: bool = True
    pruning: bool = True
    caching: bool = True
    mcp: bool = True

    def permission(self, name: str, risk: ToolRisk) -> ToolPermission:
        """Return what happens when a model calls the tool of that name and risk."""
        by_risk = {
            ToolRisk.READ: self.read,
            ToolRisk.WRITE: self.write,
            ToolRisk.NETWORK: self.network,
            ToolRisk.DANGEROUS: self.dangerous,
        }
        return dict(self.named).get(name, by_risk[risk])


@dataclass(frozen=True, slots=True)
class ToolQuestion:
    """What a person is asked before a tool is used.

    Attributes:
        tool: Its name; the answer counts for all its calls in the run.
        risk: Of it.
        call: The first call, as a person reads it.
        until: `time.time()` until which the run waits for the answer.
    """

    tool: str
    risk: ToolRisk
    call: str
    until: float


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a person said; `by` is empty when nobody did in time."""

    approved: bool
    by: str = ""
