"""Write what a run found out about a setup as lines of the repo config."""

from __future__ import annotations

import json
import re

from bot.model import Commands

_MAKES_ENVIRONMENT = "test -x ~/.venv/bin/python || "
"""How the command begins that makes a Python environment; it goes before a configured setup too."""

_PLAIN = re.compile(r"[A-Za-z./][\w ./=~+-]*")
"""What YAML reads as text without quotes."""


def suggested_config(commands: Commands | None) -> str:
    """Return lines for `.github/fixpoint.yml`, or "" where the setup lacked nothing."""
    return config_lines(commands) if commands is not None and commands.healed else ""


def config_lines(commands: Commands) -> str:
    """Return `setup` and `test` of the repo config with these commands."""
    setup = installing(commands)
    lines = ["setup:", *(f"  - {_scalar(item)}" for item in setup)] if setup else ["setup: []"]
    return "\n".join([*lines, f"test: {_scalar(commands.test)}"])


def installing(commands: Commands) -> tuple[str, ...]:
    """Return the setup commands but for the one that makes an empty environment."""
    return tuple(item for item in commands.setup if not item.startswith(_MAKES_ENVIRONMENT))


def _scalar(text: str) -> str:
    """Return a text as YAML; every JSON string is one."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
