"""One trace for each run, whatever happens to the server, in a real collector."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from itertools import pairwise
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import TestServer
from inline_snapshot import snapshot

from tests.fakes.collector import Receiver, Span, open_collector, open_receiver, rotel
from tests.flows.held_script import HeldScript
from tests.flows.server_process import PATIENCE, Line, ServerProcess
from tests.flows.test_approval import REQUIREMENTS, RISKY
from tests.flows.world import FIX, RIGHT, WHY, Scene, World, attempts, bash, open_scene, open_world

_TOKEN = "a token for metrics alone"
_ROOT = "invoke_workflow fix"
_SANDBOX = ("sandbox open", "sandbox run", "sandbox snapshot")
"""How often they are used where is up to other tests."""

_ROUNDED = 10_000_000
"""Nanoseconds: events tell times to the millisecond."""

_QUIET = ("GET", "POST", "PATCH", "DELETE", "PUT")
"""Requests to GitHub: the progress comment is edited as often as there is time."""


def tracing(url: str) -> dict[str, str]:
    """Return the variables of a server that tells a collector at once."""
    return {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_BSP_SCHEDULE_DELAY": "50"}


@asynccontextmanager
async def collected(folder: Path) -> AsyncIterator[tuple[Receiver, str]]:
    """Open a receiver and, before it, the real collector; skip where that does not run."""
    program = rotel()
    if program is None:
        pytest.skip("rotel has no program for this machine")
    async with (
        open_receiver() as receiver,
        open_collector(program, receiver, folder) as url,
    ):
        yield receiver, url


async def ask(scene: Scene, server: ServerProcess) -> None:
    """Somebody comments `/fix`."""
    event = scene.github.comment(scene.issue, "ada", "/fix")
    delivery = await scene.github.deliver(event, server.webhook)
    assert delivery.status_code == 202


@pytest.mark.slow
async def test_a_trace_survives_its_server(tmp_path: Path) -> None:
    """Killed while the model thinks, the run goes on elsewhere, and all of it is one tree."""
    script = HeldScript([bash("cat app.txt"), FIX, WHY])
    async with collected(tmp_path) as (receiver, url), open_scene(tmp_path, script) as scene:
        server = ServerProcess(scene.variables(tmp_path / "data") | tracing(url), tmp_path)
        async with server.running():
            script.hold(2)
            await ask(scene, server)
            await script.reached(2)
            await receiver.until(lambda: _has_command_after_chat(receiver))
            await _tool_kept(tmp_path / "data" / "fixpoint.db")
            await server.kill()
            script.let_go(2)
            await server.start()
            over = await server.logged("run over")
            await receiver.until(lambda: bool(receiver.named(_ROOT)))
            _check_lines(server.lines(), over)
    [root] = receiver.named(_ROOT)
    assert over["trace_id"] == root.trace
    assert {span.trace for span in receiver.spans} == {root.trace}
    assert len({span.id for span in receiver.spans}) == len(receiver.spans)
    assert receiver.tree(without=(*_QUIET, *_SANDBOX)) == snapshot("""\
invoke_workflow fix
  waiting in the queue
  announce
  brief
  prepare
  set up
  set up
  reproduce
  attempt mechanical
  attempt search
  invoke_agent fixpoint
    chat claude-sonnet-5-5
    execute_tool bash
    chat claude-sonnet-5-5
    execute_tool str_replace_based_edit_tool
    chat claude-sonnet-5-5
    verify
  publish
  now
  owners
  tests remembered
  remember
  have its checks watched
  remember where it is
  report\
""")
    _check_sandboxes(receiver)
    _check_times(receiver, root)
    _check_words(receiver, root)
    assert receiver.resources[0]["service.name"] == "fixpoint"


def _check_lines(lines: list[Line], over: Line) -> None:
    """Assert that the lines of a run say which, why, and what they are about."""
    ids = {name: over[name] for name in ("run_id", "delivery_id", "trace_id")}
    begun = next(n for n, line in enumerate(lines) if line["event"] == "run taken up")
    own = [line for line in lines[begun:] if "run_id" in line]
    assert all(ids.items() <= line.items() for line in own)
    kinds = {line["event"]: (line["category"], line.get("attempt")) for line in own}
    assert kinds["turn finished"] == ("agent", 1)
    assert kinds["phase finished"][0] == "performance"
    assert kinds["run finished"] == kinds["run over"] == ("app", None)


async def _tool_kept(database: Path) -> None:
    """Wait until it is in the events that a tool was used: the next server takes it from there."""
    async with asyncio.timeout(PATIENCE):
        while True:
            with closing(sqlite3.connect(database)) as connection:
                if connection.execute("SELECT 1 FROM run_events WHERE type = 'tool'").fetchone():
                    return
            await asyncio.sleep(0.02)


def _check_times(receiver: Receiver, root: Span) -> None:
    """Assert that parts lie within their whole, and that the phases follow one another."""
    spans = {span.id: span for span in receiver.spans}
    for span in receiver.spans:
        if span.parent in spans and span.name not in _QUIET:
            above = spans[span.parent]
            assert above.began <= span.began + _ROUNDED, (above, span)
            assert span.began <= span.ended <= above.ended + _ROUNDED, (above, span)
    phases = [span for span in receiver.spans if "fixpoint.phase" in span.attributes]
    own = sorted(
        (phase for phase in phases if phase.parent == root.id), key=lambda phase: phase.began
    )
    assert all(item.ended <= other.began + _ROUNDED for item, other in pairwise(own))


def _has_command_after_chat(receiver: Receiver) -> bool:
    """Whether the command that the model asked for was told; the tool's own span comes later."""
    asked = [chat.ended for chat in receiver.named("chat claude-sonnet-5-5")]
    return any(min(asked) <= run.began for run in receiver.named("sandbox run") if asked)


def _check_sandboxes(receiver: Receiver) -> None:
    """Assert that what ran in sandboxes is a part of what asked for it."""
    spans = {span.id: span for span in receiver.spans}
    above = {spans[span.parent].name for name in _SANDBOX for span in receiver.named(name)}
    assert above == {
        *("set up", "reproduce", "attempt mechanical", "verify"),
        *("execute_tool bash", "execute_tool str_replace_based_edit_tool"),
    }
    [command] = [
        span for span in receiver.named("sandbox run") if "execute_tool" in spans[span.parent].name
    ]
    assert command.attributes["process.exit.code"] == 0


def _check_words(receiver: Receiver, root: Span) -> None:
    """Assert what the spans say, and that they say nothing of what was worked on."""
    assert root.attributes["fixpoint.verdict"] == "fixed"
    assert root.attributes["vcs.repository.name"] == "acme/app"
    [chat, *_] = receiver.named("chat claude-sonnet-5-5")
    told = {name: value for name, value in chat.attributes.items() if "usage" not in name}
    del told["gen_ai.conversation.id"], told["fixpoint.cost_usd"]
    assert told == snapshot(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "claude-sonnet-5-5",
            "gen_ai.request.max_tokens": 16000,
            "gen_ai.provider.name": "anthropic",
            "gen_ai.response.model": "claude-sonnet-5-5",
            "gen_ai.response.finish_reasons": ["tool_call"],
        }
    )
    [tool, *_] = receiver.named("execute_tool bash")
    assert tool.attributes == snapshot(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "bash",
            "gen_ai.tool.type": "function",
            "fixpoint.turn": 1,
        }
    )
    assert tool.problem is None
    for private in ("cat app.txt", "says wrong", "says right"):
        assert private not in "".join(receiver.bodies)


@pytest.mark.exhaustive
async def test_content_is_told_where_that_is_switched_on(tmp_path: Path) -> None:
    """Prompts, answers, commands and what tools said, redacted; keys are sent as headers."""
    steps = [bash("echo sk-ant-0123456789abcdefghij"), *RIGHT[1:]]
    async with open_receiver() as receiver:
        environ = {
            **tracing(receiver.url),
            "OTEL_EXPORTER_OTLP_HEADERS": "api-key=hunter2%3Dsecret",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test",
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true",
        }
        async with open_world(tmp_path, attempts(steps), environ=environ) as world:
            await world.comment("/fix")
            await world.settled()
            await receiver.until(lambda: bool(receiver.named(_ROOT)))
    assert {header["api-key"] for header in receiver.headers} == {"hunter2=secret"}
    assert receiver.resources[0]["deployment.environment.name"] == "test"
    first = receiver.named("chat claude-sonnet-5-5")[0].attributes
    assert "The app says wrong" in str(first["gen_ai.input.messages"])
    assert "echo [redacted]" in str(first["gen_ai.output.messages"])
    assert "echo [redacted]" in str(
        receiver.named("execute_tool bash")[0].attributes["gen_ai.tool.call.arguments"]
    )
    assert "sk-ant-0123456789" not in "".join(receiver.bodies)


@pytest.mark.exhaustive
async def test_a_run_that_waited_for_a_person(tmp_path: Path) -> None:
    """Its trace comes when it was answered, and shows the wait; metrics lead to it."""
    async with open_receiver() as receiver:
        environ = {**tracing(receiver.url), "FIXPOINT_METRICS_TOKEN": _TOKEN}
        async with open_world(
            tmp_path, attempts(RISKY), files=REQUIREMENTS, environ=environ
        ) as world:
            await world.comment("/fix")
            await world.settled()
            assert not receiver.named(_ROOT)
            await world.comment("/fix approve")
            await world.settled()
            await receiver.until(lambda: bool(receiver.named(_ROOT)))
            shown, others = await _measured(world)
    [root], [wait] = receiver.named(_ROOT), receiver.named("waiting for a person")
    assert wait.parent == root.id
    assert receiver.named("publish")[0].began >= wait.ended
    assert f'# {{trace_id="{root.trace}"}}' in shown
    assert shown.endswith("# EOF\n")
    counts = {
        line.split(" ")[0]: float(line.split(" ")[1])
        for line in shown.splitlines()
        if not line.startswith("#")
    }
    assert counts['fixpoint_attempts_total{accepted="true",proposer="agent"}'] == 1
    for waited in ("first_event_seconds", "publication_seconds"):
        assert counts[f"fixpoint_{waited}_count"] == 1
    assert counts['fixpoint_reproduction_seconds_count{cause="real"}'] == 1
    run = 'fixpoint_sandbox_call_seconds_count{kind="bubblewrap",operation="run",outcome="%s"}'
    assert counts[run % "ok"] > 0
    assert counts[run % "failed"] > 0
    assert counts['fixpoint_cache_requests_total{cache="environments",outcome="miss"}'] == 1
    assert counts["fixpoint_runs_in_flight"] == 0
    assert others == [401, 401, 404]


async def _measured(world: World) -> tuple[str, list[int]]:
    """Return what Prometheus is shown on the second port, and what others are answered."""
    bearer = {"Authorization": f"Bearer {_TOKEN}"}
    accept = {**bearer, "Accept": "application/openmetrics-text"}
    async with TestServer(world.server.metrics_app) as second, aiohttp.ClientSession() as web:
        async with web.get(second.make_url("/metrics"), headers=accept) as answer:
            shown = await answer.text()
        async with web.get(world.web.make_url("/metrics"), headers=bearer) as answer:
            assert answer.status == 200
            assert "trace_id" not in await answer.text()
        others = [
            (second.make_url("/metrics"), {}),
            (second.make_url("/metrics"), {"Authorization": f"Bearer {_TOKEN}?"}),
            (second.make_url("/api/v1/runs"), bearer),
        ]
        answers = [await web.get(url, headers=headers) for url, headers in others]
    return shown, [answer.status for answer in answers]
