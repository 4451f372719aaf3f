"""The one list of sandboxes: every kind that can be chosen is there, and can tell of its key."""

from __future__ import annotations

from bot.app import SANDBOXES
from bot.settings.environment import LocalSettings, variable_of
from bot.settings.sandbox_kind import KEYS, SandboxKind


def test_every_kind_has_one_entry() -> None:
    """`auto` is a choice among them."""
    kinds = [entry.kind for entry in SANDBOXES]
    assert sorted((*kinds, SandboxKind.AUTO)) == sorted(SandboxKind)


def test_keys_are_settings() -> None:
    """A kind with a key is there only when that is set."""
    assert set(KEYS.values()) <= {variable_of(name) for name in LocalSettings.model_fields}
    settings = LocalSettings.model_validate({})
    assert {entry.kind for entry in SANDBOXES if not entry.has_key(settings)} == set(KEYS)
