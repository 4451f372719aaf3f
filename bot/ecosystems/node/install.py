"""Install a Node project with its scripts apart, so that one of them does not end the installation."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from bot.ecosystems.node.programs import ProgramKind
from bot.ecosystems.node.scripts import parts_of
from bot.ecosystems.tree import Tree

_OWN_SCRIPTS = ("preinstall", "install", "postinstall", "prepare")
"""https://docs.npmjs.com/cli/v11/using-npm/scripts#life-cycle-operation-order"""

EACH_OWN_SCRIPT = (
    f"for script in {' '.join(_OWN_SCRIPTS)}; do npm run --if-present $script || true; done"
)
_MAKING = frozenset({ProgramKind.BUILD, ProgramKind.OTHER})
WITHOUT_SCRIPTS = """\
const fs = require('fs'), data = JSON.parse(fs.readFileSync('package.json', 'utf8'));
for (const name of process.argv.slice(1)) delete data.scripts[name];
fs.writeFileSync('package.json', JSON.stringify(data, null, 2));"""
_KEPT = "/tmp/package.json"  # noqa: S108 - the sandbox's
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
    rebuild = _rebuild_each() if manager == "npm" else "true"
    return f"{command} --ignore-scripts && {{ {rebuild}; {own}; }}"


def without_own_tests(command: str, scripts: Mapping[str, str], manager: str) -> str | None:
    """Return an installation that does not run the project's tests, None where it runs none.

    What fails may be the very thing to repair, and would end the installation. The other parts of
    scripts that do test run behind it; those of dependencies run as always.
    """
    parts = {name: parts_of(name, scripts, manager) for name in _OWN_SCRIPTS if name in scripts}
    testing = [
        name for name, them in parts.items() if any(p.kind is ProgramKind.TEST for p in them)
    ]
    if not testing:
        return None
    left = " && ".join(
        part.text for name in testing for part in parts[name] if part.text and part.kind in _MAKING
    )
    delete = f"node -e {shlex.quote(WITHOUT_SCRIPTS)} {' '.join(testing)}"
    installed = f"{delete} && {command}; done=$?; cp -p {_KEPT} package.json"
    behind = f" && {{ {left} || true; }}" if left else ""
    return f"cp -p package.json {_KEPT} && {{ {installed}; (exit $done); }}{behind}"


def _rebuild_each() -> str:
    listed = f"$(node -p {shlex.quote(_WITH_SCRIPTS)})"
    return f"for package in {listed}; do npm rebuild $package || true; done"


def program_from_npm(name: str, tree: Tree) -> tuple[str, str] | None:
    """Return where a program that was not found may come from, and what installs it."""
    if not tree.exists("package.json"):
        return None
    word = shlex.quote(name)
    there = f"test -x node_modules/.bin/{word}"
    return "npm", f"npm install --no-save --no-audit --no-fund {word} && {there}"
