"""Fifty-two steps of a long repair: five faults, wrong edits first, and much output.

A project of five larger modules, each with one fault. For each fault, an agent runs the whole
suite and then the module's tests, reads the module whole and in part, looks up a name, makes an
edit that is wrong, runs the tests, makes the right one, looks again and reads its diff, which grows.
A log of 4,000 lines is read first and last. Nothing else has the same result twice.
"""

from __future__ import annotations

from pathlib import Path

from bench.agent_step import bash, edit, ended, lookup, tests, view
from bench.task import committed
from tests.fakes.model import Step

STEPS = 52
"""Model turns, the last word included."""

TASK = "Totals, limits and fees come out wrong in several kinds of ledger. See tests/."
FAILING = "python3 -m unittest discover -v -s tests -t ."
_MODULES = 5
_FUNCTIONS = 24
_LINES = 14
"""Of a fee and a total in a module."""
_FAULTY = 7
_PER_MODULE = 10
_LOG = "cat build.log"


def make_project(folder: Path) -> Path:
    """Write the project to `folder` and commit it."""
    files = {"ledger/__init__.py": "", "tests/__init__.py": "", ".gitignore": "__pycache__/\n"}
    files |= {f"ledger/kind_{n}.py": _module(n) for n in range(_MODULES)}
    files |= {f"tests/test_kind_{n}.py": _tests(n) for n in range(_MODULES)}
    files["build.log"] = "".join(
        f"[{n:05}] compiled unit {n * 7919 % 4000} of layer {n % 13} in {n % 97} ms\n"
        for n in range(4_000)
    )
    files[".github/fixpoint.yml"] = f"setup: 'true'\ntest: {FAILING}\nproposers: [agent]\n"
    return committed(folder, files)


def _line(n: int, k: int, extra: str) -> str:
    return f"    amount = units * rate - fee_{n}_{k}(units){extra}"


def _module(n: int) -> str:
    lines = [f'"""The ledger of kind {n}."""', ""]
    for k in range(_FUNCTIONS):
        fault = " + 1" if k == _FAULTY else ""
        lines += [
            "",
            f"def fee_{n}_{k}(units):",
            f'    """Return the fee of rule {k}: a share of the units, at least one."""',
            f"    return max(1, units // {k + 2})",
            "",
            "",
            f"def total_{n}_{k}(units, rate, limit=10_000):",
            f'    """Return what {n} charges for units by rule {k}, up to the limit."""',
            "    if units < 0:",
            '        raise ValueError(f"units must not be negative: {units}")',
            _line(n, k, fault),
            "    return min(limit, amount)",
            "",
        ]
    return "\n".join(lines)


def _tests(n: int) -> str:
    lines = ["import unittest", "", f"from ledger import kind_{n}", "", ""]
    lines.append(f"class Kind{n}(unittest.TestCase):")
    for k in range(_FUNCTIONS):
        for units in (3, 40):
            wanted = units * 5 - max(1, units // (k + 2))
            lines += [
                f"    def test_rule_{k}_with_{units}_units(self):",
                f"        got = kind_{n}.total_{n}_{k}({units}, 5)",
                f'        self.assertEqual(got, {wanted}, "rule {k} of the ledger of kind {n}")',
                "",
            ]
    return "\n".join(lines)


def step(turn: int, *, peer: bool) -> Step:
    """Return the call of one turn: ten for each fault, and the log before and after them."""
    if turn >= STEPS:
        return ended("Five totals were off by one. I took the ones away.", peer=peer)
    n, kind = divmod(turn - 1, _PER_MODULE)
    if kind == 0 and n in {0, _MODULES}:
        return bash(_LOG)
    path, first = f"ledger/kind_{n}.py", 3 + _LINES * _FAULTY
    faulty, wrong, right = (_line(n, _FAULTY, extra) for extra in (" + 1", " - 1", ""))
    own = tests(f"python3 -m unittest -v tests.test_kind_{n}", peer=peer)
    return (
        tests(FAILING, peer=peer),
        own,
        view(path, 1, _LINES * _FUNCTIONS, peer=peer),
        lookup(f"total_{n}_{_FAULTY}", peer=peer),
        edit(path, faulty, wrong, peer=peer),
        own,
        edit(path, wrong, right, peer=peer),
        own,
        view(path, first, first + 20, peer=peer),
        bash("git diff"),
    )[kind]
