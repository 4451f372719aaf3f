"""Forty steps of an ordinary repair, each as the asking agent's own tools would do it.

The project is made here: modules of some 120 lines, a suite of some 200 tests that passes but for
three, and a fault that the last edit mends. Steps are those that agents take: they look at files,
at parts of them, for names, run the tests, edit, and look again.
"""

from __future__ import annotations

from pathlib import Path

from bench.agent_step import bash, edit, ended, lookup, view
from bench.task import committed
from tests.fakes.model import Call, Step

STEPS = 40
"""Model turns, the last word included."""

TASK = "Discounts are wrong for seven items. See tests/test_core_3.py."
FAILING = "python3 -m unittest discover -v -s tests -t ."
MODULES = 8
_FUNCTIONS = 12
_WRONG = "    if count > 7 and price > 0:"
_RIGHT = "    if count >= 7 and price > 0:"


def make_project(folder: Path) -> Path:
    """Write the project to `folder` and commit it."""
    files = {"core/__init__.py": "", "tests/__init__.py": "", ".gitignore": "__pycache__/\n"}
    files |= {f"core/part_{n}.py": _module(n) for n in range(MODULES)}
    files |= {f"tests/test_core_{n}.py": _tests(n) for n in range(MODULES)}
    files[".github/fixpoint.yml"] = f"setup: 'true'\ntest: {FAILING}\nproposers: [agent]\n"
    return committed(folder, files)


def _module(n: int) -> str:
    lines = [f'"""Prices of kind {n}."""', ""]
    for k in range(_FUNCTIONS):
        limit = _WRONG if (n, k) == (3, 5) else _RIGHT
        lines += [
            "",
            f"def price_{n}_{k}(count, price, member=False):",
            f'    """Return the price of some items of kind {n}, by rule {k}."""',
            limit,
            f"        price = price * {90 - k} // 100",
            "    if member:",
            f"        price = max(0, price - {k})",
            "    return count * price",
            "",
        ]
    return "\n".join(lines)


def _tests(n: int) -> str:
    lines = [
        "import unittest",
        "",
        f"from core import part_{n}",
        "",
        "",
        f"class Prices{n}(unittest.TestCase):",
    ]
    for k in range(_FUNCTIONS):
        for count in (1, 7):
            wanted = count * (100 if count < 7 else 100 * (90 - k) // 100)
            lines += [
                f"    def test_rule_{k}_for_{count}_items(self):",
                f"        self.assertEqual(part_{n}.price_{n}_{k}({count}, 100), {wanted})",
                "",
            ]
    return "\n".join(lines)


def step(turn: int, *, peer: bool) -> Step:
    """Return what is said on one turn: a round of five kinds, over different files."""
    if turn >= STEPS:
        return ended("Seven items got no discount: the bound was open. I closed it.", peer=peer)
    run = bash(FAILING) if peer else Call("run_tests", {})
    if turn == STEPS - 2:
        return edit("core/part_3.py", _WRONG, _RIGHT, peer=peer)
    if turn == STEPS - 1:
        return run
    n, name = turn % MODULES, f"price_{turn % MODULES}_{turn % 10}"
    return (
        bash(f"python3 -c 'from core.part_{n} import *; print({name}(7, 100))'; git status -s"),
        run,
        view(f"core/part_{n}.py", 1, 120, peer=peer),
        view(f"tests/test_core_{n}.py", 10 + turn, 50 + turn, peer=peer),
        lookup(name, peer=peer),
    )[turn % 5]
