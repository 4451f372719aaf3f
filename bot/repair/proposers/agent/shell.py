"""Run the agent's commands, and say how they ended."""

from __future__ import annotations

import re
import shlex

from bot.model.steps import Steps
from bot.model.untrusted import clip, reveal_hidden
from bot.repair.proposers.agent.reader import OUTPUT_CHARACTERS
from bot.repair.workspace.base import Workbench
from sandbox.base import CommandResult

_NOT_FOUND = re.compile(r"(?:^|: )(?P<name>\w[\w.+-]{0,40}): (?:command )?not found$", re.MULTILINE)
"""bash: `line 1: tsc: command not found`; dash: `sh: 1: tsc: not found`."""
_TOLD_IN = 4_000
"""Characters at the end of the output, where a shell says so."""
_MOST = 3
SECONDS = 20.0
"""For `search_command`."""

_LOOK = """\
for name in {names}; do
  for at in node_modules/.bin/$name */node_modules/.bin/$name vendor/bin/$name bin/$name; do
    if [ -f "$at" ] && [ -x "$at" ]; then echo "$name=$at"; break; fi
  done
  python3 -c '
import importlib.util as found, sys
name = sys.argv[1]
spec = found.find_spec(name)
inside = spec is not None and spec.submodule_search_locations is not None
if spec is not None and (not inside or found.find_spec(name + ".__main__")):
    print(f"{{name}}=python3 -m {{name}}")
' "$name" 2> /dev/null
done
"""


def absent_programs(result: CommandResult) -> tuple[str, ...]:
    """Return the programs that a command's shell did not find, a few at most."""
    names = [found_match["name"] for found_match in _NOT_FOUND.finditer(result.output[-_TOLD_IN:])]
    return tuple(dict.fromkeys(names))[:_MOST]


def search_command(names: tuple[str, ...]) -> str:
    """Return a command that prints a line for each place where such a program is."""
    return _LOOK.format(names=" ".join(map(shlex.quote, names)))


def places_in_words(output: str) -> str:
    """Return what the command printed as a note for a model; "" where it found nothing."""
    found: dict[str, str] = {}
    for line in output.splitlines():
        name, is_place, place = line.partition("=")
        if is_place:
            found.setdefault(name, place)
    return "".join(f"Note: {name} is here as `{place}`.\n" for name, place in found.items())


class Shell:
    """Each command, and each look for a program that it did not find, is a step."""

    def __init__(self, workbench: Workbench, steps: Steps, seconds: float) -> None:
        """Say where, and how many seconds a command may take."""
        self._workbench = workbench
        self._steps = steps
        self._seconds = seconds

    async def answer(self, command: str, step: str) -> str:
        """Return what a model is told of a command; `step` names it, uniquely in its run."""
        result = await self._steps(f"{step}: bash", self._workbench.run, command, self._seconds)
        return await self._places(result, step) + _described(result)

    async def _places(self, result: CommandResult, step: str) -> str:
        """Return where programs are that the command did not find, as a note, or ""."""
        names = absent_programs(result)
        if not names:
            return ""
        look, name = search_command(names), f"{step}: look for programs"
        found = await self._steps(name, self._workbench.run, look, SECONDS)
        return places_in_words(found.output)


def _described(result: CommandResult) -> str:
    """Return head and tail of what a command printed, then the exit code."""
    output = clip(reveal_hidden(result.output).strip("\n"), OUTPUT_CHARACTERS)
    if result.timed_out:
        ending = f"(stopped after {result.seconds:.0f} s: it took too long)"
    else:
        ending = f"(exit code {result.exit_code})"
    return f"{output or '(no output)'}\n{ending}"
