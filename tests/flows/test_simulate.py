"""`fixpoint config simulate` says what would happen, and nothing happens."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.commands.simulate import run_simulate
from bot.config.repo_config import json_schema
from bot.errors import UsageError
from bot.reporting.reasons import deliveries
from bot.reporting.reasons import simulation as rules
from bot.reporting.simulation import IGNORED as NOTHING
from bot.reporting.simulation import REFUSED
from tests.flows.test_checks import files, work
from tests.flows.world import open_world


async def told(
    capsys: pytest.CaptureFixture[str], target: str, **options: Any
) -> dict[str, tuple[bool, str, list[str]]]:
    """What the command prints: by trigger whether something would start, why, what doesn't hold."""
    capsys.readouterr()
    given = {"config": None, "login": "", "as_json": True} | options
    await asyncio.to_thread(run_simulate, target, **given)
    parts = json.loads(capsys.readouterr().out)["parts"]
    return {
        part["trigger"]: (
            part["starts"],
            part["outcome"],
            [rule["text"] for rule in part["rules"] if not rule["holds"]],
        )
        for part in parts
    }


async def test_what_would_happen_and_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a commit, a pull request and an issue, by the repository's config and by another one."""
    async with open_world(tmp_path, files=files("auto: default-branch", app="wrong")) as world:
        for name, value in world.variables(tmp_path / "data").items():
            monkeypatch.setenv(name, value)
        pull, ci = work(world), world.state.ci
        main = world.head("main")
        for sha, branch, name in ((main, "main", "test"), (world.head("work"), "work", "lint")):
            run = ci.workflow_run(world.repository, sha, branch, name="CI")
            ci.job(world.repository, run, name, conclusion="failure")

        at_main = await told(capsys, f"acme/app@{main}")
        limits = "at most 3 attempts and $2.00 of model calls. What it finds would become a draft pull request."
        assert at_main == {"Failed checks": (True, f"A run would start for test: {limits}", [])}
        at_pull = await told(capsys, f"acme/app#{pull.number}")
        assert {name: part[1:] for name, part in at_pull.items()} == {
            "Failed checks": (f"{NOTHING} {deliveries.NOT_ENABLED_HERE}", [rules.CHECKS_ENABLED]),
            "Proof card": (f"{NOTHING} {deliveries.PROOFS_OFF}", [rules.PROOFS_ON]),
            "/fix": (f"A run would start: {limits}", []),
        }
        config = tmp_path / "fixpoint.yml"
        config.write_text("checks: {auto: all}\nproof: {on: fixes}\nattempts: 2\n")
        other = await told(capsys, f"acme/app#{pull.number}", config=config)
        assert other["Failed checks"][1].startswith(
            "A run would start for lint: at most 2 attempts"
        )
        assert other["Proof card"][2] == [rules.IS_A_FIX]
        stranger = await told(capsys, "https://github.com/acme/app/issues/1", login="rea")
        assert stranger == {"/fix": (False, REFUSED, [rules.MAY_ASK])}
        assert await world.server.runs.list() == ()
        assert world.said() == []
        assert world.our_checks() == []
        async with aiohttp.ClientSession() as session:
            answer = await session.get(world.web.make_url("/fixpoint.schema.json"))
            assert await answer.json() == json_schema()
        for target, words in (("acme/other#1", "not installed"), ("acme/app", "no issue, pull")):
            with pytest.raises(UsageError, match=words):
                await told(capsys, target)
