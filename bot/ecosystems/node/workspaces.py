"""The packages of a JavaScript workspace, and the command that tests all of them."""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pathspec import GitIgnoreSpec

from bot.ecosystems.node.package_json import package_scripts
from bot.ecosystems.tree import Tree, repository_of

_MOST = 400
_LISTED = re.compile(r"^packages:[ \t]*\n(?P<items>(?:[ \t]*(?:-.*|#.*)?\n)+)", re.MULTILINE)
_ITEM = re.compile(
    r"^[ \t]*-[ \t]*['\"]?(?P<pattern>[^'\"#\s]+)['\"]?[ \t]*(?:#.*)?$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Member:
    """A package of a workspace.

    Attributes:
        folder: Below the root.
        name: As its `package.json` has it.
        test: Its `test` script, "" without one.
        build: Its `build` script, likewise.
        needs: Names of all packages that it depends on, whatever for.
    """

    folder: str
    name: str
    test: str
    build: str
    needs: frozenset[str] = frozenset()


def members(tree: Tree) -> tuple[Member, ...]:
    """Return the packages of the workspace whose root this is, none where it is no workspace."""
    patterns = [pattern.removeprefix("./").rstrip("/") for pattern in _patterns(tree)]
    wanted = [pattern for pattern in patterns if not pattern.startswith("!")]
    refused = frozenset(
        path for p in patterns if p.startswith("!") for path in tree.glob(f"{p[1:]}/package.json")
    )
    found = dict.fromkeys(
        path
        for pattern in wanted
        if pattern not in {"", "."}
        for path in tree.glob(f"{pattern}/package.json")
        if path not in refused and "node_modules/" not in path
    )
    return tuple(_member(tree, path) for path in list(found)[:_MOST])


def tests_of_all(manager: str, tested: tuple[Member, ...], *, every: bool, modern: bool) -> str:
    """Return the command that runs the `test` scripts of these packages, one after the other.

    Sources: https://docs.npmjs.com/cli/using-npm/workspaces, https://pnpm.io/cli/recursive,
    https://yarnpkg.com/cli/workspaces/foreach, https://classic.yarnpkg.com/en/docs/cli/workspaces.

    Args:
        manager: The package manager.
        tested: The packages that have such a script.
        every: Whether all packages of the workspace do.
        modern: Whether Yarn is one from 2.0 on.
    """
    match manager:
        case "pnpm":  # one at a time, so that no line of theirs gets a prefix
            return "pnpm --recursive --workspace-concurrency=1 --no-bail run test"
        case "yarn" if modern:
            return "yarn workspaces foreach --all run test"
        case "yarn" if every:
            return "yarn workspaces run test"
        case "yarn":
            return " && ".join(
                f"yarn workspace {shlex.quote(member.name)} run test" for member in tested
            )
        case "bun":
            return "bun run --filter '*' test"
        case _:
            return "npm test --workspaces --if-present"


def build_of_all(manager: str) -> str:
    """Return the command that builds all packages of a workspace, those first that others need."""
    match manager:
        case "pnpm":
            return "pnpm --recursive run build"
        case "yarn":
            return "yarn workspaces foreach --all --topological run build"
        case "bun":
            return "bun run --filter '*' build"
        case _:
            return "npm run build --workspaces --if-present"


def workspace_of(tree: Tree) -> Tree:
    """Return the tree of the workspace that a package is in, the package's own without one."""
    whole, folder = repository_of(tree)
    return whole if folder and _is_listed(whole, folder) else tree


def _is_listed(tree: Tree, folder: str) -> bool:
    """Whether a workspace names a folder, without looking at any other one."""
    forms = (
        f"{'!' * pattern.startswith('!')}/{pattern.removeprefix('!').removeprefix('./').rstrip('/')}"
        for pattern in _patterns(tree)
    )
    lines = [f"{form}/package.json" for form in forms if form.strip("!/.")]
    return GitIgnoreSpec.from_lines(lines).match_file(f"{folder}/package.json")


def build_of_one(manager: str, tree: Tree, *, own: bool) -> str:
    """Return the command that builds the packages of its workspace that one needs, in their order.

    Args:
        manager: The package manager.
        tree: Of the package; the command runs in its folder.
        own: Whether the package itself is built as well, behind them.
    """
    whole, folder = repository_of(tree)
    by_name = {member.name: member for member in members(whole)}
    this = next((member for member in by_name.values() if member.folder == folder), None)
    ordered: dict[str, Member] = {}
    if this is not None:
        _add_needs(this, by_name, ordered, set())
    builds = [
        f"(cd {shlex.quote(posixpath.relpath(member.folder, folder))} && {manager} run build)"
        for member in ordered.values()
        if member.build
    ]
    if own and "build" in package_scripts(tree.read):
        builds.append(f"{manager} run build")
    return " && ".join(builds)


def _add_needs(
    member: Member, by_name: dict[str, Member], ordered: dict[str, Member], open_names: set[str]
) -> None:
    """Put what a package needs behind what that needs; of a circle, no package is put twice."""
    open_names.add(member.name)
    for name in sorted(member.needs & by_name.keys() - open_names):
        _add_needs(by_name[name], by_name, ordered, open_names)
        ordered[name] = by_name[name]


def _member(tree: Tree, path: str) -> Member:
    folder = path.removesuffix("/package.json")
    data = _json(tree, path)
    name = data.get("name")
    scripts = package_scripts(lambda file: tree.read(f"{folder}/{file}"))
    own = name if isinstance(name, str) else folder
    tables = [data.get(key) for key in ("dependencies", "devDependencies", "peerDependencies")]
    needs = frozenset(item for table in tables if isinstance(table, dict) for item in table)
    return Member(folder, own, scripts.get("test", ""), scripts.get("build", ""), needs)


def _patterns(tree: Tree) -> Iterator[str]:
    """Yield what npm, Yarn, Bun and pnpm are told about the folders of packages."""
    declared = _json(tree, "package.json").get("workspaces")
    listed = declared.get("packages") if isinstance(declared, dict) else declared
    if isinstance(listed, list):
        yield from (entry for entry in listed if isinstance(entry, str))
    if found := _LISTED.search(f"{tree.read('pnpm-workspace.yaml') or ''}\n"):
        yield from (item["pattern"] for item in _ITEM.finditer(found["items"]))


def _json(tree: Tree, path: str) -> dict[str, Any]:
    try:
        data = json.loads(tree.read(path) or "")
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}
