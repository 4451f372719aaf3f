"""Gradle's wrapper is a script of the project that runs the Gradle which the project chose."""

from __future__ import annotations

from collections.abc import Sequence

from bot.ecosystems.commands.invocations import Programs

_WRAPPERS = frozenset({"gradlew", "./gradlew"})


def _in_front(words: Sequence[str]) -> int:
    """Return how many words start the wrapper: one for `sh gradlew`."""
    return int(len(words) > 1 and words[0] in {"sh", "bash"} and words[1] in _WRAPPERS)


def _name_of(program: str) -> str:
    return "gradle" if program in _WRAPPERS else program


PROGRAMS = Programs(in_front=_in_front, name_of=_name_of)
