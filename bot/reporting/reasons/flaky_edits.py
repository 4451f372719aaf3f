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


@example("datetime.date", "2026-03-01 12:00")
def stops_clock(name: str, moment: str) -> str:
    return f"sees {name} as of {moment}"


@example("test_tags")
def compares_sets(name: str) -> str:
    return f"`{name}` compares sets, which have no order, as sets."


@example("test_answer", 30)
def waits_longer(name: str, seconds: int) -> str:
    return f"`{name}` waits up to {seconds} seconds for what it waits for."


@example("test_mail", 30)
def waits_for_it(name: str, seconds: int) -> str:
    return f"`{name}` waits until what it asserts holds, for {seconds} seconds at most."


@example("test_server")
def takes_free_port(name: str) -> str:
    return f"`{name}` takes a port that is free."


@example("glob.glob")
def sorts_folder(name: str) -> str:
    return f"`{name}` is sorted: the order in which folders are listed has no meaning."


@example("inside")
def returns_always(name: str) -> str:
    return f"`{name}` goes back to the working directory when something is raised, too."
