"""The chain's decisions: whom to ask first, what an answer may cost."""

from __future__ import annotations

from decimal import Decimal

from bot.errors import ProviderOverloaded, ProviderRefused
from bot.llm.chain import highest, line_up, summary
from bot.llm.retries import ProviderRetries
from bot.model.money.accounts import Amount


def test_the_configured_order_decides() -> None:
    """Nothing known: first things first."""
    assert line_up(3) == (0, 1, 2)


def test_whoever_answered_last_goes_on() -> None:
    """Its cache has the conversation."""
    assert line_up(3, answered_last=2) == (2, 0, 1)


def test_the_owner_of_the_exact_model_goes_first() -> None:
    """The repo config asked for it by name."""
    assert line_up(3, offering=[1]) == (1, 0, 2)


def test_a_started_conversation_is_not_moved_for_the_exact_model() -> None:
    """Its owner failed a moment ago, or it would have answered."""
    assert line_up(2, offering=[0], answered_last=1) == (1, 0)


def test_refused_credentials_go_last_but_are_not_forgotten() -> None:
    """When nobody else answers, they get their chance."""
    assert line_up(3, resting=[0], answered_last=0) == (1, 2, 0)
    assert line_up(1, resting=[0]) == (0,)


def test_the_budget_holds_for_the_dearest_member() -> None:
    """An unknown price does not hide a known one."""
    offers = [Amount(Decimal(1), 7), Amount(None, 9), Amount(Decimal(2), 8)]
    assert highest(offers) == Amount(Decimal(2), 9)
    assert highest([Amount(None, 3)]) == Amount(None, 3)


def test_a_call_that_nobody_answered_names_everybody() -> None:
    """One text with each member's reason."""
    text = summary([ProviderOverloaded("a is overloaded."), ProviderRefused("b refuses.")])
    assert text == "No model answered. a is overloaded. b refuses."


def test_waits_double_and_are_capped() -> None:
    """Whatever the provider asks for."""
    patience = ProviderRetries(first_wait=1, longest_wait=30)
    assert [patience.wait(tried, None) for tried in (1, 2, 3, 9)] == [1, 2, 4, 30]
    assert patience.wait(1, 7) == 7
    assert patience.wait(1, 3600) == 30
    assert patience.wait(1, -5) == 0
