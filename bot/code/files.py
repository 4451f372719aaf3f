"""What a path says about a file: test, configuration, manifest, lock file, document. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import PurePosixPath

from pathspec import GitIgnoreSpec

_TEST_FOLDERS = frozenset({"test", "tests", "testing", "spec", "specs", "__tests__", "testdata"})
_SNAPSHOT_FOLDERS = frozenset({"__snapshots__", "snapshots"})
_TEST_NAME = re.compile(
    r"""^(?:
        test_.*\.py | .*_tests?\.py | conftest\.py | tests?\.py   # pytest, unittest, Django
      | (?:.*\.)?(?:test|spec)\.[cm]?[jt]sx? | tests\.[cm]?[jt]sx? # jest, vitest, mocha
      | tests?\.rs                                                # the module of Rust's tests
      | .*_test\.go | .*_(?:test|spec)\.rb | test_.*\.rb           # go, minitest and rspec
      | .*(?:Tests?|IT|Spec)\.(?:java|kt|scala|php|cs)             # JUnit, PHPUnit, NUnit
    )$""",
    re.VERBOSE,
)

_STEERING = re.compile(
    r"""^(?:
        conftest\.py | pytest\.py | \.?pytest\.(?:ini|toml) | (?:site|user)customize\.py | .*\.pth
      | \.env(?:\..*)? | \.python-version | \.tool-versions | \.nvmrc | build\.rs | tox\.toml
      | \.babelrc.* | babel\.config\..* | \.swcrc
      | tox\.ini | setup\.cfg | pyproject\.toml | noxfile\.py | \.coveragerc
      | (?:GNU)?[mM]akefile | justfile | package\.json
      | (?:jest|vitest|vite|karma|playwright)\.config\.[cm]?[jt]s | \.mocharc\..*
    )$""",
    re.VERBOSE,
)
"""Files that settle which tests run, and how."""

RESTORED = (
    # continuous integration, hooks, git's own files
    ".github/", ".gitlab-ci.yml", ".gitlab/", ".circleci/", ".travis.yml", "azure-pipelines.yml",
    "Jenkinsfile", ".buildkite/", ".woodpecker*", ".drone.yml", ".husky/", ".githooks/",
    ".gitattributes", ".gitmodules", ".pre-commit-config.yaml", "lefthook.y*ml",
    # how tests run and what coverage they need
    "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "tox.toml",
    "noxfile.py", ".coveragerc*", "unittest.cfg", ".npmrc", ".yarnrc*", ".cargo/", "bunfig.toml",
    "codecov.yml", ".codecov.yml", "jest.config.*", "vitest.config.*", "karma.conf.*",
    "playwright.config.*", ".mocharc.*", ".nycrc*", "phpunit.xml*", ".rspec", "nextest.toml",
    # linters, formatters and type checkers
    ".flake8", ".pylintrc", "pylintrc", "ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini",
    "pyrightconfig.json", ".isort.cfg", ".bandit", ".eslintrc*", "eslint.config.*",
    ".eslintignore", ".prettierrc*", ".prettierignore", "biome.json*", "tslint.json",
    ".stylelintrc*", ".golangci.*", "clippy.toml", ".clippy.toml", "rustfmt.toml",
    ".rustfmt.toml", ".rubocop*", ".editorconfig",
)  # fmt: skip
"""Globs of configuration that is put back, besides tests, before a patch is verified."""

_MANIFEST = re.compile(
    r"""^(?:
        requirements.*\.(?:txt|in) | constraints.*\.txt | setup\.py | setup\.cfg | pyproject\.toml
      | Pipfile | environment\.ya?ml | package\.json | go\.mod | Cargo\.toml | Gemfile
      | pom\.xml | build\.gradle(?:\.kts)? | composer\.json
    )$""",
    re.VERBOSE,
)
_LOCK = re.compile(
    r"""^(?:
        .*\.lock | .*\.lockb | package-lock\.json | npm-shrinkwrap\.json | pnpm-lock\.yaml
      | go\.sum | requirements.*\.lock
    )$""",
    re.VERBOSE,
)

_DOCUMENT = re.compile(
    r"""(?:
        .*\.(?:md|markdown|rst|adoc)
      | (?:readme|changelog|changes|history|news|license|licence|copying|notice|authors
          |contributors)(?:\.txt)?
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def is_document(path: str) -> bool:
    """Whether a file is for people to read; `.txt` alone says nothing (`CMakeLists.txt`)."""
    return _DOCUMENT.fullmatch(PurePosixPath(path).name) is not None


_DOCUMENTATION = re.compile(
    r"""^(?:
        .*\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|po|pot|svg|png|gif|jpe?g)
      | (?:readme|changelog|changes|history|news|authors|contributors|copying|licen[cs]e|notice)(?:-[\w-]+)?
      | .*\.(?:bugfix|feature|doc|removal|misc|deprecation|breaking|change)        # towncrier
    )$""",
    re.VERBOSE | re.IGNORECASE,
)
_INSTRUCTING = frozenset(
    {"agents.md", "claude.md", "gemini.md", "copilot-instructions.md", "skill.md"}
)
"""Prose that programs obey."""


def is_documentation(path: str) -> bool:
    """Whether a file is for people to read: no program does anything by what it says."""
    pure = PurePosixPath(path)
    name, folders = pure.name.lower(), pure.parts[:-1]
    hidden = any(part.startswith(".") and part != ".changeset" for part in folders)
    if name in _INSTRUCTING or hidden or is_manifest(path) or name == "cmakelists.txt":
        return False
    return _DOCUMENTATION.match(name) is not None


def is_test_file(path: str) -> bool:
    """Whether a path names a test, its data or its set-up, by the usual conventions."""
    pure = PurePosixPath(path)
    folders = {part.lower() for part in pure.parts[:-1]}
    return bool(folders & (_TEST_FOLDERS | _SNAPSHOT_FOLDERS) or _TEST_NAME.match(pure.name))


def is_named_test(path: str) -> bool:
    """Whether a file's own name says that it holds tests, and not only its folder's."""
    name = PurePosixPath(path).name
    return name != "conftest.py" and _TEST_NAME.match(name) is not None


def is_snapshot(path: str) -> bool:
    """Whether a path names stored output that tests compare with."""
    pure = PurePosixPath(path)
    folders = {part.lower() for part in pure.parts[:-1]}
    return bool(folders & _SNAPSHOT_FOLDERS) or pure.suffix in {".snap", ".ambr"}


def is_restored(path: str, globs: Sequence[str] = (), *, is_new: bool = False) -> bool:
    """Whether a file is put back before verification: an existing test, or protected configuration.

    A new configuration is taken away; new tests stay, and what sets them up with them.

    Args:
        path: In the repository.
        globs: What the repo config adds; the last glob that matches decides, `!` takes out.
        is_new: Whether the patch brings the file.
    """
    if is_new and is_test_file(path):
        return False
    verdict = _spec(tuple(globs)).check_file(path).include
    return is_test_file(path) if verdict is None else verdict


@cache
def _spec(globs: tuple[str, ...]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines([*RESTORED, *globs])


def is_steering(path: str) -> bool:
    """Whether a file settles which tests run, and how."""
    return _STEERING.match(PurePosixPath(path).name) is not None


def is_manifest(path: str) -> bool:
    """Whether a file lists dependencies for people to edit."""
    return _MANIFEST.match(PurePosixPath(path).name) is not None


def is_lock(path: str) -> bool:
    """Whether a file is written by a package manager."""
    return _LOCK.match(PurePosixPath(path).name) is not None


def test_paths(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of tests among them."""
    return tuple(path for path in paths if is_test_file(path))


test_paths.__test__ = False  # type: ignore[attr-defined] # not a pytest function
