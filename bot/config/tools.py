"""The section `tools` of the repo config: what a model's tools may do."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from bot.config.section import ConfigSection
from bot.model.tool_rules import ToolPermission, ToolRules

_DEFAULTS = ToolRules()

Permission = Literal["allow", "ask", "deny"]


class ToolsSection(ConfigSection):
    """What the tools of the agent may do: allow, ask a person, or deny."""

    read: Permission = Field(
        _DEFAULTS.read.value, description="Tools that only look at the sandbox."
    )
    write: Permission = Field(_DEFAULTS.write.value, description="Tools that change the sandbox.")
    network: Permission = Field(
        _DEFAULTS.network.value,
        description="Tools that reach something outside of the sandbox and change nothing there.",
    )
    dangerous: Permission = Field(
        _DEFAULTS.dangerous.value,
        description="Tools that may change something outside of the sandbox.",
    )
    named: dict[str, Permission] = Field(
        default_factory=dict,
        description="Single tools by name; an entry here overrides the tool's risk level.",
    )
    map_tokens: StrictInt = Field(
        _DEFAULTS.map_tokens,
        ge=0,
        le=20_000,
        description="Size of the repository map in the first prompt, in tokens; 0 leaves it out.",
    )
    try_edits: StrictBool = Field(
        default=_DEFAULTS.try_edits,
        description="Whether the model may have the search try many edits for it.",
    )
    refer_back: StrictBool = Field(
        default=_DEFAULTS.refer_back,
        description="Whether the model gets a reference or a diff when a tool result repeats an earlier one.",
    )
    parallel: StrictBool = Field(
        default=_DEFAULTS.parallel,
        description="Whether tool calls of one turn that only look are done at the same time.",
    )
    pruning: StrictBool = Field(
        default=_DEFAULTS.pruning,
        description="Whether a long conversation is shortened; if false, an attempt ends where the "
        "model refuses its conversation as too long.",
    )
    caching: StrictBool = Field(
        default=_DEFAULTS.caching,
        description="Whether requests mark what the provider should keep in its prompt cache.",
    )
    mcp: StrictBool = Field(
        default=_DEFAULTS.mcp,
        description="Whether the model gets the tools of the operator's MCP servers.",
    )

    @property
    def rules(self) -> ToolRules:
        """The section in the words of a run."""
        return ToolRules(
            ToolPermission(self.read),
            ToolPermission(self.write),
            ToolPermission(self.network),
            ToolPermission(self.dangerous),
            tuple((name, ToolPermission(key)) for name, key in self.named.items()),
            self.map_tokens,
            self.try_edits,
            self.refer_back,
            self.parallel,
            self.pruning,
            self.caching,
            self.mcp,
        )
