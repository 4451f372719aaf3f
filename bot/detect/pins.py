"""Find the version of a tool that the project pins, so that its verdicts are the same here."""

from __future__ import annotations

import re

from bot.detect.tree import Tree

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
