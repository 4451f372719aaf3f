"""A conversation with a model in words that belong to no provider."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, Protocol

from bot.model import Usage
from bot.model.money.accounts import Account, AccountScope, Amount, Balance, Cap
from bot.model.route import ModelStrength


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text of either side."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model asks for a tool. `input` is JSON that nobody has checked yet."""

    id: str
    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the tool gave back: data, never instruction."""

    call_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """A block that only its provider understands (signed thinking); replayed to it unchanged."""

    provider: str
    data: Mapping[str, Any]

    @property
    def thought(self) -> str:
        """What the model thought, where the provider shows that; or ""."""
        return str(self.data.get("thinking") or "")


Block = Text | ToolCall | ToolResult | Opaque


@dataclass(frozen=True, slots=True)
class Message:
    """One side's turn."""

    role: Literal["user", "assistant"]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the model may call.

    Attributes:
        name: `bash`, `str_replace_based_edit_tool`, `run_tests`.
        description: For the model.
        schema: JSON Schema of the input.
        anthropic_type: Anthropic's own type for this tool (`bash_20250124`, ...), or None for a
            custom one; other providers always get the schema.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    anthropic_type: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that a model is asked to continue. Prefixes stay byte-equal from turn to turn.

    Attributes:
        system: The rules.
        messages: By turns.
        tools: That the model may call.
        clear_beyond: Input tokens from which on a provider that can leaves out old results of
            tools by itself; None: it never does.
        never_cleared: Tools whose results stay.
        cached: Whether the provider is told what to keep in its cache.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    clear_beyond: int | None = None
    never_cleared: tuple[str, ...] = ()
    cached: bool = True


class StopReason(StrEnum):
    """Why the model stopped. A turn without one is a failure (`ProviderUnreachable`)."""

    END = "end"
    TOOL_CALLS = "tool calls"
    MAX_TOKENS = "max tokens"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model said.

    Attributes:
        blocks: Text, tool calls and opaque blocks, in order.
        stop: Why it stopped.
        model: The model that answered, in its provider's words.
        provider: The provider's name in the chain.
        usage: Tokens and price of this call, calls that failed on the way included.
        notes: What a person should know, such as a fallback and its reason.
        cleared: Input tokens that the provider left out by itself.
    """

    blocks: tuple[Block, ...]
    stop: StopReason
    model: str
    provider: str
    usage: Usage
    notes: tuple[str, ...] = ()
    cleared: int = 0

    @property
    def text(self) -> str:
        """All its text."""
        return "\n".join(block.text for block in self.blocks if isinstance(block, Text))

    @property
    def thought(self) -> str:
        """What it thought before, as far as its provider shows that."""
        return "\n".join(block.thought for block in self.blocks if isinstance(block, Opaque))

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tools it asks for, in order."""
        return tuple(block for block in self.blocks if isinstance(block, ToolCall))


@dataclass(frozen=True, slots=True)
class Ask:
    """How a conversation should be answered.

    Attributes:
        strength: Which of the configured models.
        max_tokens: Most tokens of the answer.
        effort: `low`, `medium`, `high` or None for the provider's default.
        model: An exact model that the repo config asks for, or None.
        temperature: Of the answer, from 0 to 1; None leaves the provider's. Models that have none
            ignore it.
        allowance: The most that answering may cost, tries that failed included. The first try is
            always made; a further one only if what is left covers its worst case. None: no bound.
        may_call: Awaited before each try: returns while this process may spend money.
    """

    strength: ModelStrength = ModelStrength.DEFAULT
    max_tokens: int = 16_000
    effort: str | None = None
    model: str | None = None
    temperature: float | None = None
    allowance: Amount | None = None
    may_call: Callable[[], Awaitable[None]] | None = None

    def allows(self, lost: Usage, more: Amount) -> bool:
        """Whether a try that may cost `more` is allowed after others cost `lost`."""
        if self.allowance is None or lost == Usage():
            return True
        most = Cap(self.allowance.usd, self.allowance.tokens)
        return Balance(Account(AccountScope.RUN), most, Amount(lost.cost_usd, lost.tokens)).covers(
            more
        )


class Model(Protocol):
    """Continues conversations. One provider, or a chain of them."""

    name: str

    async def respond(self, conversation: Conversation, ask: Ask) -> Turn:
        """Return the model's turn.

        Raises:
            ProviderOverloaded, ProviderRefused, ProviderUnreachable, RequestTooLong: After the
                retries that make sense.
        """
        ...

    def worst_case(self, conversation: Conversation, ask: Ask) -> Amount:
        """Return the most that one try can cost; its dollars are None when no price is known."""
        ...

    async def warm(self) -> None:
        """Do ahead what would make the first answer slow."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
