"""A Makefile with a target for tests, where no language shows any."""

from __future__ import annotations

from bot.ecosystems.base import Ecosystem
from bot.ecosystems.make.detect import find

MAKE = Ecosystem(name="make", sought="Makefile with a test target", detect=find, is_fallback=True)
