"""Find the lists of requirements that managers and runners of Python projects keep for themselves."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from bot.ecosystems.commands.shell import simple_commands
from bot.ecosystems.python.install import RequirementSource, likelihood, names, sources
from bot.ecosystems.python.task_runners import pyproject, tox_sections
from bot.ecosystems.tree import Tree, workflow_texts

_CARET = re.compile(
    r"\^\s*(?P<version>(?P<major>\d+)(?:\.(?P<minor>\d+))?(?:\.(?P<patch>\d+))?\S*)"
)
_WORKFLOW_LINE = re.compile(r"(?:python[\d.]* -m |uv )?pip3? install .+")
_OWN_WORDS = re.compile(r"[.$@{}/\\]|^-")
"""What a word of an installation has that names no package of an index alone."""


def every_list(tree: Tree) -> tuple[RequirementSource, ...]:
    """Return every list of requirements that the project has anywhere, the likeliest first.

    The lists that installers know come before those that only a manager or a runner reads.
    """
    data = pyproject(tree.read)
    found = (
        *sources(tree),
        *sorted(_of_managers(tree, data), key=likelihood),
        *sorted(_of_runners(tree, data), key=likelihood),
        *_of_workflows(tree),
        _of_project(data),
    )
    return tuple(source for source in found if source.lines)


def _of_project(data: dict[str, Any]) -> RequirementSource:
    """Return what the project itself needs to run: it may not be one that can be installed."""
    poetry = dict(_table(data.get("tool", {}).get("poetry", {}).get("dependencies")))
    poetry.pop("python", None)
    lines = (*_texts(data.get("project", {}).get("dependencies")), *_poetry(poetry))
    return _listed("project", "pyproject.toml", lines)


def _of_managers(tree: Tree, data: dict[str, Any]) -> Iterator[RequirementSource]:
    tools = data.get("tool", {})
    poetry = tools.get("poetry", {})
    yield _listed("poetry", "dev-dependencies", _poetry(poetry.get("dev-dependencies")))
    for name, group in _table(poetry.get("group")).items():
        yield _listed("poetry", name, _poetry(_table(group).get("dependencies")))
    for name, lines in _table(tools.get("pdm", {}).get("dev-dependencies")).items():
        yield _listed("pdm", name, _texts(lines))
    for manager in ("uv", "rye"):
        lines = _texts(tools.get(manager, {}).get("dev-dependencies"))
        yield _listed(manager, "dev-dependencies", lines)
    for name in ("packages", "dev-packages"):
        yield _listed("pipenv", name, _poetry(_toml(tree, "Pipfile").get(name)))
    for name, lines in _setup_extras(tree).items():
        yield RequirementSource("extra", name, lines, (f".[{name}]",))


def _of_runners(tree: Tree, data: dict[str, Any]) -> Iterator[RequirementSource]:
    extras = _table(data.get("project", {}).get("optional-dependencies"))
    for name, table in _table(data.get("tool", {}).get("hatch", {}).get("envs")).items():
        entries = [_table(table).get(key) for key in ("dependencies", "extra-dependencies")]
        entries += [extras.get(feature) for feature in _texts(_table(table).get("features"))]
        yield _listed("hatch", name, tuple(line for lines in entries for line in _texts(lines)))
    native = _toml(tree, "tox.toml") or _table(data.get("tool", {}).get("tox"))
    base = _texts(_table(native.get("env_run_base")).get("deps"))
    yield _listed("tox environment", "env_run_base", base)
    for name, table in _table(native.get("env")).items():
        yield _listed("tox environment", name, _texts(_table(table).get("deps")))
    parser = tox_sections(tree.read)
    for section in parser.sections():
        if section.startswith("testenv:"):
            lines = parser.get(section, "deps", fallback="").split("\n")
            name = section.removeprefix("testenv:")
            yield _listed("tox environment", name, tuple(map(_plain, lines)))
    yield from _of_nox(tree.read("noxfile.py") or "")


def _of_nox(text: str) -> Iterator[RequirementSource]:
    """Yield what each session installs by name."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # no Python, or nested for fun
        return
    for function in module.body:
        if isinstance(function, ast.FunctionDef):
            calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
            words = (word for call in calls if _installs(call) for word in _literals(call))
            yield _listed("nox", function.name, tuple(words))


def _installs(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in {"install", "conda_install"}


def _literals(call: ast.Call) -> Iterator[str]:
    for argument in call.args:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            yield argument.value


def _of_workflows(tree: Tree) -> Iterator[RequirementSource]:
    """Yield what each GitHub Actions workflow installs with pip, by name."""
    for path, text in workflow_texts(tree):
        lines = _WORKFLOW_LINE.findall(text)
        commands = (simple.words for line in lines for simple in simple_commands(line))
        words = (word for command in commands for word in _after(command, "install"))
        yield _listed("workflow", path, tuple(words))


def _after(words: tuple[str, ...], word: str) -> tuple[str, ...]:
    return words[words.index(word) + 1 :] if word in words else ()


def _setup_extras(tree: Tree) -> dict[str, tuple[str, ...]]:
    """Return the literal `extras_require` of `setup.py`, or what is assigned to its name."""
    try:
        module = ast.parse(tree.read("setup.py") or "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    assigned = {
        target.id: node.value
        for node in ast.walk(module)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    given = [
        keyword.value
        for node in ast.walk(module)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "extras_require"
    ]
    value = given[0] if given else None
    value = assigned.get(value.id) if isinstance(value, ast.Name) else value
    pairs = zip(value.keys, value.values, strict=True) if isinstance(value, ast.Dict) else ()
    return {
        key.value: tuple(_strings(entry, assigned))
        for key, entry in pairs
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def _strings(entry: ast.expr, assigned: Mapping[str, ast.expr]) -> Iterator[str]:
    """Yield the texts of a list, with lists that stand there by name."""
    node = assigned.get(entry.id) if isinstance(entry, ast.Name) else entry
    for part in ast.walk(node) if node is not None else ():
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _listed(kind: str, name: str, lines: tuple[str, ...]) -> RequirementSource:
    plain = tuple(line for line in lines if line and not _OWN_WORDS.search(_name_part(line)))
    return RequirementSource(kind, name, plain, plain)


def _name_part(line: str) -> str:
    """Return a requirement without its version and its conditions, which may have any sign."""
    return re.split(r"[<>=!~;\[ ]", line, maxsplit=1)[0]


def _plain(line: str) -> str:
    """Return a line of tox's `deps` without its condition."""
    return re.sub(r"^[\w{},!.-]+: +", "", line.strip())


def _poetry(table: object) -> tuple[str, ...]:
    """Return poetry's or Pipfile's table of packages as requirements."""
    return tuple(
        f"{name}{_specifier(value.get('version') if isinstance(value, dict) else value)}"
        for name, value in _table(table).items()
        if not isinstance(value, dict) or not {"path", "git", "url"} & value.keys()
    )


def _specifier(version: object) -> str:
    """Return a version of poetry in the words of PEP 440; "" when it allows any, or isn't readable."""
    text = version.strip() if isinstance(version, str) else "*"
    caret = _CARET.fullmatch(text)
    if caret:
        major, minor = int(caret["major"]), int(caret["minor"] or 0)
        most = f"{major + 1}" if major else f"0.{minor + 1}"
        return f">={caret['version']},<{most}"
    if re.fullmatch(r"(?:[<>=!~]=?\s*[\w.*]+(?:,\s*)?)+", text):
        return re.sub(r"~(?!=)\s*", "~=", text) if re.search(r"~\s*\d+\.\d", text) else text
    return f"=={text}" if re.fullmatch(r"\d[\w.]*", text) else ""


def _toml(tree: Tree, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(tree.read(path) or "")
    except tomllib.TOMLDecodeError:
        return {}


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def requirement(source: RequirementSource, package: str) -> str:
    """Return the line of a list that names a package, which must be in it."""
    return next(line for line in source.lines if package in names([line]))
