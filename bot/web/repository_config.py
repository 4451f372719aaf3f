"""Read the config of a repository as it is on its default branch."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from cachetools import TTLCache
from pydantic import BaseModel

from bot.config.repo_config import PATH, RepoConfig, parse
from bot.errors import GitHubError, RepoConfigError
from bot.github.github import GitHub
from bot.limited_process import Allowance, TooMuch, run_limited
from bot.model.repository import Repo

_MOST_LINES = 400


@dataclass(frozen=True, slots=True)
class ConfigLine:
    """A line of the file, from 1, and what is wrong on it."""

    number: int
    text: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """A value in force: its key, and whether the file has it or it is the default."""

    key: str
    value: str
    is_default: bool
    meaning: str


@dataclass(frozen=True, slots=True)
class ConfigShown:
    """What a page shows of a config.

    Attributes:
        path: Of the file.
        problem: Why it could not be read at GitHub, or "".
        found: Whether there is such a file.
        lines: Of it.
        problems: All, as `fixpoint doctor` says them.
        values: In force; empty when there are problems.
        is_cut_off: Whether the file has more lines.
    """

    path: str = PATH
    problem: str = ""
    found: bool = False
    lines: tuple[ConfigLine, ...] = ()
    problems: tuple[str, ...] = ()
    values: tuple[ConfigValue, ...] = ()
    is_cut_off: bool = False

    @property
    def unplaced(self) -> tuple[str, ...]:
        """The problems that no shown line has."""
        shown = sum(len(line.problems) for line in self.lines)
        return self.problems if shown < len(self.problems) else ()


def shown(content: bytes | None) -> ConfigShown:
    """Return what a page shows of a file's content; None when there is no file."""
    if content is None:
        return ConfigShown(values=tuple(_values(RepoConfig())))
    text = content.decode("utf-8", "replace").splitlines()
    problems: tuple[str, ...] = ()
    values: tuple[ConfigValue, ...] = ()
    try:
        values = tuple(_values(parse(content)))
    except RepoConfigError as error:
        problems = error.problems
    placed: dict[int, list[str]] = {}
    for problem in problems:
        found = re.match(rf"{re.escape(PATH)}:(\d+): (.*)", problem, re.DOTALL)
        if found is not None:
            placed.setdefault(int(found[1]), []).append(found[2])
    lines = tuple(
        ConfigLine(number, line, tuple(placed.get(number, ())))
        for number, line in enumerate(text[:_MOST_LINES], start=1)
    )
    return ConfigShown(
        found=True,
        lines=lines,
        problems=problems,
        values=values,
        is_cut_off=len(text) > _MOST_LINES,
    )


def _values(section: BaseModel, path: str = "") -> Iterator[ConfigValue]:
    for name, info in type(section).model_fields.items():
        value, key = getattr(section, name), f"{path}{info.alias or name}"
        if isinstance(value, BaseModel):
            yield from _values(value, f"{key}.")
        else:
            unset = name not in section.model_fields_set
            yield ConfigValue(key, _text(value), unset, info.description or "")


def _text(value: Any) -> str:
    match value:
        case None:
            return "not set"
        case bool():
            return "true" if value else "false"
        case Enum():
            return str(value.value)
        case tuple() | list():
            return ", ".join(map(_text, value)) or "none"
        case dict():
            return ", ".join(f"{name}: {_text(key)}" for name, key in value.items()) or "none"
        case _:
            return str(value)


KNOWN_SECONDS = 60.0
_READING = Allowance(seconds=2)

_PATIENCE = 5.0
"""Seconds that GitHub gets for its answers."""


class RepositoryConfigs:
    """Reads configs, and remembers them for a minute."""

    def __init__(self, github: GitHub) -> None:
        self._github = github
        self._known: TTLCache[Repo, ConfigShown] = TTLCache(1_000, KNOWN_SECONDS)
        self._reading: dict[Repo, asyncio.Task[ConfigShown]] = {}

    async def of(self, repo: Repo) -> ConfigShown:
        """Return the config of a repository, or why it can't be had."""
        found = self._known.get(repo)
        return await asyncio.shield(self._asked(repo)) if found is None else found

    def at_once(self, repo: Repo) -> ConfigShown | None:
        """Return the same if it is known, or None; then it is being read for who asks again."""
        found = self._known.get(repo)
        if found is None:
            self._asked(repo)
        return found

    def _asked(self, repo: Repo) -> asyncio.Task[ConfigShown]:
        """Return what reads a config, one for all who ask meanwhile."""
        task = self._reading.get(repo)
        if task is None:
            task = self._reading[repo] = asyncio.create_task(self._read(repo))
            task.add_done_callback(lambda _: self._reading.pop(repo))
        return task

    async def _read(self, repo: Repo) -> ConfigShown:
        found = self._known[repo] = await self._fetched(repo)
        return found

    async def _fetched(self, repo: Repo) -> ConfigShown:
        try:
            async with asyncio.timeout(_PATIENCE):
                facts = await self._github.facts(repo)
                content = await self._github.read_file(repo, PATH, facts.default_branch)
            return await run_limited(shown, content, allowance=_READING)
        except TimeoutError:
            return ConfigShown(problem=f"GitHub didn't answer within {_PATIENCE:.0f} seconds.")
        except (GitHubError, TooMuch) as error:
            return ConfigShown(problem=str(error))
