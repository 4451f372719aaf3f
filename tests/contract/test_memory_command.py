"""`fixpoint memory` on a server's database."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

from pydantic import SecretStr
from typer.testing import CliRunner

from bot.commands.cli import app
from bot.model import Patch
from bot.model.memory import (
    Became,
    FailureSignature,
    Lesson,
    LessonState,
    MemoryLimits,
    TriedRepair,
)
from bot.model.repository import Repo
from bot.model.seen_tests import HERE, SeenResult
from bot.storage.database import open_database
from bot.storage.lessons import LessonStore
from bot.storage.memory import MemoryStore
from bot.storage.seen_tests import SeenTestStore
from tests.fakes.github import GitHubState

REPO = Repo("Acme/App", 1)
ENTRY = TriedRepair(
    "3fa9c1d20b7e-1",
    "3fa9c1d20b7e",
    FailureSignature("KeyError: 'knot'", "KeyError", ("a.py f",), "make check", "make"),
    "agent",
    "Added it.",
    Patch(b"+right\n", ("a.py",), 1, 0),
    (),
    Became.MERGED,
    datetime.now(UTC),
    pull_request=12,
)
LESSON = Lesson(
    "3fa9c1d2", "We use x.", "https://x/1", "ada", LessonState.CONFIRMED, datetime.now(UTC), "wes"
)
RESULTS = (
    SeenResult("t::knot", "a" * 40, "main", 7, "test", True, "KeyError", datetime.now(UTC), "@wes"),  # noqa: FBT003 - as it is stored
    SeenResult("t::knot", "b" * 40, "main", 8, HERE, False, "", datetime.now(UTC)),  # noqa: FBT003 - likewise
    SeenResult("t::sound", "b" * 40, "main", 8, HERE, False, "", datetime.now(UTC)),  # noqa: FBT003 - likewise
)


async def fill(url: str) -> None:
    async with await open_database(SecretStr(url)) as database:
        await MemoryStore(database).keep(REPO, [ENTRY], MemoryLimits())
        await LessonStore(database).propose(REPO, LESSON, 1, most=9)
        await SeenTestStore(database).keep(REPO, RESULTS)


def test_memory_is_listed_shown_and_forgotten(tmp_path: Path) -> None:
    """By a repository's name in any case; what has no such id is an error."""
    url = f"sqlite:///{tmp_path}/fixpoint.db"
    asyncio.run(fill(url))
    hub = GitHubState(tmp_path / "github").app
    environ = {
        "GITHUB_APP_ID": str(hub.id),
        "GITHUB_PRIVATE_KEY": hub.private_key,
        "GITHUB_WEBHOOK_SECRET": hub.webhook_secret,
        "DATABASE_URL": url,
        "COLUMNS": "200",
    }

    def said(*words: str, code: int = 0, command: str = "memory") -> str:
        done = CliRunner().invoke(app, [command, *words], env=environ)
        assert done.exit_code == code, done.output
        return done.output

    assert said("list") == "acme/app: 1 attempt\n"
    shown = said("list", "acme/APP")
    assert "We use x." in shown
    assert "merged in #12" in shown
    found = json.loads(said("list", "acme/app", "--json"))
    assert [item["id"] for item in found["lessons"]] == [LESSON.id]
    assert found["attempts"][0]["outcome"] == "merged"
    assert found["tests"][0]["commits"] == [True, False]
    listed = said("--list", "acme/app", command="flaky")
    assert "t::knot   1 of 2      x." in listed
    assert "@wes" in listed
    told = json.loads(said("--list", "acme/app", "--json", command="flaky"))
    assert told["tests"] == found["tests"]
    whole = said("show", "acme/app", ENTRY.id)
    assert "frames: a.py f\n" in whole
    assert whole.endswith("\n+right\n\n")
    assert json.loads(said("show", "acme/app", ENTRY.id, "--json"))["patch"] == "+right\n"
    said("show", "acme/app", "none", code=2)
    said("forget", "acme/app", code=2)
    said("forget", "acme/app", "none", code=2)
    assert said("forget", "acme/app", LESSON.id) == "Forgotten: 1 lesson, 0 attempts.\n"
    assert said("forget", "acme/app", "--all") == "Forgotten: 0 lessons, 1 attempt, 1 test.\n"
    assert said("--list", "acme/app", command="flaky") == (
        "No failing tests of acme/app were seen.\n"
    )
    assert said("list", "acme/app") == "Nothing is remembered of acme/app.\n"
    assert said("list") == "Nothing is remembered yet.\n"
