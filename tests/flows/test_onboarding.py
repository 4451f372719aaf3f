"""Installed on a repository, Fixpoint introduces itself, once and where the operator wants it."""

from __future__ import annotations

from pathlib import Path

from bot.config.repo_config import PATH as CONFIG
from bot.config.repo_config import parse
from bot.intake.events import parse_event
from bot.intake.onboarding import Installed
from bot.model.repository import Repo
from tests.flows.world import FILES, World, open_world

ON = {
    "FIXPOINT_ONBOARDING": "pull-request",
    "FIXPOINT_PUBLIC_URL": "https://fixpoint.example.com",
}
PROJECT: dict[str, str | bytes] = {
    "pyproject.toml": "[project]\nname = 'app'\nversion = '1'\n[tool.pytest.ini_options]\n",
    "requirements-dev.txt": "pytest\n",
    "tests/test_app.py": "def test_app(): pass\n",
}


async def installed(world: World) -> None:
    """Somebody installs the App on their account, and the server works through that."""
    await world.deliver(world.github.installed("acme"))
    await world.settled()


async def test_one_pull_request_says_what_was_detected(tmp_path: Path) -> None:
    """It adds a config with that; where it was closed, no other one is opened."""
    async with open_world(tmp_path, files=PROJECT, environ=ON) as world:
        await installed(world)
        [pull] = world.pulls()
        assert pull.pull is not None
        assert pull.body is not None
        assert pull.title == "Configure Fixpoint"
        for words in ("**Detected:** python", "pytest", "**What it costs:** Nothing"):
            assert words in pull.body
        config = world.file(CONFIG, pull.pull.head_ref)
        assert config is not None
        assert parse(config).test == "python -m pytest"
        schema = "https://fixpoint.example.com/fixpoint.schema.json"
        assert config.startswith(f"# yaml-language-server: $schema={schema}\n")
        pull.state = "closed"
        await installed(world)
        assert len(world.pulls()) == 1
        assert await world.server.runs.list() == ()


async def test_nothing_is_opened_where_nobody_needs_it(tmp_path: Path) -> None:
    """Where there is a config, where no tests were found, and where the operator wants none."""
    for name, files, environ in (
        ("configured", FILES, ON),
        ("empty", {"README.md": "Hello\n"}, ON),
        ("unwanted", PROJECT, {}),
    ):
        async with open_world(tmp_path / name, files=files, environ=environ) as world:
            await installed(world)
            assert world.pulls() == []


def test_repositories_that_are_added_later_count() -> None:
    """GitHub tells of them in an event of its own."""
    payload = (
        b'{"action": "added", "installation": {"id": 7}, "repositories_added": '
        b'[{"id": 3, "full_name": "acme/new"}], "repositories_removed": []}'
    )
    assert parse_event("installation_repositories", payload) == Installed((Repo("acme/new", 7, 3),))
