"""Prices: what a call costs, and when nobody can say."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.prices import FREE, Price, known_prices
from bot.llm.tokens import TokenCounts, estimate


def test_the_list_is_dated_and_knows_the_default_models() -> None:
    """Whoever reads a cost can find out how old the price is."""
    prices = known_prices()
    assert prices.date >= date(2026, 11, 1)
    for model in ("claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5", "claude-fable-5-2"):
        assert prices.price(model) is not None


def test_each_kind_of_token_has_its_price() -> None:
    """Cache reads are cheap, cache writes dearer than plain input."""
    tokens = TokenCounts(input=1_000, output=2_000, cache_read=300_000, cache_write=40_000)
    usage = known_prices().usage("claude-opus-5-5", tokens)
    assert usage.cost_usd == Decimal("0.004") + Decimal("0.04") + Decimal("0.06") + Decimal("0.2")
    assert (usage.input, usage.output, usage.cache_read, usage.cache_write, usage.calls) == (
        1_000,
        2_000,
        300_000,
        40_000,
        1,
    )


def test_a_long_prompt_raises_every_price_of_the_call() -> None:
    """Cached tokens count for the length, as the providers count them."""
    prices = known_prices()
    at_limit = TokenCounts(input=50_000, output=1_000_000, cache_read=50_000)
    above = TokenCounts(input=50_001, output=1_000_000, cache_read=50_000)
    assert prices.usage("claude-haiku-5-5", at_limit).cost_usd == Decimal("0.5055")
    assert prices.usage("claude-haiku-5-5", above).cost_usd == Decimal("2.5275005")


def test_an_unknown_model_has_an_unknown_cost() -> None:
    """Never zero: a budget must not believe that it is free."""
    assert known_prices().usage("llama-9-enormous", TokenCounts(input=10)).cost_usd is None
    assert known_prices().worst_case("llama-9-enormous", prompt_tokens=1, max_tokens=1) is None


def test_unknown_tokens_have_an_unknown_cost() -> None:
    """A server that reports no usage leaves the cost open."""
    assert known_prices().usage("gpt-5", TokenCounts(known=False)).cost_usd is None


def test_a_model_is_free_only_when_somebody_says_so() -> None:
    """Then it is free even when its server counts no tokens."""
    prices = known_prices().with_overrides({"qwen3-coder": FREE})
    assert prices.usage("qwen3-coder", TokenCounts(known=False)).cost_usd == Decimal(0)
    assert known_prices().usage("qwen3-coder", TokenCounts()).cost_usd is None


@pytest.mark.parametrize(
    "name", ["claude-haiku-4-5-20251001", "gpt-5-2025-08-07", "gpt-4o@20241120"]
)
def test_a_snapshot_costs_what_its_model_costs(name: str) -> None:
    """The date behind a name changes no price."""
    assert known_prices().price(name) is not None


@pytest.mark.parametrize("name", ["gpt-5-pro", "claude-opus-5-5-preview", "gpt-55", "o3-pro"])
def test_a_similar_name_is_another_model(name: str) -> None:
    """A prefix proves nothing: `-pro` may cost ten times as much."""
    assert known_prices().price(name) is None


def test_a_missing_cache_price_is_the_plain_one() -> None:
    """OpenAI's older models charge nothing extra for writing to the cache."""
    price = known_prices().price("gpt-4.1")
    assert price is not None
    assert price.cache_write == price.input


@given(
    prompt=st.integers(0, 500_000),
    read=st.integers(0, 500_000),
    written=st.integers(0, 500_000),
    output=st.integers(0, 64_000),
)
def test_no_call_costs_more_than_its_worst_case(
    prompt: int, read: int, written: int, output: int
) -> None:
    """However the cache splits the prompt, and whatever the length does to the price."""
    tokens = TokenCounts(input=prompt, output=output, cache_read=read, cache_write=written)
    for model, price in known_prices().models.items():
        worst = known_prices().worst_case(model, prompt_tokens=tokens.prompt, max_tokens=64_000)
        assert worst is not None
        assert price.of(tokens) <= worst


def test_prices_rise_with_length_only() -> None:
    """Every entry of the data file is sane: positive, cache reads at most plain input."""
    for price in known_prices().models.values():
        assert Decimal(0) < price.cache_read <= price.input < price.output
        assert price.cache_write >= price.input
        if price.long:
            assert price.above
            assert price.long.input >= price.input


def test_estimates_round_up() -> None:
    """Rather a token too many."""
    assert [estimate(size) for size in (0, 1, 3, 4)] == [0, 1, 1, 2]


def test_a_price_with_any_positive_part_is_not_free() -> None:
    """Free means all of it."""
    zero = Decimal(0)
    assert FREE.free
    assert not Price(zero, Decimal("0.01"), zero, zero).free
