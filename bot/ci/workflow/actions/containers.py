"""Images that a step runs: the program that would start in them."""

from __future__ import annotations

from pathlib import PurePosixPath

from bot.ci.workflow.actions.effect import Effect, Inputs, checked
from bot.ci.workflow.actions.tools import TOOLS, install, split, wrapped
from bot.reporting.reasons import job_steps as effects

_LEAVES_THE_COMMAND = frozenset(
    {"alpine", "bash", "busybox", "debian", "fedora", "golang", "node", "python", "rust", "ubuntu"}
)
"""Official images whose command is whatever they are given."""


def contained(image: str, inputs: Inputs) -> Effect | None:
    """Return what an image's program does here, which gets the work tree and the arguments.

    A step's `entrypoint` and `args` replace the image's own: https://docs.docker.com/reference/dockerfile/#cmd.

    Args:
        image: Its name, with or without registry, tag and digest.
        inputs: The `with` of the step.

    Returns:
        The command that is given, or the tool that the image is named after; None for anything else.
    """
    name = image.partition("@")[0]
    name = name[: name.rfind(":")] if ":" in name.rpartition("/")[2] else name
    start, arguments = inputs.text("entrypoint"), inputs.text("args")
    given = f"{start} {arguments}".strip()
    first = next(iter(split(given)), "")
    program = PurePosixPath(first).name
    if program in TOOLS:
        line = given.replace(first, program, 1)
        return checked(effects.RUNS_WHAT_IT_IS_GIVEN, f"{install(program)}\n{line}")
    if start or (name in _LEAVES_THE_COMMAND and first and not first.startswith("-")):
        return checked(effects.RUNS_WHAT_IT_IS_GIVEN, given)
    return wrapped(name, inputs)
