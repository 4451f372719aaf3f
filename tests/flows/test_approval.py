"""Stories of patches that wait for a person, and of repositories that want less or more."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp.test_utils import TestServer
from inline_snapshot import snapshot

from bot.model import Verdict
from bot.reporting.reasons import publication
from bot.server.serve import Server, open_server
from bot.settings.environment import ServerSettings, load_server_settings
from bot.storage.runs import RunRecord, RunStatus
from tests.fakes.model import Step
from tests.flows.world import (
    CONFIG,
    FILES,
    FIX,
    SETTLE_SECONDS,
    WHY,
    Scene,
    World,
    attempts,
    bash,
    open_scene,
    open_world,
    served,
)

RISKY: list[Step] = [FIX, bash("echo left-pad >> requirements.txt"), WHY]
REQUIREMENTS = {**FILES, "requirements.txt": "flask\n"}


def config(confidence: str) -> dict[str, str | bytes]:
    """Return the files with that rung of the ladder."""
    return {**FILES, ".github/fixpoint.yml": f"{CONFIG}confidence: {confidence}\n"}


@pytest.mark.slow
async def test_a_new_dependency_waits_for_a_maintainer(tmp_path: Path) -> None:
    """Through a restart of the server, and past those who may not approve."""
    async with open_scene(tmp_path, attempts(RISKY), files=REQUIREMENTS) as scene:
        settings = load_server_settings(scene.variables(tmp_path / "data"))
        async with open_server(settings) as server, served(server) as web:
            world = world_of(scene, server, web, settings)
            await world.comment("/fix")
            await world.settled()
            assert (await world.run()).status is RunStatus.WAITING
            assert world.pulls() == []
            assert world.said() == snapshot(
                [
                    """\
**A verified patch is waiting for approval.**

- It changes dependencies: requirements.txt.

`/fix approve ID` publishes it; `/fix reject ID` ends the run. Approving requires the role `maintain` or higher. Without an answer, the request expires on DAY at TIME UTC.

**Cause and change:** The file said wrong. It says right now.

**Proof:** The failing command passes with this patch in a clean sandbox that its author can't reach.

2 files, +2 -1: `app.txt` and `requirements.txt`

<details>
<summary>Attempts and notes</summary>

| # | Proposer | Command | Failing | Patch | Tokens | Cost | Time | Outcome |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | agent, `claude-sonnet-5-5` | `sh check.sh` | fails → passes | 2 files, +2 -1 | N | $0.N | N s | accepted |

- Attempt 1 asked claude-sonnet-5-5: nothing suggests that the failure is easy or hard.
- Attempt 1 used 2 tool calls (1 `bash`, 1 `str_replace_based_edit_tool`) and the provider's cache (N% of its input tokens).
- mechanical: No tool in this project can automatically fix what `sh check.sh` reports.

</details>

<details>
<summary>Show the patch</summary>

```diff
diff --git a/app.txt b/app.txt
index COMMIT..COMMIT 100644
--- a/app.txt
+++ b/app.txt
@@ -1 +1 @@
-wrong
+right
diff --git a/requirements.txt b/requirements.txt
index COMMIT..COMMIT 100644
--- a/requirements.txt
+++ b/requirements.txt
@@ -1 +1,2 @@
 flask
+left-pad
```

</details>

<!-- fixpoint:run=RUN kind=progress -->
"""
                ]
            )
            assert all(token.revoked for token in scene.state.tokens.values())
        async with open_server(settings) as server, served(server) as web:
            world = world_of(scene, server, web, settings)
            for body, person in (
                ("/fix approve", "wes"),
                ("/fix approve", "rea"),
                ("/fix status", "ada"),
            ):
                await world.comment(body, by=person)
                await world.settled()
            assert world.said()[1:] == snapshot(
                [
                    """\
Approving requires the role `maintain` or higher in this repository. `/fix reject` ends the run.

<!-- fixpoint:run=DELIVERY kind=may-not-approve -->
""",
                    """\
Only people with write access to this repository can use Fixpoint.

<!-- fixpoint:run=thread-1 kind=not-allowed -->
""",
                    """\
The run is waiting for approval.

- The patch: `/fix approve ID` or `/fix reject ID`

<!-- fixpoint:run=DELIVERY kind=status -->
""",
                ]
            )
            assert world.pulls() == []
            await world.comment("/fix approve")
            assert (await ended(world)).verdict is Verdict.FIXED
            assert world.repaired() == "right\n"
            [pull] = world.pulls()
            assert publication.approved("ada") in (pull.body or "")
            await world.comment("/fix approve")
            await world.settled()
            assert world.said()[-1] == snapshot("""\
Nothing is waiting for approval here.

<!-- fixpoint:run=DELIVERY kind=not-answered -->
""")
            assert len(world.pulls()) == 1


@pytest.mark.exhaustive
async def test_rejected_stopped_and_forgotten(tmp_path: Path) -> None:
    """Each ends the run without a pull request."""
    async with open_world(tmp_path, attempts(RISKY), files=REQUIREMENTS) as world:
        reasons = []
        for answer in ("/fix reject", "/fix stop", ""):
            await world.comment("/fix")
            await world.settled()
            run = await world.run()
            assert run.status is RunStatus.WAITING
            if answer:
                await world.comment(answer, by="wes")
            else:
                await expire(world, run.id)
            reasons.append((await ended(world)).reason)
        assert reasons == snapshot(
            ["wes rejected the patch.", "wes rejected the patch.", "The approval expired."]
        )
        assert world.pulls() == []


def world_of(scene: Scene, server: Server, web: TestServer, settings: ServerSettings) -> World:
    """Return the scene with this server in it."""
    parts = (scene.state, scene.github, scene.model, scene.repository, scene.issue)
    return World(*parts, server, web, settings)


async def ended(world: World) -> RunRecord:
    """Return the youngest run once it is over, its last words said."""
    async with asyncio.timeout(SETTLE_SECONDS):
        while (await world.run()).status is not RunStatus.DONE:  # noqa: ASYNC110 - the condition is in the database
            await asyncio.sleep(0.02)
    return await world.run()


async def expire(world: World, run_id: str) -> None:
    """Let the time for an answer be over, and have the server look."""
    from sqlalchemy import update

    from bot.storage.tables import approvals

    past = datetime.now(UTC) - timedelta(days=1)
    statement = update(approvals).where(approvals.c.run_id == run_id).values(until=past)
    await world.server.database.write(lambda connection: connection.execute(statement))
    await world.server.approvals.look()


@pytest.mark.slow
async def test_the_ladder(tmp_path: Path) -> None:
    """Diagnose: a report. Suggest: a patch in a comment. Push: ready for review."""
    async with open_world(tmp_path, attempts([FIX, WHY]), files=config("diagnose")) as world:
        await world.comment("/fix")
        await world.settled()
        assert world.said()[-1] == snapshot("""\
**Diagnosed.** A patch was verified, but it is not shown because this repository's `confidence` is `diagnose`.

**Cause and change:** The file said wrong. It says right now.

**Proof:** The failing command passes with this patch in a clean sandbox that its author can't reach.

It changes `app.txt` (1 file, +1 -1).

<details>
<summary>Attempts and notes</summary>

| # | Proposer | Command | Failing | Patch | Tokens | Cost | Time | Outcome |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | agent, `claude-sonnet-5-5` | `sh check.sh` | fails → passes | 1 file, +1 -1 | N | $0.N | N s | accepted |

- Attempt 1 asked claude-sonnet-5-5: nothing suggests that the failure is easy or hard.
- Attempt 1 used 1 tool call (1 `str_replace_based_edit_tool`) and the provider's cache (N% of its input tokens).
- mechanical: No tool in this project can automatically fix what `sh check.sh` reports.

</details>

<!-- fixpoint:run=RUN kind=progress -->
""")
        world.state.push(world.repository, "main", config("suggest"))
        await world.comment("/fix")
        await world.settled()
        assert publication.SUGGESTIONS_ONLY in world.said()[-1]
        assert world.pulls() == []
        world.state.push(world.repository, "main", config("push"))
        await world.comment("/fix")
        await world.settled()
        [pull] = world.pulls()
        assert pull.pull is not None
        assert not pull.pull.draft
