"""Turn the tokens of a model call into US dollars, or into None when nobody knows its price."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from bot.llm.tokens import TokenCounts
from bot.model import Usage

_MILLION = Decimal(1_000_000)

_SNAPSHOT = re.compile(r"[-@](\d{8}|\d{4}-\d{2}-\d{2})$")
"""A provider's date behind a model's name: `-20251001` (Anthropic), `-2026-04-01` (OpenAI)."""


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens; `long` replaces it when the prompt has more than `above` tokens."""

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal
    above: int | None = None
    long: Price | None = None

    @property
    def free(self) -> bool:
        """Whether no call costs anything."""
        return not (self.input or self.output or self.cache_read or self.cache_write or self.long)

    def of(self, tokens: TokenCounts) -> Decimal:
        """Return what these tokens cost in USD."""
        if self.long and self.above is not None and tokens.prompt > self.above:
            return self.long.of(tokens)
        return (
            tokens.input * self.input
            + tokens.output * self.output
            + tokens.cache_read * self.cache_read
            + tokens.cache_write * self.cache_write
        ) / _MILLION


FREE = Price(Decimal(0), Decimal(0), Decimal(0), Decimal(0))
"""For models on one's own machine, and only where somebody says so in the configuration."""


@dataclass(frozen=True, slots=True)
class PriceList:
    """Prices by model name. Names are looked up exactly, then without the snapshot's date."""

    models: Mapping[str, Price]
    date: date

    def price(self, model: str) -> Price | None:
        """Return the model's price, or None when it is not known."""
        return self.models.get(model) or self.models.get(_SNAPSHOT.sub("", model))

    def usage(self, model: str, tokens: TokenCounts) -> Usage:
        """Return one call's usage. Its cost is None when the price or the tokens are unknown."""
        return Usage(
            input=tokens.input,
            output=tokens.output,
            cache_read=tokens.cache_read,
            cache_write=tokens.cache_write,
            cost_usd=self._cost(model, tokens),
            calls=1,
        )

    def worst_case(self, model: str, *, prompt_tokens: int, max_tokens: int) -> Decimal | None:
        """Return the most that a call can cost in USD: nothing cached yet, the longest answer."""
        price = self.price(model)
        if price is None:
            return None
        plain = TokenCounts(input=prompt_tokens, output=max_tokens)
        written = TokenCounts(cache_write=prompt_tokens, output=max_tokens)
        return max(price.of(plain), price.of(written))

    def with_overrides(self, overrides: Mapping[str, Price]) -> PriceList:
        """Return the list with some prices replaced or added."""
        return PriceList({**self.models, **overrides}, self.date)

    def _cost(self, model: str, tokens: TokenCounts) -> Decimal | None:
        price = self.price(model)
        if price is None:
            return None
        if price.free:
            return Decimal(0)
        return price.of(tokens) if tokens.known else None


@cache
def known_prices() -> PriceList:
    """Return the prices of `prices.toml`, which names their date and sources."""
    text = files("bot.llm").joinpath("prices.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text, parse_float=Decimal)
    models = {name: _parse(entry) for name, entry in data["models"].items()}
    return PriceList(models, data["date"])


def _parse(entry: Mapping[str, Any]) -> Price:
    plain = Decimal(entry["input"])
    long = entry.get("long")
    return Price(
        input=plain,
        output=Decimal(entry["output"]),
        cache_read=Decimal(entry.get("cache_read", plain)),
        cache_write=Decimal(entry.get("cache_write", plain)),
        above=long["above"] if long else None,
        long=_parse(long) if long else None,
    )
