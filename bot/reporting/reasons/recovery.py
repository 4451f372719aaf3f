"""What was done about a model that got no further."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from bot.reporting.example import example
from bot.reporting.series import series

_REMEDIES: Mapping[str, str] = MappingProxyType(
    {
        "tighter": "a narrower instruction",
        "other model": "another model",
        "fresh start": "a fresh start",
    }
)


@example("The model declined to continue.", "tighter")
@example("The model repeated the same action 5 times.", "other model", "claude-opus-5-5")
@example("The model repeated the same action 5 times.", "fresh start")
def taken(reason: str, remedy: str, model: str = "") -> str:
    """The attempt goes on after a remedy."""
    if remedy == "tighter":
        return f"{reason} It got a narrower instruction."
    if remedy == "other model":
        return f"{reason} {model} continued."
    return f"{reason} The conversation started afresh with a summary."


@example(["fresh start"])
@example(["tighter", "other model", "fresh start"])
def person_needed(remedies: Sequence[str]) -> str:
    """Nothing helped, and the attempt ends."""
    helped = series([_REMEDIES[one] for one in remedies])
    return f"The attempt was given {helped}, to no avail: a person has to look into it."
