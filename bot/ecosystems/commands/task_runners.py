"""Find the shell text behind a Makefile's goal, a justfile's recipe or a script."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from bot.ecosystems.commands import makefile

Read = Callable[[str], str | None]
"""Returns a file of the work tree by its path, or None."""


@dataclass(frozen=True, slots=True)
class Script:
    """Shell text and the file that has it."""

    text: str
    origin: str


TaskRunner = Callable[[str, tuple[str, ...], Read], Script | None]
"""From a program, its arguments and what reads files to the text that it runs, None where unknown."""


def behind(tool: str, arguments: tuple[str, ...], read: Read) -> Script | None:
    """Return what a program of no ecosystem would run, or None when it is no task runner."""
    match tool:
        case "make" | "gmake":
            return _make(arguments, read)
        case "just":
            return _just(arguments, read)
        case "sh" | "bash" if arguments and not arguments[0].startswith("-"):
            return _shell_script(arguments[0], arguments[1:], read)
        case _ if tool.startswith("./") or tool.endswith(".sh"):
            return _shell_script(tool.removeprefix("./"), arguments, read)
        case _ if "/" in tool and (read(tool) or "").startswith("#!"):
            return _shell_script(tool, arguments, read)
        case _:
            return None


def _make(arguments: tuple[str, ...], read: Read) -> Script | None:
    if any(argument.startswith(("-C", "-f", "--dir", "--file")) for argument in arguments):
        return None
    path = next((name for name in makefile.NAMES if read(name) is not None), None)
    found = makefile.targets(read(path) or "") if path else {}
    goals = [word for word in arguments if not word.startswith("-") and "=" not in word]
    goals = goals or list(found)[:1]
    lines: list[str] = []
    seen: set[str] = set()

    def visit(goal: str) -> None:
        if goal in seen or goal not in found:
            return
        seen.add(goal)
        for need in found[goal].needs:
            visit(need)
        lines.extend(found[goal].recipe)

    for goal in goals:
        visit(goal)
    return Script("\n".join(lines), path) if path and lines else None


def _just(arguments: tuple[str, ...], read: Read) -> Script | None:
    """Return the recipes of a justfile, which are written like rules of a Makefile."""
    path = next((name for name in ("justfile", "Justfile", ".justfile") if read(name)), None)
    if path is None:
        return None
    text = re.sub(r"^ {2,}", "\t", read(path) or "", flags=re.MULTILINE)
    found = makefile.targets(text)
    goals = [word for word in arguments if not word.startswith("-")] or list(found)[:1]
    wanted = [name for goal in goals if goal in found for name in (*found[goal].needs, goal)]
    lines = [line for name in wanted if name in found for line in found[name].recipe]
    return Script("\n".join(lines), path) if lines else None


def _shell_script(path: str, arguments: tuple[str, ...], read: Read) -> Script | None:
    text = read(path)
    if text is None or (text.startswith("#!") and "sh" not in text.split("\n")[0]):
        return None
    return Script(re.sub(r'"?\$[@*]"?', lambda _: shlex.join(arguments), text), path)
