"""Programs of others read the API's description: one makes a client of it, one looks for faults.

`make api-tools` installs them into an environment of their own, because what they need contradicts
what Fixpoint needs.
"""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import aiohttp
import pytest

from tests.flows.world import RIGHT, World, attempts, open_world

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / ".venv" / "api-tools" / "bin"
TOKEN = "a-token-of-an-administrator"
ENVIRON = {
    "FIXPOINT_ADMIN_TOKEN": TOKEN,
    "FIXPOINT_API_RATE": "1000000",
    "FIXPOINT_RUNS_PER_HOUR": "2",  # what is retried at random ends at once
}

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(not TOOLS.exists(), reason="`make api-tools` installs what this needs"),
]

CLIENT = """\
import json
import sys
from fixpoint_client import AuthenticatedClient
from fixpoint_client.api.runs import create_run, list_runs, show_events, show_report, show_run
from fixpoint_client.models import NewRun, Problem, RunPartStatus

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
body = NewRun(repository="acme/app", prompt="It says wrong.")
started = create_run.sync(client=client, body=body, idempotency_key="once")
assert create_run.sync(client=client, body=body, idempotency_key="once") == started
listed = list_runs.sync(client=client, limit=5)
assert [run.id for run in listed.runs] == [started.id]
after, types = 0, []
while True:
    page = show_events.sync(client=client, id=started.id, after=after)
    for event in page.events:
        after = event.number
        types.append(event.type_)
    if show_run.sync(client=client, id=started.id).status == RunPartStatus.DONE:
        break
run = show_run.sync(client=client, id=started.id)
report = show_report.sync(client=client, id=started.id)
missing = show_run.sync(client=client, id="0" * 12)
assert isinstance(missing, Problem), missing
print(json.dumps({"verdict": run.verdict, "attempts": len(report.attempts), "first": types[0]}))
"""


async def run(*words: str, cwd: Path) -> str:
    """Run a program that has to succeed; return what it printed."""
    environ = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
    process = await asyncio.create_subprocess_exec(
        *words, cwd=cwd, env=environ, stdout=PIPE, stderr=STDOUT
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
    return out.decode()


def document(world: World) -> str:
    return str(world.web.make_url("/api/v1/openapi.json"))


async def test_a_generated_client_works(tmp_path: Path) -> None:
    """It creates a run, lists, shows and follows it, and reads its report and a problem."""
    async with open_world(tmp_path, attempts(RIGHT), environ=ENVIRON) as world:
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            aiohttp.ClientSession(headers=bearer) as web,
            web.get(document(world)) as answer,
        ):
            (tmp_path / "openapi.json").write_text(await answer.text(), encoding="utf-8")
        generator = str(TOOLS / "openapi-python-client")
        to = "fixpoint_client"
        await run(
            generator, "generate", "--path", "openapi.json", "--meta", "none", "--output-path", to,
            cwd=tmp_path,
        )  # fmt: skip
        (tmp_path / "program.py").write_text(CLIENT, encoding="utf-8")
        url = str(world.web.make_url("/")).rstrip("/")
        said = await run(str(TOOLS / "python"), "program.py", url, TOKEN, cwd=tmp_path)
    assert json.loads(said) == {"verdict": "fixed", "attempts": 1, "first": "status"}


async def test_nothing_is_answered_that_is_not_described(tmp_path: Path) -> None:
    """schemathesis, with all of its checks and a fixed seed: `make api-fuzz` looks for longer."""
    async with open_world(tmp_path, attempts(RIGHT), environ=ENVIRON) as world:
        await world.comment("/fix")
        await world.settled()
        await run(
            str(TOOLS / "schemathesis"),
            *("--config-file", str(ROOT / "tests" / "schemathesis.toml")),
            *("run", document(world), "--header", f"Authorization: Bearer {TOKEN}"),
            *("--header", "Accept: */*"),  # a stream of events ends with its run, perhaps never
            *("--checks", "all", "--max-examples", os.environ.get("API_EXAMPLES", "5")),
            *("--seed", "14", "--continue-on-failure"),
            cwd=tmp_path,
        )
