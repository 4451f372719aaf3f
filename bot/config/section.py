"""What every section of the repo config has in common: strict keys, and values that can't change."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class ConfigSection(BaseModel):
    """A mapping of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _unset(cls, value: Any) -> Any:
        """Take a known key without a value, as a commented-out section leaves it, for unset."""
        if not isinstance(value, dict):
            return value
        return {
            key: item
            for key, item in value.items()
            if item is not None or key not in cls.model_fields
        }
