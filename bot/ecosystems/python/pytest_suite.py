"""Find the whole suite behind a pytest command that runs a part of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.ecosystems.commands.shell import SimpleCommand, simple_commands
from bot.ecosystems.tree import Tree

_SHELL = frozenset(";&|<>$`(){}*\n")
"""With one of these a command is more than a program and its arguments."""

_PYTEST = frozenset({"pytest", "py.test"})
_LAUNCHER = re.compile(r"python[\d.]*|-m|run|uv|poetry|pdm|hatch|pipenv|coverage")

# https://docs.pytest.org/en/stable/reference/reference.html#command-line-flags
_ENDS_EARLY = frozenset(
    {"-x", "--exitfirst", "--lf", "--last-failed", "--sw", "--stepwise", "--nf", "--new-first"}
)
_CHOOSES = frozenset({"-k", "-m", "--deselect", "--maxfail"})
"""Options whose value chooses tests, or ends the run before all of them ran."""

_TAKES_VALUE = frozenset(
    {"-c", "-n", "-o", "-p", "-W", "--basetemp", "--capture", "--color", "--confcutdir", "--dist"}
    | {"--durations", "--ignore", "--ignore-glob", "--import-mode", "--junitxml", "--log-level"}
    | {"--numprocesses", "--override-ini", "--rootdir", "--tb", "--timeout", "--verbosity"}
)
OPTIONS_WITH_VALUE = _CHOOSES | _TAKES_VALUE
"""Those whose value may be the next word."""

_FLAG = re.compile(r"-[qvsl]+|-r\w+|-[cnopW].+|--[\w-]+=.*", re.DOTALL)


class _Unclear(Exception):
    """It is not certain which words choose tests."""


def whole_suite(command: str, tree: Tree) -> str | None:
    """Return the command without its choice of tests, or None when that is not certain.

    `python -m pytest -o addopts= tests/test_a.py` becomes `python -m pytest -o addopts=`. How
    somebody calls pytest says what works in their environment: the options of the project's own
    configuration may need plugins that are not there.
    """
    simple = simple_commands(command)
    if len(simple) != 1 or _SHELL & set(command):
        return None
    words = simple[0].words
    start = next((n for n, word in enumerate(words, 1) if _program(word) in _PYTEST), None)
    if start is None or not all(_LAUNCHER.fullmatch(_program(w)) for w in words[: start - 1]):
        return None
    try:
        kept = tuple(_kept(words[start:], tree))
    except _Unclear:
        return None
    if kept == words[start:]:
        return command
    return str(SimpleCommand((*words[:start], *kept), simple[0].assignments))


def _kept(words: tuple[str, ...], tree: Tree) -> Iterator[str]:
    """Yield the arguments that choose no tests.

    Raises:
        _Unclear: When one could be a choice or the value of an option.
    """
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, has_value, _ = word.partition("=")
        if word in _ENDS_EARLY:
            continue
        if name in _CHOOSES:
            if not has_value:
                del rest[:1]
        elif word in _TAKES_VALUE:
            yield word
            yield from rest[:1]
            del rest[:1]
        elif _FLAG.fullmatch(word) or (word.startswith("--") and _is_alone(rest)):
            yield word
        elif word.startswith("-") or not tree.exists(word.partition("::")[0]):
            raise _Unclear


def _is_alone(rest: list[str]) -> bool:
    """Whether no word follows that could be the value of a long option."""
    return not rest or rest[0].startswith("-")


def _program(word: str) -> str:
    return word.rpartition("/")[2]
