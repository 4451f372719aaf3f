"""The conditions that a patch brings: found, watched, and settled."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from bot.code.change import FileDiff
from bot.repair.harness.driver.conditions import Conditions
from bot.repair.verification.perturbation.conditions import settled
from bot.repair.verification.perturbation.guarded_conditions import (
    BothTrees,
    HeldBack,
    ObservedRun,
    Outputs,
    Settled,
    held_back,
    shown_on_both,
)  # fmt: skip
from bot.repair.verification.perturbation.new_conditions import new_conditions, watched
from bot.repair.verification.perturbation.perturbed_inputs import changed_functions

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
    """Tests of branches, their operands and comparisons, and what is looked up; loops aside."""
    assert [(condition.line, condition.text) for condition in new_conditions([CHANGE])] == [
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
    ],
    ids=["moved", "a test", "unreadable", "gone", "another language"],
)
def test_what_is_not_looked_at(change: FileDiff) -> None:
    """Only what a program newly asks, and in a program."""
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
        both = ["True", "False"]
        seen = dict(asked.told())
        assert [sorted(seen[n], reverse=True) for n in range(5)] == [both] * 5
        asked.settle(((0, "True"),))
        assert size([0, 0, 0]) == 3
    finally:
        del sys.modules["fixpoint_conditions"]


BOUND = """\
def size(items):
    if (count := len(items)) == 2:
        return count
    kinds = {1: "one"}.get(count, "some")
    return getattr(items, kinds, 0)
"""


def test_what_can_not_be_moved_is_asked_in_its_place() -> None:
    """A name that is bound in a condition is bound where it was, also where that is settled."""
    change = FileDiff("app/sizes.py", b"", BOUND.encode())
    conditions = new_conditions([change])
    assert [(condition.text, condition.decides, condition.moves) for condition in conditions] == [
        ("(count := len(items)) == 2", True, False),
        ("count", False, True),
        ("kinds", False, True),
    ]
    asked, program = Conditions(), dict[str, Any]()
    asked.offer()
    exec(watched([change], conditions)["app/sizes.py"], program)
    try:
        assert program["size"]([1, 2]) == 2
        asked.settle(((0, "True"),))
        assert program["size"]([1, 2, 3]) == 3
    finally:
        del sys.modules["fixpoint_conditions"]
    written: dict[str, Any] = {}
    exec(
        settled({"app/sizes.py": BOUND.encode()}, [(conditions[0], "True")])["app/sizes.py"],
        written,
    )
    assert written["size"]([1, 2, 3]) == 3


def test_conditions_that_are_settled_together() -> None:
    """One inside of another goes with it; letters of any length stand where they stood."""
    conditions = new_conditions([CHANGE])
    whole, first, *_, last = [
        condition for condition in conditions if condition.decides and condition.line != 9
    ]
    data = CHANGE.after or b""
    text = settled({"app/sizes.py": data}, [(first, "True"), (whole, "False"), (last, "True")])
    program: dict[str, Any] = {}
    exec(text["app/sizes.py"], program)
    assert program["size"]([2, 0]) == 2
    assert '((one == "é"), True)[1]'.encode() in text["app/sizes.py"]


def test_a_condition_that_is_there_already_asks_for_what_a_patch_sets() -> None:
    """It decides as it did, but on what the patch lets it see."""
    before = b"def f(a):\n    if a:\n        return 1\n    return 2\n"
    after = before.replace(b"    if a", b"    a = a and a.x()\n    if a")
    texts = [condition.text for condition in new_conditions([FileDiff("a.py", before, after)])]
    assert texts == ["a and a.x()", "a", "a.x()", "a"]


CAUGHT = """\
def first(kept, text):
    try:
        found = kept[text]
    except (KeyError, TypeError):
        return "new"
    try:
        found += int(text)
    except:
        pass
    return found
"""


def test_a_handler_decides_too() -> None:
    """Whether it is entered is told; where that is settled, its exception comes at the beginning."""
    before = b"def first(kept, text):\n    return kept[text]\n"
    change = FileDiff("app/first.py", before, CAUGHT.encode())
    conditions = new_conditions([change])
    assert [(condition.line, condition.text, condition.decides) for condition in conditions] == [
        (4, "except (KeyError, TypeError)", True),
        (8, "except", True),
    ]
    asked, program = Conditions(), dict[str, Any]()
    asked.offer()
    exec(watched([change], conditions)["app/first.py"], program)
    first = program["first"]
    try:
        for given, seen in ("a", [[0, ["True"]]]), ("b", [[0, []], [1, ["True"]]]):
            asked.settle(())
            assert first({"b": 1}, given) == {"a": "new", "b": 1}[given]
            assert asked.told() == seen
        asked.settle(((0, "True"),))
        assert first({"1": 1}, "1") == "new"
        asked.settle(((1, "True"),))
        assert first({"1": 1}, "1") == 1
        asked.settle(((1, "False"),))
        assert first({"1": 1}, "1") == 2
    finally:
        del sys.modules["fixpoint_conditions"]


@pytest.mark.parametrize(
    ("number", "value", "answer"), [(0, "True", "new"), (1, "True", 1), (1, "False", 2)]
)
def test_a_handler_is_settled_in_the_program(number: int, value: str, answer: object) -> None:
    """By what it takes, raised before its `try` does anything."""
    change = FileDiff("app/first.py", b"", CAUGHT.encode())
    condition = new_conditions([change])[number]
    written: dict[str, Any] = {}
    exec(settled({change.path: CAUGHT.encode()}, [(condition, value)])[change.path], written)
    assert written["first"]({"1": 1}, "1") == answer


PROBED = """\
def first(kept, text):
    try:
        kept[text]
    except KeyError:
        return "new"
    return "known"
"""


def test_what_only_shows_whether_it_raises() -> None:
    """It may be settled that it does not: it is left out then."""
    change = FileDiff("app/first.py", b"", PROBED.encode())
    conditions = new_conditions([change])
    [condition] = [item for item in conditions if item.decides]
    number = conditions.index(condition)
    asked, program = Conditions(), dict[str, Any]()
    asked.offer()
    exec(watched([change], conditions)["app/first.py"], program)
    first = program["first"]
    try:
        for given, seen in ("a", "True"), ("b", "False"):
            asked.settle(())
            assert first({"b": 1}, given) == ("new" if given == "a" else "known")
            assert [number, [seen]] in asked.told()
        asked.settle(((number, "False"),))
        assert first({}, "a") == "known"
        asked.settle(((number, "True"),))
        assert first({"a": 1}, "a") == "new"
    finally:
        del sys.modules["fixpoint_conditions"]
    for value, answer in (("False", "known"), ("True", "new")):
        written: dict[str, Any] = {}
        exec(settled({change.path: PROBED.encode()}, [(condition, value)])[change.path], written)
        assert (written["first"]({}, "a"), written["first"]({"a": 1}, "a")) == (answer, answer)


def test_a_handler_may_take_what_is_looked_up() -> None:
    """Its words may have braces of their own."""
    program = PROBED.replace("except KeyError", "except {0: (KeyError, TypeError)}[0]")
    change = FileDiff("app/first.py", b"", program.encode())
    conditions = [condition for condition in new_conditions([change]) if condition.decides]
    asked, watching = Conditions(), dict[str, Any]()
    asked.offer()
    exec(watched([change], conditions)["app/first.py"], watching)
    try:
        assert (watching["first"]({}, "a"), watching["first"]({"a": 1}, "a")) == ("new", "known")
        asked.settle(((0, "True"),))
        assert watching["first"]({"a": 1}, "a") == "new"
    finally:
        del sys.modules["fixpoint_conditions"]


def test_a_handler_that_was_there_decides_as_before() -> None:
    """Also where what it does is another thing now; elsewhere in the function it is new."""
    after = CAUGHT.replace("pass", "found = 0")
    change = FileDiff("app/first.py", CAUGHT.encode(), after.encode())
    assert new_conditions([change]) == ()


def test_which_functions_change() -> None:
    """By file, the line where the interpreter lets their code begin, and their names."""
    before = b"def f():\n    return 1\n\n\ndef g():\n    return lambda: 1\n"
    after = b"import os\n\n\n@os.x\ndef f():\n    return 1\n\n\ndef g():\n    return lambda: 2\n"
    was, now = changed_functions([FileDiff("a.py", before, after)])
    assert was == [("a.py", 1, "f"), ("a.py", 5, "g"), ("a.py", 6, "<lambda>")]
    assert now == [("a.py", 4, "f"), ("a.py", 9, "g"), ("a.py", 10, "<lambda>")]


def shown(place: str, output: str, inputs: str = "", **settled: str) -> ObservedRun:
    """Return a record; `settled` has what comes out with condition 0 true or false."""
    answers = {"yes": "True", "no": "False"}
    told: dict[Settled, Outputs] = {((0, answers[name]),): (key,) for name, key in settled.items()}
    return ObservedRun(place, inputs or place, (output,), told)


OWN = [shown("None:0", "right", yes="right"), shown("None:0", "right", yes="right")]
WRONG = [shown("None:0", "wrong"), shown("None:0", "wrong")]
OLD = [*WRONG, *(shown(f"0:{n}", f"wrong {n}") for n in range(5))]


@pytest.mark.parametrize(
    ("after", "held"),
    [
        (
            [*OWN, *(shown(f"0:{n}", f"wrong {n}", yes="right") for n in range(5))],
            (HeldBack(((0, "True"),), inputs=5, of=5),),
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
def test_what_a_condition_keeps_away(after: list[ObservedRun], held: tuple[HeldBack, ...]) -> None:
    """Inputs near the tests' that are as broken as before, and are not without the condition."""
    assert held_back(BothTrees({"t": OLD}, {"t": after})) == held


def test_conditions_that_keep_away_together() -> None:
    """Where none does alone, however many of them came to something else for an input."""
    sets = [((0, "True"), (1, "'a'")), ((0, "True"), (2, "5")), ((0, "True"), (1, "'a'"))]
    near = [
        ObservedRun(f"0:{n}", str(n), (f"wrong {n}",), {pair: ("right",)})
        for n, pair in enumerate(sets)
    ]
    whole = ((0, "True"), (1, "'a'"), (2, "5"))
    assert held_back(BothTrees({"t": OLD}, {"t": [*OWN, *near]})) == (HeldBack(whole, 3, 3),)


def test_a_row_of_a_table_is_an_input_of_its_own() -> None:
    """Where all values of a table are varied at once, one row may be reached and another kept away."""
    own = [ObservedRun("None:0", "-", ("right", "good"), {}) for _ in range(2)]
    old = [*(ObservedRun("None:0", "-", ("wrong", "bad"), {}) for _ in range(2))]
    for n in range(4):
        old.append(ObservedRun(f"*:{n}", str(n), (f"wrong {n}", f"bad {n}"), {}))
        settled: dict[Settled, Outputs] = {((0, "true"),): (f"right {n}", f"good {n}")}
        own.append(ObservedRun(f"*:{n}", str(n), (f"wrong {n}", f"good {n}"), settled))
    assert held_back(BothTrees({"t": old}, {"t": own})) == (HeldBack(((0, "true"),), 4, 4),)


def test_a_flag_has_one_other_value() -> None:
    """So one input is enough there; of other values it says little."""
    for place, held in (("bool False 1:0", (HeldBack(((0, "True"),), 1, 1),)), ("int 5 1:0", ())):
        old = [*OLD[:2], ObservedRun(place, "1", ("wrong",), {})]
        near = ObservedRun(place, "1", ("wrong",), {((0, "True"),): ("right",)})
        assert held_back(BothTrees({"t": old}, {"t": [*OWN, near]})) == held


def test_what_cuts_a_text_is_asked_too() -> None:
    """A bound that is computed, and how often a text is repeated; plain bounds are none."""
    after = "def cut(text, n):\n    return text[n:4 - n // 7] + 'x' * (n % 2) + text[n:]\n"
    change = FileDiff("cut.py", b"def cut(text, n):\n    return text\n", after.encode())
    assert [condition.text for condition in new_conditions([change])] == ["4 - n // 7", "n % 2"]


def test_what_a_patch_brings_is_not_compared() -> None:
    """An attribute that only one tree has makes no difference between what calls leave."""
    own = {"place": "None:0", "inputs": "", "outputs": ["=1", "A 1.x=1"], "common": False}
    more = {**own, "outputs": ["=1", "A 1.new=7", "A 1.x=1"], "settled": [[[[0, "True"]], ["=2"]]]}
    trees = shown_on_both(
        {"before": {"t call 0.0": [own]}, "after": {"t call 0.0": [more]}, "calls": ["t call 0.0"]}
    )
    [new] = trees.after["t call 0.0"]
    assert new.outputs == trees.before["t call 0.0"][0].outputs == ("=1", "A 1.x=1")
    assert new.settled == {((0, "True"),): ("=2",)}
