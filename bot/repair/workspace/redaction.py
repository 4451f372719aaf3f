"""Take secrets out of what commands print, before it is kept, shown or sent to a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.model import Failure, Observation, StartedProgram
from sandbox.base import CommandResult

Scrub = Callable[[str], str]
"""Returns text without secrets; `str` takes nothing out."""


def scrubbed_result(result: CommandResult, scrub: Scrub) -> CommandResult:
    """Return how a command ended, without secrets in its output."""
    return replace(result, output=scrub(result.output))


def scrubbed(observation: Observation, scrub: Scrub) -> Observation:
    """Return what was read from a command, without secrets.

    Names of tests stay as they are: they are compared, with those that pass too.
    """

    def clean(failure: Failure) -> Failure:
        return replace(failure, message=scrub(failure.message), detail=scrub(failure.detail))

    def plain(program: StartedProgram) -> StartedProgram:
        return replace(program, arguments=tuple(map(scrub, program.arguments)))

    return replace(
        observation,
        failing=tuple(map(clean, observation.failing)),
        output=scrub(observation.output),
        programs=tuple(map(plain, observation.programs)),
    )
