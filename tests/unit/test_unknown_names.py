"""An edit that uses a name which the file lacks is told, and no other."""

from __future__ import annotations

import builtins
from pathlib import Path

import pytest

from bot.repair.proposers.agent.edit_checks import newly_unknown

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ("f = 1\n", "f = binascii.unhexlify(b'')\n", "`binascii`"),
        ("def f(a):\n    return a\n", "def f(a):\n    return amount + Decimal(a)\n", "`Decimal`, `amount`"),
        ("x = y\n", "x = y + z\n", "`z`"),
        ("", "class A(Base):\n    pass\n", "`Base`"),
    ],
)  # fmt: skip
def test_a_name_that_an_edit_brings_and_nothing_defines(
    before: str, after: str, names: str
) -> None:
    """Wherever it is used."""
    told = newly_unknown("a.py", before.encode(), after.encode())
    assert told == f"Note: a.py uses {names}, which it neither imports nor defines. Is that meant?"


@pytest.mark.parametrize(
    "after",
    [
        "import os\nprint(os.name, __file__, __name__)\n",
        "def f():\n    global seen\n    seen = 1\ndef g():\n    return seen\n",
        "class A:\n    one = 1\n    two = [one]\n    def f(self): return super().f()\n",
        "try:\n    import a\nexcept ImportError as why:\n    a = why\nprint([b for b in (lambda c: c)(a)])\n",
        "from os import *\nprint(getcwd())\n",
        "globals()['x'] = 1\nprint(x)\n",
        "match 1:\n    case int(n): print(n)\n",
        "def broken(:\n    missing\n",
        "later: 'Undefined' = 1\n",
    ],
)
def test_names_that_are_there(after: str) -> None:
    """Builtins, globals that a function sets, classes, handlers; and where nobody can know."""
    assert newly_unknown("a.py", b"", after.encode()) == ""


def test_the_code_here_has_every_name() -> None:
    """Each of some hundred modules, as a new file."""
    assert hasattr(builtins, "print")
    for path in sorted((ROOT / "bot" / "repair").rglob("*.py"))[::3]:
        assert newly_unknown(path.name, b"", path.read_bytes()) == "", path


def test_what_was_unknown_before_is_not_told() -> None:
    """Nor anything of another language."""
    assert newly_unknown("a.py", b"print(x)\n", b"print(x, 1)\n") == ""
    assert newly_unknown("a.js", b"", b"print(x)\n") == ""
