"""What a patch may touch, and what counts as a test."""

from __future__ import annotations

import pytest

from bot.model import Severity
from bot.repair.guards import is_test_file, path_findings, protected_paths, restored, steering


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py",
        "pkg/test/helper.py",
        "test_a.py",
        "a_test.py",
        "src/conftest.py",
        "app/tests.py",
        "web/button.test.tsx",
        "web/button.spec.js",
        "src/add/test.ts",
        "src/lexer/tests.rs",
        "web/__snapshots__/button.snap",
        "web/__tests__/button.js",
        "pkg/a_test.go",
        "spec/models/user_spec.rb",
        "src/test/java/UserTest.java",
        "src/UserTests.java",
    ],
)
def test_tests_are_recognised(path: str) -> None:
    """The usual conventions of the usual ecosystems."""
    assert is_test_file(path)


@pytest.mark.parametrize("path", ["src/contest.py", "latest.py", "testify.go", "a/attest.js"])
def test_names_that_only_sound_like_tests(path: str) -> None:
    """A source file is no test because its name contains the letters."""
    assert not is_test_file(path)


def test_workflow_files_are_always_protected() -> None:
    """Whatever the config says, a patch does not touch what runs it."""
    assert protected_paths([".github/workflows/ci.yml", "a.py"], []) == (
        ".github/workflows/ci.yml",
    )


def test_protected_globs_reject() -> None:
    """Globs of the config have gitignore's meaning."""
    findings = path_findings(["docs/a/b.md", "src/a.py"], allowed=[], protected=["docs/"])
    assert [(finding.rule, finding.file, finding.severity) for finding in findings] == [
        ("protected-path", "docs/a/b.md", Severity.REJECT)
    ]


def test_a_patch_stays_inside_the_allowed_paths() -> None:
    """When there are allowed globs, everything else is refused."""
    findings = path_findings(["src/a.py", "setup.py"], allowed=["src/"], protected=[])
    assert [finding.message for finding in findings] == ["setup.py is outside the allowed paths."]


def test_what_was_put_back_is_said() -> None:
    """A note for each file: a test, or configuration."""
    found = restored(("tests/test_a.py", "tox.ini"))
    assert [(finding.rule, finding.severity, finding.file) for finding in found] == [
        ("test-restored", Severity.NOTE, "tests/test_a.py"),
        ("config-restored", Severity.NOTE, "tox.ini"),
    ]


def test_what_steers_the_tests_is_left_to_a_person() -> None:
    """A command can pass because its own script or its runner's configuration changed."""
    files = ("Makefile", "ci/check.sh", "conftest.py", "src/a.py", "sub/pytest.ini")
    found = steering(files, "make lint && sh ./ci/check.sh")
    assert [finding.file for finding in found] == [
        *("Makefile", "ci/check.sh", "conftest.py", "sub/pytest.ini")
    ]
    assert {finding.severity for finding in found} == {Severity.NEEDS_PERSON}
