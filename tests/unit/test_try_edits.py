"""Templates with holes: what they become, and which fillings the tests accept."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.model import Cause, Commands, Limits, Observation, Problem, Reproduction, Usage
from bot.model.steps import PlainSteps
from bot.repair.proposers.agent.edit_template import TryEdits, fillings, problem_with
from bot.repair.proposers.agent.edit_tool import EditRejected
from bot.repair.proposers.agent.edit_trial import EditTrial
from bot.repair.proposers.base import Task
from tests.unit.local_workbench import LocalWorkbench

COMMAND = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest -q -p no:cacheprovider"
FILES = {
    "fees.py": "RATE = 2\n\n\ndef fee(days, member):\n    if days > 7 and member:\n        return days * RATE\n    return 10\n",
    "test_fees.py": (
        "from fees import fee\n\n\n"
        "def test_seven():\n    assert fee(7, True) == 14\n\n\n"
        "def test_long():\n    assert fee(9, False) == 18\n\n\n"
        "def test_short():\n    assert fee(6, True) == 10\n"
    ),
}
OLD = "days > 7 and member"


def edits(template: str, path: str = "fees.py", old: str = OLD, **holes: list[str]) -> TryEdits:
    return TryEdits(path, old, template, tuple((name, tuple(v)) for name, v in holes.items()))


def test_every_filling_that_makes_another_text() -> None:
    """All combinations, each text once, and not the text that is there already."""
    found = fillings(edits("days {{op}} {{n}} and member", op=[">", ">=", ">="], n=["7", "8"]))
    assert [filling.text for filling in found] == [
        "days > 8 and member",
        "days >= 7 and member",
        "days >= 8 and member",
    ]
    assert found[0].values == (("op", ">"), ("n", "8"))


@pytest.mark.parametrize(
    ("tried", "said"),
    [
        (edits("x"), "holes is empty"),
        (edits("x", op=["a"]), "The template has no {{op}}."),
        (edits("{{op}} {{n}}", op=["a"]), "a hole that holes gives no values for"),
        (edits("{{a}} {{b}}", a=["x"] * 80, b=["y"] * 80), "There are 6,400 fillings"),
    ],
)
def test_what_cannot_be_tried_is_said(tried: TryEdits, said: str) -> None:
    """Before anything is started."""
    assert said in problem_with(tried)


async def trial(folder: Path, command: str = COMMAND) -> EditTrial:
    root, place = (folder.resolve() / name for name in ("project", "driver"))
    root.mkdir()
    place.mkdir()
    workbench = await LocalWorkbench(root, FILES).start()
    task = Task(
        n=1,
        problem=Problem(),
        commands=Commands((), command, command),
        reproduction=Reproduction(Cause.REAL, Observation(command, 1)),
        earlier=(),
        limits=Limits(),
        spent=Usage(),
        deadline=time.time() + 3600,
    )
    return EditTrial(task, workbench, PlainSteps(), folder=str(place), root=str(root))


@pytest.mark.slow
async def test_the_tests_say_which_fillings_are_right(tmp_path: Path) -> None:
    """Those that pass, or the closest; nothing in the tree is changed."""
    tried = await trial(tmp_path)
    right = await tried.answer(
        edits(
            "days {{op}} {{n}} {{rest}}",
            op=[">", ">=", "<"],
            n=["6", "7", "8"],
            rest=["and member", "or member", ""],
        ),
        "a",
    )
    assert isinstance(right, str)
    assert right.partition(" s (")[2] == snapshot("""\
24 failed, 2 plausible).
2 make every failing test pass and break no test that runs the code. Nothing was changed: choose the one that is right for all inputs, and make the edit.
- op = `>`, n = `6`, rest = ``:
days > 6 \n\
- op = `>=`, n = `7`, rest = ``:
days >= 7 \
""")
    closest = await tried.answer(edits("days {{op}} 7 and member", op=[">=", "<", "=="]), "b")
    assert isinstance(closest, str)
    assert closest.partition(" s (")[2] == snapshot("""\
3 failed).
None makes every failing test pass without breaking another.
The closest:
- op = `>=`: mends 1 of 2
days >= 7 and member
- op = `==`: mends 1 of 2
days == 7 and member\
""")
    assert (tmp_path / "project" / "fees.py").read_text() == FILES["fees.py"]
    for wrong, said in (
        (edits("{{a}}", old="days", a=["x"]), "must occur once in fees.py, not 3 times"),
        (edits("{{a}}", path="none.py", a=["x"]), "No failing test runs none.py. They run fees.py"),
    ):
        answer = await tried.answer(wrong, "c")
        assert isinstance(answer, EditRejected)
        assert said in answer.text


async def test_other_languages_are_told_to_edit(tmp_path: Path) -> None:
    """Where no Python tests run, the answer says what to do instead."""
    answer = await (await trial(tmp_path, "npm test")).answer(edits("{{a}}", a=["x"]), "a")
    assert isinstance(answer, EditRejected)
    assert "only where the failing command runs pytest or unittest" in answer.text
