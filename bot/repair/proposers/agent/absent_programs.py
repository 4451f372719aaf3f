"""Tell where a program is that a shell did not find: projects keep theirs in folders of their own."""

from __future__ import annotations

import re
import shlex

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
