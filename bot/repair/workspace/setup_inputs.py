"""Say which files of a repository decide what its setup makes. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from bot.ecosystems.registry import BY_NAME

_NAMES = re.compile(
    r"""^(?:
        pyproject\.toml | setup\.(?:py|cfg) | (?=.*requirements).*\.(?:txt|in) | constraints.*\.txt
      | Pipfile(?:\.lock)? | (?:poetry|uv|pdm|pylock.*)\.(?:lock|toml) | tox\.ini | noxfile\.py
      | environment\.ya?ml | \.python-version | \.tool-versions | \.nvmrc | \.node-version
      | MANIFEST\.in | meson\.build | CMakeLists\.txt | \.pre-commit-config\.yaml | \.gitmodules
      | package\.json | package-lock\.json | npm-shrinkwrap\.json | yarn\.lock | \.yarnrc.*
      | pnpm-(?:lock|workspace)\.yaml | bun\.lockb? | \.npmrc | tsconfig.*\.json
      | go\.(?:mod|sum|work) | Cargo\.(?:toml|lock) | rust-toolchain(?:\.toml)? | build\.rs
      | Gemfile(?:\.lock)? | .*\.gemspec | cpanfile | .*\.rockspec | mix\.(?:exs|lock) | .*\.csproj
      | composer\.(?:json|lock) | pom\.xml | .*\.gradle(?:\.kts)?
      | (?:GNU)?[mM]akefile | justfile | Dockerfile.* | action\.ya?ml
    )$""",
    re.VERBOSE,
)
"""Manifests, lock files, and what configures builds and tools."""

_COMPILED = frozenset(
    {".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".pyx", ".pxd", ".f90", ".rs", ".go", ".java"}
    | {".kt", ".scala", ".swift", ".ts", ".tsx", ".proto", ".cs"}
)
"""Sources that a setup may have compiled."""


_BUILT = frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".pyx", ".pxd", ".f90"})
"""Sources that an install compiles, so that what it made is stale when they change."""


def is_input(path: str) -> bool:
    """Whether a file's content decides what an install makes."""
    vendored = {"node_modules", ".venv", "vendor", ".tox"} & set(PurePosixPath(path).parts)
    workflow = path.startswith(".github/workflows/")  # its commands are known already
    wanted = is_setup_input(path) or PurePosixPath(path).suffix in _BUILT
    return wanted and not vendored and not workflow


def is_setup_input(path: str) -> bool:
    """Whether a change of this file may change what the setup makes."""
    pure = PurePosixPath(path)
    workflow = path.startswith((".github/workflows/", ".github/actions/"))
    scripts = pure.parts[:1] in {("ci",), (".ci",), ("script",), ("scripts",)} and pure.suffix in {
        ".sh",
        "",
    }
    return bool(workflow or scripts or _NAMES.match(pure.name) or "requirements" in pure.parts[:-1])


def touches_setup(paths: Iterable[str], language: str = "") -> bool:
    """Whether a prepared tree must be set up anew for a change of these files.

    Args:
        paths: Of the files.
        language: The main one of the repository, "" where it does not count.
    """
    ecosystem = BY_NAME.get(language)
    compiled = _COMPILED - (ecosystem.compiled_by_tests if ecosystem else frozenset())
    return any(is_setup_input(path) or PurePosixPath(path).suffix in compiled for path in paths)
