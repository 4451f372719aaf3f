"""What an edit does that keeps a flaky test from depending on something, in words."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.series import series


@example(["test_mode"], ["puts the environment variable MODE back"])
@example(["test_mode", "test_modes"], ["puts shop.CARTS back", "sets app.debug first"])
def functions_do(names: Sequence[str], does: Sequence[str]) -> str:
    """Return what functions of a test file do with an edit.

    Args:
        names: Of the functions.
        does: Phrases of this module.
    """
    who = series([f"`{name}`" for name in names], most=3)
    return f"{who} {'each ' if names[1:] else ''}{series(list(does))}."


@example("the working directory")
def puts_back(what: str) -> str:
    return f"puts {what} back"


@example("the environment variable MODE")
@example("the environment variable MODE", removed=True)
def sets_first(what: str, *, removed: bool = False) -> str:
    return f"{'removes' if removed else 'sets'} {what} first"


@example("shop.CARTS")
def takes_away(what: str) -> str:
    return f"takes {what} away in the end"


@example("shop.CARTS")
def own_copy(what: str) -> str:
    return f"works with a copy of {what}"


@example("sys.stdout")
def own_stream(what: str) -> str:
    return f"works with {what} of its own"


@example("UTC")
def in_zone(zone: str) -> str:
    return f"runs in the time zone {zone}"


@example(3)
def sets_seed(seed: int) -> str:
    return f"sets the seed of the random numbers to {seed}"


@example("Client.get", "headers")
def makes_new_default(function: str, parameter: str) -> str:
    return f"`{function}` makes a new default for `{parameter}` in each call."


@example("setUpClass")
def set_up_for_each(name: str) -> str:
    return f"`{name}` now runs for each test."


@example("clean")
def cleans_up_first(name: str) -> str:
    return f"`{name}` cleans up before a test as well as after it."


@example("test_default_file")
def deletes_anyway(name: str) -> str:
    return f"`{name}` deletes items whether they are there or not."
