"""What a command imports before it has begun: the heavy parts of a room come when that room is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bot.ci.failures import REGISTRY

HEAVY = frozenset(
    {
        *("aiohttp", "anthropic", "cryptography", "dbos", "e2b", "gidgethub", "httpx", "httpx2"),
        *("jinja2", "junitparser", "markdown_it", "opentelemetry", "prometheus_client", "psycopg"),
        *("pygments", "rich", "sentry_sdk", "sqlalchemy", "stamina", "structlog", "tree_sitter"),
        *("doctest", "unittest", "xml"),
    }
)
"""Packages that no command needs to read its command line."""

LATER = (
    *(
        "bot.ci.failures.",
        "bot.ci.joblog",
        "bot.ci.workflow",
        "bot.ecosystems",
        "bot.repair.engine",
    ),
    *(
        "bot.repair.harness",
        "bot.repair.proposers",
        "bot.repair.reproduction",
        "bot.repair.symbols",
    ),
    *("bot.repair.verification", "bot.runs", "bot.server", "bot.web", "sandbox.bubblewrap"),
    *("sandbox.docker", "sandbox.e2b", "sandbox.egress"),
)
"""Rooms and phases that a repair comes to later, or never."""


def _imported_by(module: str) -> set[str]:
    program = f"import sys, {module}; print(*sys.modules)"
    result = subprocess.run(
        (sys.executable, "-c", program), capture_output=True, text=True, check=True
    )
    return set(result.stdout.split())


@pytest.mark.parametrize("module", ["bot.commands.cli", "bot.commands.fix"])
def test_a_command_imports_no_heavy_package(module: str) -> None:
    """Each of them costs tens of milliseconds, whatever was asked."""
    assert not {name.partition(".")[0] for name in _imported_by(module)} & HEAVY


def test_fix_imports_the_phases_of_a_repair_when_it_comes_to_them() -> None:
    """The engine is read while git freezes the work tree, and none of it for a wrong option."""
    imported = _imported_by("bot.commands.fix")
    assert not {name for name in imported if name.startswith(LATER)}


def test_the_engine_leaves_the_readers_of_outputs_to_the_process_apart() -> None:
    """They read what other people's programs print, which is never done here."""
    assert REGISTRY not in _imported_by("bot.repair.engine")
