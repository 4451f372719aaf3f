"""The settings in force, as people may see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import SecretStr

from bot.settings.environment import ServerSettings, variable_of


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """One setting.

    Attributes:
        name: Of its variable.
        value: In force; of a secret, only whether it is set.
        meaning: Markdown, without a line end.
        is_default: Whether nobody set it.
    """

    name: str
    value: str
    meaning: str
    is_default: bool


def shown_settings(settings: ServerSettings) -> tuple[ShownSetting, ...]:
    """Return every setting, in the order in which they are declared."""
    return tuple(
        ShownSetting(
            variable_of(name),
            _shown(getattr(settings, name)),
            info.description or "",
            name not in settings.model_fields_set,
        )
        for name, info in type(settings).model_fields.items()
    )


def _shown(value: Any) -> str:
    if value is None or value in ((), {}):
        return "not set"
    if isinstance(value, SecretStr):
        return "set (secret)"
    if isinstance(value, tuple) and all(isinstance(one, StrEnum) for one in value):
        return ",".join(value)
    if isinstance(value, tuple | Mapping):
        # patterns may describe secrets, addresses of registries hold some
        return f"{len(value)} set"
    return str(value)
