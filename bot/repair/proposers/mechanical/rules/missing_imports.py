"""Unknown names that only lack an import: as the project imports them elsewhere, or Python's own."""

from __future__ import annotations

import ast
import importlib.util
import posixpath
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
from bot.reporting.reasons import mechanical


def _imported(reported: Reported) -> Repair | None:
    """Import a name as most other files do, else from Python's own library."""
    name = unknown_name(reported.diagnostic.message)
    tree = reported.source.tree
    if tree is None or name in visible(tree, reported.line):
        return None  # an earlier repair brought it
    usual = reported.project.usual_import(name, reported.source.path)
    known = usual.origin(reported.source.path) if usual is not None else None
    if usual is None:
        known = _from_known_module(reported, tree, name)
    if known is not None:
        module, taken = known, usual.name if usual is not None else name
    elif usual is not None:
        return None
    elif name in typing.__all__:
        module, taken = "typing", name
    elif _is_standard_module(reported, name):
        module, taken = name, ""
    else:
        return None
    text = with_import(reported.source, module, taken, name)
    if text is None:
        return None
    defined = known is not None and usual is None
    said = mechanical.import_added(name, module, elsewhere=usual is not None, defined=defined)
    return Repair(text, said)


def _from_known_module(reported: Reported, tree: ast.Module, name: str) -> str | None:
    """Return the module that defines a name and that the file imports other names from already."""
    folder = posixpath.dirname(reported.source.path)
    defining = reported.project.defining(name)
    found = {
        "." * node.level + (node.module or "")
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and any(_is_of(node, folder, path) for path in defining)
    }
    return found.pop() if len(found) == 1 else None


def _is_of(node: ast.ImportFrom, folder: str, path: str) -> bool:
    """Whether an import in a file of a folder takes names from the file at a path."""
    module = path.removesuffix(".py").removesuffix("/__init__")
    below = (node.module or "").replace(".", "/")
    if not node.level:
        return bool(below) and (module == below or module.endswith(f"/{below}"))
    for _ in range(node.level - 1):
        folder = posixpath.dirname(folder)
    return module == posixpath.join(folder, below).rstrip("/")


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
            Example(
                "from .store import set_thing\n\n\ndef load(key):\n    return get_thing(key)\n",
                5,
                "F821",
                "undefined name 'get_thing'",
                "from .store import get_thing, set_thing\n\n\ndef load(key):\n    return get_thing(key)\n",
                others=(
                    ("pkg/store.py", "def get_thing(key): ...\ndef set_thing(key, to): ...\n"),
                ),
            ),
        ),
    ),
)
