"""Bring a newer Node.js where a project's own statements, or its workflows, ask for one. Reads, runs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.detect.python_environment import ENVIRONMENT
from bot.detect.scripts import package_json
from bot.detect.tree import Tree
from bot.detect.workflows import workflow_texts

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
    named = [int(one) for one in re.findall(r"(?<![\d.])(\d{1,3})(?!\d)", str(wanted or ""))]
    return min(named, default=0)


def _wanted(tree: Tree) -> Iterator[tuple[int, str]]:
    """Yield the least version of each statement, and the file that has it."""
    yield least_by_engines(tree), "package.json"
    for file in _PINS:
        yield from ((int(one), file) for one in _MAJOR.findall((tree.read(file) or "").strip())[:1])
    said = [(*one, file) for file, text in workflow_texts(tree) for one in _versions(text)]
    any_list = any(is_list for is_list, _, _ in said)  # a matrix tests; the others may only lint
    yield from sorted((min(n), file) for is_list, n, file in said if is_list == any_list)[:1]


def _versions(workflow: str) -> Iterator[tuple[bool, list[int]]]:
    """Yield whether it is a list, as a matrix has it, and the major versions, of each statement."""
    for found in _VERSIONS.finditer(workflow):
        majors = [int(one) for one in _MAJOR.findall(f"{found['here']}{found['below']}")]
        if majors:
            yield bool(found["below"]) or "[" in found["here"], majors
