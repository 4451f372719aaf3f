"""The conditions that a patch brings: found, watched, and settled."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from bot.repair.guards.change import FileDiff
from bot.repair.proposers.search.inside.conditions import Conditions
from bot.repair.verification.conditions import (
    HeldBack,
    Shown,
    held_back,
    new_conditions,
    watched,
)

BEFORE = """\
def size(items):
    if items is None:
        return 0
    return len(items) - 1
"""
AFTER = """\
LIMIT = 3 if __name__ else 4


def size(items):
    if items is None:
        return 0
    if (len(items) == 2
            and items[0] > 1): return len(items)
    while len(items) > 90:
        items.pop()
    return len(items) if [one for one in items if one == "é"] else len(items) - 1
"""
CHANGE = FileDiff("app/sizes.py", BEFORE.encode(), AFTER.encode())


def test_what_is_asked_anew() -> None:
    """Tests of branches, their operands and comparisons, in functions, loops aside."""
    assert [(one.line, one.text) for one in new_conditions([CHANGE])] == [
        (7, "len(items) == 2 and items[0] > 1"),
        (7, "len(items) == 2"),
        (8, "items[0] > 1"),
        (11, '[one for one in items if one == "é"]'),
        (11, 'one == "é"'),
    ]


@pytest.mark.parametrize(
    "change",
    [
        FileDiff("app/sizes.py", AFTER.encode(), AFTER.replace("    ", "\t").encode()),
        FileDiff("tests/test_sizes.py", None, AFTER.encode()),
        FileDiff("app/sizes.py", None, b"def f(:\n"),
        FileDiff("app/sizes.py", AFTER.encode(), None),
        FileDiff("app/sizes.js", None, b"if (a === 1) {}"),
        FileDiff("a.py", None, b"def f():\n    if (a := 1): return super().f() == 2\n"),
    ],
    ids=["moved", "a test", "unreadable", "gone", "another language", "can not be moved"],
)
def test_what_is_not_looked_at(change: FileDiff) -> None:
    """Only what a program newly asks, and what means the same in a function of its own."""
    assert new_conditions([change]) == ()


def test_a_watched_program_does_the_same() -> None:
    """It tells what its conditions came to; a settled one has its answer instead."""
    conditions = new_conditions([CHANGE])
    program: dict[str, Any] = {}
    asked = Conditions()
    asked.offer()
    exec(watched([CHANGE], conditions)["app/sizes.py"], program)
    try:
        size = program["size"]
        assert (size(None), size([2, 0]), size([0, 0]), size(["é"])) == (0, 2, 1, 1)
        assert asked.seen == {
            0: {True, False}, 1: {True, False}, 2: {True, False}, 3: {True, False}, 4: {True, False},
        }  # fmt: skip
        asked.settled = (0, True)
        assert size([0, 0, 0]) == 3
    finally:
        del sys.modules["fixpoint_conditions"]


def test_a_settled_condition() -> None:
    """Its answer stands in its place, whatever is beside it and however many bytes letters have."""
    *_, last = new_conditions([CHANGE])
    assert (
        last.settled(CHANGE.after or b"", answer=True)
        == AFTER.replace('one == "é"', "(True)").encode()
    )


def shown(place: str, output: str, inputs: str = "", **settled: str) -> Shown:
    """Return a record; `settled` has what comes out with condition 0 true or false."""
    answers = {"yes": True, "no": False}
    told = {(0, answers[name]): (one,) for name, one in settled.items()}
    return Shown(place, inputs or place, (output,), told)


OWN = [shown("None:0", "right", yes="right"), shown("None:0", "right", yes="right")]
WRONG = [shown("None:0", "wrong"), shown("None:0", "wrong")]
OLD = [*WRONG, *(shown(f"0:{n}", f"wrong {n}") for n in range(5))]


@pytest.mark.parametrize(
    ("after", "held"),
    [
        (
            [*OWN, *(shown(f"0:{n}", f"wrong {n}", yes="right") for n in range(5))],
            (HeldBack(condition=0, answer=True, inputs=5, of=5),),
        ),
        ([*OWN, *(shown(f"0:{n}", "right") for n in range(5))], ()),
        ([*OWN, *(shown(f"0:{n}", f"wrong {n}", yes=f"wrong {n}") for n in range(5))], ()),
        (
            [
                *(shown("None:0", "right", yes="worse") for _ in range(2)),
                *(shown(f"0:{n}", f"wrong {n}", yes="right") for n in range(5)),
            ],
            (),
        ),
        ([OWN[0], *WRONG, *(shown(f"0:{n}", f"wrong {n}", yes="right") for n in range(5))], ()),
    ],
    ids=["kept away", "reached", "no effect there", "the test needs it", "not steady"],
)
def test_what_a_condition_keeps_away(after: list[Shown], held: tuple[HeldBack, ...]) -> None:
    """Inputs near the tests' that are as broken as before, and are not without the condition."""
    assert held_back({"t": OLD}, {"t": after}) == held
