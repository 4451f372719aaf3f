"""Bring a newer Node.js where a project's own statements, or its workflows, ask for one. Reads, runs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime

from bot.ecosystems.base import ENVIRONMENT
from bot.ecosystems.node.package_json import package_json
from bot.ecosystems.tree import Tree, workflow_texts
from bot.model import Commands
from bot.reporting.reasons import package_dates

_OLDEST = 20
"""Who asks for no newer one finds it anywhere."""

_NEWEST = 60
"""Above it, a number is no major version."""

_VERSIONS = re.compile(
    r"^[ \t-]*node(?:js)?(?:[-_]?versions?)?:[ \t]*(?P<here>[^\n#]*)"
    r"(?P<below>(?:\n[ \t]*-[ \t]*['\"]?v?\d[^\n]*)*)",
    re.MULTILINE | re.IGNORECASE,
)
"""Of a workflow: `node-version: [20, 22.x]`, or the same as a list below the key."""

_MAJOR = re.compile(r"(?<![\w.])v?(\d{1,3})(?:\.(?:\d+|x))*(?![\w.])")
_PINS = (".nvmrc", ".node-version")


def newer_node(tree: Tree) -> tuple[int, str, str] | None:
    """Return the least major version that the project wants, the file that says so, and what installs it.

    None where any Node.js that is still around will do. What is there already is kept if it is new enough.
    """
    least, file = max(_wanted(tree), default=(0, ""))
    if not _OLDEST < least < _NEWEST:
        return None
    enough = f"node -e 'process.exit(parseInt(process.versions.node) >= {least} ? 0 : 1)'"
    install = f"npm install --global --prefix {ENVIRONMENT} node@{least}"
    return least, file, f"{enough} || {install} || true"


def least_by_engines(tree: Tree) -> int:
    """Return the least major version that `package.json` takes, 0 where it names none."""
    engines = package_json(tree.read).get("engines")
    wanted = engines.get("node") if isinstance(engines, dict) else None
    named = [int(item) for item in re.findall(r"(?<![\d.])(\d{1,3})(?!\d)", str(wanted or ""))]
    return min(named, default=0)


def _wanted(tree: Tree) -> Iterator[tuple[int, str]]:
    """Yield the least version of each statement, and the file that has it."""
    yield least_by_engines(tree), "package.json"
    for file in _PINS:
        yield from (
            (int(item), file) for item in _MAJOR.findall((tree.read(file) or "").strip())[:1]
        )
    said = [(*version, file) for file, text in workflow_texts(tree) for version in _versions(text)]
    any_list = any(is_list for is_list, _, _ in said)  # a matrix tests; the others may only lint
    yield from sorted((min(n), file) for is_list, n, file in said if is_list == any_list)[:1]


def _versions(workflow: str) -> Iterator[tuple[bool, list[int]]]:
    """Yield whether it is a list, as a matrix has it, and the major versions, of each statement."""
    for found in _VERSIONS.finditer(workflow):
        majors = [int(item) for item in _MAJOR.findall(f"{found['here']}{found['below']}")]
        if majors:
            yield bool(found["below"]) or "[" in found["here"], majors


_LONG_TERM_SUPPORT = {
    8: date(2017, 10, 31),
    10: date(2018, 10, 30),
    12: date(2019, 10, 21),
    14: date(2020, 10, 27),
    16: date(2021, 10, 26),
    18: date(2022, 10, 25),
    20: date(2023, 10, 24),
    22: date(2024, 10, 29),
    24: date(2025, 10, 28),
}
"""From when on each line had it: https://github.com/nodejs/release#release-schedule."""

_NPM = {8: 6, 10: 6, 12: 6, 14: 6, 16: 8, 18: 9, 20: 10, 22: 10, 24: 11}
"""The npm that comes with each line; a newer one may not run on it: https://nodejs.org/dist/index.json."""

_NEWER = "process.exit(Number(process.versions.node.split('.')[0]) > {line} ? 1 : 0)"


def with_node_of(commands: Commands, tree: Tree, moment: datetime) -> Commands:
    """Return the commands with the Node.js of a day ahead of them, if the one that is here is newer.

    It comes from npm's registry, whose later versions the sandbox's proxy leaves out. A project
    that asks for a newer one keeps the one that is here.
    """
    day = moment.astimezone(UTC).date()
    there = [line for line, since in _LONG_TERM_SUPPORT.items() if since <= day]
    if "node" not in commands.ecosystems or not there or len(there) == len(_LONG_TERM_SUPPORT):
        return commands
    line = there[-1]
    if least_by_engines(tree) > line:
        return commands
    here = f'node -e "{_NEWER.format(line=line)}"'
    install = f"{here} || npm install --global --prefix {ENVIRONMENT} node@{line} npm@{_NPM[line]} || true"
    said = package_dates.node_of_day(str(line), moment)
    return replace(
        commands,
        setup=(install, *commands.setup),
        explanation=(*commands.explanation, said),
    )
