"""What is wrong with a `/fix` command or with its options."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example

ON_OR_OFF = "`/fix auto` needs `on` or `off`."


@example("status")
def no_options(command: str) -> str:
    return f"`/fix {command}` takes no options."


FORGET_WHAT = (
    "`/fix forget` needs IDs of lessons, runs or their attempts, or `all`. `/fix memory` lists "
    "them."
)


@example(10_240, 8_000)
def too_long(characters: int, most: int) -> str:
    return (
        f"The text behind the command has {characters:,} characters, and at most {most:,} are read. "
        "Put a log or the like into another comment, which is read as well, and comment the command "
        "again."
    )


TAKES_TOO_LONG = "The comment takes too long to read as Markdown. Put the command in a shorter one."
ONLY_ON_PULL_REQUESTS = "`/fix auto` works only on pull requests."


@example("verbose", ["attempts", "draft"])
def unknown(option: str, known: Sequence[str]) -> str:
    """No option is called like it."""
    names = ", ".join(f"`--{each}`" for each in known)
    return f"Unknown option `--{option}`; the options are {names}. {_quoted()}"


@example("atempts", "attempts")
def misspelt(option: str, nearest: str) -> str:
    return f"Unknown option `--{option}`; did you mean `--{nearest}`? {_quoted()}"


def _quoted() -> str:
    return "(If it is part of the text, write it as `code`.)"


@example("test")
def set_twice(option: str) -> str:
    return f"`--{option}` is set twice."


@example("draft")
def takes_no_value(option: str) -> str:
    return f"`--{option}` takes no value."


@example("attempts", most=10)
def whole_number(option: str, *, most: int) -> str:
    return f"`--{option}` takes a whole number from 1 to {most}."


@example("budget-usd", most=100)
def dollars(option: str, *, most: int) -> str:
    return f"`--{option}` takes an amount in dollars, up to {most}."


@example("model")
def model_name(option: str) -> str:
    return f"`--{option}` takes a model name."


@example("test")
def command(option: str) -> str:
    return f'`--{option}` takes a command in quotes, such as "pytest tests/test_x.py".'


@example("effort")
def effort(option: str) -> str:
    return f"`--{option}` takes low, medium or high."


@example("timeout")
def duration(option: str) -> str:
    return f"`--{option}` takes a duration of up to 6 hours, such as 900, 15m or 1h."
