"""How a Node project is set up and tested."""

from __future__ import annotations

import json
import re
from typing import Any

from bot.detect.finding import Detected
from bot.detect.scripts import ALONE, package_scripts
from bot.detect.tree import Tree
from bot.reporting.reasons import detection

_TOOLS = frozenset({"npm", "npx", "node", "yarn", "pnpm", "bun", "bunx", "eslint", "prettier"})
_TOOLS |= {"tsc", "jest", "vitest", "mocha"}
_LOCKS = {
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
}
_INSTALL = {
    "npm": "npm ci --no-audit --no-fund",
    "pnpm": "pnpm install --frozen-lockfile",
    "yarn": "yarn install --frozen-lockfile",
    "bun": "bun install --frozen-lockfile",
}
_MODERN_YARN = "@yarnpkg/cli-dist"
"""What Yarn from 2.0 on is called at npm: https://yarnpkg.com/corepack"""

_PLACEHOLDER = "no test specified"
_WATCHES = re.compile(r"react-scripts test|vue-cli-service test|--watch\b")
_CHECKS = frozenset(
    {
        "xo",
        "eslint",
        "standard",
        "prettier",
        "biome",
        "oxlint",
        "stylelint",
        "tsd",
        "attw",
        "publint",
    }
    | {"knip", "ls-lint", "markdownlint", "remark", "lockfile-lint", "dtslint", "cspell"}
)
"""Programs that look at files alone: no test needs what they leave."""

_WORDS = re.compile(r"[\w@./:=,*'\"{}\[\] -]+")
"""Of a part in which the shell does nothing but to run a program."""

_RUNNERS = ("vitest", "jest", "mocha", "ava", "tap")


def find(tree: Tree) -> Detected | None:
    """Return how the project is set up and tested, or None without a `package.json`."""
    if not tree.exists("package.json"):
        return None
    package = _package(tree)
    name, origin = manager(tree)
    install = _INSTALL[name] if _lock(tree) else f"{name} install"
    test, why = _test(tree, package, name)
    return Detected(
        ecosystem="node",
        setup=(*_get(name, _pinned(package), modern=_modern(tree, package)), install),
        test=test,
        setup_why=(detection.node_packages(origin, name),),
        test_why=why,
        tools=_TOOLS,
    )


def manager(tree: Tree) -> tuple[str, str]:
    """Return the package manager, and the file that says so."""
    lock, pinned = _lock(tree), _pinned(_package(tree))
    name = pinned.partition("@")[0] or (_LOCKS[lock] if lock else "npm")
    origin = "package.json" if pinned or lock is None else lock
    return name if name in _INSTALL else "npm", origin


def _lock(tree: Tree) -> str | None:
    return next((name for name in _LOCKS if tree.exists(name)), None)


def _pinned(package: dict[str, Any]) -> str:
    """Return the manager that `packageManager` names, with its version and without its hash."""
    return str(package.get("packageManager", "")).partition("+")[0]


def _package(tree: Tree) -> dict[str, Any]:
    try:
        data = json.loads(tree.read("package.json") or "")
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _get(manager: str, pinned: str, *, modern: bool) -> tuple[str, ...]:
    """Return what installs a manager that Node does not bring, into a folder on the `PATH`.

    Args:
        manager: Which one.
        pinned: With its version, or "".
        modern: Whether a Yarn would be one from 2.0 on: earlier ones don't read its lock file.
    """
    if manager == "npm":
        return ()
    package = pinned if re.fullmatch(r"[a-z]+@[\w.-]+", pinned) else manager
    there = f"command -v {manager}"
    if modern and manager == "yarn" and not re.fullmatch(r"yarn@[01]\..*", package):
        package = package.replace("yarn", _MODERN_YARN)
        there = "yarn --version 2>/dev/null | grep -q '^[2-9]'"
    return (f"{there} || npm install --global --prefix ~/.venv {package}",)


def _modern(tree: Tree, package: dict[str, Any]) -> bool:
    """Whether Yarn from 2.0 on is meant: by its version, else by the form of its lock file."""
    version = _pinned(package).removeprefix("yarn@")
    return version[:1] in set("23456789") or "\n__metadata:" in (tree.read("yarn.lock") or "")


def _test(tree: Tree, package: dict[str, Any], manager: str) -> tuple[str | None, str]:
    scripts = package_scripts(tree.read)
    script = scripts.get("test", "")
    if (alone := _behind_checks(script)) is not None and not {"pretest", "posttest"} & set(scripts):
        return alone, detection.test_script_behind_checks(alone)
    if script and _PLACEHOLDER not in script and manager == "npm" and "posttest" in scripts:
        once = "CI=true " if _WATCHES.search(script) else ""
        before = "npm run pretest && " if "pretest" in scripts else ""
        return f"{before}{once}npm run {ALONE} test", detection.test_script_alone()
    if script and _PLACEHOLDER not in script:
        once = "CI=true " if _WATCHES.search(script) else ""
        return f"{once}{manager} {'run ' if manager == 'bun' else ''}test", detection.test_script()
    declared = {**package.get("devDependencies", {}), **package.get("dependencies", {})}
    runner = next((name for name in _RUNNERS if name in declared), None)
    if runner:
        arguments = " run" if runner == "vitest" else ""
        return f"npx {runner}{arguments}", detection.node_runner(runner)
    files = [*tree.glob("test/*.js"), *tree.glob("test/*.mjs"), *tree.glob("*.test.js")]
    if any("node:test" in (tree.read(path) or "") for path in files):
        return "node --test", detection.node_test(files[0])
    return None, ""


def _behind_checks(script: str) -> str | None:
    """Return the one part of a test script that tests, where all others are checks of files.

    Such a script is `xo && ava && tsd`: a check that fails, as with a newer release of it, would
    keep the tests from running.
    """
    parts = [part.strip() for part in script.split("&&")]
    if len(parts) < 2 or not all(map(_WORDS.fullmatch, parts)):  # noqa: PLR2004 - a chain
        return None
    others = [part for part in parts if part.split()[0] not in _CHECKS]
    return f"npx --no-install {others[0]}" if len(others) == 1 and _runs(others[0]) else None


def _runs(part: str) -> bool:
    """Whether a command runs tests, as far as its name tells."""
    words = [word for word in part.split() if "=" not in word and not word.startswith("-")]
    return bool({"node", "c8", "nyc", "tape", "jasmine", "uvu", *_RUNNERS} & set(words[:1]))
