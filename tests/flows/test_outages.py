"""GitHub is down, or says no, or does not find us: what was asked for is done in the end."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.model import Verdict
from bot.server.serve import open_server
from bot.settings.environment import load_server_settings
from bot.storage.deliveries import DeliveryState
from tests.fakes.github.faults import Trouble
from tests.flows.world import RIGHT, Scene, World, attempts, open_scene, open_world, served

PLACES = (
    *((method, path, 6) for method, path in (  # one more than one step's calls are repeated
        ("POST", r"/comments/\d+/reactions$"),
        ("POST", "/issues/1/comments$"),
        ("GET", "/contents/"),
        ("POST", "/git/trees$"),
        ("POST", "/git/refs$"),
        ("POST", "/pulls$"),
        ("PATCH", r"/issues/comments/\d+$"),
    )),
    ("GET", r"\.git/info/refs$", 2),
)  # fmt: skip
"""Calls of every phase, and how many of each fail."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(Trouble.BAD_GATEWAY, marks=pytest.mark.exhaustive),
        Trouble.LOST_ANSWER,
        pytest.param(Trouble.RESET, marks=pytest.mark.exhaustive),
        pytest.param(Trouble.SECONDARY_LIMIT, marks=pytest.mark.exhaustive),
    ],
)
async def test_an_outage_in_every_phase_is_outlasted(tmp_path: Path, trouble: Trouble) -> None:
    """The run waits and ends as it would have, with everything there once."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        for method, path, times in PLACES:
            world.state.faults.add(trouble, times=times, method=method, path=path)
        asked = await world.comment("/fix")
        await world.settled()
        assert world.reactions(asked) == ["eyes", "rocket"]
        assert fixed_once(world)


def fixed_once(scene: Scene) -> bool:
    """Whether there is one comment, one pull request and one commit, and that fixes it."""
    [said], [pull] = scene.said(), scene.pulls()
    assert pull.pull is not None
    head = pull.pull.head_ref
    commits = scene.repository.git.count("main", head)
    return (said.startswith("Fixed in"), commits, scene.file("app.txt", head)) == (
        True,
        1,
        "right\n",
    )


async def test_a_report_whose_answer_is_lost_is_posted_once(tmp_path: Path) -> None:
    """The comment is found again by its marker."""
    async with open_world(tmp_path) as world:
        world.state.faults.add(
            Trouble.LOST_ANSWER, times=2, method="POST", path="/issues/1/comments$"
        )
        await world.comment("/fix")
        await world.settled()
        assert (await world.run()).verdict is Verdict.GAVE_UP
        assert len(world.said()) == 1


@pytest.mark.exhaustive
async def test_without_permission_to_push_the_patch_is_a_comment(tmp_path: Path) -> None:
    """It says what to grant, and nothing is lost."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        [installation] = world.state.installations.values()
        installation.permissions["contents"] = "read"
        await world.comment("/fix")
        await world.settled()
        assert (await world.run()).verdict is Verdict.FIXED
        assert world.pulls() == []
        head, _, rest = world.said()[-1].partition("\n")
        assert head == snapshot(
            "**Fixed, but not pushed.** The App's installation on acme/app does not grant contents: write. Request it in the App's settings, then accept it and select the repository in the installation's settings. The patch is posted here instead."
        )
        assert "+right" in rest


async def test_a_thread_that_nobody_may_write_to_ends_the_run_all_the_same(tmp_path: Path) -> None:
    """What can't be said is in the log, and the run is over."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        [installation] = world.state.installations.values()
        await world.comment("/fix")
        installation.permissions |= {"issues": "read", "pull_requests": "read"}
        await world.settled()
        assert world.pulls() == []


@pytest.mark.exhaustive
async def test_a_delivery_that_keeps_failing_is_parked_and_can_be_sent_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It stands in no other's way, the log says so, and a redelivery gives it another chance."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        [installation] = world.state.installations.values()
        installation.suspended = True
        event = world.github.comment(world.issue, "ada", "/fix")
        sent = await world.github.deliver(event, world.webhook)
        await world.settled()
        kept = await world.server.deliveries.get(sent.guid)
        assert kept is not None
        assert (kept.state, kept.attempts) == (DeliveryState.FAILED, 5)
        assert "suspended" in kept.note
        assert "parked=True" in capsys.readouterr().out
        installation.suspended = False
        await world.github.deliver(event, world.webhook, guid=sent.guid)
        await world.settled()
        assert fixed_once(world)


@pytest.mark.exhaustive
async def test_an_outage_is_not_counted_against_a_delivery(tmp_path: Path) -> None:
    """However long GitHub is down, it is worked through when GitHub is back."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        world.state.faults.add(Trouble.BAD_GATEWAY, times=27, path="/collaborators/")
        await world.comment("/fix")
        await world.settled()
        assert fixed_once(world)


@pytest.mark.slow
async def test_a_new_server_works_through_what_the_last_one_left(tmp_path: Path) -> None:
    """A delivery that was acknowledged is worked through, whoever is there to do it."""
    async with open_scene(tmp_path, attempts(RIGHT)) as scene:
        settings = load_server_settings(scene.variables(tmp_path / "data"))
        down = scene.state.faults.add(Trouble.RESET, times=1000)
        async with open_server(settings) as server, served(server) as web:
            event = scene.github.comment(scene.issue, "ada", "/fix")
            await scene.github.deliver(event, str(web.make_url("/webhook")))
        down.times = 0
        async with open_server(settings) as server, served(server) as web:
            await World(**vars(scene), server=server, web=web, settings=settings).settled()
            assert fixed_once(scene)


@pytest.mark.slow
async def test_a_delivery_that_never_arrived_is_asked_for(tmp_path: Path) -> None:
    """Somebody asks while the server is down; it answers when it is back, and asks only once."""
    async with open_scene(tmp_path, attempts(RIGHT)) as scene, AsyncExitStack() as stack:
        nowhere = "http://127.0.0.1:9/webhook"
        event = scene.github.comment(scene.issue, "ada", "/fix")
        assert (await scene.github.deliver(event, nowhere)).status_code == 502
        await scene.github.deliver(scene.github.event(scene.issue), nowhere)
        variables = scene.variables(tmp_path / "data") | {"FIXPOINT_MISSED_SECONDS": "0.3"}
        settings = load_server_settings(variables)
        server = await stack.enter_async_context(open_server(settings))
        web = await stack.enter_async_context(served(server))
        scene.github.webhook_url = str(web.make_url("/webhook"))
        world = World(**vars(scene), server=server, web=web, settings=settings)
        await world.until(lambda: bool(world.pulls()))
        await world.settled()
        assert fixed_once(scene)
        assert {delivery.event for delivery in scene.state.deliveries if delivery.redelivery} == {
            "issue_comment"
        }
