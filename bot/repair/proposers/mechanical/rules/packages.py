"""What a folder needs to be a package."""

from __future__ import annotations

import posixpath
import re

from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.reporting.reasons import mechanical

_HALF = "def half(n):\n    return n / 2\n"


def marker(path: str) -> str:
    """Return the file that makes the folder of `path` a package."""
    return posixpath.join(posixpath.dirname(path), "__init__.py")


def _package_made(reported: Reported) -> Repair | None:
    """Make the file's folder a package, unless it is one."""
    path = marker(reported.source.path)
    if path in reported.project.files:
        return None
    return Repair(reported.source.text, mechanical.package_made(path), beside={path: ""})


RULES = (
    Rule(
        "missing `__init__.py`",
        frozenset({"INP001", "error", ""}),
        re.compile(
            "implicit namespace package|^import file mismatch"
            "|^Duplicate module named|^Source file found twice under different module names"
        ),
        _package_made,
        Example(
            _HALF,
            1,
            "INP001",
            "File `pkg/parts/numbers.py` is part of an implicit namespace package. Add an `__init__.py`.",
            _HALF,
            path="pkg/parts/numbers.py",
            beside=(("pkg/parts/__init__.py", ""),),
        ),
        tests=True,
        more=(
            Example(
                _HALF,
                1,
                "error",
                'Duplicate module named "numbers" (also at "src/numbers.py")',
                _HALF,
                path="scripts/numbers.py",
                beside=(("scripts/__init__.py", ""),),
            ),
            Example(
                _HALF,
                1,
                "",
                "import file mismatch:",
                _HALF,
                path="tests/parts/test_numbers.py",
                beside=(("tests/parts/__init__.py", ""),),
            ),
        ),
    ),
)
"""Sources: https://docs.astral.sh/ruff/rules/implicit-namespace-package/,
https://mypy.readthedocs.io/en/stable/running_mypy.html#mapping-file-paths-to-modules,
https://docs.pytest.org/en/stable/explanation/pythonpath.html."""
