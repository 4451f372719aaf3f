"""Forty steps of an ordinary repair, each as the asking agent's own tools would do it.

The project is made here: modules of some 120 lines, a suite of some 200 tests that passes but for
three, and a fault that the last edit mends. Steps are those that agents take: they look at files,
at parts of them, for names, run the tests, edit, and look again.
"""

from __future__ import annotations

from pathlib import Path

from bench.task import committed
from tests.fakes.model import Call, Request, Say, Step

STEPS = 40
"""Model turns, the last word included."""

MODEL = "scripted"
TASK = "Discounts are wrong for seven items. See tests/test_core_3.py."
FAILING = "python3 -m unittest discover -v -s tests -t ."
MODULES = 8
_FUNCTIONS = 12
_WRONG = "    if count > 7 and price > 0:"
_RIGHT = "    if count >= 7 and price > 0:"
_SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


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


def script(request: Request) -> Step:
    """Say what the model says on this turn, in the tools of whoever asks."""
    peer = request.tools == ("bash",)
    if request.turn < STEPS:
        return _step(request.turn, peer=peer)
    if peer:
        return Call("bash", {"command": _SUBMIT})
    return Say("Seven items got no discount: the bound was open. I closed it.")


def same_commands(request: Request) -> Step:
    """Say the same commands to everybody, whatever tools there are."""
    if request.turn < STEPS:
        return _step(request.turn, peer=True)
    return script(request)


def _step(turn: int, *, peer: bool) -> Call:
    """Return the call of one turn: a round of ten kinds, over different files."""
    n, kind = turn % MODULES, turn % 10
    if turn == STEPS - 2:
        return _edit(3, _WRONG, _RIGHT, peer=peer)
    if kind in {1, 6} or turn == STEPS - 1:
        return Call("bash", {"command": FAILING}) if peer else Call("run_tests", {})
    if kind in {2, 3, 7, 8}:
        whole = kind in {2, 7}
        path, first = f"core/part_{n}.py" if whole else f"tests/test_core_{n}.py", 10 + turn
        lines = [1, 120] if whole else [first, first + 40]
        if peer:
            return _bash(f"nl -ba {path} | sed -n '{lines[0]},{lines[1]}p'")
        return _view(path, lines)
    name = f"price_{n}_{kind}"
    if kind in {4, 9}:
        return _bash(f"grep -rn {name} .") if peer else Call("search_code", {"query": name})
    return _bash(f"python3 -c 'from core.part_{n} import *; print({name}(7, 100))'; git status -s")


def _bash(command: str) -> Call:
    return Call("bash", {"command": command})


def _view(path: str, lines: list[int] | None = None) -> Call:
    given = {"command": "view", "path": path, **({"view_range": lines} if lines else {})}
    return Call("str_replace_based_edit_tool", given)


def _edit(n: int, old: str, new: str, *, peer: bool) -> Call:
    path = f"core/part_{n}.py"
    if peer:
        return _bash(f"sed -i 's/{old}/{new}/' {path}")
    given = {"command": "str_replace", "path": path, "old_str": old, "new_str": new}
    return Call("str_replace_based_edit_tool", given)
