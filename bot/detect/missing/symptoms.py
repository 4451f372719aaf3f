"""What a failed command said, for those who look for what is missing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Symptoms:
    """A failed command and its output.

    Attributes:
        command: As a person would type it.
        output: What it printed, with the messages of failed tests.
        in_setup: Whether it is a setup command.
    """

    command: str
    output: str
    in_setup: bool = False
