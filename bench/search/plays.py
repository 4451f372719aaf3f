"""What plays are made of: a play uses a program on inputs that chance makes up."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

Play = Callable[[Any, Random], Any]
"""Takes a program as a module and a source of chance; returns what it saw."""


def some_text(chance: Random, letters: str = "abC d,1", length: int = 12) -> str:
    """Return up to so many of these letters."""
    return "".join(chance.choice(letters) for _ in range(chance.randint(0, length)))


def some_numbers(chance: Random, least: int = -9, most: int = 9, length: int = 8) -> list[int]:
    """Return up to so many numbers."""
    return [chance.randint(least, most) for _ in range(chance.randint(0, length))]
