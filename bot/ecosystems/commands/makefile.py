"""Read a Makefile's targets: their prerequisites and recipes, plain variables expanded.

Covers what test and lint targets use (https://www.gnu.org/software/make/manual/): rules,
`=`/`:=`/`?=`/`+=` variables, line continuation, recipe prefixes. Functions, includes and pattern
rules stay as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

NAMES = ("GNUmakefile", "makefile", "Makefile")
"""In the order in which make looks."""

_VARIABLE = re.compile(r"^(?:export +)?(?P<name>[\w.-]+) *(?P<how>[:?+]?:?=) *(?P<value>.*)$")
_RULE = re.compile(r"^(?P<targets>[^\s:=#][^:=#]*)::? *(?P<needs>[^=;#]*)(?:;(?P<recipe>.*))?")
_REFERENCE = re.compile(r"\$(?:\((?P<round>[\w.-]+)\)|\{(?P<curly>[\w.-]+)\})")
_DEFAULTS = {"MAKE": "make", "SHELL": "sh"}
_DEPTH = 8
_LONGEST = 64 * 1024
"""Characters of an expanded line: variables of variables can multiply without end."""


@dataclass(frozen=True, slots=True)
class MakeRule:
    """A rule: what must be made before it, and the shell lines that make it."""

    needs: tuple[str, ...]
    recipe: tuple[str, ...]


def targets(text: str) -> Mapping[str, MakeRule]:
    """Return the explicit targets in the file's order; the first one is the default goal."""
    found: dict[str, MakeRule] = {}
    variables = dict(_DEFAULTS)
    current: list[str] = []
    for line in re.sub(r"\\\n[ \t]*", " ", text).split("\n"):
        if line.startswith("\t"):
            for name in current:
                found[name] = _with_line(found[name], _command(line, variables))
        elif variable := _VARIABLE.match(line):
            _assign(variables, variable)
        elif rule := _RULE.match(line):
            current = [n for n in _expand(rule["targets"], variables).split() if n[0] != "."]
            needs = tuple(n for n in _expand(rule["needs"], variables).split() if n != "|")
            for name in current:
                old = found.get(name, MakeRule((), ()))
                found[name] = MakeRule((*old.needs, *needs), old.recipe)
                if rule["recipe"]:
                    found[name] = _with_line(found[name], _command(rule["recipe"], variables))
        elif line.strip() and not line.startswith(("#", " ")):
            current = []
    return found


def _with_line(target: MakeRule, line: str) -> MakeRule:
    return MakeRule(target.needs, (*target.recipe, line)) if line else target


def _command(line: str, variables: Mapping[str, str]) -> str:
    return _expand(line.strip().lstrip("@-+ "), variables).replace("$$", "$")


def _assign(variables: dict[str, str], match: re.Match[str]) -> None:
    name, how, value = match["name"], match["how"], match["value"].partition(" #")[0].strip()
    if how == "?=":
        variables.setdefault(name, value)
    elif how == "+=":
        variables[name] = f"{variables.get(name, '')} {value}".strip()
    else:
        variables[name] = value


def _expand(text: str, variables: Mapping[str, str]) -> str:
    """Return the text with variables replaced; unset ones are empty, as make has it."""
    for _ in range(_DEPTH):
        expanded = _expanded(text, variables)
        if expanded in {text, None}:
            break
        text = expanded or ""
    return text


def _expanded(text: str, variables: Mapping[str, str]) -> str | None:
    """Return the text with its references replaced once, or None where it would be too long."""
    parts: list[str] = []
    size = position = 0
    for match in _REFERENCE.finditer(text):
        value = variables.get(match["round"] or match["curly"], "")
        parts += [text[position : match.start()], value]
        size += len(value)
        if size > _LONGEST:
            return None
        position = match.end()
    return "".join([*parts, text[position:]])
