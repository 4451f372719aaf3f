"""The server ends, by force or in good order, and the next one goes on where it was."""

from __future__ import annotations

import asyncio
import base64
import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path

import aiohttp
import pytest
from inline_snapshot import snapshot
from pydantic import SecretStr

from bot.app.guarded_sandboxes import GuardedProvider
from bot.app.sandbox_pool import SandboxPool
from bot.github.github import GitHub
from bot.health.service import ServiceKind
from bot.health.services import Services
from bot.model import Proposal
from bot.model.memory import Became
from bot.model.proposers import PROPOSERS
from bot.model.request import FixRequest
from bot.model.steps import PlainSteps
from bot.redaction import TOKENS_ALONE
from bot.repair.tools import Tools
from bot.reporting.reasons import run_life
from bot.runs.display import Display
from bot.runs.durability.crash_loop import MOST_INTERRUPTIONS
from bot.runs.waiting_times import Timing
from bot.server.fix_workflow import build_workflow
from bot.settings.environment import load_server_settings
from bot.storage.database import open_database
from bot.storage.ledger import Ledger
from bot.storage.memory import MemoryStore
from bot.storage.runs import RunStatus
from bot.storage.stores import Stores
from bot.telemetry.metrics import Metrics
from sandbox.bubblewrap import BubblewrapProvider
from tests.fakes.github.faults import Fault, Trouble
from tests.fakes.model import Call
from tests.flows.gate import Gate
from tests.flows.held_script import HeldScript
from tests.flows.server_process import PATIENCE, ServerProcess
from tests.flows.world import FIX, WHY, Scene, bash, open_scene


@asynccontextmanager
async def gated_scene(
    root: Path, gate: Gate, script: HeldScript, environ: Mapping[str, str] | None = None
) -> AsyncIterator[tuple[Scene, ServerProcess]]:
    """Open a scene whose commands pass the gate, and a server that is not started yet."""
    check = f"{gate.command('check')}\ngrep -qx right app.txt\n"
    searching = f"#!/bin/bash\n[[ $* != *' grep '* ]] || {gate.command('search')} || exit 2\n"
    git = f'{searching}exec "$(type -aP git | tail -n 1)" "$@"\n'
    setup = f"{gate.command('setup')} && install -D git.sh ~/.local/bin/git"
    config = f"setup: {setup!r}\ntest: bash check.sh\nnetwork: on\n"
    files = {
        "app.txt": "wrong\n",
        "check.sh": check,
        "git.sh": git,
        ".github/fixpoint.yml": config,
    }
    async with open_scene(root, script, files=files) as scene:
        variables = scene.variables(root / "data") | gate.variables | dict(environ or {})
        server = ServerProcess(variables, root)
        try:
            yield scene, server
        finally:
            await server.kill()


LOOK = Call("str_replace_based_edit_tool", {"command": "view", "path": "app.txt"})
FIND = Call("search_code", {"query": "right"})
LOOKED = ["1\twrong", "check.sh:2: grep -qx right app.txt"]


async def ask(scene: Scene, server: ServerProcess) -> None:
    """Somebody comments `/fix`."""
    event = scene.github.comment(scene.issue, "ada", "/fix")
    delivery = await scene.github.deliver(event, server.webhook)
    assert delivery.status_code == 202


def lost(scene: Scene, method: str, path: str) -> Fault:
    """Have GitHub do the next such call, and keep its answer back."""
    return scene.state.faults.add(Trouble.RESET_AFTER, method=method, path=path, hold=True)


async def killed_during_call(server: ServerProcess, call: Fault) -> None:
    """Kill the server while it waits for GitHub; that answer never comes."""
    await asyncio.wait_for(call.met.wait(), PATIENCE)
    await server.kill()
    call.let_go()


async def killed_during_command(server: ServerProcess, gate: Gate, place: str) -> None:
    """Start the server, kill it in the middle of a command, and see that command die with it."""
    await gate.close(place)
    await server.start()
    await gate.reached(place)
    await server.kill()
    await gate.deserted(place)


@pytest.mark.slow
async def test_killed_in_every_phase(tmp_path: Path) -> None:
    """Whatever was done is not done again, whatever was under way is, and all is there once."""
    async with Gate() as gate:
        first = bash(f"{gate.command('first')} && touch ~/kept")
        second = bash(f"ls ~ && {gate.command('second')}")
        script = HeldScript([(LOOK, FIND, first), (LOOK, second, FIND), FIX, WHY])
        async with gated_scene(tmp_path, gate, script) as (scene, server):
            await server.start()
            accepted_not_queued = lost(scene, "POST", r"/comments/\d+/reactions$")
            await ask(scene, server)
            await killed_during_call(server, accepted_not_queued)
            await killed_until_it_attempts(scene, server, gate)

            await killed_during_command(server, gate, "search")  # beside another look
            await gate.open("search")
            await killed_during_command(server, gate, "second")  # its sandbox is found again
            await killed_during_command(server, gate, "second")
            await lose_sandboxes(tmp_path / "data")  # and now it has to be remade
            await killed_during_command(server, gate, "first")  # which is interrupted too
            await gate.open("first", "second")

            script.hold(3)
            await server.start()
            await script.reached(3)
            await server.kill()
            script.let_go(3)

            await killed_during_command(server, gate, "check")  # of the verification
            await gate.open("check")
            await killed_until_it_ends(scene, server)
            await settled_once(scene)
            assert await remembered(tmp_path / "data") == [("agent", Became.VERIFIED, 2)]
            assert script.asked == {1: 1, 2: 1, 3: 2, 4: 1}
            assert "kept" in what_turn_saw(scene, 3)
            assert results_of_turn(scene, 2) == [*LOOKED, "(exit code 0)"]
            assert [results_of_turn(scene, 3)[n] for n in (0, 2)] == LOOKED
            assert gate.passed == [
                *("setup", "setup"),  # interrupted once
                *("check", "check", "check"),  # reproduced twice, interrupted once
                "check",  # watched: what does it start?
                *("search", "search"),  # interrupted once, beside the other look
                *("first", "second", "second"),
                *("setup", "first"),  # lost
                *("first", "second", "search"),
                *("check", "check", "check", "check"),  # verified thrice, interrupted once
                "check",  # without the patch: who reads the file that it changes?
                *("check", "check"),  # made to fail, in both ways
            ]
            assert left_behind(tmp_path / "data") == []


def results_of_turn(scene: Scene, turn: int) -> list[str]:
    """Return the last line of what each tool of a turn gave back, in the order of the calls."""
    assert scene.model is not None
    [*_, request] = (item for item in scene.model.requests if item.turn == turn)
    return [result.text.splitlines()[-1] for result in request.results]


async def killed_until_it_attempts(scene: Scene, server: ServerProcess, gate: Gate) -> None:
    """Kill the server when it announces, when it reads the config, in setup and reproduction."""
    for method, path in (("POST", "/issues/1/comments$"), ("GET", "/contents/")):
        call = lost(scene, method, path)
        await server.start()
        await killed_during_call(server, call)
    for place in ("setup", "check"):
        await killed_during_command(server, gate, place)
        await gate.open(place)


async def killed_until_it_ends(scene: Scene, server: ServerProcess) -> None:
    """Kill the server in the middle of the publication and of the report, then let it finish."""
    for method, path in (
        ("POST", "/git/refs$"),
        ("POST", "/pulls$"),
        ("PATCH", r"/issues/comments/\d+$"),
    ):
        call = lost(scene, method, path)
        await server.start()
        await killed_during_call(server, call)
    await server.start()
    await server.logged("run over")


def what_turn_saw(scene: Scene, turn: int) -> str:
    """Return what the tools gave back before a turn of the model."""
    assert scene.model is not None
    [*_, request] = (item for item in scene.model.requests if item.turn == turn)
    return "\n".join(result.text for result in request.results)


async def settled_once(scene: Scene) -> None:
    """Assert that the issue is fixed, and everything there once."""
    [comment] = [item for item in scene.issue.comments if item.author.login == "ada"]
    assert scene.reactions(comment) == ["eyes", "rocket"]
    [said] = scene.said()
    assert said.startswith("Fixed in https://github.test/acme/app/pull/2")
    [pull] = scene.pulls()
    assert pull.pull is not None
    branches = scene.repository.git.text("branch", "--list", "--format=%(refname:short)").split()
    assert sorted(branches) == sorted(["main", pull.pull.head_ref])
    assert scene.repository.git.count("main", pull.pull.head_ref) == 1
    assert scene.file("app.txt", pull.pull.head_ref) == "right\n"


async def remembered(data: Path) -> list[tuple[str, Became, int | None]]:
    """Return what is remembered of the repository: proposer, outcome and pull request."""
    url = SecretStr(f"sqlite:///{data}/fixpoint.db")
    async with await open_database(url) as database:
        entries = await MemoryStore(database).list("acme/app")
        return [(entry.proposer, entry.became, entry.pull_request) for entry in entries]


def left_behind(data: Path) -> list[Path]:
    """Return what is left of sandboxes, snapshots and checkouts, kept environments apart."""
    kept = data / "sandboxes" / "bubblewrap"
    snapshots, layers = _in(kept / "snapshots"), _in(kept / "layers")
    others = [entry for entry in snapshots if not entry.name.startswith("env-")]
    surplus = layers[len(snapshots) - len(others) :]  # an environment has one
    return [*_in(kept / "sandboxes"), *_in(data / "runs"), *others, *surplus]


def _in(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


async def lose_sandboxes(data: Path) -> None:
    """Remove every sandbox and snapshot, as another machine would not have them."""
    root = data / "sandboxes" / "bubblewrap"
    provider = BubblewrapProvider(root)
    for kind in ("sandboxes", "snapshots"):
        for place in (root / kind).iterdir():
            await provider.remove(place.name)


async def test_a_server_that_is_asked_to_stop_is_quick_and_loses_nothing(tmp_path: Path) -> None:
    """Commands die with it, their sandbox stands, and the next server goes on in it."""
    async with Gate() as gate:
        begin = bash("touch ~/kept")
        slow = bash(f"ls ~ && {gate.command('slow')}")
        script = HeldScript([begin, slow, FIX, WHY])
        async with gated_scene(tmp_path, gate, script) as (scene, server):
            await gate.close("slow")
            await server.start()
            await ask(scene, server)
            await gate.reached("slow")
            await server.stop()  # a command that it did not end would stand at the gate for ever
            assert await server.exit_code() == 0
            await gate.deserted("slow")
            await gate.open("slow")
            await server.start()
            await server.logged("run over")
            await settled_once(scene)
            assert script.asked == {1: 1, 2: 1, 3: 1, 4: 1}
            assert "kept" in what_turn_saw(scene, 3)
            assert gate.passed.count("setup") == 1
            assert "run broke" not in server.text


@pytest.mark.exhaustive
async def test_a_run_that_keeps_ending_its_server_is_given_up(tmp_path: Path) -> None:
    """After some lives without getting further people are told, and the server lives on."""
    async with Gate() as gate:
        script = HeldScript([WHY])
        async with gated_scene(tmp_path, gate, script) as (scene, server):
            script.hold(1)
            await server.start()
            await ask(scene, server)
            for _ in range(MOST_INTERRUPTIONS):
                await script.reached(1)
                await server.kill()
                script.let_go(1)
                script.hold(1)
                await server.start()
            await server.logged("run over")
            assert script.asked == {1: MOST_INTERRUPTIONS}
            assert [scene.level(text) for text in scene.said()] == snapshot(
                [
                    """\
Fixpoint gave up on run `RUN` after 5 interruptions without progress. The cause is in the server's log under `run_id=RUN`. Once it is fixed, comment `/fix retry`.

<!-- fixpoint:run=RUN kind=progress -->
""",
                ]
            )
            [comment] = [item for item in scene.issue.comments if item.author.login == "ada"]
            assert scene.reactions(comment) == ["eyes", "confused"]
            await ask(scene, server)
            await script.reached(1)
            assert left_behind(tmp_path / "data") != []


@pytest.mark.exhaustive
async def test_a_run_that_the_new_settings_do_not_fit_is_ended(tmp_path: Path) -> None:
    """Without its model the run would take another way: people are told to start again."""
    async with Gate() as gate:
        script = HeldScript([WHY])
        async with gated_scene(tmp_path, gate, script) as (scene, server):
            script.hold(1)
            await server.start()
            await ask(scene, server)
            await script.reached(1)
            await server.kill()
            del server.variables["ANTHROPIC_API_KEY"]
            await server.start()
            await server.logged("run over")
            assert scene.level(scene.said()[-1]) == snapshot("""\
Run `RUN` ended early. The server's settings or version changed during the run, so Fixpoint can't continue it. Details are in the server's log under `run_id=RUN`. To start a new run, comment `/fix retry`.

<!-- fixpoint:run=RUN kind=progress -->
""")
            assert left_behind(tmp_path / "data") == []


async def test_a_run_that_an_earlier_version_began_is_ended(tmp_path: Path) -> None:
    """Its stored steps can't be read: people are told, and can start again."""
    async with Gate() as gate:
        script = HeldScript([WHY])
        async with gated_scene(tmp_path, gate, script) as (scene, server):
            script.hold(1)
            await server.start()
            await ask(scene, server)
            await script.reached(1)
            await server.kill()
            age_steps(tmp_path / "data")
            await server.start()
            await server.logged("run over")
            await server.kill()
            await server.start()  # finds nothing left to do
            assert scene.level(scene.said()[-1]) == snapshot("""\
Run `RUN` ended early. An earlier version of Fixpoint started this run, and this version can't continue it. Details are in the server's log under `run_id=RUN`. To start a new run, comment `/fix retry`.

<!-- fixpoint:run=RUN kind=progress -->
""")
            assert len(scene.said()) == 1


def age_steps(data: Path) -> None:
    """Make what is stored look as if an earlier version had pickled it, from modules that moved."""
    with closing(sqlite3.connect(data / "fixpoint.steps.db")) as database, database:
        database.execute(
            "UPDATE workflow_status SET application_version = '0', inputs = ?",
            (base64.b64encode(b"cbot.no_such_module\nFixRequest\n.").decode(),),
        )


class Broken:
    """A proposer with a bug."""

    traits = PROPOSERS["mechanical"]

    async def warm(self) -> None:
        """Nothing is wrong yet."""

    async def propose(self, *_: object) -> Proposal:
        """Fall over."""
        raise RuntimeError("a bug of ours")


@pytest.mark.slow
async def test_a_bug_ends_the_run_and_not_the_server(tmp_path: Path) -> None:
    """People are told in one comment, the run is over, and nothing of it is left."""
    async with open_scene(tmp_path) as scene, aiohttp.ClientSession() as session:
        settings = load_server_settings(scene.variables(tmp_path / "data"))
        github = GitHub(
            session,
            app_id=str(settings.github_app_id),
            private_key=settings.github_private_key,
            api_url=settings.github_api_url,
            web_url=settings.github_url,
        )
        comment = scene.state.add_comment(scene.issue, "ada", "/fix")
        request = FixRequest(
            repository="acme/app",
            installation_id=next(iter(scene.state.installations)),
            repository_id=scene.repository.id,
            number=scene.issue.number,
            is_pull_request=False,
            actor="ada",
            comment_id=comment.id,
            asked_at=comment.created_at,
        )
        sandboxes = BubblewrapProvider(tmp_path / "data" / "sandboxes" / "bubblewrap")
        services = Services()
        circuit = services.circuit(ServiceKind.SANDBOX, "bubblewrap")
        pool = SandboxPool([GuardedProvider(sandboxes, circuit)], services, most_wait=0)
        pool.equip(Tools(sandboxes, {"mechanical": Broken()}))
        async with await open_database(settings.database_url) as database:
            stores = Stores.on(database, Ledger(database))
            await stores.runs.create(request, "delivery")
            workflow = build_workflow(
                github,
                stores,
                pool,
                services,
                PlainSteps(),
                tmp_path / "data",
                Display(github, stores.last_words, None),
                timing=Timing(),
                redactor=TOKENS_ALONE,
                metrics=Metrics().runs,
            )
            await workflow.run(request)
            run = await stores.runs.get(request.run_id)
        assert run is not None
        assert (run.status, run.reason) == (RunStatus.DONE, run_life.BUG)
        assert scene.reactions(comment) == ["confused"]
        assert scene.said() == snapshot(
            [
                """\
Run `RUN` failed without a report because of a bug in Fixpoint. Details are in the server's log under `run_id=RUN`. To start a new run, comment `/fix retry`.

<!-- fixpoint:run=RUN kind=progress -->
""",
            ]
        )
        assert left_behind(tmp_path / "data") == []
