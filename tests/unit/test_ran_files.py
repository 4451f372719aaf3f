"""Which files hold tests, by what ran."""

from __future__ import annotations

import pytest

from bot.code.files import is_restored
from bot.repair.verification.ran_files import exactly, files_with_tests, places

PATHS = ("app.py", "src/pkg/core.py", "checks/check_a.py", "docs/usage.rst", "tests/test_b.py")
CHECK = b"from pkg.core import total\n\n\nclass Sums:\n    def check_total(self):\n        assert total() == 3\n"
OWN = b"import unittest\n\n\ndef total(): ...\n\n\nclass T(unittest.TestCase):\n    def test_total(self): ...\n"


@pytest.mark.parametrize(
    ("test", "path"),
    [
        ("checks.check_a.Sums::check_total", "checks/check_a.py"),
        ("checks.check_a.Sums.check_total", "checks/check_a.py"),
        ("check_a.Sums::check_total[1-2]", "checks/check_a.py"),
        ("tests.test_b::test_x", None),
        ("pkg.core::pkg.core.total", None),
        ("docs.usage.rst::line:3,column:1", None),
        ("make check", None),
    ],
)
def test_the_file_of_a_test(test: str, path: str | None) -> None:
    """By its id; what is called a test anyway, and examples in documentation, are left out."""
    assert list(places([test], PATHS)) == ([path] if path else [])


def test_it_tests_other_modules() -> None:
    """A file that imports the project and defines what failed; not a program with its own tests."""
    defined = {"checks/check_a.py": frozenset({"check_total"}), "app.py": frozenset({"test_total"})}
    files = {"checks/check_a.py": CHECK, "app.py": OWN}
    assert files_with_tests(files, defined, PATHS) == ("checks/check_a.py",)
    assert not files_with_tests({"app.py": b"def (:"}, defined, PATHS)
    assert not files_with_tests({"app.py": CHECK}, defined, PATHS)


@pytest.mark.parametrize("path", ["a.py", "a b/[x]*.py", "#a.py", "!a.py", "a\\b.py"])
def test_a_glob_for_one_path(path: str) -> None:
    """Whatever stands in it."""
    assert is_restored(path, (exactly(path),))
    assert not is_restored(f"x/{path}", (exactly(path),))
