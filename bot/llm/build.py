"""Build the model from plain settings: Anthropic, an OpenAI-compatible server, or both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import SecretStr

from bot.llm.base import ModelStrength
from bot.llm.chain import Chain, ChainMember
from bot.llm.openai_model import OPENAI_URL, OpenAIModel
from bot.llm.patience import ProviderRetries
from bot.llm.prices import FREE, Price, PriceList, known_prices

if TYPE_CHECKING:
    from bot.llm.anthropic_model import AnthropicModel

_SHORT = ProviderRetries(tries=2, longest_wait=5.0)
"""For a provider that has another one behind it."""


@dataclass(frozen=True, slots=True)
class AnthropicAccess:
    """How to reach Anthropic. Strengths that `models` leaves out have their default."""

    api_key: SecretStr
    base_url: str | None = None
    models: Mapping[ModelStrength, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OpenAIAccess:
    """How to reach an OpenAI-compatible server.

    Attributes:
        model: For every strength, unless `stronger` names another.
        base_url: With its version path.
        api_key: None for servers that ask for none.
        stronger: For attempts that ask for a stronger model.
        free: Calls cost nothing: the model runs on one's own machine.
    """

    model: str
    base_url: str = OPENAI_URL
    api_key: SecretStr | None = None
    stronger: str | None = None
    free: bool = False


def build_model(
    *,
    anthropic: AnthropicAccess | None = None,
    openai: OpenAIAccess | None = None,
    prices: Mapping[str, Price] | None = None,
    patience: ProviderRetries | None = None,
) -> ChainMember | None:
    """Return the model that these settings allow: Anthropic first; None without any.

    Nothing heavy is imported before the first question, or before `warm()`.

    Args:
        anthropic: Access to Anthropic.
        openai: Access to an OpenAI-compatible server.
        prices: USD per million tokens of models that the price list lacks or has wrong.
        patience: How long to insist on each provider.
    """
    known = known_prices().with_overrides(prices or {})
    members: list[ChainMember] = []
    if anthropic is not None:
        chosen = patience or (_SHORT if openai else ProviderRetries())
        members.append(_anthropic(anthropic, known, chosen))
    if openai is not None:
        members.append(_openai(openai, known, patience or ProviderRetries()))
    if len(members) > 1:
        return Chain(members)
    return members[0] if members else None


def _anthropic(
    access: AnthropicAccess, prices: PriceList, patience: ProviderRetries
) -> AnthropicModel:
    from bot.llm.anthropic_model import DEFAULT_MODELS, AnthropicModel

    return AnthropicModel(
        access.api_key,
        base_url=access.base_url,
        models={**DEFAULT_MODELS, **access.models},
        prices=prices,
        patience=patience,
    )


def _openai(access: OpenAIAccess, prices: PriceList, patience: ProviderRetries) -> OpenAIModel:
    models = {
        ModelStrength.DEFAULT: access.model,
        ModelStrength.STRONGER: access.stronger or access.model,
    }
    if access.free:
        prices = prices.with_overrides(dict.fromkeys(models.values(), FREE))
    return OpenAIModel(
        models=models,
        base_url=access.base_url,
        api_key=access.api_key,
        prices=prices,
        patience=patience,
    )
