"""A server's database is moved, or lost, in the middle of things."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.commands.migration import run_move
from bot.storage.automatic_runs import SwitchStore
from tests.contract.postgres import PostgresServer
from tests.fakes.github.model import Event
from tests.flows.held_script import HeldScript
from tests.flows.server_process import ServerProcess
from tests.flows.test_reconcile import long_past
from tests.flows.world import FILES, FIX, RIGHT, WHY, attempts, bash, entered, open_scene


@pytest.mark.slow
@pytest.mark.postgres
async def test_a_run_goes_on_in_the_database_that_it_was_moved_to(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    """From SQLite to PostgreSQL, after the server was killed in the middle: no turn is paid twice."""
    script = HeldScript([bash("cat app.txt"), FIX, WHY])
    async with open_scene(tmp_path, script, files=FILES) as scene:
        before = ServerProcess(scene.variables(tmp_path / "data"), tmp_path)
        script.hold(2)
        async with before.running():
            event = scene.github.comment(scene.issue, "ada", "/fix")
            await scene.github.deliver(event, before.webhook)
            await script.reached(2)
        url = postgres.empty_database()
        run_move(f"sqlite:///{tmp_path}/data/fixpoint.db", url)
        script.let_go(2)
        after = ServerProcess(scene.variables(tmp_path / "data") | {"DATABASE_URL": url}, tmp_path)
        async with after.running():
            await after.logged("run over")
        [pull] = scene.pulls()
        assert pull.pull is not None
        assert scene.file("app.txt", pull.pull.head_ref) == "right\n"
        assert [said.splitlines()[0][:8] for said in scene.said()] == ["Fixed in"]
        assert script.asked == {1: 1, 2: 2, 3: 1}


@pytest.mark.slow
async def test_a_database_without_history_does_nothing_twice(tmp_path: Path) -> None:
    """GitHub sends old webhooks again: what carries an answer or a reaction is left alone."""
    async with open_scene(tmp_path, attempts(RIGHT), files=FILES) as scene:
        asked: list[tuple[str, Event]] = []
        async with entered(scene, tmp_path / "lost") as world:
            for guid, words in (("1", "/fix"), ("2", "/fix help"), ("3", "/fix auto off")):
                event = world.github.comment(world.issue, "ada", words)
                long_past(world.issue.comments[-1], event)
                asked.append((f"{guid}2d3162e-cc78-11e3-81ab-4c9367dc0958", event))
                await world.github.deliver(event, world.webhook, guid=asked[-1][0])
                await world.settled()
            before = world.said()
            assert len(before) == 3
        async with entered(scene, tmp_path / "empty") as world:
            for guid, event in asked:
                await world.github.deliver(event, world.webhook, guid=guid)
            await world.settled()
            assert await world.server.runs.list() == ()
            switches = SwitchStore(world.server.database)
            assert await switches.get(world.repo, world.issue.number) is None
            # The answer was deleted, the reaction stands.
            for comment in [*world.issue.comments]:
                if comment.author is world.state.app.bot:
                    world.issue.comments.remove(comment)
            await world.github.deliver(asked[0][1], world.webhook)
            await world.settled()
            assert await world.server.runs.list() == ()
            assert world.said() == []
            lost = world.github.comment(world.issue, "ada", "/fix help")  # of which nobody heard
            long_past(world.issue.comments[-1], lost)
            await world.deliver(lost)
            await world.settled()
            assert len(world.said()) == 1
