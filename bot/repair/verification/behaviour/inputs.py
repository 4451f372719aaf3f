"""Inputs that both sides of a change answered, as the driver tells of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

COMMON = frozenset({"", "0", "1", "-1", "0.0", "1.0", "''", "[]", "()", "{}", "None", "b''", "True",
                     "False"})  # fmt: skip
"""Values for which programs often have a case of their own."""

_RAISES = "raises "
_REFUSED = frozenset({"raises TypeError", "raises AttributeError"})
_FEW = frozenset({"True", "False", "None", "not taken"})


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """What one side answers.

    Attributes:
        kind: By which answers are alike: a type's name, `raises KeyError`, `endless`, ...
        text: For people.
        way: Steps that the call takes through changed lines; only where the sides differ, and for
            the tests' own inputs.
    """

    kind: str
    text: str
    way: frozenset[str] = frozenset()

    @property
    def sort(self) -> str:
        """An error's kind, a truth value or None; `value` for all other values."""
        return self.kind if self.is_error or self.kind in _FEW else "value"

    @property
    def is_error(self) -> bool:
        """Whether it is an exception, or there is none."""
        return self.kind.startswith(_RAISES) or self.kind == "endless"


@dataclass(frozen=True, slots=True)
class Input:
    """An input, and what both sides answer.

    Attributes:
        target: Number of the function.
        origin: `own`, `tested`, `near`, `far`, `sibling` or `type`, as the driver has it.
        varied: What was exchanged: an argument, or a part of one; empty for a test's own.
        seed: Number of the call that it was grown from.
        call: As a person would write it.
        before: At the base.
        after: At the head.
        is_equal: Whether it equals the test's own input that it was grown from.
        is_spelled_out: Whether a test gives what this call leaves to its defaults, and gets from
            both sides what this call gets from the base.
        worn: At which call with the same input the head's answer is another one, and which; None
            where it stays, or where the base's does not.
    """

    target: int
    origin: str
    varied: str
    seed: int
    call: str
    before: CallAnswer
    after: CallAnswer
    is_equal: bool = False
    is_spelled_out: bool = False
    worn: tuple[int, str] | None = None

    @property
    def differs(self) -> bool:
        """Whether the sides answer differently; a type that both refuse, they may in other words."""
        refused = {self.before.kind, self.after.kind} <= _REFUSED
        refused |= self.is_retyped and self.before.is_error and self.after.is_error
        return self.before.text != self.after.text and not refused

    @property
    def turn(self) -> tuple[str, str]:
        """What becomes of what, whatever the types of values."""
        return self.before.sort, self.after.sort

    @property
    def is_retyped(self) -> bool:
        """Whether a value of another type was put in place of a test's."""
        return self.origin in {"sibling", "type"}

    @property
    def is_common(self) -> bool:
        """Whether programs often have a case of their own for it."""
        return self.call.partition("(")[2].removesuffix(")") in COMMON


@dataclass(frozen=True, slots=True)
class Told:
    """What the driver told.

    Attributes:
        inputs: That both sides answered.
        left_out: Why other inputs are not compared, by function and reason, how many.
        way: The steps that the proving tests take through changed lines of the head.
        there: Numbers of the functions that live on both sides.
        called: Of those that a test calls.
        uncopied: By function, an argument of a call that could not be copied.
        tests: How many were run to record their calls.
    """

    inputs: tuple[Input, ...]
    left_out: Mapping[int, Mapping[str, int]]
    way: frozenset[str]
    there: frozenset[int] = frozenset()
    called: frozenset[int] = frozenset()
    uncopied: Mapping[int, str] = field(default_factory=dict)
    tests: int = 0


def told(answer: Mapping[str, Any]) -> Told:
    """Return what the driver told, read from JSON that was written where foreign code runs.

    Raises:
        KeyError, TypeError, ValueError: It is something else.
    """
    inputs: list[Input] = []
    left_out: dict[int, dict[str, int]] = {}
    for entry in answer["inputs"]:
        target = int(entry["target"])
        if "left_out" in entry:
            reasons = left_out.setdefault(target, {})
            reason = str(entry["left_out"])
            reasons[reason] = reasons.get(reason, 0) + 1
            continue
        inputs.append(
            Input(
                target,
                str(entry["origin"]),
                str(entry["varied"]),
                int(entry["seed"]),
                str(entry["call"]),
                _answer(entry["before"]),
                _answer(entry["after"]),
                bool(entry["same"]),
                bool(entry["spelled_out"]),
                _worn(entry.get("worn")),
            )
        )
    return Told(
        tuple(inputs),
        left_out,
        frozenset(map(str, answer["way"])),
        frozenset(map(int, answer["there"])),
        frozenset(map(int, answer["called"])),
        {int(number): str(text) for number, text in answer["uncopied"].items()},
        int(answer["recorded"]),
    )


def _worn(entry: Any) -> tuple[int, str] | None:
    return (int(entry[0]), str(entry[1])) if entry is not None else None


def _answer(entry: Mapping[str, Any]) -> CallAnswer:
    return CallAnswer(str(entry["kind"]), str(entry["text"]), frozenset(map(str, entry["edges"])))
