"""`fixpoint memory`: list, show and forget what is remembered of repositories."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.options import JsonOption
from bot.commands.refusals import usage_errors

if TYPE_CHECKING:
    from pydantic import BaseModel

    from bot.model.memory import Lesson, TriedRepair
    from bot.model.quarantine import Quarantine
    from bot.model.seen_tests import RememberedTest
    from bot.reporting.json_memory import RememberedTestPart
    from bot.storage.lessons import LessonStore
    from bot.storage.memory import MemoryStore
    from bot.storage.quarantines import QuarantineStore
    from bot.storage.seen_tests import SeenTestStore

memory_app = typer.Typer(
    help="List, show and forget what is remembered of earlier runs.", no_args_is_help=True
)

Repository = Annotated[str, typer.Argument(help="owner/name.")]

_MESSAGE = 60
_COMMITS = 30
_PULLS = 5


@memory_app.command("list")
def list_memory(
    repository: Annotated[
        str | None, typer.Argument(help="owner/name; all repositories if omitted.")
    ] = None,
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """List lessons and attempts of a repository, newest first; or the repositories."""
    from bot.commands import event_loop

    with usage_errors():
        if repository is None:
            _print_repositories(event_loop.run(_repositories()), as_json=as_json)
            return
        entries, lessons, tests, quarantined = event_loop.run(_of(repository))
    from bot.reporting.json_memory import memory_part

    told = memory_part(lessons, entries, tests, quarantined)
    if as_json:
        typer.echo(_dumped(told))
    elif entries or lessons or tests:
        _print(entries, lessons)
        print_tests(told.tests)
    else:
        typer.echo(f"Nothing is remembered of {repository}.")


@memory_app.command("show")
def show(
    repository: Repository,
    entry: Annotated[str, typer.Argument(metavar="ID", help="ID of an attempt, as listed.")],
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Show an attempt with its patch."""
    from bot.commands import event_loop
    from bot.commands.refusals import refuse

    with usage_errors():
        found = event_loop.run(_get(repository, entry))
    if found is None:
        refuse(
            f"No attempt of {repository} has the ID {entry!r}. `fixpoint memory list` shows all."
        )
    from bot.reporting.json_memory import tried_with_patch
    from bot.reporting.plain import printable
    from bot.reporting.reasons.memory import occasion

    told = tried_with_patch(found)
    if as_json:
        typer.echo(_dumped(told))
        return
    for name, value in told.model_dump(mode="json").items():
        if name not in {"patch", "remarks"} and value not in (None, "", []):
            shown = ", ".join(value) if isinstance(value, list) else value
            typer.echo(f"{name}: {shown}")
    for remark in found.remarks:
        typer.echo(printable(f"{occasion(remark.kind)}, by {remark.by}: {remark.text}"))
    typer.echo(f"\n{found.patch.text}" if found.patch else "\nIts patch is not kept.")


@memory_app.command("forget")
def forget(
    repository: Repository,
    named: Annotated[
        str | None, typer.Argument(metavar="ID", help="ID of a lesson, an attempt or a run.")
    ] = None,
    everything: Annotated[  # noqa: FBT002 - a flag on a command line
        bool, typer.Option("--all", help="Forget all of the repository.")
    ] = False,
) -> None:
    """Forget a lesson, an attempt, those of a run, or all of a repository."""
    from bot.commands import event_loop
    from bot.commands.refusals import refuse
    from bot.reporting.figures import count

    if (named is None) is not everything:
        refuse("Name an ID, or pass --all to forget everything that is remembered.")
    with usage_errors():
        lessons, entries, tests = event_loop.run(_forget(repository, named))
    if not lessons and not entries and not tests:
        refuse(f"Nothing of {repository} has the ID {named!r}." if named else "Nothing to forget.")
    also = f", {count(tests, 'test')}" if tests else ""
    typer.echo(f"Forgotten: {count(lessons, 'lesson')}, {count(entries, 'attempt')}{also}.")


@dataclass(frozen=True, slots=True)
class _Stores:
    entries: MemoryStore
    lessons: LessonStore
    tests: SeenTestStore
    quarantines: QuarantineStore


@asynccontextmanager
async def _stores() -> AsyncIterator[_Stores]:
    from bot.settings.environment import load_store_settings
    from bot.storage.database import open_database
    from bot.storage.lessons import LessonStore
    from bot.storage.memory import MemoryStore
    from bot.storage.quarantines import QuarantineStore
    from bot.storage.seen_tests import SeenTestStore

    settings = load_store_settings(os.environ)
    async with await open_database(settings.database_url) as database:
        yield _Stores(
            MemoryStore(database),
            LessonStore(database),
            SeenTestStore(database),
            QuarantineStore(database),
        )


async def _repositories() -> tuple[tuple[str, int], ...]:
    async with _stores() as stores:
        return await stores.entries.repositories()


async def _of(
    repository: str,
) -> tuple[
    tuple[TriedRepair, ...],
    tuple[Lesson, ...],
    tuple[RememberedTest, ...],
    tuple[Quarantine, ...],
]:
    from bot.model.seen_tests import remembered

    async with _stores() as stores:
        tests = remembered(await stores.tests.of(repository))
        entries, lessons = (
            await stores.entries.list(repository),
            await stores.lessons.list(repository),
        )
        return entries, lessons, tests, await stores.quarantines.of(repository)


def list_tests(repository: str, *, as_json: bool) -> None:
    """Print the tests of a repository that a server saw failing: `fixpoint flaky --list`."""
    from bot.commands import event_loop
    from bot.reporting.json_memory import test_part

    _, _, tests, quarantined = event_loop.run(_of(repository))
    told = [test_part(test, quarantined) for test in tests]
    if as_json:
        dumped = [part.model_dump(mode="json") for part in told]
        typer.echo(json.dumps({"tests": dumped}, indent=2))
    elif told:
        print_tests(told)
    else:
        typer.echo(f"No failing tests of {repository} were seen.")


async def _get(repository: str, entry: str) -> TriedRepair | None:
    async with _stores() as stores:
        return await stores.entries.get(repository, entry)


async def _forget(repository: str, named: str | None) -> tuple[int, int, int]:
    async with _stores() as stores:
        lessons = await stores.lessons.forget(repository, named)
        tests = await stores.tests.forget(repository) if named is None else 0
        return lessons, await stores.entries.forget(repository, named), tests


def _print_repositories(found: Sequence[tuple[str, int]], *, as_json: bool) -> None:
    from bot.reporting.figures import count

    if as_json:
        told = [{"repository": name, "attempts": attempts} for name, attempts in found]
        typer.echo(json.dumps({"repositories": told}, indent=2))
        return
    for name, attempts in found:
        typer.echo(f"{name}: {count(attempts, 'attempt')}")
    if not found:
        typer.echo("Nothing is remembered yet.")


def _dumped(told: BaseModel) -> str:
    return json.dumps(told.model_dump(mode="json"), indent=2)


def print_tests(tests: Sequence[RememberedTestPart]) -> None:
    """Print tests, each with the newest commits on which it was seen."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from bot.reporting.plain import print_table

    if not tests:
        return
    columns = ("Test", "Failed on", "Commits", "Pull requests", "Owner", "Quarantine", "Last")
    shown = Table(*columns, box=box.SIMPLE)
    for test in tests:
        commits = "".join("x" if failed else "." for failed in test.commits[-_COMMITS:])
        pulls = " ".join(f"#{number}" for number in test.pull_requests[-_PULLS:])
        rate, day = f"{test.failed} of {len(test.commits)}", f"{test.last_failed:%Y-%m-%d}"
        until = f"until {test.quarantine.until:%Y-%m-%d}" if test.quarantine else ""
        shown.add_row(*map(Text, (test.test, rate, commits, pulls, test.owner, until, day)))
    print_table(shown, Console())


def _print(entries: Sequence[TriedRepair], lessons: Sequence[Lesson]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from bot.reporting.plain import print_table
    from bot.reporting.reasons.memory import became

    console = Console()
    if lessons:
        shown = Table("ID", "State", "Lesson", "Said by", "Source", box=box.SIMPLE)
        for lesson in lessons:
            cells = (lesson.id, lesson.state.value, lesson.text, lesson.author, lesson.url)
            shown.add_row(*map(Text, cells))
        print_table(shown, console)
    if entries:
        shown = Table("ID", "Date", "Failure", "Proposer", "Outcome", box=box.SIMPLE)
        for entry in entries:
            message = entry.signature.message[: _MESSAGE if console.is_terminal else None]
            day = f"{entry.made_at:%Y-%m-%d}"
            shown.add_row(*map(Text, (entry.id, day, message, entry.proposer, became(entry))))
        print_table(shown, console)
