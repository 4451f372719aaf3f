"""How the settings page groups what can be set."""

from __future__ import annotations

from bot.settings.environment import ServerSettings, variable_of
from bot.settings.shown import group_of


def test_every_setting_has_a_group() -> None:
    """None is left over for a group of others, and what has a word of two groups is in the right one."""
    groups = {variable_of(name): "" for name in ServerSettings.model_fields}
    groups = {name: group_of(name) for name in groups}
    assert [name for name, group in groups.items() if group == "Others"] == []
    assert groups["FIXPOINT_SANDBOX_SECONDS"] == "Money and limits"
    assert groups["FIXPOINT_METRICS_TOKEN"] == "Logs, metrics and traces"
    assert groups["GITHUB_CLIENT_SECRET"] == "Dashboard and API"
    assert groups["FIXPOINT_WORKER_PORT"] == "Dashboard and API"
