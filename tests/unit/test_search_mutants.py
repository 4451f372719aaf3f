"""Changed code in live functions: what takes it at once, and what has to be imported anew."""

from __future__ import annotations

import gc
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from bot.repair.harness.driver.mutants import (
    Cold,
    Invalid,
    Module,
    MutantEdit,
    Unchanged,
)

NAME = "a_module_under_repair"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Return where the module is written that the test imports; it is forgotten afterwards."""
    yield tmp_path.resolve() / f"{NAME}.py"
    sys.modules.pop(NAME, None)


def imported(place: Path, text: str) -> ModuleType:
    place.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(NAME, place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)
    return module


def edit(text: str, old: str, new: str) -> MutantEdit:
    start = text.index(old)
    return MutantEdit(start, start + len(old), new)


LIVE = {
    "calls a module": "import math\n\n\ndef f():\n    return math.floor(1.5)\n",
    "calls a name of a module": "from math import floor\n\n\ndef f():\n    return floor(1.5)\n",
    "calls a module of a package": "import os.path as p\n\n\ndef f():\n    return int(p.join('1'))\n",
    "an import that may fail": (
        "try:\n    import math\nexcept ImportError:\n    math = None\n\n\n"
        "def f():\n    return math.floor(1.5)\n"
    ),
    "a lambda": "def f():\n    return (lambda: 1)()\n",
    "an inner function": (
        "def f():\n    n = 0\n\n    def inner():\n        return n + 1\n\n    return inner()\n"
    ),
    "a generator": "def f():\n    return next(g())\n\n\ndef g():\n    yield 1\n",
    "a comprehension": "def f():\n    return sum([n for n in [1]])\n",
    "a method with super": (
        "class Base:\n    def f(self):\n        return 0\n\n\n"
        "class A(Base):\n    def f(self):\n        return super().f() + 1\n\n\n"
        "def f():\n    return A().f()\n"
    ),
    "a private name": (
        "class A:\n    def f(self):\n        self.__n = 1\n        return self.__n\n\n\n"
        "def f():\n    return A().f()\n"
    ),
    "a property": (
        "class A:\n    @property\n    def n(self):\n        return 1\n\n\n"
        "def f():\n    return A().n\n"
    ),
    "a class method": (
        "class A:\n    @classmethod\n    def n(cls):\n        return 1\n\n\n"
        "def f():\n    return A.n()\n"
    ),
    "a method of a dataclass": (
        "from dataclasses import dataclass\n\n\n"
        "@dataclass\nclass A:\n    def n(self):\n        return 1\n\n\n"
        "def f():\n    return A().n()\n"
    ),
    "annotations as text": (
        "from __future__ import annotations\n\n\ndef f(n: int = 0) -> int:\n    return n + 1\n"
    ),
    "a function below a condition": "if True:\n    def f():\n        return 1\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", LIVE.values(), ids=LIVE.keys())
def test_live_functions_take_changed_code(place: Path, text: str) -> None:
    """A candidate costs no import, whatever the function looks like, and can be taken back."""
    module = imported(place, text)
    assert module.f() == 1
    last = text.rindex("1")
    patched = Module(str(place), text).patched([MutantEdit(last, last + 1, "2")])
    patched.apply()
    changed = module.f()
    patched.revert()
    assert module.f() == 1
    assert changed == 2


def test_functions_that_a_test_suite_has_frozen(place: Path) -> None:
    """Some suites freeze what was imported, and it is not among the collector's objects then."""
    text = "def f():\n    return 1\n"
    module = imported(place, text)
    gc.freeze()
    Module(str(place), text).patched([edit(text, "1", "2")]).apply()
    assert module.f() == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("n=1", "n=2"),
        ("LIMIT = 3", "LIMIT = 4"),
        ("@staticmethod", "@classmethod"),
        ("size = 5", "size = 6"),
    ],
)
def test_what_runs_at_import_takes_an_import(place: Path, old: str, new: str) -> None:
    """Defaults, constants, decorators and class bodies are no code of a live function."""
    text = (
        "LIMIT = 3\n\n\ndef f(n=1):\n    return n\n\n\n"
        "class A:\n    size = 5\n\n    @staticmethod\n    def g(n):\n        return n\n"
    )
    imported(place, text)
    with pytest.raises(Cold):
        Module(str(place), text).patched([edit(text, old, new)])


def test_what_changes_nothing_and_what_is_no_python(place: Path) -> None:
    """Neither is worth a process."""
    text = "def f():\n    return 1 + 1\n"
    imported(place, text)
    module = Module(str(place), text)
    with pytest.raises(Unchanged):
        module.patched([edit(text, "1 + 1", "2")])
    with pytest.raises(Invalid):
        module.patched([edit(text, "1 + 1", "1 +")])
