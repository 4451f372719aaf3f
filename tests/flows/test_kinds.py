"""The main job on the other kinds of sandbox and database."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.model import Verdict
from tests.contract.postgres import PostgresServer
from tests.fakes.e2b import CutStream, E2BServer, Garbage, Slow
from tests.flows.world import RIGHT, WRONG, attempts, open_world


@pytest.mark.exhaustive
async def test_fixed_in_sandboxes_of_e2b(tmp_path: Path) -> None:
    """Setup has the network, nothing else has, and no machine or snapshot is left running."""
    async with E2BServer(tmp_path / "e2b") as e2b:
        async with open_world(tmp_path, attempts(WRONG, RIGHT), environ=e2b.settings) as world:
            asked = await world.comment("/fix")
            await world.settled()
            assert world.reactions(asked) == ["eyes", "rocket"]
            assert world.repaired() == "right\n"
        machines = e2b.state.sandboxes.values()
        assert [machine.network for machine in machines] == [True] + [False] * (len(machines) - 1)
        assert len(machines) > 4
        assert (e2b.state.running, e2b.state.snapshots) == ([], {})


@pytest.mark.exhaustive
async def test_faults_of_a_sandbox_that_pass_are_outlasted(tmp_path: Path) -> None:
    """A machine that is not made, a file that is no archive, a command that is cut off: all is done again."""
    async with E2BServer(tmp_path / "e2b") as e2b:
        async with open_world(tmp_path, attempts(RIGHT), environ=e2b.settings) as world:
            e2b.state.faults.add("create", Garbage())
            e2b.state.faults.add("read", Garbage())
            e2b.state.faults.add("start", Slow(0.0), times=3)
            e2b.state.faults.add("start", CutStream())
            e2b.state.faults.add("start", Garbage())
            await world.comment("/fix")
            await world.settled()
            assert world.repaired() == "right\n"
        assert not any(e2b.state.faults.pending.values())


@pytest.mark.postgres
@pytest.mark.exhaustive
async def test_fixed_with_everything_in_postgresql(
    tmp_path: Path, postgres: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Deliveries, runs and steps are kept there, and the password of its URL is in no log."""
    secret = "planted-password-51"
    url = postgres.empty_database().replace("fixpoint@", f"fixpoint:{secret}@")
    environ = {"DATABASE_URL": url}
    async with open_world(tmp_path, attempts(RIGHT), environ=environ) as world:
        await world.comment("/fix")
        await world.settled()
        assert (await world.run()).verdict is Verdict.FIXED
        assert world.repaired() == "right\n"
        assert secret not in "".join(world.said())
    assert list((tmp_path / "data").glob("*.db*")) == []
    assert secret not in "".join(capsys.readouterr())
