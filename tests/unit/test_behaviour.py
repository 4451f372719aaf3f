"""What changed functions answer on both sides: which functions, and how the answers are grouped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.code.change import FileDiff
from bot.model.proof_card import Answers, Nearness
from bot.repair.verification.behaviour.changed_functions import changed_functions, new_effects
from bot.repair.verification.behaviour.differences import Differences, shortened
from bot.repair.verification.behaviour.inputs import CallAnswer, Input, Told, told

MODULE = '''
import re
from dataclasses import dataclass

WORD = r"\\w+"
NAMES = re.compile(WORD + ",")
TABLE = {}
TABLE["a"] = 1
LIMIT = 5


def names(text):
    """Find them."""
    return NAMES.findall(text)


def cut(text: str):
    return text[:LIMIT]


def looked_up(key):
    return TABLE[key]


@dataclass
class Config:
    retries: int = 1
    LEVELS = (1, 2)

    def __init__(self, retries):
        self.retries = retries

    @property
    def level(self):
        return self.LEVELS[0]

    @staticmethod
    def parse(text):
        return int(text)

    @classmethod
    def empty(cls):
        return cls(0)

    def more(self):
        return self.retries + 1
'''


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("Find them.", "Find all of them.", []),
        ("text: str", "text: object", []),
        ("text[:LIMIT]", "text[: LIMIT + 1]", ["function cut"]),
        ("LIMIT = 5", "LIMIT = 8", ["function cut LIMIT"]),
        (r"\w+", r"[\w-]+", ["function names NAMES"]),
        ('TABLE["a"] = 1', 'TABLE["a"] = 2', ["function looked_up TABLE"]),
        ("import re\n", "import regex as re\n", ["function names NAMES"]),
        ("self.retries + 1", "self.retries + 2", ["method Config.more"]),
        ("int(text)", "float(text)", ["static Config.parse"]),
        ("cls(0)", "cls(1)", ["class method Config.empty"]),
        ("self.LEVELS[0]", "self.LEVELS[1]", ["property Config.level"]),
        ("(1, 2)", "(2, 2)", ["property Config.level LEVELS", "class Config LEVELS"]),
        ("retries: int = 1", "retries: int = 3",
         ["method Config.more retries", "class Config retries"]),
        ("self.retries = retries", "self.retries = abs(retries)", ["class Config"]),
        ("@dataclass\n", "@dataclass(frozen=True)\n", ["class Config"]),
    ],
)  # fmt: skip
def test_changed_functions(old: str, new: str, found: list[str]) -> None:
    """Those whose syntax changes, and those that use a name or attribute which does."""
    assert MODULE.count(old) == 1, old
    change = FileDiff("app.py", MODULE.encode(), MODULE.replace(old, new).encode())
    told = [
        f"{item.kind} {item.name} {item.because}".strip() for item in changed_functions([change])
    ]
    assert told == found


def test_functions_that_come_and_go() -> None:
    """They are on one side only; tests are left out."""
    old, new = b"def one():\n    pass\n", b"\n@cache\ndef two():\n    pass\n"
    one, two = sorted(changed_functions([FileDiff("a.py", old, new)]), key=lambda item: item.name)
    assert (one.before, one.after, one.is_on_both) == (1, 0, False)
    assert (two.before, two.after, two.is_on_both) == (0, 2, False)
    assert changed_functions([FileDiff("tests/test_a.py", old, new)]) == ()
    assert changed_functions([FileDiff("a.py", old, b"def :")])[0].after == 0


def answer(text: str, way: str = "", kind: str = "") -> CallAnswer:
    """Return an answer, its kind as the driver has it."""
    usual = text.partition(":")[0] if text.startswith("raises") else "int"
    return CallAnswer(kind or usual, text, frozenset(way.split()))


def asked(
    origin: str, call: str, before: str, after: str, way: str = "", varied: str = "n", seed: int = 0
) -> Input:
    """Return an input of the first function, whose way through the head is given."""
    return Input(0, origin, varied, seed, call, answer(before), answer(after, way))


def differences(*inputs: Input, brings: bool = True) -> Differences:
    """Return what is said of these inputs."""
    return Differences(Told(inputs, {}, frozenset()), brings=brings)


OWN = asked("own", "f(7)", "1", "2", "a b")


def test_what_takes_the_tests_way_is_near() -> None:
    """However far the value is; what takes another step through changed lines is elsewhere."""
    far, other = asked("far", "f(9999)", "1", "3", "a b"), asked("near", "f(8)", "1", "3", "a c")
    found = differences(OWN, far, other)
    assert found.nearness(OWN) is Nearness.OWN
    assert found.nearness(far) is Nearness.NEIGHBOUR
    assert found.nearness(other) is Nearness.ELSEWHERE
    assert found.leaves_the_neighbourhood
    assert not differences(OWN, far).leaves_the_neighbourhood


def test_where_no_changed_line_runs_it_is_what_becomes_of_it() -> None:
    """A constant changes: the same turn is near, or an input almost the same; another turn is not."""
    own = asked("own", "f('-3')", "raises ValueError: -3", "3")
    same = asked("far", "f('-70')", "raises ValueError: -70", "70")
    other = asked("far", "f('x')", "4", "raises KeyError: x")
    near = asked("near", "f('-4')", "5", "4")
    found = differences(own, same, other, near)
    assert [found.nearness(item) for item in (same, other, near)] == [
        Nearness.NEIGHBOUR, Nearness.ELSEWHERE, Nearness.NEIGHBOUR,
    ]  # fmt: skip


def test_without_a_test_that_proves_it_everything_is_elsewhere() -> None:
    """Nothing says what the change is for."""
    found = differences(asked("tested", "f(1)", "1", "2", "a"))
    assert found.count(Nearness.ELSEWHERE) == 1
    assert found.alone == 0


def test_an_answer_for_the_tests_alone() -> None:
    """Many inputs near the tests' own stay as they were, and only these change."""
    near = [asked("near", f"f({n})", "1", "1") for n in range(8, 20)]
    assert differences(OWN, *near).alone == 12
    assert differences(OWN, *near[:7]).alone == 0
    assert differences(OWN, *near, brings=False).alone == 0
    assert differences(OWN, *near, asked("near", "f(6)", "1", "2", "a b")).alone == 0
    again = Input(0, "sibling", "n", 0, "f(7.0)", answer("1"), answer("2", "a b"), is_equal=True)
    assert differences(OWN, *near, again).alone == 12


@pytest.mark.parametrize("call", ["f(0)", "f('')", "f([])", "f(None)"])
def test_a_common_value_may_be_a_case_of_its_own(call: str) -> None:
    """A repair for an empty text does nothing to others."""
    near = [asked("near", f"f({n})", "1", "1") for n in range(8, 20)]
    assert differences(asked("own", call, "1", "2", "a"), *near).alone == 0


def test_what_is_alike_is_shown_once() -> None:
    """By what becomes of what and which argument was exchanged; the shortest stands for all."""
    near = [asked("near", f"f({n})", "1", "2", "a b") for n in (100, 20, 8)]
    let_in = asked("far", "f('x')", "raises ValueError: x", "1", "c")
    refused = [asked("far", f"f(-{n})", "3", "raises KeyError", "c") for n in (1, 2)]
    shown = differences(OWN, *near, *refused, let_in).groups(0)
    assert [(group.example.call, group.count) for group in shown] == [
        ("f(7)", 1), ("f(8)", 3), ("f('x')", 1), ("f(-1)", 2),
    ]  # fmt: skip
    assert shown[0].example == Answers("f(7)", "1", "2", Nearness.OWN)


def test_at_most_twelve_are_shown_of_a_function() -> None:
    """Where there are more, arguments are not told apart any more."""
    many = [asked("far", f"f({n})", f"raises E{n}: x", "1", "c", varied=f"x{n}") for n in range(40)]
    near = [asked("near", f"g({n})", f"raises E{n}: x", "1", "a", varied="y") for n in range(40)]
    assert len(differences(OWN, *many, *near).groups(0)) == 10


def test_between_two_answers_that_tests_hold() -> None:
    """A curve through the tests' points changes what lies between those that stay."""
    held = [asked("tested", f"f({n}, 'a')", f"{n}", f"{n}", "a") for n in (0, 1, 5)]
    own = asked("own", "f(9, 'a')", "1", "2", "a")
    between = asked("near", "f(3, 'a')", "1", "2", "a")
    beyond = asked("near", "f(6, 'a')", "1", "2", "a")
    found = differences(own, *held, between, beyond)
    assert [found.nearness(item) for item in (between, beyond)] == [
        Nearness.ELSEWHERE, Nearness.NEIGHBOUR,
    ]  # fmt: skip
    among = asked("own", "f(2, 'a')", "1", "2", "a")
    for other in (among, asked("own", "f(9, 'b')", "1", "2", "a")):
        assert differences(other, *held, between).nearness(between) is Nearness.NEIGHBOUR


def test_what_tests_hold_bounds_a_repair() -> None:
    """New errors, other numbers of elements and letters that no test has are no neighbours."""
    own = asked("own", "f([3, 1])", "[1, 3]", "[3, 1]", "a")
    near = [
        asked("near", "f([2, 1])", "[1, 2]", "[2, 1]", "a"),
        asked("near", "f([2, 2])", "[2, 2]", "[2]", "a"),
        asked("near", "f([])", "[]", "raises IndexError: x", "a"),
    ]
    found = differences(own, *near)
    assert [found.nearness(item) for item in near] == [
        Nearness.NEIGHBOUR, Nearness.ELSEWHERE, Nearness.ELSEWHERE,
    ]  # fmt: skip
    for origin, nearness in (("near", Nearness.ELSEWHERE), ("far", Nearness.NEIGHBOUR)):
        hangs = Input(0, origin, "n", 0, "f([9])", answer("[9]"), answer("", "a", "endless"))
        assert differences(own, hangs).nearness(hangs) is nearness
    named = asked("own", "f('a-b')", "False", "True", "a")
    texts = [asked("near", f"f({text!r})", "False", "True", "a") for text in ("a-c", "a-b ")]
    found = differences(named, *texts)
    assert [found.nearness(item) for item in texts] == [Nearness.NEIGHBOUR, Nearness.ELSEWHERE]


def test_an_answer_for_one_text_or_one_type() -> None:
    """All other values of one part keep their answer, while the repair changes other inputs."""
    own = asked("own", "f(n=5, unit='EUR')", "490", "0", "a", varied="")
    more = asked("near", "f(n=6, unit='EUR')", "490", "0", "a", varied="n")
    units = [asked("near", "", "490", "490", varied="unit") for _ in range(8)]
    types = [asked("type", "", "490", "490", varied="n") for _ in range(3)]
    pins = differences(own, more, *units, *types).pinned(0)
    assert [(part, tried, retyped) for _, part, tried, retyped in pins] == [
        ("n", 3, True), ("unit", 8, False),
    ]  # fmt: skip
    assert differences(own, more, *units[:7], *types[:2]).pinned(0) == []
    assert differences(own, *units, *types).pinned(0) == []


def test_an_answer_for_one_number() -> None:
    """It tells of a change that brings values; else a boundary moves by one. Common numbers don't."""
    for number, brings, found in ((12, True, ["n"]), (12, False, []), (0, True, [])):
        own = asked("own", f"f(n={number}, unit='EUR')", "490", "0", "a", varied="")
        others = [asked("near", "", "490", "490") for _ in range(8)]
        unit = asked("near", f"f(n={number}, unit='USD')", "490", "0", "a", varied="unit")
        pins = differences(own, unit, *others, brings=brings).pinned(0)
        assert [part for _, part, _, _ in pins] == found


def test_a_text_that_stands_in_several_places() -> None:
    """Whether a repair is for it alone shows where it is another one in all of them."""
    own = asked("own", "f(key='ann', kept=['ann'])", "1", "2", "a", varied="")
    more = asked("near", "f(key='ann', kept=['ann', 'b'])", "1", "2", "a", varied="kept")
    alone = [asked("near", "", "1", "1", varied="key") for _ in range(8)]
    renamed = [asked("near", "", "1", "1", varied="'ann'") for _ in range(8)]
    assert differences(own, more, *alone).pinned(0) == []
    assert [part for _, part, _, _ in differences(own, more, *alone, *renamed).pinned(0)] == [
        "'ann'"
    ]


def test_an_answer_that_wears_off() -> None:
    """The same input gets another answer in time, and did not before."""
    own = replace(OWN, worn=(41, "1"))
    assert differences(own).worn(0) == [("f(7)", "2", 41, "1")]
    assert differences(OWN).worn(0) == []


@pytest.mark.parametrize(
    ("before", "after", "kind", "found"),
    [
        ("1", "5, leaving values = [1, 5, 9]", "int", [("f(7)", "values = [1, 5, 9]")]),
        ("1, leaving values = [1]", "5, leaving values = [1, 5, 9]", "int", []),
        ("1", "5, leaving self.n = 3", "int", []),
        ("None", "None, leaving values = [1, 5, 9]", "None", []),
    ],
)
def test_a_value_that_comes_with_a_changed_argument(
    before: str, after: str, kind: str, found: list[tuple[str, str]]
) -> None:
    """A call that did not touch what it is given now does, beside its answer."""
    own = Input(0, "own", "", 0, "f(7)", answer(before), answer(after, "a", kind))
    assert differences(own).marked(0) == found


def test_what_runs_when_a_module_is_loaded() -> None:
    """A statement that reaches into what is imported is no function's answer."""
    before = "import os\nLIMIT = 1\n"
    after = before + "TABLE = os.environ.copy()\nos.environ['TZ'] = 'UTC'\nprint(LIMIT)\n"
    change = FileDiff("a.py", before.encode(), after.encode())
    assert [(item.line, item.text) for item in new_effects([change])] == [
        (4, "os.environ['TZ'] = 'UTC'")
    ]


def test_a_type_that_both_refuse_is_no_difference() -> None:
    """Each in its own words."""
    refused = asked("type", "f(None)", "raises TypeError: a", "raises AttributeError: b", "c")
    odd = asked("sibling", "f(b'')", "raises TypeError: a", "raises ValueError: b", "c")
    assert differences(OWN, refused, odd).differing == [OWN]
    real = asked("far", "f(-1)", "raises KeyError: a", "raises ValueError: b", "c")
    assert differences(OWN, real).differing == [OWN, real]
    assert not differences(OWN, real).leaves_the_neighbourhood


def test_a_type_that_alone_was_mended() -> None:
    """What a sibling type still raises as the tests' own input did before is shown."""
    own = asked("own", "f('7')", "raises TypeError: no str", "7", "a")
    sibling = asked(
        "sibling", "f(b'7')", "raises TypeError: no bytes", "raises TypeError: no bytes"
    )
    other = asked("type", "f(None)", "raises TypeError: no None", "raises TypeError: no None")
    assert differences(own, sibling, other).still(0) == [sibling]
    assert differences(OWN, sibling).still(0) == []


def test_long_answers_are_cut_around_where_they_differ() -> None:
    """Both sides at the same place."""
    assert shortened("a", "b") == ("a", "b")
    before, after = shortened("x" * 500 + "old" + "y" * 500, "x" * 500 + "new" + "y" * 500)
    assert "old" in before
    assert "new" in after
    assert len(before) < 130
    assert before[0] == before[-1] == "…"


def test_what_the_driver_tells_is_read_strictly() -> None:
    """It was written where foreign code runs."""
    entry = {"target": 0, "origin": "own", "varied": "", "seed": 0, "call": "f(1)", "same": False,
             "spelled_out": False,
             "before": {"kind": "int", "text": "1", "edges": ["a"]},
             "after": {"kind": "int", "text": "2", "edges": []}}  # fmt: skip
    told_of = {
        "inputs": [entry, {**entry, "left_out": "files"}, {**entry, "left_out": "files"}],
        "way": ["a"], "there": [0], "called": [0], "uncopied": {"1": "x: Lock"}, "recorded": 3,
    }  # fmt: skip
    found = told(told_of)
    assert found.inputs[0].after == CallAnswer("int", "2")
    assert found.left_out == {0: {"files": 2}}
    assert (found.way, found.uncopied, found.tests) == (frozenset({"a"}), {1: "x: Lock"}, 3)
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        told({**told_of, "inputs": [{"target": "x"}]})
