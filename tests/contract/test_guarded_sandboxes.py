"""Whose fault it is when a sandbox fails: the kind's, or that of what was asked for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.app.guarded_sandboxes import GuardedProvider
from bot.health.service import CircuitState, ServiceKind
from bot.health.services import Services
from sandbox.base import SandboxError, SandboxGone, SandboxSpec
from tests.contract.e2b_fixture import provider_of
from tests.fakes.e2b import E2BServer, Refuse


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[E2BServer]:
    async with E2BServer(tmp_path / "e2b") as server:
        yield server


@pytest.fixture
async def guarded(server: E2BServer) -> AsyncIterator[GuardedProvider]:
    provider = provider_of(server)
    yield GuardedProvider(provider, Services().circuit(ServiceKind.SANDBOX, "e2b"))
    await provider.close()


@pytest.fixture
def spec(tmp_path: Path) -> SandboxSpec:
    (tmp_path / "source").mkdir()
    return SandboxSpec("run-1", source=tmp_path / "source")


def seen(guarded: GuardedProvider) -> tuple[CircuitState, int]:
    """Return the state of the circuit, and how many calls count as failed."""
    view = guarded.circuit.view()
    return view.state, view.figures.failed


async def test_what_fails_for_everybody_opens_the_circuit_at_once(
    server: E2BServer, guarded: GuardedProvider, spec: SandboxSpec
) -> None:
    """A small sandbox is tried out, and cannot be had either."""
    server.state.faults.add("create", Refuse(401), times=2)
    with pytest.raises(SandboxError):
        await guarded.open(spec)
    assert seen(guarded) == (CircuitState.OPEN, 1)
    assert not await guarded.ready()  # no probe is due


async def test_a_repository_s_own_mistake_is_not_the_kind_s(
    server: E2BServer, guarded: GuardedProvider, spec: SandboxSpec
) -> None:
    """Its template is not there; others go on with theirs."""
    server.state.faults.add("create", Refuse(404), times=1)
    with pytest.raises(SandboxError):
        await guarded.open(replace(spec, image="theirs"))
    assert seen(guarded) == (CircuitState.CLOSED, 0)
    assert server.state.running == []  # what was tried out is gone


async def test_lost_sandboxes_count(
    server: E2BServer, guarded: GuardedProvider, spec: SandboxSpec
) -> None:
    """One may be bad luck, so it opens nothing by itself."""
    sandbox = await guarded.open(spec)
    [machine] = server.state.running
    await server.state.end(machine)
    with pytest.raises(SandboxGone):
        await sandbox.run("true", timeout=60)
    assert seen(guarded) == (CircuitState.CLOSED, 1)


async def test_a_snapshot_that_is_gone_says_nothing_of_the_kind(
    guarded: GuardedProvider,
) -> None:
    """It is prepared anew."""
    with pytest.raises(SandboxGone):
        await guarded.open(SandboxSpec("run-1", snapshot="nothing"))
    assert seen(guarded) == (CircuitState.CLOSED, 0)
