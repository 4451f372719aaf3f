"""Inputs grown from the calls of tests, the values in them, and how they are written."""

from __future__ import annotations

import datetime as dt
import enum
import random
from collections import OrderedDict
from decimal import Decimal
from typing import Any, NamedTuple

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from bot.repair.harness.driver.call_copies import NotCopied, copied, restored
from bot.repair.harness.driver.call_target import CallTarget, NotTaken, called, defaults_of
from bot.repair.harness.driver.grown_inputs import OWN, TESTED, grown
from bot.repair.harness.driver.grown_values import (
    SIBLING,
    TYPE,
    Number,
    OtherText,
    bounds,
    constants_in,
    far,
    like,
    near,
    other_types,
)
from bot.repair.harness.driver.readable import Writer, readable

PLAIN = st.one_of(st.integers(), st.text(), st.booleans(), st.none(), st.floats(allow_nan=False))
VALUES = st.recursive(
    PLAIN,
    lambda some: st.one_of(
        st.lists(some), st.tuples(some), st.dictionaries(st.text(), some), st.sets(st.integers())
    ),
    max_leaves=8,
)


class Colour(enum.Enum):
    """One of two."""

    RED = 1
    BLUE = 2


class Pair(NamedTuple):
    """Two numbers."""

    left: int
    right: int


class Basket:
    """An object without a text of its own."""

    def __init__(self, items: list[str]) -> None:
        self.items = items


class Shy:
    """An object whose text fails."""

    def __repr__(self) -> str:
        raise RuntimeError


def texts(calls: list[tuple[dict[str, Any], bool]], constants: list[Any], most: int) -> list[str]:
    """Return the inputs that are grown from calls, as text, with where each comes from."""
    found = grown(0, [(copied(values), own) for values, own in calls], constants, most)
    return [f"{item.origin} {readable(restored(item.data))}" for item in found]


@pytest.mark.slow
@examples(st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES, min_size=1), st.booleans())
def test_the_same_calls_grow_the_same_inputs(values: dict[str, Any], own: bool) -> None:  # noqa: FBT001 - hypothesis gives it
    """The call itself comes first, nothing comes twice, and the number is bounded."""
    first = texts([(values, own)], [7, "x"], 80)
    assert first == texts([(values, own)], [7, "x"], 80)
    assert first[0] == f"{OWN if own else TESTED} {readable(values)}"
    inputs = [text.partition(" ")[2] for text in first]
    assert len(inputs) == len(set(inputs)) <= 80


def test_inputs_of_a_number() -> None:
    """Near it, far from it, around the constants of the code, and of other types."""
    found = texts([({"n": 18}, True)], [100], 200)
    for value in ("17", "19", "0", "-1", "99", "100", "101", "18.0", "'18'", "None"):
        assert any(text.endswith(f"{{'n': {value}}}") for text in found), (value, found)


def test_inputs_of_two_texts() -> None:
    """One is the front of the other, or begins as it does; constants meet empty values."""
    found = texts([({"a": "secret", "b": "guess"}, True)], ["root"], 400)
    for value in ("{'a': 'secret', 'b': 'secretx'}", "{'a': 'secret', 'b': 'secrex'}",
                  "{'a': 'root', 'b': ''}", "{'a': 'secret', 'b': 'secret'}"):  # fmt: skip
        assert any(text.endswith(value) for text in found), value


def test_arguments_of_calls_are_crossed() -> None:
    """An argument of one call comes together with those of another."""
    found = texts([({"a": 5, "b": "x"}, True), ({"a": 70, "b": "yy"}, False)], [], 400)
    assert "far {'a': 70, 'b': 'x'}" in found


def test_a_word_in_several_places_is_renamed_in_all() -> None:
    """So a key stays the key of what holds it."""
    data = copied({"key": "ann", "kept": {"ann": 3}})
    found = [item for item in grown(0, [(data, True)], [], 300) if item.varied == "'ann'"]
    assert len(found) >= 8
    for item in found:
        values = restored(item.data)
        assert list(values["kept"]) == [values["key"]] != ["ann"]


class Kind(tuple[str, ...]):
    """One that can't be made of its parts, and answers for each attribute."""

    __slots__ = ()

    def __getattr__(self, name: str) -> str:
        """Return any attribute, as some classes do."""
        if name.startswith("__"):
            raise AttributeError(name)
        return name


def test_what_its_class_does_not_let_be_renamed_is_left_out() -> None:
    """No input comes of it, and the others do."""
    data = copied({"kind": Kind(("ann",)), "name": "ann"})
    assert grown(0, [(data, True)], [], 300)


def test_parts_of_arguments_are_varied() -> None:
    """Items of containers and attributes of objects are exchanged in place."""
    found = texts([({"basket": Basket(["a"]), "k": {"deep": [1]}}, True)], [], 400)
    assert any("{'deep': [2]}" in text for text in found)
    assert any("Basket(items=[])" in text for text in found)


@pytest.mark.parametrize(
    ("value", "others"),
    [
        (True, ["1", "'True'", "None"]),
        (3, ["3.0", "Number(3)", "3.5", "'3'", "None", "True"]),
        (2.5, ["2", "Decimal('2.5')", "'2.5'", "None"]),
        ("7", ["b'7'", "OtherText('7')", "7", "None", "['7']"]),
        (b"a", ["bytearray(b'a')", "'a'", "None"]),
        ([1], ["(1,)", "iter([1])", "None", "{0: 1}"]),
        ((1,), ["[1]", "None"]),
        (Pair(1, 2), ["None"]),
        ({"a": 1}, ["OrderedDict(", "Mapping({'a': 1})", "None", "[('a', 1)]"]),
        ({2, 1}, ["[1, 2]", "None"]),
        (None, ["0", "''", "[]", "False"]),
        (Colour.RED, ["1", "'RED'"]),
        (object, []),
    ],
)
def test_other_types(value: object, others: list[str]) -> None:
    """Siblings come first, then types that a caller might mistake it for."""
    found = list(other_types(value))
    assert [origin for origin, _ in found] == sorted((origin for origin, _ in found))
    assert {origin for origin, _ in found} <= {SIBLING, TYPE}
    assert len(found) == len(others)
    for (_, other), text in zip(found, others, strict=True):
        assert readable(other).startswith(text)


@pytest.mark.parametrize(
    "value",
    [5, -2.5, Decimal(3), "a-b", b"a-b", [1, 2], (1, 2), Pair(1, 2), {"a": 1}, {1}, frozenset({1}),
     dt.date(2024, 2, 29), dt.datetime(2024, 2, 29, tzinfo=dt.UTC), dt.timedelta(1), Colour.RED, True, None],
)  # fmt: skip
def test_values_keep_their_type(value: object) -> None:
    """What is near or far is of the same type."""
    chance = random.Random(1)
    for _, other in [*near(value, chance), *far(value), *bounds(value, []), *like(value)]:
        assert type(other) is type(value)


def test_constants_of_a_function() -> None:
    """They come from its code, from functions inside of it, and from the names that it uses."""

    def function(text: str) -> object:
        def inner() -> bool:
            return text in {"seven", "eight"}

        return inner() and readable(text[:12])

    known = constants_in(function.__code__, {"readable": {"a": 90}, "other": 3})
    assert {"seven", "eight", 12, 90} <= set(known)
    assert 3 not in known


def test_text_of_values() -> None:
    """Addresses are left out, classes are named, and what refuses to be shown is named only."""
    assert readable(Basket(["a"])) == "Basket(items=['a'])"
    assert readable(Colour.RED) == "Colour.RED"
    assert readable({2, 1}) == "{1, 2}"
    assert readable((1,)) == "(1,)"
    assert readable(set()) == "set()"
    assert readable(OtherText("a")) == "OtherText('a')"
    assert readable(Number(4)) == "Number(4)"
    assert readable(OrderedDict(a=1)) == repr(OrderedDict(a=1))
    assert readable(KeyError("x")) == "KeyError('x')"
    assert readable(Shy()) == "Shy"
    assert readable(object()) == "object()"
    assert readable([Basket]) == "[Basket]"
    endless: list[object] = []
    endless.append(endless)
    assert readable(endless) == "[...]"


@pytest.mark.parametrize("value", [len, test_text_of_values, Shy(), object(), (n for n in "ab")])
def test_what_says_nothing(value: object) -> None:
    """Functions, generators and objects without attributes can't be told apart."""
    writer = Writer()
    writer.text(value)
    assert writer.is_opaque


def test_functions_are_copied_with_their_code() -> None:
    """A function that no name leads to is made again, with what it closes over."""
    factor = 3
    again = restored(copied({"key": lambda value, more=1: value * factor + more}))
    assert again["key"](5) == 16


def test_what_cannot_be_copied_is_named() -> None:
    """The argument and its type are told."""
    with pytest.raises(NotCopied, match="rows: generator"):
        copied({"name": "a", "rows": (n for n in "ab")})
    with pytest.raises(NotCopied, match="too large"):
        copied({"data": "a" * 300_000})


def shown(function: Any, values: dict[str, Any], kind: str = "function") -> str:
    """Return a call of a function, as a person would write it."""
    return CallTarget("app.py", function.__qualname__, kind, 1).shown(values, function)


def test_calls_as_a_person_writes_them() -> None:
    """Defaults are left out, several arguments are named, and the object stands in front."""

    def clamp(low: int, high: int = 9, *rest: int, **more: int) -> None:
        del low, high, rest, more

    assert shown(clamp, {"low": 3, "high": 9}) == "clamp(3)"
    assert shown(clamp, {"low": 3, "high": 1}) == "clamp(low=3, high=1)"
    assert shown(clamp, {"low": 3, "high": 1, "*0": 4}) == "clamp(3, 1, 4)"
    assert shown(clamp, {"low": 3, "high": 9, "**x": 4}) == "clamp(low=3, x=4)"
    basket = {"self": Basket([]), "item": "a"}
    assert shown(clamp, basket, "method") == "Basket(items=[]).clamp('a')"
    assert shown(clamp, {"self": Basket([])}, "property") == "Basket(items=[]).clamp"
    assert shown(Basket, {"self": None, "items": []}, "class") == "Basket([])"


def test_calls_where_a_function_has_other_arguments() -> None:
    """Defaults are each side's own; one that was renamed is found; one that is new can't be taken."""

    def new(value: int, strict: bool = False) -> tuple[object, ...]:  # noqa: FBT001, FBT002 - as people write
        return value, strict

    def old(number: int) -> tuple[object, ...]:
        return (number,)

    defaults = defaults_of(new)
    assert called(old, {"value": 4, "strict": False}, defaults) == (4,)
    assert called(new, {"value": 4, "strict": True}, defaults) == (4, True)
    with pytest.raises(NotTaken, match="strict"):
        called(old, {"value": 4, "strict": True}, defaults)
    assert isinstance(called(Basket, {"self": None, "items": ["a"]}, {}), Basket)
