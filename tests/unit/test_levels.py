"""Calls of one run, followed at several levels at once."""

from __future__ import annotations

from types import CodeType

from bot.repair.harness.driver.boundary_calls import OwnCalls
from bot.repair.harness.driver.call_depth import CallsByLevel


def inner(number: int) -> int:
    """Return one more."""
    return number + 1


def outer(number: int) -> int:
    """Return two more."""
    return inner(inner(number))


LEVELS = [{"inner"}, {"outer", "inner"}, {"outer"}]


def own(names: set[str]) -> OwnCalls:
    """Return what follows the functions of these names."""

    def is_inside(code: CodeType) -> bool:
        return code.co_name in names

    return OwnCalls(is_inside)


def shown(calls: OwnCalls | CallsByLevel) -> OwnCalls | CallsByLevel:
    """Return it behind a run."""
    calls.start()
    try:
        assert outer(1) + outer(5) == 10
    finally:
        calls.stop()
    return calls


def test_each_level_shows_what_it_shows_alone() -> None:
    """A call inside of one that another level follows is a call of its own."""
    alone = [shown(own(names)).outputs for names in LEVELS]
    assert [len(item) for item in alone] == [4, 2, 2]
    assert shown(CallsByLevel([own(names) for names in LEVELS])).outputs == alone
