"""Let tests and version files follow a commit that changed a message or a version elsewhere."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.code.files import is_test_file
from bot.model import Observation
from bot.model.steps import Steps
from bot.repair.changed_texts import ChangedText, renewed_literals, renewed_versions
from bot.repair.proposers.mechanical.rule_files import current
from bot.repair.workspace.base import Workbench

_CASE = re.compile(r"[\[( ].*", re.DOTALL)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MOST_FILES = 20
_VERSION_FILES = (
    *("pyproject.toml", "setup.py", "setup.cfg", "package.json", "Cargo.toml", "manifest.json"),
    *("VERSION", "version.txt", "CITATION.cff", "meson.build", "CMakeLists.txt", "conf.py"),
    *("__init__.py", "_version.py", "version.py", "__version__.py", "__about__.py", "about.py"),
    *("version.js", "version.ts", "version.go", "lib.rs"),
)


@dataclass(frozen=True, slots=True)
class Followed:
    """The files that were renewed, as they were.

    Attributes:
        before: Their texts by path.
        is_test: Whether they are tests, so that a person decides.
    """

    before: Mapping[str, str]
    is_test: bool


async def follow_versions(
    seen: Observation,
    texts: tuple[ChangedText, ...],
    workbench: Workbench,
    steps: Steps,
    *,
    name: str,
    seconds: float,
) -> Followed | None:
    """Write a version that the commit raised into files with the old one, if both are complained about."""
    said = _said(seen)
    raised = tuple(
        changed_text
        for changed_text in texts
        if changed_text.is_version and changed_text.before in said and changed_text.after in said
    )
    if not raised:
        return None
    names = " ".join(shlex.quote(f"*{file}") for file in _VERSION_FILES)
    words = " ".join(f"-e {shlex.quote(changed_text.before)}" for changed_text in raised)
    listed = await steps(
        f"{name}: find", workbench.run, f"git grep -lF {words} -- {names}", seconds
    )
    paths = [path for path in listed.output.split("\n") if path and not is_test_file(path)]
    found = await _read(workbench, steps, name, paths)
    after = {path: renewed_versions(path, text, raised) for path, text in found.items()}
    return await _written(workbench, steps, name, found, after, is_test=False)


async def follow_texts(
    seen: Observation,
    texts: tuple[ChangedText, ...],
    workbench: Workbench,
    steps: Steps,
    *,
    name: str,
    seconds: float,
) -> Followed | None:
    """Write the commit's own new texts into the tests that fail and have the old ones."""
    del seconds  # nothing runs here
    worded = tuple(changed_text for changed_text in texts if not changed_text.is_version)
    if not worded or not seen.named:
        return None
    paths = dict.fromkeys(
        path for failure in seen.named for path in _files(failure.file, failure.test)
    )
    found = await _read(workbench, steps, name, [path for path in paths if is_test_file(path)])
    names = frozenset(_dotted(failure.test).rpartition(".")[2] for failure in seen.named)
    after = {
        path: renewed_literals(text, worded, lines)
        for path, text in found.items()
        if (lines := _lines(path, text, names)) is not None
    }
    return await _written(workbench, steps, name, found, after, is_test=True)


async def undo(followed: Followed, workbench: Workbench, steps: Steps, *, name: str) -> None:
    """Put the files back as they were."""
    for path, text in followed.before.items():
        await steps(f"{name}: undo {path}", workbench.write_file, path, text.encode())


async def _read(
    workbench: Workbench, steps: Steps, name: str, paths: Iterable[str]
) -> dict[str, str]:
    wanted = tuple(paths)[:_MOST_FILES]
    if not wanted:
        return {}
    return await steps(f"{name}: read", current, workbench, wanted)


async def _written(
    workbench: Workbench,
    steps: Steps,
    name: str,
    before: Mapping[str, str],
    after: Mapping[str, str],
    *,
    is_test: bool,
) -> Followed | None:
    changed = {path: text for path, text in after.items() if text != before[path]}
    for path, text in changed.items():
        await steps(f"{name}: write {path}", workbench.write_file, path, text.encode())
    return Followed({path: before[path] for path in changed}, is_test) if changed else None


def _said(seen: Observation) -> str:
    told = (f"{failure.message}\n{failure.detail}" for failure in seen.failing)
    return "\n".join((seen.output, *told))


def _files(file: str | None, test: str) -> list[str]:
    """Return the paths under which the file of a test may be found."""
    parts = _dotted(test).split(".")
    modules = ["/".join(parts[:n]) + ".py" for n in range(len(parts) - 1, 0, -1)]
    return [*([file] if file else []), *modules]


def _dotted(test: str) -> str:
    """Return a test's dotted name, without its parameters."""
    return _CASE.sub("", test).replace("::", ".")


def _lines(path: str, text: str, names: frozenset[str]) -> frozenset[int] | None:
    """Return the lines of a file's failing tests; none for all of them, None where it has no such test."""
    if not path.endswith(".py"):
        return frozenset()
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = (node for node in ast.walk(module) if isinstance(node, _FUNCTIONS))
    lines = (
        range(child.lineno, (child.end_lineno or child.lineno) + 1)
        for child in found
        if child.name in names
    )
    return frozenset(line for some in lines for line in some) or None
