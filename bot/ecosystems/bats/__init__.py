"""Shell, tested by Bats: https://bats-core.readthedocs.io."""

from __future__ import annotations

from bot.ecosystems.base import Ecosystem, Runner
from bot.ecosystems.bats.detect import find
from bot.ecosystems.bats.select import bats

BATS = Ecosystem(
    name="bats",
    sought="tests for Bats in test/ or tests/",
    detect=find,
    is_fallback=True,  # where a Makefile runs them, it knows how
    toolchains={"bats": "Bats"},
    runners=(Runner("bats", select=bats),),
)
