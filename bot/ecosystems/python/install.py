"""Find where a Python project declares what its tests need."""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bot.ecosystems.base import ENVIRONMENT
from bot.ecosystems.python.task_runners import pyproject, tox_sections
from bot.ecosystems.tree import Tree

_NAME = re.compile(r"\s*(?P<name>[A-Za-z0-9][\w.-]*)")
_REQUIREMENT_FILES = ("*requirements*.txt", "requirements/*.txt", "tests/*requirements*.txt")
_UNLOCKED_FILES = ("*requirements*.in", "requirements/*.in")
"""What pip-compile makes the others of: https://pip-tools.readthedocs.io."""

_TEST_WORDS = ("tests", "test", "testing", "dev", "develop", "development")

_CURRENT = frozenset({"py3", "py310", "py311", "py312", "py313", "py314"})
"""Factors of tox that a sandbox's Python is likely to have."""


@dataclass(frozen=True, slots=True)
class RequirementSource:
    """A named list of requirements.

    Attributes:
        kind: `extra`, `group`, `file`, `tox`, or the manager or runner whose own list it is.
        name: The extra's, the group's, the file's path, `tox.ini`.
        lines: The requirements that it lists, includes followed.
        arguments: What makes `pip install` take it.
    """

    kind: str
    name: str
    lines: tuple[str, ...]
    arguments: tuple[str, ...]

    @property
    def packages(self) -> frozenset[str]:
        """Normalised names of what it lists."""
        return names(self.lines)

    @property
    def rank(self) -> int:
        """How likely it is meant for tests: 0 is best, `len` of the words is not at all."""
        words = re.split(r"[/._-]", self.name.lower())
        ranks = [n for n, word in enumerate(_TEST_WORDS) if word in words]
        return min(ranks, default=len(_TEST_WORDS))

    @property
    def for_tests(self) -> bool:
        """Whether its name says that developers install it."""
        return self.kind == "tox" or self.rank < len(_TEST_WORDS)


def sources(tree: Tree) -> tuple[RequirementSource, ...]:
    """Return every list of requirements of the project, the likeliest for tests first."""
    data = pyproject(tree.read)
    found = [
        *_extras(tree, data),
        *_groups(data),
        *_files(tree),
        *_tox(tree),
    ]
    return tuple(sorted(found, key=likelihood))


def likelihood(source: RequirementSource) -> tuple[int, int]:
    """Sort lists by how likely they are for tests: `test` goes before `test-core`."""
    return source.rank, len(re.split(r"[/._-]", source.name))


def declared(tree: Tree) -> frozenset[str]:
    """Return the names of the project's own (run-time) requirements."""
    data = pyproject(tree.read)
    main = data.get("project", {}).get("dependencies", [])
    poetry = data.get("tool", {}).get("poetry", {}).get("dependencies", {})
    return names([*_texts(main), *poetry])


def names(requirements: Iterable[str]) -> frozenset[str]:
    """Return the normalised names (PEP 503) of requirement lines."""
    matches = (_NAME.match(line) for line in requirements)
    return frozenset(re.sub(r"[-_.]+", "-", m["name"]).lower() for m in matches if m)


def _extras(tree: Tree, data: dict[str, Any]) -> Iterator[RequirementSource]:
    extras = dict(data.get("project", {}).get("optional-dependencies", {}))
    for name, lines in _setup_cfg_extras(tree).items():
        extras.setdefault(name, lines)
    for name, lines in extras.items():
        yield RequirementSource("extra", name, tuple(_texts(lines)), (f".[{name}]",))


def _setup_cfg_extras(tree: Tree) -> dict[str, list[str]]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(tree.read("setup.cfg") or "")
    except configparser.Error:
        return {}
    if not parser.has_section("options.extras_require"):
        return {}
    return {
        name: text.split("\n") for name, text in parser.items("options.extras_require", raw=True)
    }


def _groups(data: dict[str, Any]) -> Iterator[RequirementSource]:
    """Yield the groups of PEP 735, `include-group` followed."""
    groups = data.get("dependency-groups", {})
    if not isinstance(groups, dict):
        return

    def lines(name: str, seen: frozenset[str]) -> Iterator[str]:
        for entry in groups.get(name, []):
            if isinstance(entry, str):
                yield entry
            elif isinstance(entry, dict) and entry.get("include-group") not in {None, *seen}:
                yield from lines(entry["include-group"], seen | {entry["include-group"]})

    for name in groups:
        yield RequirementSource(
            "group", name, tuple(lines(name, frozenset({name}))), ("--group", name)
        )


def _files(tree: Tree) -> Iterator[RequirementSource]:
    paths = {path: None for pattern in _REQUIREMENT_FILES for path in tree.glob(pattern)}
    unlocked = [path for pattern in _UNLOCKED_FILES for path in tree.glob(pattern)]
    paths |= {path: None for path in unlocked if f"{path.removesuffix('.in')}.txt" not in paths}
    for path in paths:
        yield RequirementSource(
            "file", path, tuple(_file_lines(tree, path, frozenset())), ("-r", path)
        )


def _file_lines(tree: Tree, path: str, seen: frozenset[str]) -> Iterator[str]:
    for raw in (tree.read(path) or "").split("\n"):
        line = raw.partition("#")[0].strip()
        include = re.match(r"(?:-r|--requirement)[ =]*(?P<file>\S+)", line)
        if include:
            other = _sibling(path, include["file"])
            if other not in seen:
                yield from _file_lines(tree, other, seen | {path, other})
        elif line and not line.startswith("-"):
            yield line


def _sibling(path: str, other: str) -> str:
    folder, slash, _ = path.rpartition("/")
    return f"{folder}{slash}{other.removeprefix('./')}"


def _tox(tree: Tree) -> Iterator[RequirementSource]:
    """Yield the unconditional `deps` of tox's plain environment, and the extras that it takes."""
    parser = tox_sections(tree.read)
    text = parser.get("testenv", "deps", fallback="")
    lines = [line.strip().replace("{toxinidir}/", "") for line in text.split("\n")]
    plain = [text for line in lines if (text := _unconditional(line))]
    arguments: list[str] = []
    for line in plain:
        option = re.match(r"(-r|-c) ?(\S+)", line)
        arguments += [option[1], option[2]] if option else [line]
    extras = tox_extras(tree)
    if extras:
        arguments.append(f".[{','.join(extras)}]")
    listed = [line for line in plain if not line.startswith("-")]
    for line in plain:
        if line.startswith("-r"):
            listed += _file_lines(tree, line[2:].strip(), frozenset())
    if arguments and not any("{" in argument for argument in arguments):
        yield RequirementSource("tox", "tox.ini", tuple(listed), tuple(arguments))


def tox_extras(tree: Tree) -> list[str]:
    """Return the project's extras that tox's plain environment installs."""
    text = tox_sections(tree.read).get("testenv", "extras", fallback="")
    return [extra for extra in re.split(r"[\s,]+", text) if extra and "{" not in extra]


def _unconditional(line: str) -> str:
    """Return a line of tox's `deps` if it holds for a current Python, without its condition."""
    condition = re.match(r"(?P<factors>[\w{},!.-]+): +", line)
    if condition is None:
        return line
    braces = re.search(r"py\{([\d,]+)", condition["factors"])
    factors = {f"py{n}" for n in braces[1].split(",")} if braces else set()
    factors |= set(condition["factors"].split(","))
    return line[condition.end() :] if factors & _CURRENT else ""


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


# Repositories of pre-commit hooks whose tags are the tool's versions.
_HOOKS = {
    "ruff": ("astral-sh/ruff-pre-commit", "charliermarsh/ruff-pre-commit"),
    "black": ("psf/black", "psf/black-pre-commit-mirror"),
    "isort": ("PyCQA/isort", "pycqa/isort"),
    "flake8": ("PyCQA/flake8", "pycqa/flake8"),
    "mypy": ("pre-commit/mirrors-mypy",),
    "autoflake": ("PyCQA/autoflake",),
    "pyupgrade": ("asottile/pyupgrade",),
    "docformatter": ("PyCQA/docformatter",),
    "codespell": ("codespell-project/codespell",),
}
_REPO = (
    r"repo:\s*[\"']?https://github\.com/{name}(?:\.git)?[\"']?\s*\n(?:\s*#.*\n)*\s*rev:\s*[\"']?v?"
)


def pinned(tree: Tree, package: str) -> str:
    """Return the package as pip takes it, with the version of its pre-commit hook if there is one."""
    config = tree.read(".pre-commit-config.yaml") or ""
    for name in _HOOKS.get(package, ()):
        match = re.search(_REPO.format(name=re.escape(name)) + r"(?P<version>\d[\w.]*)", config)
        if match:
            return f"{package}=={match['version']}"
    return package


_NAMES = "pipreqs"
"""A package of PyPI whose file `mapping` has import names with the packages that bring them."""

_FOLDER = "/tmp/fixpoint-names"  # noqa: S108 - a path in the sandbox


def by_import_name(module: str) -> str:
    """Return the command that installs the package known for an import name, else that of its name.

    Args:
        module: The name, or a shell variable's, as `$module`.
    """
    return (
        f"uv pip install -q --python {ENVIRONMENT} --no-deps --target {_FOLDER} {_NAMES}"
        f" && package=$(for case in p Ip; do"
        f' sed -n "s/^{module}://$case" {_FOLDER}/{_NAMES}/mapping; done | head -n 1)'
        f'; rm -rf {_FOLDER}; uv pip install --python {ENVIRONMENT} "${{package:-{module}}}"'
    )
