"""Which versions of linters and formatters a job had, as its log tells: they decide what fails."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

TOOLS = frozenset(
    {
        *("autoflake", "autopep8", "bandit", "black", "codespell", "docformatter", "flake8"),
        *("isort", "mypy", "pycodestyle", "pydocstyle", "pyflakes", "pylint", "pyright", "ruff"),
        *("pyproject-fmt", "pyupgrade", "yapf", "yamllint"),
    }
)
"""Python tools that other packages don't depend on, so that their version is free to choose."""

_PIP = re.compile(r"^\s*Successfully installed (?P<packages>\S.*)$")
_PIP_PACKAGE = re.compile(r"(?<!\S)(?P<name>\S+?)-(?P<version>\d\S*)")
_UV = re.compile(r"^\s*\+ (?P<name>[\w.-]+)==(?P<version>\d[\w.+!-]*)")
_POETRY = re.compile(r"^\s*[-•] Installing (?P<name>[\w.-]+) \((?P<version>\d[\w.+!-]*)\)")


def tool_versions(lines: Iterable[str]) -> tuple[str, ...]:
    """Return what pip, uv or Poetry installed of these tools, as `name==version`, by name.

    Args:
        lines: Of a job's log, without its stamps.
    """
    found: dict[str, str] = {}
    for line in lines:
        for name, version in _installed(line):
            if name in TOOLS:
                found[name] = f"{name}=={version}"
    return tuple(found[name] for name in sorted(found))


def _installed(line: str) -> Iterator[tuple[str, str]]:
    if told := _PIP.match(line):
        for package in _PIP_PACKAGE.finditer(told["packages"]):
            yield package["name"].lower().replace("_", "-"), package["version"]
    elif told := _UV.match(line) or _POETRY.match(line):
        yield told["name"].lower().replace("_", "-"), told["version"]
