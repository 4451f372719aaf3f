"""Unknown names that only lack an import: as the project imports them elsewhere, or Python's own."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
import typing
from functools import cache
from pathlib import Path

from bot.repair.proposers.mechanical.rules.import_lines import with_import
from bot.repair.proposers.mechanical.rules.rule import (
    Diagnostic,
    Example,
    Repair,
    Reported,
    Rule,
)
from bot.repair.proposers.mechanical.rules.scopes import visible
from bot.repair.proposers.mechanical.rules.unknown_names import CODES, UNKNOWN, unknown_name
from bot.reporting.reasons import rules


def _imported(reported: Reported) -> Repair | None:
    """Import a name as most other files do, else from Python's own library."""
    name = unknown_name(reported.diagnostic.message)
    tree = reported.source.tree
    if tree is None or name in visible(tree, reported.line):
        return None  # an earlier repair brought it
    usual = reported.project.usual_import(name, reported.source.path)
    if usual is not None:
        module = usual.origin(reported.source.path)
        if module is None:
            return None
        taken = usual.name
    elif name in typing.__all__:
        module, taken = "typing", name
    elif _is_standard_module(reported, name):
        module, taken = name, ""
    else:
        return None
    text = with_import(reported.source, module, taken, name)
    if text is None:
        return None
    return Repair(text, rules.import_added(name, module, elsewhere=usual is not None))


def _is_standard_module(reported: Reported, name: str) -> bool:
    """Whether a name is used as a module of Python's library: for something that the module has."""
    tree = reported.source.tree
    if name not in sys.stdlib_module_names or name.startswith("_") or tree is None:
        return False
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
    }
    return bool(used) and all(_offers(name, attribute) for attribute in used)


@cache
def _offers(module: str, attribute: str) -> bool:
    """Whether a module of Python's library has an attribute, by its text where it has one."""
    spec = importlib.util.find_spec(module)
    if spec is None:
        return False
    if spec.origin is None or not spec.origin.endswith(".py"):
        return True
    text = Path(spec.origin).read_text(encoding="utf-8", errors="replace")
    return re.search(rf"\b{attribute}\b", text) is not None


def _words(said: Diagnostic) -> str:
    return unknown_name(said.message)


RULES = (
    Rule(
        "missing import",
        CODES,
        UNKNOWN,
        _imported,
        Example(
            '"""Paths."""\n\nimport sys\n\nprint(os.sep, sys.path)\n',
            5,
            "F821",
            "undefined name 'os'",
            '"""Paths."""\n\nimport os\nimport sys\n\nprint(os.sep, sys.path)\n',
        ),
        words=_words,
        more=(
            Example(
                "from pkg.errors import Broken\n\n\ndef load(path):\n    raise Missing(path)\n",
                5,
                "name-defined",
                'Name "Missing" is not defined',
                "from pkg.errors import Broken, Missing\n\n\ndef load(path):\n    raise Missing(path)\n",
                others=(("pkg/other.py", "from pkg.errors import Missing\n"),),
            ),
        ),
    ),
)
