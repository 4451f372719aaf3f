"""What a folder needs to be a package."""

from __future__ import annotations

import posixpath
import re

from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.reporting.reasons import rules


def _package_made(reported: Reported) -> Repair | None:
    """Make the file's folder a package."""
    path = posixpath.join(posixpath.dirname(reported.source.path), "__init__.py")
    return Repair(reported.source.text, rules.package_made(path), beside={path: ""})


RULES = (
    Rule(
        "missing `__init__.py`",
        frozenset({"INP001"}),
        re.compile(r"implicit namespace package"),
        _package_made,
        Example(
            "def half(n):\n    return n / 2\n",
            1,
            "INP001",
            "File `pkg/parts/numbers.py` is part of an implicit namespace package. Add an `__init__.py`.",
            "def half(n):\n    return n / 2\n",
            path="pkg/parts/numbers.py",
            beside=(("pkg/parts/__init__.py", ""),),
        ),
    ),
)
"""Source: https://docs.astral.sh/ruff/rules/implicit-namespace-package/"""
