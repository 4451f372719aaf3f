"""What is wrong with a `/fix` command."""

from __future__ import annotations

from bot.reporting.example import example


@example()
def on_or_off() -> str:
    """It lacks its word."""
    return "`/fix auto` needs `on` or `off`."


@example("status")
def no_options(command: str) -> str:
    """It has options that it can't take."""
    return f"`/fix {command}` takes no options."


@example()
def forget_what() -> str:
    """It lacks what to forget."""
    return (
        "`/fix forget` needs IDs of lessons, runs or their attempts, or `all`. `/fix memory` lists "
        "them."
    )


@example(10_240, 8_000)
def too_long(characters: int, most: int) -> str:
    """More than a run can be told."""
    return (
        f"The text behind the command has {characters:,} characters, and at most {most:,} are read. "
        "Put a log or the like into another comment, which is read as well, and comment the command "
        "again."
    )


@example()
def takes_too_long() -> str:
    """As thousands of brackets in a row do."""
    return "The comment takes too long to read as Markdown. Put the command in a shorter one."


@example()
def only_on_pull_requests() -> str:
    """Issues have no checks."""
    return "`/fix auto` works only on pull requests."
