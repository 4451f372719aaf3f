"""Show the settings to people: the table of docs/settings.md is generated here."""

from __future__ import annotations

from pydantic.fields import FieldInfo

from bot.settings.environment import LocalSettings, ServerSettings, variable_of
from bot.settings.telemetry import TelemetrySettings


def settings_table() -> str:
    """Return the Markdown table of every variable: its name, meaning and default."""
    others = [*TelemetrySettings.model_fields, *LocalSettings.model_fields]
    own = [name for name in ServerSettings.model_fields if name not in others]
    required = [name for name in own if ServerSettings.model_fields[name].is_required()]
    names = [*dict.fromkeys([*required, *own]), *others]
    rows = [
        f"| `{variable_of(name)}` | {info.description} | {_default_text(info)} |"
        for name in names
        for info in [ServerSettings.model_fields[name]]
    ]
    return "\n".join(["| Variable | Meaning | Default |", "|---|---|---|", *rows]) + "\n"


def _default_text(info: FieldInfo) -> str:
    if isinstance(info.json_schema_extra, dict):
        return str(info.json_schema_extra["default_text"])
    if info.is_required():
        return "required"
    return "" if info.default is None else f"`{info.default}`"
