"""Write what a run found out about a setup as lines of the repo config."""

from __future__ import annotations

import json
import re

from bot.model import Commands

_HEAD = """\
# Fixpoint in this repository. `fixpoint config check` checks this file, `fixpoint config schema`
# prints the schema for editors. How the tests run was detected; correct what is wrong.
"""
_OPTIONS = """
# Failed checks start runs: first those of bots that update packages, then off, default-branch,
# pull-requests or all.
# checks:
#   bots: updates
#   auto: pull-requests

# Pull requests that fix something get a check run that shows what their tests prove.
# proof:
#   on: fixes

# How far results go: diagnose (a report), suggest (the patch in a comment), draft or push (a pull
# request).
# confidence: draft

# What the model calls of one run may cost, in dollars.
# budget_usd: 2.00

# Files that no patch may change.
# paths:
#   protected: ["vendor/**"]
"""

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


def first_config(lines: str, schema: str = "") -> str:
    """Return a whole repo config for a repository that has none: its commands, and what to try next.

    Args:
        lines: With the commands, as `config_lines` writes them.
        schema: Address of the schema, for editors with the YAML language server; "" for none.
          https://github.com/redhat-developer/yaml-language-server#using-inlined-schema
    """
    editors = f"# yaml-language-server: $schema={schema}\n" if schema else ""
    return f"{editors}{_HEAD}{lines}\n{_OPTIONS}"


def installing(commands: Commands) -> tuple[str, ...]:
    """Return the setup commands but for the one that makes an empty environment."""
    return tuple(item for item in commands.setup if not item.startswith(_MAKES_ENVIRONMENT))


def _scalar(text: str) -> str:
    """Return a text as YAML; every JSON string is one."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
