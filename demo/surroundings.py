"""What the server of the demo finds in its environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bot.settings.environment import LocalSettings, ServerSettings, variable_of
from tests.fakes.github import GitHubServer

_MODEL_PREFIXES = ("ANTHROPIC_", "OPENAI_")
_EDIT_SECONDS = 0.5
"""The local GitHub has no limits, and people watch."""

_LOOPBACK = "127.0.0.1,localhost"


def model_name(settings: LocalSettings) -> str | None:
    """Return the model that the server will begin with, or None when it has none."""
    if settings.anthropic_api_key is not None:
        return settings.anthropic_model
    if settings.openai_base_url is not None or settings.openai_api_key is not None:
        return settings.openai_model
    return None


def server_environment(
    environ: Mapping[str, str], github: GitHubServer, folder: Path
) -> dict[str, str]:
    """Return the server's variables: the embedded defaults, this GitHub, the person's model.

    Settings of another Fixpoint that the person may have (a database, an App) are left out.

    Args:
        environ: The person's own environment.
        github: Where repositories and conversations are.
        folder: For everything that the server keeps.
    """
    app = github.state.app
    return {
        **_without_settings(environ),
        **_past_proxies(environ),
        "GITHUB_APP_ID": str(app.id),
        "GITHUB_PRIVATE_KEY": app.private_key,
        "GITHUB_WEBHOOK_SECRET": app.webhook_secret,
        "GITHUB_API_URL": github.api_url,
        "GITHUB_URL": github.web_url,
        "FIXPOINT_DATA": str(folder),
        "FIXPOINT_SANDBOX": "bubblewrap",
        "FIXPOINT_EDIT_SECONDS": str(_EDIT_SECONDS),
        "FIXPOINT_GITHUB_WRITES_PER_MINUTE": "1000",
        "FIXPOINT_LOG_FORMAT": "json",
        "HOST": "127.0.0.1",
        "PORT": "0",
    }


def _without_settings(environ: Mapping[str, str]) -> dict[str, str]:
    settings = {variable_of(name) for name in ServerSettings.model_fields}
    foreign = {name for name in settings if not name.startswith(_MODEL_PREFIXES)}
    return {name: value for name, value in environ.items() if name not in foreign}


def _past_proxies(environ: Mapping[str, str]) -> dict[str, str]:
    """Reach this machine directly, whatever proxy leads to the rest of the world."""
    others = environ.get("no_proxy") or environ.get("NO_PROXY")
    direct = f"{_LOOPBACK},{others}" if others else _LOOPBACK
    return {"no_proxy": direct, "NO_PROXY": direct}
