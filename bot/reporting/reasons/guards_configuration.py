"""How a changed setting makes tests, coverage or linters demand less."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example

_KEY = "tool.coverage.report.fail_under"
_NAMES = 120
"""Characters of the names that a sentence shows."""


@example(_KEY, 90.0, 80.0)
def limit_lowered(key: str, before: float, after: float) -> str:
    """A minimum is lower than before."""
    return f"{key} drops from {before:g} to {after:g}."


@example(_KEY, 90.0)
def limit_removed(key: str, before: float) -> str:
    """A minimum is gone."""
    return f"{key} is removed; it was {before:g}."


@example("tool.ruff.line-length", 100.0, 200.0)
def limit_raised(key: str, before: float, after: float) -> str:
    """A maximum is higher than before."""
    return f"{key} rises from {before:g} to {after:g}."


@example("tool.pytest.ini_options.addopts")
def plugin_loaded(key: str) -> str:
    """The options of a test runner name a plugin."""
    return f"{key} loads a plugin."


@example("tool.ruff.lint.ignore", ["E501", "F401"])
def now_excluded(key: str, names: Sequence[str]) -> str:
    """A list of exceptions grows."""
    return f"{key} now excludes {', '.join(names)[:_NAMES]}."


@example("tool.ruff.lint.select", ["B", "F"])
@example("tool.ruff.lint.select", [])
def no_longer_included(key: str, names: Sequence[str]) -> str:
    """A list of what is checked shrinks, or is gone."""
    if not names:
        return f"{key} is no longer set."
    return f"{key} no longer includes {', '.join(names)[:_NAMES]}."


@example("tool.mypy.strict")
def switched_off(key: str) -> str:
    """A strict option is off."""
    return f"{key} is now off."


@example("tool.mypy.ignore_errors")
def switched_on(key: str) -> str:
    """A lenient option is on."""
    return f"{key} is now on."


@example("pytest -k 'not slow' || true")
def command_checks_less(line: str) -> str:
    """A command leaves tests out, or ignores their exit code."""
    return f"A command checks less: {line}"
