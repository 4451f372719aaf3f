"""Install a Node project with its scripts apart, so that one of them does not end the installation."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from bot.detect.node_programs import Kind
from bot.detect.node_scripts import parts_of

_OWN_SCRIPTS = ("preinstall", "install", "postinstall", "prepare")
"""https://docs.npmjs.com/cli/v11/using-npm/scripts#life-cycle-operation-order"""

EACH_OWN_SCRIPT = (
    f"for script in {' '.join(_OWN_SCRIPTS)}; do npm run --if-present $script || true; done"
)
_WITH_SCRIPTS = """\
Object.entries(require('./node_modules/.package-lock.json').packages)
.filter(([, one]) => one.hasInstallScript).map(([path]) => path.replace(/^.*node_modules\\//, ''))
.join(' ')"""
"""What has scripts to run, by npm's own record of what it installed."""


def scripts_apart(command: str, manager: str, own: str) -> str:
    """Return an installation whose scripts run alone, so that one which fails fails alone.

    Args:
        command: Installs.
        manager: The package manager that it starts.
        own: What is run in place of the project's own scripts.
    """
    rebuild = {"npm": _rebuild_each(), "pnpm": "pnpm rebuild || true"}.get(manager, "true")
    return f"{command} --ignore-scripts && {{ {rebuild}; {own}; }}"


def own_scripts_without_tests(scripts: Mapping[str, str], manager: str) -> str | None:
    """Return what a project's own install scripts do besides tests and checks.

    None where they run no tests: what fails may be the very thing to repair, and would end the
    installation.
    """
    parts = [
        part
        for name in _OWN_SCRIPTS
        if name in scripts
        for part in parts_of(name, scripts, manager)
    ]
    if not any(part.kind is Kind.TEST for part in parts):
        return None
    kept = [part.text for part in parts if part.text and part.kind in {Kind.BUILD, Kind.OTHER}]
    return f"{{ {' && '.join(kept)}; }} || true" if kept else "true"


def _rebuild_each() -> str:
    listed = f"$(node -p {shlex.quote(_WITH_SCRIPTS)})"
    return f"for package in {listed}; do npm rebuild $package || true; done"
