"""What a command showed, for those who look for what is missing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Symptoms:
    """A command that failed, or passed and left tests out, and its output.

    Attributes:
        command: As a person would type it.
        output: What it printed, with the messages of failed tests.
        in_setup: Whether it is a setup command.
        left_out: Whether it passed and skipped tests: they may want what is not installed.
        setup: The commands that ran before.
        counted: What it printed where it passed and no runner that is known counted its tests.
    """

    command: str
    output: str
    in_setup: bool = False
    left_out: bool = False
    setup: tuple[str, ...] = ()
    counted: str = ""
