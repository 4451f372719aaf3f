"""Decide what in a patch a maintainer would want to know before believing it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from pathspec import GitIgnoreSpec

from bot.repair.model import GuardFinding, Severity

_TEST_FOLDERS = frozenset({"test", "tests", "testing", "spec", "specs", "__tests__", "testdata"})
_SNAPSHOT_FOLDERS = frozenset({"__snapshots__", "snapshots"})
_TEST_NAME = re.compile(
    r"""^(?:
        test_.*\.py | .*_tests?\.py | conftest\.py | tests?\.py   # pytest, unittest, Django
      | .*\.(?:test|spec)\.[cm]?[jt]sx?                            # jest, vitest, mocha
      | .*_test\.go | .*_(?:test|spec)\.rb                         # go, minitest and rspec
      | .*(?:Tests?|IT|Spec)\.(?:java|kt|scala|php|cs)             # JUnit, PHPUnit, NUnit
    )$""",
    re.VERBOSE,
)

_STEERING = re.compile(
    r"""^(?:
        conftest\.py | pytest\.(?:ini|py) | \.pytest\.ini | (?:site|user)customize\.py
      | tox\.ini | setup\.cfg | pyproject\.toml | noxfile\.py | \.coveragerc
      | (?:GNU)?[mM]akefile | justfile | package\.json
      | (?:jest|vitest|vite|karma|playwright)\.config\.[cm]?[jt]s | \.mocharc\..*
    )$""",
    re.VERBOSE,
)
"""Files that settle which tests run, and how."""

ALWAYS_PROTECTED = (".git/", ".github/workflows/", ".github/actions/", ".github/fixpoint.yml")
"""Globs (gitignore syntax) that no patch of ours touches, whatever the config says."""


def is_test_file(path: str) -> bool:
    """Whether a path names a test, its data or its set-up, by the usual conventions."""
    pure = PurePosixPath(path)
    folders = {part.lower() for part in pure.parts[:-1]}
    return bool(folders & (_TEST_FOLDERS | _SNAPSHOT_FOLDERS) or _TEST_NAME.match(pure.name))


def protected_paths(files: Sequence[str], globs: Sequence[str]) -> tuple[str, ...]:
    """Return the files that match a protected glob (gitignore syntax)."""
    spec = GitIgnoreSpec.from_lines([*globs, *ALWAYS_PROTECTED])
    return tuple(file for file in files if spec.match_file(file))


def outside_allowed(files: Sequence[str], globs: Sequence[str]) -> tuple[str, ...]:
    """Return the files that match none of the allowed globs; none when there are no globs."""
    if not globs:
        return ()
    spec = GitIgnoreSpec.from_lines(globs)
    return tuple(file for file in files if not spec.match_file(file))


def path_findings(
    files: Sequence[str], *, allowed: Sequence[str], protected: Sequence[str]
) -> tuple[GuardFinding, ...]:
    """Return a rejecting finding for each file that the patch must not touch."""
    refused = [
        GuardFinding(
            "protected-path", Severity.REJECT, f"{file} is protected and may not be changed.", file
        )
        for file in protected_paths(files, protected)
    ]
    strayed = [
        GuardFinding(
            "allowed-paths", Severity.REJECT, f"{file} is outside the allowed paths.", file
        )
        for file in outside_allowed(files, allowed)
    ]
    return (*refused, *strayed)


def restored_tests(files: Sequence[str]) -> tuple[GuardFinding, ...]:
    """Return a note for each existing test whose change was left out of the judged patch."""
    return tuple(
        GuardFinding(
            "test-restored",
            Severity.NOTE,
            f"The change to the existing test file {file} was left out: "
            "a repair is judged by the tests as they were.",
            file,
        )
        for file in files
    )


def steering(files: Sequence[str], command: str) -> tuple[GuardFinding, ...]:
    """Return a finding for each file by which a patch could make `command` pass without a repair.

    Those are files that configure test runners, and scripts that the command names.
    """
    named = {word.removeprefix("./") for word in re.split(r"[\s;&|()'\"=]+", command)}
    return tuple(
        GuardFinding(
            "test-setup",
            Severity.NEEDS_PERSON,
            f"{file} has a say in how the tests run, and the patch changes it.",
            file,
        )
        for file in files
        if file in named or _STEERING.match(PurePosixPath(file).name)
    )
