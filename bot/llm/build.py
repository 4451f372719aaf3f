"""Build the model from the access to its providers: one of them, or a chain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pydantic import SecretStr

from bot.health.circuit import Circuit
from bot.health.service import ServiceKind
from bot.health.services import Services
from bot.llm.chain import Chain, ChainMember
from bot.llm.openai_model import OPENAI_URL, OpenAIModel
from bot.llm.prices import FREE, Price, PriceList, known_prices
from bot.llm.retries import ProviderRetries
from bot.model.route import ModelStrength, Rung
from bot.model.tool_calls import ToolCalls

if TYPE_CHECKING:
    from bot.llm.anthropic_model import AnthropicModel

_PROMPT, _ANSWER = 12_000, 4_000
"""Tokens of a first call, by which a model's price is judged before the conversation is there: a
task as most are, and the shortest limit of an answer that an attempt asks for."""

_SHORT = ProviderRetries(tries=2, longest_wait=5.0)
"""For a provider that has another one behind it."""


@dataclass(frozen=True, slots=True)
class AnthropicAccess:
    """How to reach Anthropic. Strengths that `models` leaves out have their default."""

    api_key: SecretStr
    base_url: str | None = None
    models: Mapping[ModelStrength, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Of the provider."""
        return "anthropic"

    @property
    def takes_temperature(self) -> bool:
        """Its models have none since they think adaptively."""
        return False

    @property
    def by_strength(self) -> Mapping[ModelStrength, str]:
        """The names of its models."""
        from bot.llm.anthropic_model import DEFAULT_MODELS

        return {**DEFAULT_MODELS, **self.models}

    def model(
        self, prices: PriceList, patience: ProviderRetries, circuit: Circuit | None = None
    ) -> AnthropicModel:
        """Return the provider; its SDK is imported before the first question."""
        from bot.llm.anthropic_model import AnthropicModel

        return AnthropicModel(
            self.api_key,
            base_url=self.base_url,
            models=self.by_strength,
            prices=prices,
            patience=patience,
            circuit=circuit,
        )


@dataclass(frozen=True, slots=True)
class OpenAIAccess:
    """How to reach an OpenAI-compatible server.

    Attributes:
        default: For every strength, unless `stronger` names another.
        base_url: With its version path.
        api_key: None for servers that ask for none.
        stronger: For attempts that ask for a stronger model.
        small: For attempts that ask for a small one.
        tool_calls: How tools are offered.
        free: Calls cost nothing: the model runs on one's own machine.
    """

    default: str
    base_url: str = OPENAI_URL
    api_key: SecretStr | None = None
    stronger: str | None = None
    small: str | None = None
    tool_calls: ToolCalls = ToolCalls.AUTO
    free: bool = False

    @property
    def name(self) -> str:
        """Of the provider."""
        return "openai"

    @property
    def takes_temperature(self) -> bool:
        """All servers take one; a model that refuses it is asked without."""
        return True

    @property
    def by_strength(self) -> Mapping[ModelStrength, str]:
        """The names of its models."""
        return {
            ModelStrength.SMALL: self.small or self.default,
            ModelStrength.DEFAULT: self.default,
            ModelStrength.STRONGER: self.stronger or self.default,
        }

    def model(
        self, prices: PriceList, patience: ProviderRetries, circuit: Circuit | None = None
    ) -> OpenAIModel:
        """Return the provider; its SDK is imported before the first question."""
        models = self.by_strength
        if self.free:
            prices = prices.with_overrides(dict.fromkeys(models.values(), FREE))
        return OpenAIModel(
            models=models,
            base_url=self.base_url,
            api_key=self.api_key,
            tool_calls=self.tool_calls,
            prices=prices,
            patience=patience,
            circuit=circuit,
        )


class ModelAccess(Protocol):
    """How to reach a provider, and how it is built from that."""

    @property
    def name(self) -> str:
        """Of the provider, as people know it."""
        ...

    @property
    def takes_temperature(self) -> bool:
        """Whether one may ask for how varied the answers are."""
        ...

    @property
    def by_strength(self) -> Mapping[ModelStrength, str]:
        """The names of its models; a strength that is left out has the default one."""
        ...

    def model(
        self, prices: PriceList, patience: ProviderRetries, circuit: Circuit | None = None
    ) -> ChainMember:
        """Return the provider; nothing heavy is imported before its first question."""
        ...


def rungs_of(access: ModelAccess) -> tuple[Rung, ...]:
    """Return a provider's models, small to large, each once and under its usual strength."""
    names = access.by_strength
    default, prices = names[ModelStrength.DEFAULT], known_prices()
    rungs = []
    for strength in ModelStrength:
        model = names.get(strength, default)
        if strength is ModelStrength.DEFAULT or model != default:
            usd = prices.worst_case(model, prompt_tokens=_PROMPT, max_tokens=_ANSWER)
            rungs.append(Rung(strength, model, usd, access.takes_temperature))
    return tuple(rungs)


def build_model(
    *accesses: ModelAccess,
    prices: Mapping[str, Price] | None = None,
    patience: ProviderRetries | None = None,
    services: Services | None = None,
) -> ChainMember | None:
    """Return the model that answers from these providers, the first one first; None without any.

    Nothing heavy is imported before the first question, or before `warm()`.

    Args:
        accesses: To each provider; those behind the first stand in where it fails.
        prices: USD per million tokens of models that the price list lacks or has wrong.
        patience: How long to insist on each provider.
        services: Have the circuits of the providers; None keeps them to this model.
    """
    known = known_prices().with_overrides(prices or {})
    circuits = Services() if services is None else services
    last = len(accesses) - 1
    members = [
        access.model(
            known,
            patience or (_SHORT if n < last else ProviderRetries()),
            circuits.circuit(ServiceKind.MODEL, access.name),
        )
        for n, access in enumerate(accesses)
    ]
    if len(members) > 1:
        return Chain(members, says_who_rests=services is None)
    return members[0] if members else None
