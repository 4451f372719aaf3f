"""The settings in force, as people may see them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from bot.settings.environment import ServerSettings, variable_of

_GROUPS = (
    ("Money and limits", r"_USD$|RUN_TOKENS|SANDBOX_SECONDS|RUNS_PER_HOUR"),
    ("Logs, metrics and traces", r"_LOG_|METRICS|SENTRY|^OTEL_|REDACT"),
    (
        "Dashboard and API",
        r"ADMIN|_API_RATE|API_ORIGINS|PUBLIC_URL|SMEE|^HOST$|PORT$|GITHUB_CLIENT",
    ),
    ("GitHub", r"GITHUB|MISSED|RECONCILE|EDIT_SECONDS"),
    ("Models", r"^ANTHROPIC_|^OPENAI_|_MCP$"),
    ("Sandboxes", r"SANDBOX|DOCKER|^E2B_|REGISTRIES|MIRRORS"),
    ("Memory", r"MEMORY|EMBEDDING"),
    ("Storage", r"DATABASE|_DATA$"),
    ("Runs and queue", r"CONCURRENCY|QUEUE|PROOF|APPROVAL|ONBOARDING"),
    ("Outages", r"RETRY|OUTAGE|FAILING|PROBE|ESCALATE|HEARTBEAT|STOP"),
)
"""A variable belongs to the first that fits it."""

_OTHERS = "Others"
_ORDER = (
    "GitHub", "Models", "Sandboxes", "Runs and queue", "Money and limits", "Dashboard and API",
    "Memory", "Storage", "Outages", "Logs, metrics and traces", _OTHERS,
)  # fmt: skip
"""As a page shows them."""


def group_of(variable: str) -> str:
    """Return what a variable is about, in a few words."""
    return next((name for name, parts in _GROUPS if re.search(parts, variable)), _OTHERS)


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """One setting.

    Attributes:
        name: Of its variable.
        value: In force; of a secret, only whether it is set.
        meaning: Markdown, without a line end.
        is_default: Whether nobody set it.
        source: Where it comes from: `environment`, `default`, or the variable that it follows.
    """

    name: str
    value: str
    meaning: str
    is_default: bool
    source: str


def shown_settings(settings: ServerSettings) -> tuple[ShownSetting, ...]:
    """Return every setting, those of a group together, else in the order of their declaration."""
    return tuple(sorted(_all(settings), key=lambda each: _ORDER.index(group_of(each.name))))


def _all(settings: ServerSettings) -> Iterator[ShownSetting]:
    return (
        ShownSetting(
            variable_of(name),
            _shown(getattr(settings, name)),
            info.description or "",
            name not in settings.model_fields_set,
            _source(settings, name),
        )
        for name, info in type(settings).model_fields.items()
    )


def _source(settings: ServerSettings, name: str) -> str:
    if name in settings.derived:
        return settings.derived[name]
    if name in settings.model_fields_set:
        return "environment"
    followed = _FOLLOWS.get(name)
    set_ = followed is not None and (
        followed in settings.model_fields_set or followed in settings.derived
    )
    return f"default, follows {variable_of(followed)}" if followed and set_ else "default"


_FOLLOWS = {"database_url": "fixpoint_data", "openai_stronger_model": "openai_model"}
"""Settings whose default is made from another one."""


def _shown(value: Any) -> str:
    if value is None or value in ((), {}):
        return "not set"
    if isinstance(value, SecretStr):
        return "set (secret)"
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    if isinstance(value, tuple | Mapping):
        # patterns may describe secrets, addresses of registries hold some
        return f"{len(value)} set"
    return str(value)
