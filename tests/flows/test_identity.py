"""A repository is known by GitHub's id: whoever has its name next reads nothing of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sqlalchemy import update

from bot.model.memory import Lesson, LessonState
from bot.model.repository import Repo
from bot.storage.lessons import LessonStore
from bot.storage.memory import MemoryStore
from bot.storage.tables import runs
from tests.fakes.github import Repository
from tests.flows.test_api_keys import command, program
from tests.flows.test_dashboard import browser, page
from tests.flows.test_github_login import log_in
from tests.flows.world import FILES, RIGHT, World, attempts, entered, open_scene

SECRET = "the launch is on the ninth of May"
"""Words of the first repository alone."""


def renamed(world: World) -> None:
    """The repository is renamed inside its organisation."""
    world.state.rename(world.repository, "acme/before")


def transferred(world: World) -> None:
    """It is transferred to an account where the App is not installed."""
    world.state.rename(world.repository, "zeta/app")


def transferred_with_the_app(world: World) -> None:
    """It is transferred to an account where the App is installed as well."""
    world.state.install("zeta")
    world.state.rename(world.repository, "zeta/app")


def deleted(world: World) -> None:
    """It is deleted."""
    world.state.delete(world.repository)


def account_deleted(world: World) -> None:
    """Its owner deletes the account with all that it has, and another person takes its login."""
    world.state.installations.clear()
    del world.state.accounts["acme"]
    world.state.install("acme")


@dataclass
class Kept:
    """What is kept of the first repository.

    Attributes:
        run: Id of a run.
        session: Id of the session that it is a part of.
    """

    run: str
    session: str


@asynccontextmanager
async def people(root: Path) -> AsyncIterator[World]:
    """Open a world in which people can log in; `nia` sees nothing yet."""
    async with open_scene(root, attempts(RIGHT)) as scene:
        app = scene.state.app
        scene.repository.private = True
        scene.state.account("nia")
        login = {
            "HOST": "0.0.0.0",
            "GITHUB_CLIENT_ID": app.client_id,
            "GITHUB_CLIENT_SECRET": app.client_secret,
            "FIXPOINT_ADMINS": "root",
        }
        async with entered(scene, root, login) as world:
            app.callback_urls.append(str(world.web.make_url("/login/github/callback")))
            yield world


async def posted(web: aiohttp.ClientSession, path: str, body: Any) -> Any:
    """Send JSON; return the answer."""
    async with web.post(path, json=body) as answer:
        assert answer.status < 300, await answer.text()
        return await answer.json()


async def keep(world: World) -> Kept:
    """Let the repository have a session with a run, and a lesson."""
    async with browser(world) as web:
        await log_in(web, world.github, "ada")
        session = await posted(web, "/api/v1/sessions", {"repository": "acme/app", "title": SECRET})
        asked = await posted(web, f"{session['url']}/prompts", {"prompt": f"Mend it. {SECRET}"})
    await world.settled()
    lesson = Lesson("1a", SECRET, "u", "ada", LessonState.CONFIRMED, datetime.now(UTC))
    await LessonStore(world.server.database).propose(world.repo, lesson, 1, most=9)
    return Kept(asked["id"], session["id"])


def take(world: World, name: str = "acme/app", *, private: bool = True) -> Repository:
    """Make another repository of a name, which `nia` alone was given."""
    return world.state.add_repository(name, dict(FILES), private=private, roles={"nia": "admin"})


async def reads_nothing(web: aiohttp.ClientSession, kept: Kept) -> None:
    """Go through every door by which runs, sessions, memory, figures and money are read."""
    run = f"/api/v1/runs/{kept.run}"
    for path in (
        *(f"{run}{part}" for part in ("", "/events", "/patch", "/report", "/log")),
        *(f"/runs/{kept.run}{part}" for part in ("", "/live")),
        f"/api/v1/sessions/{kept.session}",
    ):
        async with web.get(path) as answer:
            assert answer.status == 404, path
            assert SECRET not in await answer.text()
    for path in (f"{run}/retry", f"{run}/stop", f"/api/v1/sessions/{kept.session}/prompts"):
        async with web.post(path, json={"prompt": "x"}) as answer:
            assert answer.status in {403, 404}, path
    for path in (
        "/", "/?repository=acme/app", "/?q=acme", "/repositories", "/money",
        "/repositories/acme/app", "/repositories/Acme/App", "/repositories/acme/app/memory",
        "/api/v1/runs?repository=acme/app", "/api/v1/sessions", "/api/v1/repositories",
        "/api/v1/memory?repository=acme/app", "/api/v1/budget", "/api/v1/budget?name=acme/app",
    ):  # fmt: skip
        async with web.get(path) as answer:
            text = await answer.text()
            assert answer.status in {200, 403}, (path, text)
        for words in (kept.run, kept.session, SECRET):
            assert words not in text, path
        if path.startswith("/api/v1/budget") and answer.status == 200:
            assert (await answer.json())["accounts"] == []


@pytest.mark.slow
async def test_who_takes_a_name_reads_nothing(tmp_path: Path) -> None:
    """On pages, through the API and with a key; whatever became of the repository before."""
    ways = (renamed, transferred, transferred_with_the_app, deleted, account_deleted)
    async with people(tmp_path) as world:
        kept = await keep(world)
        for leaves in ways:
            leaves(world)
            name = "acme/App" if leaves is renamed else "acme/app"
            now = take(world, name)
            async with browser(world) as nia:
                await log_in(nia, world.github, "nia")
                await reads_nothing(nia, kept)
            key = await command(
                world, "keys", "create", leaves.__name__, "--repository", "Acme/app"
            )
            async with program(world, key) as web:
                await reads_nothing(web, kept)
            installation = world.state.installation_of(now)
            assert installation is not None
            here = Repo(now.full_name, installation.id, now.id)
            assert await LessonStore(world.server.database).list(here) == ()
            assert await MemoryStore(world.server.database).list(here) == ()
            world.state.delete(now)


@pytest.mark.slow
@pytest.mark.parametrize("private", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
async def test_the_next_one_of_a_name_begins_anew(tmp_path: Path, *, private: bool) -> None:
    """Its run recalls nothing, borrows no objects, and its money and threads are its own."""
    async with people(tmp_path) as world:
        kept = await keep(world)
        renamed(world)
        now = take(world, private=private)
        issue = world.state.open_issue(now, "nia", "The app says wrong", "It should say right.")
        await world.comment("/fix", by="nia", issue=issue)
        await world.settled()
        run = await world.run()
        assert run.report is not None
        assert run.id != kept.run
        assert run.repo.id == now.id
        assert [attempt.proposer for attempt in run.report.attempts if attempt.accepted] == [
            "agent"
        ]
        assert now.pulls()
        mirrors = {path.name for path in (tmp_path / "data" / "mirrors").glob("*/*.git")}
        assert mirrors == {f"{world.repository.id}.git", f"{now.id}.git"}
        async with browser(world) as nia, browser(world) as ada:
            await log_in(nia, world.github, "nia")
            listed = await page(nia, "/")
            assert run.id in listed
            assert kept.run not in listed
            await log_in(ada, world.github, "ada")
            async with ada.get(f"/api/v1/runs/{kept.run}") as answer:
                assert (await answer.json())["repository"] == "acme/app"  # until it is heard of


@pytest.mark.slow
async def test_what_is_kept_follows_a_repository_to_its_new_name(tmp_path: Path) -> None:
    """Its people find runs, sessions, lessons and the next prompt under it; keys go on."""
    async with people(tmp_path) as world:
        key = await command(world, "keys", "create", "ci", "--repository", "acme/app")
        kept = await keep(world)
        await world.deliver(world.github.rename(world.repository, "acme/tool", "ada"))
        await world.settled()
        async with browser(world) as ada:
            await log_in(ada, world.github, "ada")
            html = await page(ada, "/repositories/acme/tool")
            assert kept.run in html
            assert SECRET in await page(ada, "/repositories/acme/tool/memory")
            async with ada.get(f"/api/v1/sessions/{kept.session}") as answer:
                assert (await answer.json())["repository"] == "acme/tool"
            async with ada.get("/api/v1/runs?repository=acme/tool") as answer:
                assert [item["id"] for item in (await answer.json())["runs"]] == [kept.run]
        async with program(world, key) as web, web.get(f"/api/v1/runs/{kept.run}") as answer:
            assert answer.status == 200
            assert (await answer.json())["repository"] == "acme/tool"


@pytest.mark.exhaustive
async def test_an_old_run_is_proven_by_its_comment(tmp_path: Path) -> None:
    """Of two that were kept under a name, each is its own repository's; nobody else sees either."""
    async with people(tmp_path) as world:
        await world.comment("/fix")
        await world.settled()
        first = (await world.run()).id
        renamed(world)
        now = take(world)
        issue = world.state.open_issue(now, "nia", "The app says wrong", "It should say right.")
        await world.comment("/fix", by="nia", issue=issue)
        await world.settled()
        second = (await world.run()).id
        forgotten = update(runs).values(identity=None)
        await world.server.database.write(lambda connection: connection.execute(forgotten).rowcount)
        async with browser(world) as nia:
            await log_in(nia, world.github, "nia")
            listed = await page(nia, "/")
            assert first not in listed
            assert second not in listed
        assert world.server.desk is not None
        await world.server.desk.reconciler.look()
        await world.settled()
        found = {run.id: run.repo.id for run in await world.server.runs.list()}
        assert found == {first: None, second: now.id}
