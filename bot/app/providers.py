"""Every provider of models: how it is reached by the settings, and what has to be set for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.settings.environment import LocalSettings

if TYPE_CHECKING:
    from bot.health.services import Services
    from bot.llm.base import Model
    from bot.llm.build import ModelAccess
    from bot.model.route import Rung


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """One provider.

    Attributes:
        hint: Which variables have to be set for it.
        access: How it is reached by the settings; None where it is not set up.
    """

    hint: str
    access: Callable[[LocalSettings], ModelAccess | None]


def _anthropic(settings: LocalSettings) -> ModelAccess | None:
    if settings.anthropic_api_key is None:
        return None
    from bot.llm.build import AnthropicAccess
    from bot.model.route import ModelStrength

    models = {
        ModelStrength.DEFAULT: settings.anthropic_model,
        ModelStrength.STRONGER: settings.anthropic_stronger_model,
    }
    if settings.anthropic_small_model is not None:
        models[ModelStrength.SMALL] = settings.anthropic_small_model
    return AnthropicAccess(settings.anthropic_api_key, settings.anthropic_base_url, models)


def _openai(settings: LocalSettings) -> ModelAccess | None:
    somewhere = settings.openai_base_url or settings.openai_api_key
    if settings.openai_model is None or somewhere is None:
        return None
    from bot.llm.build import OpenAIAccess
    from bot.llm.openai_model import OPENAI_URL

    return OpenAIAccess(
        settings.openai_model,
        settings.openai_base_url or OPENAI_URL,
        settings.openai_api_key,
        settings.openai_stronger_model,
        settings.openai_small_model,
        settings.openai_tool_calls,
    )


PROVIDERS = (
    ProviderEntry("ANTHROPIC_API_KEY", _anthropic),
    ProviderEntry("OPENAI_BASE_URL and OPENAI_MODEL", _openai),
)
"""In the order in which they are asked; one that is set up stands in where those before it fail."""

MODEL_HINT = ", or ".join(provider.hint for provider in PROVIDERS)
"""What has to be set for a model."""


def build_rungs(settings: LocalSettings) -> tuple[Rung, ...]:
    """Return the models of the provider that is asked first, small to large; each only once."""
    found = (provider.access(settings) for provider in PROVIDERS)
    access = next((access for access in found if access is not None), None)
    if access is None:
        return ()
    from bot.llm import build

    return build.rungs_of(access)


def build_model(settings: LocalSettings, services: Services | None = None) -> Model | None:
    """Return the configured providers as one model with fallback, or None when there is none.

    Args:
        settings: Keys, models and addresses.
        services: Have the circuits of the providers; None keeps them to this model.
    """
    found = [provider.access(settings) for provider in PROVIDERS]
    accesses = [access for access in found if access is not None]
    if not accesses:
        return None
    from bot.llm import build

    return build.build_model(*accesses, services=services)
