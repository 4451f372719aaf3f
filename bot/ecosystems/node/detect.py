"""How a Node project is set up and tested."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bot.ecosystems.base import Detected, Package
from bot.ecosystems.node.install import without_own_tests
from bot.ecosystems.node.package_json import ALONE, package_json, package_scripts
from bot.ecosystems.node.programs import ProgramKind
from bot.ecosystems.node.runners import NAMES, RUNNERS
from bot.ecosystems.node.scripts import has_test, test_script, tests_alone
from bot.ecosystems.node.versions import newer_node
from bot.ecosystems.node.workspaces import members, tests_of_all, workspace_of
from bot.ecosystems.tree import Tree, is_source, tree_of
from bot.reporting.reasons import detection

_TOOLS = frozenset({"npm", "npx", "node", "yarn", "pnpm", "bun", "bunx", "eslint", "prettier"})
_TOOLS |= NAMES | {"tsc"}
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
_PNPM_BY_LOCK = {"5": "7", "6": "8", "9": "10"}
"""The newest pnpm that writes lock files of a form: another refuses them, or rewrites them.
https://github.com/pnpm/spec/tree/master/lockfile"""

_MODERN_YARN = "@yarnpkg/cli-dist"
"""What Yarn from 2.0 on is called at npm: https://yarnpkg.com/corepack"""

_WATCHES = re.compile(r"react-scripts test|vue-cli-service test|--watch\b")


def find(tree: Tree, _: frozenset[str]) -> Detected | None:
    """Return how the project is set up and tested, or None without a `package.json`.

    A package of a workspace is installed with all of it, from its root, and tested alone.
    """
    if not tree.exists("package.json"):
        return None
    root = workspace_of(tree)
    package = package_json(root.read)
    name, origin = manager(tree)
    install = _INSTALL[name] if _lock(root) else f"{name} install"
    test, why = _test(tree, name)
    why_installed = [detection.node_packages(origin, name)]
    untested = without_own_tests(install, package_scripts(root.read), name)
    if untested is not None:
        install = untested
        why_installed.append(detection.INSTALL_WITHOUT_TESTS)
    pinned = _pinned(package) or _by_lock(root, name)
    node: tuple[str, ...] = ()
    if (newer := newer_node(root)) is not None:
        release, file, step = newer
        node = (step,)
        why_installed.append(detection.node_release(file, release))
    return Detected(
        ecosystem="node",
        setup=(*node, *_get(name, pinned, modern=_modern(root, package)), install),
        test=test,
        setup_why=tuple(why_installed),
        test_why=why,
        tools=_TOOLS,
        at_root=root is not tree,
    )


def manager(tree: Tree) -> tuple[str, str]:
    """Return the package manager, and the file that says so."""
    root = workspace_of(tree)
    lock, pinned = _lock(root), _pinned(package_json(root.read))
    name = pinned.partition("@")[0] or (_LOCKS[lock] if lock else "npm")
    origin = "package.json" if pinned or lock is None else lock
    return name if name in _INSTALL else "npm", origin


def has_own_tests(tree: Tree) -> bool:
    """Whether a package has tests of its own, and does not only run those of others."""
    scripts = package_scripts(tree.read)
    if has_test(scripts.get("test", "")) or members(tree):
        return bool(test_script(scripts, manager(tree)[0]))
    return tree.exists("package.json") and _test(tree, manager(tree)[0])[0] is not None


def _lock(tree: Tree) -> str | None:
    return next((name for name in _LOCKS if tree.exists(name)), None)


def _pinned(package: dict[str, Any]) -> str:
    """Return the manager that `packageManager` names, with its version and without its hash."""
    return str(package.get("packageManager", "")).partition("+")[0]


def _by_lock(tree: Tree, manager: str) -> str:
    """Return pnpm in the version whose lock files look like the project's, else ""."""
    form = re.search(r"^lockfileVersion: '?(\d+)", tree.read("pnpm-lock.yaml") or "", re.MULTILINE)
    line = _PNPM_BY_LOCK.get(form[1]) if form and manager == "pnpm" else None
    return f"pnpm@{line}" if line else ""


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


def _test(tree: Tree, manager: str) -> tuple[str | None, str]:
    scripts, package = package_scripts(tree.read), package_json(tree.read)
    own = test_script(scripts, manager)
    if not own and has_test(scripts.get("test", "")):
        own = "test"
    if own == "test":
        return _own_test(scripts, manager, own)
    if (found := _test_of_members(tree, package, manager)) is not None:
        return found
    if own:
        return _own_test(scripts, manager, own)
    declared = {**package.get("devDependencies", {}), **package.get("dependencies", {})}
    started = (runner for runner in RUNNERS if runner.start and runner.name in declared)
    if (runner := next(started, None)) is not None:
        return runner.start, detection.node_runner(runner.name)
    files = [*tree.glob("test/*.js"), *tree.glob("test/*.mjs"), *tree.glob("*.test.js")]
    if any("node:test" in (tree.read(path) or "") for path in files):
        return "node --test", detection.node_test(files[0])
    return None, ""


def _own_test(scripts: dict[str, str], manager: str, name: str) -> tuple[str, str]:
    """Return the command for a test script, without what would keep its tests from running."""
    once = "CI=true " if _WATCHES.search(scripts[name]) else ""
    if (alone := tests_alone(scripts, manager, name)) is not None:
        browser = ProgramKind.BROWSER in alone.left_out
        return alone.command, detection.test_script_in_part(alone.command, browser=browser)
    if manager == "npm" and f"post{name}" in scripts:
        before = f"npm run pre{name} && " if f"pre{name}" in scripts else ""
        return f"{before}{once}npm run {ALONE} {name}", detection.TEST_SCRIPT_ALONE
    runs = "run " if manager == "bun" or name != "test" else ""
    return f"{once}{manager} {runs}{name}", detection.test_script(name)


def _test_of_members(tree: Tree, package: dict[str, Any], manager: str) -> tuple[str, str] | None:
    """Return the command for the tests of a workspace's packages, None where none has any."""
    packages = members(tree)
    tested = tuple(member for member in packages if has_test(member.test))
    if not tested:
        return None
    once = "CI=true " if any(_WATCHES.search(member.test) for member in tested) else ""
    every, modern = len(tested) == len(packages), _modern(tree, package)
    command = tests_of_all(manager, tested, every=every, modern=modern)
    return f"{once}{command}", detection.tests_of_members(len(tested))


def tested_packages(tree: Tree) -> Iterator[Package]:
    """Yield the packages of a workspace that have tests of their own."""
    return (
        Package(member.folder, member.name)
        for member in members(tree)
        if is_source(member.folder) and has_own_tests(tree_of(tree, member.folder))
    )
