"""An answer is for the question that its author had read, and for no other one."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from sqlalchemy import update

from bot.model import Verdict
from bot.model.questions import question_key, spoken_id
from bot.storage.approvals import ApprovalAnswer, ApprovalStore
from bot.storage.runs import RunStatus
from bot.storage.tables import approvals
from tests.flows.test_approval import REQUIREMENTS, RISKY, ended
from tests.flows.test_checks import files
from tests.flows.test_dashboard import LOCAL, browser, csrf, page
from tests.flows.test_tools import ASKS, FILES_THAT_ASK, is_waiting, waiting
from tests.flows.world import SETTLE_SECONDS, World, attempts, open_world


async def ask(world: World) -> str:
    """Let a run ask whether its patch may be published; return the question's id."""
    await world.comment("/fix")
    await world.settled()
    async with asyncio.timeout(SETTLE_SECONDS):
        while not await is_waiting(world):  # noqa: ASYNC110 - the condition is in the database
            await asyncio.sleep(0.02)
    return spoken_id((await world.run()).id)


async def still_waits(world: World) -> bool:
    """Whether nothing was published, and the youngest run waits."""
    return not world.pulls() and (await world.run()).status is RunStatus.WAITING


@pytest.mark.slow
async def test_an_answer_to_one_run_does_not_answer_the_next(tmp_path: Path) -> None:
    """Neither one that was written before, however late it arrives, nor one that names the other."""
    async with open_world(tmp_path, attempts(RISKY), files=REQUIREMENTS) as world:
        first = await ask(world)
        late = world.github.comment(world.issue, "ada", "/fix approve")
        world.state.advance(1)
        await world.comment("/fix reject")
        await ended(world)
        second = await ask(world)
        assert first != second
        await world.deliver(late)
        await world.settled()
        assert await still_waits(world)
        assert world.said()[-1] == snapshot("""\
This was written before what is asked here now, so nothing was answered.

- The patch: `/fix approve ID` or `/fix reject ID`

<!-- fixpoint:run=DELIVERY kind=not-answered -->
""")
        await world.comment(f"/fix approve {first}")
        await world.settled()
        assert await still_waits(world)
        said = world.issue.comments[-1].body
        assert f"Question `{first}` isn't open here" in said
        assert f"`/fix approve {second}` or `/fix reject {second}`" in said
        assert f"`/fix approve {second}` publishes it" in "\n".join(
            comment.body for comment in world.issue.comments
        )
        await world.comment(f"/fix approve {second}")
        assert (await ended(world)).verdict is Verdict.FIXED


@pytest.mark.exhaustive
async def test_the_answer_about_a_tool_is_none_about_the_patch(tmp_path: Path) -> None:
    """Two people allow a tool; the second one's comment arrives when the patch waits."""
    risky = [*ASKS[:1], *RISKY]
    config = {**FILES_THAT_ASK, "requirements.txt": "flask\n"}
    async with open_world(tmp_path, attempts(risky), files=config) as world:
        await world.comment("/fix")
        await waiting(world)
        world.state.advance(1)
        answers = [world.github.comment(world.issue, by, "/fix approve") for by in ("ada", "ada")]
        world.state.advance(1)
        await world.deliver(answers[0])
        await world.until(lambda: "dependencies" in "".join(world.said()))
        await world.settled()
        await world.deliver(answers[1])
        await world.settled()
        assert await still_waits(world)
        assert "written before what is asked here now" in world.said()[-1]


@pytest.mark.slow
async def test_several_questions_are_told_apart(tmp_path: Path) -> None:
    """The reply lists what can be said, and an id says which one is meant."""
    async with open_world(tmp_path, attempts(RISKY), files=REQUIREMENTS) as world:
        patch = await ask(world)
        run, store = await world.run(), ApprovalStore(world.server.database)
        other = question_key(run.id, "bash")
        await store.ask(other, "the use of `bash`", datetime.now(UTC) + timedelta(days=1))
        await store.posted(other, world.state.now())
        world.state.advance(1)
        await world.comment("/fix approve")
        await world.settled()
        assert await still_waits(world)
        assert world.said()[-1] == snapshot("""\
Several questions are open here, and this names none of them, so nothing was answered.

- The use of `bash`: `/fix approve ID` or `/fix reject ID`
- The patch: `/fix approve ID` or `/fix reject ID`

<!-- fixpoint:run=DELIVERY kind=not-answered -->
""")
        await world.comment(f"/fix approve `{spoken_id(other)}`")
        await world.settled()
        assert await still_waits(world)
        kept = await store.get(other)
        assert (kept and kept.answer) is ApprovalAnswer.APPROVED
        await world.comment(f"/fix approve {patch}.")
        assert (await ended(world)).verdict is Verdict.FIXED


@pytest.mark.exhaustive
async def test_what_an_older_server_asked_is_answered_without_an_id(tmp_path: Path) -> None:
    """Its text and its buttons name none."""
    async with open_world(tmp_path, attempts(RISKY), files=REQUIREMENTS) as world:
        await ask(world)
        nothing = update(approvals).values(about=None, asked_at=None, posted_at=None)
        await world.server.database.write(lambda connection: connection.execute(nothing).rowcount)
        await world.comment("/fix approve")
        assert (await ended(world)).verdict is Verdict.FIXED


@pytest.mark.slow
@pytest.mark.parametrize("way", [pytest.param("form", marks=pytest.mark.exhaustive), "api"])
async def test_a_page_that_was_left_open_answers_nothing_else(tmp_path: Path, way: str) -> None:
    """The form, and a call of the API, name the question that they were made for."""
    async with (
        open_world(tmp_path, attempts(RISKY), files=REQUIREMENTS, environ=LOCAL) as world,
        browser(world) as web,
    ):
        right = await ask(world)
        run = await world.run()
        html = await page(web, f"/runs/{run.id}")
        assert f'name="question" value="{right}"' in html
        for question, status in (("", 409), ("0" * 6, 409), (right, 202)):
            if way == "form":
                form = {"csrf": csrf(html), "question": question}
                request = web.post(f"/runs/{run.id}/approve", data=form)
            else:
                told = {"question": question}
                request = web.post(f"/api/v1/runs/{run.id}/approve", json=told)
            async with request as answer:
                assert answer.status == (200 if way == "form" and status < 400 else status)
                assert status < 400 or right in await answer.text()
        assert (await ended(world)).verdict is Verdict.FIXED
        async with web.post(f"/api/v1/runs/{run.id}/approve") as answer:
            assert answer.status == 422


@pytest.mark.exhaustive
async def test_a_button_that_is_left_over_answers_nothing(tmp_path: Path) -> None:
    """Of a question that was answered, and without an id."""
    config = {**files("auto: all"), "requirements.txt": "flask\n"}
    async with open_world(tmp_path, attempts(RISKY), files=config) as world:
        world.state.push(world.repository, "main", {"app.txt": "wrong\n"})
        await world.check_ends("test")
        await world.settled()
        [check] = world.our_checks(world.head("main"))
        run = await world.run()
        for button in ("approve-000000", "approve-", "reject-1"):
            await world.press(button, check)
            await world.settled()
            assert await still_waits(world)
            summary = check.fields["output"]["summary"]
            assert summary.startswith("> **Not done:** `ada` pressed a button. Refused: ")
            assert summary.count("Not done") == 1
        assert f"(`{spoken_id(run.id)}`) publishes it" in check.fields["output"]["summary"]
        await world.press("approve", check)
        assert (await ended(world)).verdict is Verdict.FIXED
        await world.settled()
        shown = world.shown(check)
        await world.press("stop", check, by="wes")
        await world.settled()
        assert world.shown(check) == shown.replace(
            "\n\n", "\n\n> **Not done:** `wes` pressed a button. There is no run to stop.\n\n", 1
        )
