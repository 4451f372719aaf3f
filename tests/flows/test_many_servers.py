"""Several servers on one PostgreSQL: any of them may end at any time, and runs go on once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIGCONT, SIGSTOP

import pytest

from tests.contract.postgres import PostgresServer, own_server
from tests.flows.held_script import HeldScript
from tests.flows.server_process import PATIENCE, Line, ServerProcess
from tests.flows.world import FIX, WHY, Scene, bash, open_scene

pytestmark = pytest.mark.postgres

HEARTBEAT = "1"
"""Seconds; four are the end."""


@dataclass
class Company:
    """GitHub, a model, and servers that share nothing but a database."""

    scene: Scene
    script: HeldScript
    servers: list[ServerProcess]

    async def ask(self, server: ServerProcess) -> None:
        """Somebody comments `/fix`, and GitHub delivers it to one of the servers."""
        event = self.scene.github.comment(self.scene.issue, "ada", "/fix")
        delivery = await self.scene.github.deliver(event, server.webhook)
        assert delivery.status_code == 202

    async def one_that_logs(self, event: str, *servers: ServerProcess) -> ServerProcess:
        """Return the first of some servers that logs something."""
        waiting = {asyncio.create_task(server.logged(event)): server for server in servers}
        done, rest = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in rest:
            task.cancel()
        return waiting[done.pop()]

    async def holder(self) -> tuple[ServerProcess, list[ServerProcess]]:
        """Wait until the model is asked for its second turn; return who works, and the others."""
        await self.script.reached(2)
        taken = [(line["timestamp"], n) for n, line in self.taken_up()]
        holder = self.servers[max(taken)[1]]
        return holder, [server for server in self.servers if server is not holder]

    def taken_up(self) -> list[tuple[int, Line]]:
        """Return when servers took the run up, with their numbers.

        On a machine that is busy enough, one may be taken for dead that is only slow.
        """
        return [
            (n, line)
            for n, server in enumerate(self.servers)
            for line in logged(server, "run taken up")
        ]

    def assert_paid_once(self) -> None:
        """Assert that each takeover cost no more than one call of the model."""
        assert sorted(self.script.asked) == [1, 2, 3]
        assert self.script.asked.total() <= 3 + len(self.taken_up()) - 1

    def assert_fixed_once(self) -> None:
        """Assert that everything is there that people should see, and all of it once."""
        scene = self.scene
        [comment] = [item for item in scene.issue.comments if item.author.login == "ada"]
        assert scene.reactions(comment) == ["eyes", "rocket"]
        [said] = scene.said()
        assert said.startswith("Fixed in https://github.test/acme/app/pull/2")
        assert scene.repaired() == "right\n"
        [pull] = scene.pulls()
        assert pull.pull is not None
        assert scene.repository.git.count("main", pull.pull.head_ref) == 1


def logged(server: ServerProcess, event: str) -> list[Line]:
    """Return the lines of its life in which a server logged something."""
    return [line for line in server.lines() if line["event"] == event]


@asynccontextmanager
async def company(
    root: Path,
    postgres: PostgresServer,
    *roles: str,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Company]:
    """Open a scene with a server of each role, each with a data folder of its own."""
    script = HeldScript([bash("cat app.txt"), FIX, WHY])
    script.hold(2)
    url = postgres.empty_database()
    async with AsyncExitStack() as stack:
        scene = await stack.enter_async_context(open_scene(root, script))
        servers = []
        for n, role in enumerate(roles):
            folder = root / f"machine-{n}"
            folder.mkdir()
            shared = {"DATABASE_URL": url, "FIXPOINT_HEARTBEAT_SECONDS": HEARTBEAT}
            variables = scene.variables(folder / "data") | shared | dict(environ or {})
            server = ServerProcess(variables, folder, role=role)
            await stack.enter_async_context(server.running())
            servers.append(server)
        yield Company(scene, script, servers)


async def test_a_killed_server_is_taken_over(tmp_path: Path, postgres: PostgresServer) -> None:
    """What one process accepted another works on, and a third one goes on with, elsewhere."""
    async with company(tmp_path, postgres, "web", "worker", "worker") as all_:
        web = all_.servers[0]
        await all_.ask(web)
        holder, others = await all_.holder()
        await holder.kill()
        await all_.one_that_logs("server taken for dead", *others)
        all_.script.let_go(2)
        await all_.one_that_logs("run over", *others)
        all_.assert_fixed_once()
        all_.assert_paid_once()
        assert len(all_.taken_up()) > 1
        assert logged(web, "run taken up") == []


# An edit of progress that was on its way when the server stalled can still arrive.
@pytest.mark.exhaustive
async def test_a_stalled_server_that_comes_back_does_nothing_more(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    """It was taken for dead in between: it posts, pays and keeps nothing, and begins anew."""
    async with company(tmp_path, postgres, "serve", "serve") as all_:
        await all_.ask(all_.servers[0])
        holder, others = await all_.holder()
        holder.send(SIGSTOP)
        await all_.one_that_logs("server taken for dead", *others)
        all_.script.let_go(2)  # also what the stalled one waits for
        await all_.one_that_logs("run over", *others)
        before = changes(all_.scene)
        holder.send(SIGCONT)
        await holder.logged("taken for dead by another server")
        await begun_again(holder)
        assert logged(holder, "run over") == []
        all_.assert_fixed_once()
        assert changes(all_.scene) == before
        all_.assert_paid_once()


@pytest.mark.slow
async def test_a_server_that_has_to_stop_hands_over(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    """What it has begun it ends, and not a step more; another one goes on at once."""
    environ = {"FIXPOINT_STOP_SECONDS": "3600", "FIXPOINT_HEARTBEAT_SECONDS": "10"}
    async with company(tmp_path, postgres, "serve", "serve", environ=environ) as all_:
        await all_.ask(all_.servers[1])
        holder, others = await all_.holder()
        assert await holder.status("/readyz") == 200
        holder.ask_to_stop()
        await holder.logged("stopping")
        assert await holder.status("/readyz") == 503
        assert await holder.status("/healthz") == 200
        all_.script.let_go(2)
        await all_.one_that_logs("run over", *others)
        assert await holder.exit_code() == 0
        all_.assert_fixed_once()
        assert all_.script.asked == {1: 1, 2: 1, 3: 1}


@pytest.mark.exhaustive
async def test_a_database_that_only_reads_is_waited_for(tmp_path: Path) -> None:
    """As after a failover. The load balancer is told, the run goes on behind it, nothing is twice."""
    with own_server() as postgres:
        async with company(tmp_path, postgres, "web", "worker") as all_:
            web, worker = all_.servers
            await all_.ask(web)
            await all_.script.reached(2)
            await asyncio.to_thread(postgres.refuse_writes, refused=True)
            for server in (web, worker):
                await server.until_status("/readyz", 503)
                assert await server.status("/healthz") == 200
            event = all_.scene.github.comment(all_.scene.issue, "ada", "/fix status")
            refused = await all_.scene.github.deliver(event, web.webhook)
            assert refused.status_code == 503
            all_.script.let_go(2)
            await worker.logged("run left")
            await asyncio.to_thread(postgres.refuse_writes, refused=False)
            await worker.logged("run over")
            for server in (web, worker):
                await server.until_status("/readyz", 200)
            all_.scene.issue.comments.pop()  # the question that nobody took
            all_.assert_fixed_once()
            assert "run broke" not in worker.text


def changes(scene: Scene) -> list[str]:
    """Return what GitHub was asked to change, tokens apart."""
    return [
        f"{exchange.method} {exchange.path}"
        for exchange in scene.state.exchanges
        if exchange.method != "GET"
        and not exchange.path.endswith(("/access_tokens", "/installation/token"))
    ]


async def begun_again(server: ServerProcess) -> None:
    """Wait until a server listens once more after it was taken for dead."""
    lost = len(logged(server, "taken for dead by another server"))
    async with asyncio.timeout(PATIENCE):
        while len(logged(server, "listening")) <= lost:  # noqa: ASYNC110 - its log is the window
            await asyncio.sleep(0.05)
