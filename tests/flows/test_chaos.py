"""A small part of `bench/chaos`: what it lets happen, it judges, and the same seed does the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.chaos.plan import Kind, Pace, plan
from bench.chaos.run import EXPIRY, chaos
from bench.chaos.stories import Plot
from tests.contract.postgres import PostgresServer, own_server
from tests.flows.server_process import PATIENCE

PACE = Pace(least=0.5, most=3.0, expiry=EXPIRY)


def test_the_same_seed_gives_the_same_disasters() -> None:
    """And as many kills as were asked for."""
    kinds = [Kind.STALL, Kind.READ_ONLY]
    first = plan(7, 10, 3, PACE, kinds)
    assert first == plan(7, 10, 3, PACE, kinds)
    assert first != plan(8, 10, 3, PACE, kinds)
    assert sum(disaster.kind is Kind.KILL for disaster in first) == 10
    assert {disaster.kind for disaster in first} <= {Kind.KILL, *kinds}
    assert all(PACE.least <= disaster.after <= PACE.most for disaster in first)


@pytest.mark.slow
@pytest.mark.postgres
async def test_nothing_is_lost_or_doubled(tmp_path: Path, postgres: PostgresServer) -> None:
    """Servers are killed, and GitHub and the model err, while an issue and a check are repaired."""
    plots = [Plot.FIXED, Plot.CHECKED]
    async with chaos(
        tmp_path, postgres, seed=3, rate=0.02, patience=PATIENCE, roles=("serve", "worker")
    ) as world:
        await world.learn(plots)
        await world.suffer(plots, plan(3, 3, 2, PACE, []), width=2, least=2)
        found = world.findings
        assert (found.lost, found.doubled, found.odd) == ([], [], [])
        assert found.disasters == {Kind.KILL.value: 3}
        assert found.stories >= 2
        assert found.extra_calls <= found.takeovers


@pytest.mark.exhaustive
@pytest.mark.postgres
async def test_a_database_that_comes_and_goes_costs_nothing(tmp_path: Path) -> None:
    """It is restarted, killed and read-only while servers stall."""
    kinds = [Kind.STALL, Kind.STOP, Kind.DATABASE_RESTART, Kind.DATABASE_CRASH, Kind.READ_ONLY]
    disasters = [
        disaster for disaster in plan(5, 12, 2, PACE, kinds) if disaster.kind is not Kind.KILL
    ]
    with own_server() as postgres:
        async with chaos(
            tmp_path, postgres, seed=5, rate=0.0, patience=PATIENCE, roles=("serve", "worker")
        ) as world:
            await world.learn([Plot.FIXED])
            await world.suffer([Plot.FIXED], disasters, width=2, least=2)
            found = world.findings
            assert (found.lost, found.doubled, found.odd) == ([], [], [])
