"""Chaos: what runs depend on fails and recovers, and people hear of it where they look."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.health.service import CircuitState, ServiceKind
from bot.model import Verdict
from tests.fakes.e2b import E2BServer, Refuse, Slow
from tests.fakes.model import ModelServer, Overloaded, Request, Say, Step
from tests.flows.held_script import HeldScript
from tests.flows.server_process import ServerProcess
from tests.flows.world import FIX, RIGHT, WHY, World, attempts, bash, open_scene, open_world

QUICK = {"HOST": "127.0.0.1", "FIXPOINT_PROBE_SECONDS": "0.2"}
"""Probes come as quickly as the rest of a story; nothing depends on how quickly."""

FAILS = Overloaded(retry_after=0.01)

NOTHING = [Say("I can't see what is wrong.")]
"""A conversation that is over soon, where a story is not about the repair."""


@dataclass
class Provider:
    """A script of a model that can be switched off."""

    script: Callable[[Request], Step]
    down: bool = True

    def __call__(self, request: Request) -> Step:
        return FAILS if self.down else self.script(request)


async def health(world: World) -> dict[str, Any]:
    """Return what `/health/detailed` says."""
    async with (
        aiohttp.ClientSession() as web,
        web.get(world.web.make_url("/health/detailed")) as answer,
    ):
        told: dict[str, Any] = await answer.json()
        return told


async def exported(world: World) -> str:
    """Return all metrics."""
    async with aiohttp.ClientSession() as web, web.get(world.web.make_url("/metrics")) as answer:
        return await answer.text()


async def metric(world: World, name: str) -> float:
    """Return the value of a metric, named with its labels."""
    lines = (await exported(world)).splitlines()
    [value] = [line.removeprefix(f"{name} ") for line in lines if line.startswith(f"{name} ")]
    return float(value)


async def notes(world: World) -> list[str]:
    """Return what the report of the youngest run says besides."""
    report = (await world.run()).report
    assert report is not None
    return list(report.notes)


def progress(world: World) -> str:
    """Return the last of our comments."""
    return world.said()[-1] if world.said() else ""


def works(world: World, kind: ServiceKind, name: str) -> bool:
    """Whether the circuit of a service is closed."""
    [view] = [
        service_view
        for service_view in world.depends.services.views(kind)
        if service_view.service.name == name
    ]
    return view.works


@pytest.mark.slow
async def test_another_provider_takes_over_until_the_first_one_recovers(tmp_path: Path) -> None:
    """Runs, metrics and health say so, with the figures; then the first one is used again."""
    first = Provider(attempts(NOTHING))
    environ = QUICK | {"FIXPOINT_FAILING_CALLS": "2", "OPENAI_MODEL": "spare"}
    async with ModelServer(attempts(NOTHING)) as other:
        environ |= {"OPENAI_BASE_URL": other.openai_url}
        async with open_world(tmp_path, first, environ=environ) as world:
            services = world.depends.services
            await world.comment("/fix")
            await world.settled()
            assert (await world.run()).verdict is Verdict.GAVE_UP
            assert (
                "anthropic is failing (2 of 2 calls). openai is used until it recovers."
                in await notes(world)
            )
            told = await health(world)
            service = told["services"][0]
            assert (service["name"], service["state"]) == ("anthropic", "open")
            assert (service["error_rate"], service["cost_usd"]) == (1.0, "0")
            assert service["doing"].endswith("openai is used.")
            assert told["score"] < 100
            labels = 'kind="model",service="anthropic"'
            assert await metric(world, f"fixpoint_service_state{{{labels}}}") == 2
            assert told["escalated"] == []

            answered, first.down = len(other.requests), False
            await world.until(lambda: services.probe_in(ServiceKind.MODEL) == 0)
            await world.comment("/fix retry")
            await world.settled()
            assert works(world, ServiceKind.MODEL, "anthropic")
            assert len(other.requests) == answered > 0
            assert "anthropic has recovered and is used again." in await notes(world)
            assert await metric(world, f"fixpoint_service_state{{{labels}}}") == 0
            changes = f'fixpoint_service_changes_total{{{labels},state="closed"}}'
            assert await metric(world, changes) == 1
            assert await metric(world, f"fixpoint_service_recent_dollars{{{labels}}}") > 0


@pytest.mark.slow
async def test_a_run_waits_out_an_outage_and_a_person_is_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With no provider left it says what it waits for, and goes on where it was."""
    only = Provider(attempts(RIGHT))
    async with open_world(tmp_path, only, environ=QUICK) as world:
        await world.comment("/fix")
        await world.until(lambda: "No model provider works (anthropic)" in progress(world))
        assert "Whoever runs this server has been told." in progress(world)
        told = await health(world)
        assert told["escalated"] != []
        assert told["score"] <= 60
        assert await metric(world, 'fixpoint_escalated{kind="model"}') == 1

        only.down = False
        await world.settled()
        assert (await world.run()).verdict is Verdict.FIXED
        said = await notes(world)
        assert said[-1] == "The outage is over: anthropic can be used again."
        assert (await health(world))["escalated"] == []
        assert await metric(world, 'fixpoint_escalated{kind="model"}') == 0
    logged = capsys.readouterr().out
    assert logged.count("services need a person") == 1
    assert logged.count("services work again") == 1


@pytest.mark.exhaustive
async def test_an_outage_is_waited_out_before_a_circuit_opens(tmp_path: Path) -> None:
    """With many answers a moment ago, some failed calls say little about the provider."""
    answers: list[Step] = [*(bash(f"head -{n} app.txt") for n in range(1, 6)), FIX, WHY]
    failures = iter([FAILS] * 4)  # one more than the tries of a call

    def script(request: Request) -> Step:
        failed = next(failures, None) if request.turn > 5 else None
        return failed or answers[min(request.turn, len(answers)) - 1]

    async with open_world(tmp_path, script, environ=QUICK) as world:
        await world.comment("/fix")
        await world.settled()
        assert (await world.run()).verdict is Verdict.FIXED
        assert await metric(world, 'fixpoint_service_state{kind="model",service="anthropic"}') == 0
        changes = 'fixpoint_service_changes_total{kind="model",service="anthropic",state="open"}'
        assert changes not in await exported(world)


@pytest.mark.exhaustive
async def test_an_outage_that_lasts_ends_the_run_with_its_reason(tmp_path: Path) -> None:
    """No longer than the operator wants it to wait, and without asking in vain again."""
    environ = QUICK | {"FIXPOINT_OUTAGE_SECONDS": "0", "FIXPOINT_PROBE_SECONDS": "600"}
    async with open_world(tmp_path, Provider(attempts(RIGHT)), environ=environ) as world:
        assert world.model is not None
        await world.comment("/fix")
        await world.settled()
        asked = len(world.model.requests)
        await world.comment("/fix retry")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.INFRASTRUCTURE
        assert run.reason.startswith("anthropic is failing: 3 of its last 3 calls failed.")
        assert len(world.model.requests) == asked == 3


@pytest.mark.exhaustive
async def test_another_kind_of_sandbox_stands_in_until_the_first_one_recovers(
    tmp_path: Path,
) -> None:
    """New runs go there, and their report says so; then back."""
    async with (
        E2BServer(tmp_path / "e2b") as e2b,
        open_world(tmp_path, environ=QUICK | two_kinds(e2b)) as world,
    ):
        die_after(e2b, creations=0)
        await world.comment("/fix")
        await world.settled()
        assert (await world.run()).verdict is Verdict.GAVE_UP
        said = "Commands ran in sandboxes of bubblewrap, because e2b fails."
        assert said in await notes(world)
        assert e2b.state.sandboxes == {}
        kinds = {item["name"]: item for item in (await health(world))["services"]}
        assert kinds["e2b"]["state"] != "closed"
        assert kinds["e2b"]["doing"].endswith("bubblewrap is used.")

        e2b.state.faults.pending.clear()
        await world.until(lambda: works(world, ServiceKind.SANDBOX, "e2b"))
        chosen = await world.depends.sandboxes.choose(lambda _: None)
        assert (chosen.kind, chosen.instead_of) == ("e2b", ())


@pytest.mark.exhaustive
async def test_a_run_whose_sandboxes_die_early_starts_over_in_the_next_kind(
    tmp_path: Path,
) -> None:
    """Nothing was observed yet. It says so, and keeps to that when its server is killed."""
    script = HeldScript(RIGHT)
    script.hold(1)
    async with E2BServer(tmp_path / "e2b") as e2b, open_scene(tmp_path, script) as scene:
        server = ServerProcess(scene.variables(tmp_path / "data") | two_kinds(e2b), tmp_path)
        die_after(e2b, creations=1)
        async with server.running():
            await scene.github.deliver(
                scene.github.comment(scene.issue, "ada", "/fix"), server.webhook
            )
            await script.reached(1)
            await server.kill()
            e2b.state.faults.pending.clear()
            begun = e2b.state.requests.count("create")
            script.let_go(1)
            await server.start()
            await server.logged("run over")
        assert scene.repaired() == "right\n"
        [pull] = scene.pulls()
        assert (
            "Sandboxes of e2b failed before anything was reproduced, so the run started over in "
            "sandboxes of bubblewrap." in (pull.body or "")
        )
        assert e2b.state.requests.count("create") == begun


@pytest.mark.exhaustive
async def test_a_run_whose_sandboxes_die_later_ends(tmp_path: Path) -> None:
    """What was observed in one kind says little about another."""
    async with E2BServer(tmp_path / "e2b") as e2b:
        die_after(e2b, creations=2)
        async with open_world(tmp_path, environ=QUICK | two_kinds(e2b)) as world:
            await world.comment("/fix")
            await world.settled()
            assert (await world.run()).verdict is Verdict.INFRASTRUCTURE
            assert not works(world, ServiceKind.SANDBOX, "e2b")


def two_kinds(e2b: E2BServer) -> dict[str, str]:
    """Return the settings of a server that prefers e2b, and has bubblewrap besides."""
    return e2b.settings | {"FIXPOINT_SANDBOX": "e2b,bubblewrap"}


def die_after(e2b: E2BServer, *, creations: int) -> None:
    """Let so many sandboxes come into being, the first of which tries the kind out, and no more."""
    e2b.state.faults.add("create", Slow(0.0), times=creations)
    e2b.state.faults.add("create", Refuse(500), times=10_000)


def break_bubblewrap(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program before the real one that starts nothing once it may be run; return it."""
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    program = folder / "bwrap"
    program.write_text("#!/bin/sh\necho 'No permissions to create a new namespace' >&2\nexit 1\n")
    return program


@pytest.mark.exhaustive
async def test_fewer_runs_at_once_while_sandboxes_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Step by step up to all of them, when they work again; the runs that wait say why."""
    environ = QUICK | {"FIXPOINT_CONCURRENCY": "4"}
    broken = break_bubblewrap(tmp_path / "bin", monkeypatch)
    async with open_world(tmp_path, environ=environ) as world:
        limit = world.depends.concurrency
        broken.chmod(0o755)
        await world.comment("/fix")
        await world.settled()
        lost = await world.run()
        assert lost.verdict is Verdict.INFRASTRUCTURE
        assert "namespace" in lost.reason
        await world.until(lambda: limit.limit == 1)
        told = await health(world)
        assert told["concurrency"] == {"limit": 1, "most": 4, "why": ["sandboxes fail"]}
        assert await metric(world, "fixpoint_concurrency_limit") == 1

        await world.comment("/fix retry")
        await world.until(lambda: "No sandbox works at the moment" in progress(world))
        await world.comment("/fix stop")
        await world.settled()
        assert (await world.run()).verdict is Verdict.STOPPED

        await world.comment("/fix retry")
        await world.until(lambda: "No sandbox works at the moment" in progress(world))
        broken.unlink()
        await world.settled()
        assert (await world.run()).verdict is Verdict.GAVE_UP
        await world.until(lambda: limit.limit == 4)
        assert (await health(world))["concurrency"] == {"limit": 4, "most": 4, "why": []}
        [sandbox] = world.depends.services.views(ServiceKind.SANDBOX)
        assert sandbox.state is CircuitState.CLOSED
