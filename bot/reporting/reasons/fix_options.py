"""What is wrong with an option behind `/fix`."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example


@example("verbose", ["attempts", "draft"])
def unknown(option: str, known: Sequence[str]) -> str:
    """No option is called like it."""
    names = ", ".join(f"`--{each}`" for each in known)
    return f"Unknown option `--{option}`; the options are {names}. {_quoted()}"


@example("atempts", "attempts")
def misspelt(option: str, nearest: str) -> str:
    """An option is spelt almost like it."""
    return f"Unknown option `--{option}`; did you mean `--{nearest}`? {_quoted()}"


def _quoted() -> str:
    return "(If it is part of the text, write it as `code`.)"


@example("test")
def set_twice(option: str) -> str:
    """One comment sets it more than once."""
    return f"`--{option}` is set twice."


@example("draft")
def takes_no_value(option: str) -> str:
    """A flag has `=` and a value."""
    return f"`--{option}` takes no value."


@example("attempts", most=10)
def whole_number(option: str, *, most: int) -> str:
    """The value is no number, or out of bounds."""
    return f"`--{option}` takes a whole number from 1 to {most}."


@example("budget-usd", most=100)
def dollars(option: str, *, most: int) -> str:
    """The value is no amount, or out of bounds."""
    return f"`--{option}` takes an amount in dollars, up to {most}."


@example("model")
def model_name(option: str) -> str:
    """The value is empty or too long."""
    return f"`--{option}` takes a model name."


@example("test")
def command(option: str) -> str:
    """The value is empty or too long."""
    return f'`--{option}` takes a command in quotes, such as "pytest tests/test_x.py".'


@example("effort")
def effort(option: str) -> str:
    """The value is another word."""
    return f"`--{option}` takes low, medium or high."


@example("timeout")
def duration(option: str) -> str:
    """The value is no duration, or out of bounds."""
    return f"`--{option}` takes a duration of up to 6 hours, such as 900, 15m or 1h."
