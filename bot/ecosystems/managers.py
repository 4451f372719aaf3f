"""Which package manager a repository uses, and the file that says so."""

from __future__ import annotations

from bot.ecosystems.node.detect import manager as node_manager
from bot.ecosystems.tree import Tree

_PYTHON = {
    "uv.lock": "uv",
    "poetry.lock": "poetry",
    "pdm.lock": "pdm",
    "Pipfile.lock": "pipenv",
    "pyproject.toml": "pip",
    "setup.py": "pip",
    "setup.cfg": "pip",
    "requirements.txt": "pip",
}
_OTHERS = {
    "rust": ("Cargo.toml", "cargo"),
    "go": ("go.mod", "go"),
    "maven": ("pom.xml", "mvn"),
    "pre-commit": (".pre-commit-config.yaml", "pre-commit"),
}


def package_manager(tree: Tree, ecosystem: str) -> tuple[str, str]:
    """Return the manager of an ecosystem and the file that tells of it; empty where nothing does."""
    if ecosystem == "python":
        origin = next((name for name in _PYTHON if tree.exists(name)), "")
        return _PYTHON.get(origin, "pip"), origin
    if ecosystem == "node":
        return node_manager(tree)
    origin, name = _OTHERS.get(ecosystem, ("", ""))
    return name, origin
