"""What GitHub shows is compared with what is known here, whatever was delivered."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.github.overview import ListedComment
from bot.intake.comment_policy import Identity
from bot.intake.reconcile_policy import answered_by, deliveries_in
from bot.model import Verdict
from bot.model.repository import Repo
from bot.model.request import FixRequest
from bot.reporting.marker import marker
from bot.storage.runs import RunStatus
from bot.storage.tables import last_words, migrations
from tests.fakes.github.account_views import stamp
from tests.fakes.github.model import Comment, Event
from tests.fakes.model import Step
from tests.flows.held_script import HeldScript
from tests.flows.test_checks import files, work
from tests.flows.world import (
    FILES,
    FIX,
    RIGHT,
    WHY,
    World,
    attempts,
    bash,
    entered,
    open_scene,
    open_world,
)

OLD = timedelta(minutes=10)
"""Older than any webhook, and any late edit."""


def long_past(comment: Comment, event: Event | None = None) -> None:
    """Let the comment, and the webhook of it, be from before the time that webhooks take."""
    comment.created_at -= OLD
    comment.updated_at -= OLD
    if comment.edited_at is not None:
        comment.edited_at -= OLD
    if event is not None:
        times = {"created_at": comment.created_at, "updated_at": comment.updated_at}
        event.payload["comment"] |= {name: stamp(at) for name, at in times.items()}


async def look(world: World) -> None:
    """Let the server compare, and wait for what that starts."""
    assert world.server.desk is not None
    made = update(migrations).values(applied_at=datetime.now(UTC) - timedelta(days=9))
    await world.server.database.write(lambda connection: connection.execute(made).rowcount)
    await world.server.desk.reconciler.look()
    await world.settled()


@pytest.mark.slow
async def test_a_command_without_a_webhook_is_answered_once(tmp_path: Path) -> None:
    """However often GitHub is looked at, and also when the webhook comes after all."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        event = world.github.comment(world.issue, "ada", "/fix")
        long_past(world.issue.comments[-1], event)
        await look(world)
        assert len(world.pulls()) == 1
        await world.deliver(event)
        await look(world)
        assert len(await world.server.runs.list()) == 1
        assert len(world.said()) == 1


@pytest.mark.slow
async def test_a_mention_without_a_webhook_is_answered_once(tmp_path: Path) -> None:
    """On a pull request of ours; elsewhere it asks for nothing."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        bot = world.state.app.bot
        world.state.push(world.repository, "fixpoint/1-x", {"more.txt": "x\n"})
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        event = world.github.comment(pull, "ada", "@fixpoint let it say right")
        world.github.comment(world.issue, "ada", "@fixpoint let it say right")
        long_past(pull.comments[-1], event)
        long_past(world.issue.comments[-1])
        await look(world)
        await look(world)
        await world.deliver(event)
        await world.settled()
        [run] = await world.server.runs.list()
        assert (run.verdict, run.request.number) == (Verdict.FIXED, pull.number), run.reason
        assert world.file("app.txt", "fixpoint/1-x") == "right\n"


async def test_what_was_answered_is_not_answered_again(tmp_path: Path) -> None:
    """A question has no run by which it would be known."""
    async with open_world(tmp_path) as world:
        await world.comment("/fix help")
        await world.comment("/fix", by="rea")
        await world.settled()
        before = world.said()
        assert len(before) == 2
        for comment in world.issue.comments:
            long_past(comment)
        await look(world)
        assert world.said() == before


@pytest.mark.slow
async def test_another_database_answers_nothing_again(tmp_path: Path) -> None:
    """Neither a new one, which looks back to its first start, nor one that was restored."""
    async with open_scene(tmp_path, attempts(RIGHT)) as scene:
        async with entered(scene, tmp_path / "first") as world:
            await world.comment("/fix")
            await world.settled()
            await world.comment("/fix help")
            await world.settled()
            for comment in [*world.issue.comments]:
                if comment.author.login == "ada":
                    long_past(comment)
            before = world.said()
            assert len(before) == 2
        async with entered(scene, tmp_path / "new") as world:
            lost = world.github.comment(world.issue, "ada", "/fix")
            long_past(world.issue.comments[-1], lost)
            assert world.server.desk is not None
            await world.server.desk.reconciler.look()
            await world.settled()
            assert await world.server.runs.list() == ()
            world.issue.comments.pop()
        async with entered(scene, tmp_path / "restored") as world:
            await look(world)
            await look(world)
            assert await world.server.runs.list() == ()
            assert world.said() == before
            other = world.state.open_issue(world.repository, "rea", "Another")
            world.github.comment(other, "ada", "/fix help")
            long_past(other.comments[-1])
            await look(world)
            assert len(world.said(other)) == 1


NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
US = Identity("fixpoint")
HERE = Repo("acme/app", 7)
GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"


def listed(number: int, author: str, body: str, minute: int, thread: int = 1) -> ListedComment:
    """A comment as a list shows it."""
    at = NOON + timedelta(minutes=minute)
    return ListedComment(
        number, f"N{number}", thread, author, by_bot=False, via_app=None, body=body,
        created_at=at, updated_at=at, shown={},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ours", "answered"),
    [
        ([], set()),
        ([(f"Hello\n\n{marker(GUID, 'help')}", 3, 1)], {1, 2}),
        ([(f"Hello\n\n{marker(GUID, 'help')}", 1, 1)], {1}),
        ([(f"Hello\n\n{marker('seen-5-7', 'help')}", 3, 2)], set()),
        ([("No marker", 3, 1)], set()),
        ([(f"Of another run\n\n{marker('0123456789ab', 'report')}", 3, 1)], set()),
        ([(f"Of its run\n\n{marker('RUN', 'progress')}", 3, 1)], {1}),
        ([(f"> {marker('RUN', 'progress')}\n\nQuoted", 3, 1)], set()),
    ],
)
def test_what_our_comments_answer(ours: list[tuple[str, int, int]], answered: set[int]) -> None:
    """A run by its id, another answer by when it came; quotes and other threads answer nothing."""
    asked = [listed(1, "ada", "/fix", 0), listed(2, "wes", "/fix help", 2)]
    run = FixRequest(
        "acme/app", 7, 1, actor="ada", is_pull_request=False, comment_id=1, asked_at=NOON
    )
    run_id = run.run_id
    replies = [
        listed(10 + at, US.login, body.replace("RUN", run_id), at, thread)
        for body, at, thread in ours
    ]
    elsewhere = deliveries_in(replies, US)
    assert answered_by(HERE, asked, [*asked, *replies], US, elsewhere) == answered


@pytest.mark.slow
async def test_failed_checks_without_a_webhook_start_a_run(tmp_path: Path) -> None:
    """Those of the default branch, and those of pull requests, where the config wants it."""
    async with open_world(
        tmp_path, attempts(RIGHT), files=files("auto: all, at_once: 3", app="wrong")
    ) as world:
        thread = work(world)
        for branch in ("main", "work"):
            run = world.state.ci.workflow_run(world.repository, world.head(branch), branch)
            world.state.ci.job(world.repository, run, f"test {branch}", conclusion="failure")
        await look(world)
        await look(world)
        runs = await world.server.runs.list()
        assert sorted(run.request.number or 0 for run in runs) == [0, thread.number]


@pytest.mark.exhaustive
async def test_a_look_takes_no_more_requests_than_it_may(tmp_path: Path) -> None:
    """The rest has its turn at the next one."""
    few = {"FIXPOINT_RECONCILE_REQUESTS": "12"}
    async with open_world(tmp_path, environ=few) as world:
        for number in range(20):
            world.state.add_repository(f"acme/other-{number}", {"a.txt": "a\n"})
        before = len(world.state.exchanges)
        await look(world)
        assert len(world.state.exchanges) - before < 40
        asked = {
            exchange.path
            for exchange in world.state.exchanges
            if "/issues/comments" in exchange.path
        }
        await look(world)
        again = {
            exchange.path
            for exchange in world.state.exchanges
            if "/issues/comments" in exchange.path
        }
        assert asked < again


@pytest.mark.slow
async def test_the_run_of_a_renamed_repository_publishes_at_the_new_name(tmp_path: Path) -> None:
    """Its tokens are gone with the old name, and people stop it under the new one."""
    script = HeldScript([bash("cat app.txt"), FIX, WHY])
    script.hold(2)
    async with open_world(tmp_path, script) as world:
        await world.comment("/fix")
        await script.reached(2)
        world.state.rename(world.repository, "acme/tool")
        for token in world.state.tokens.values():
            token.revoked = True
        assert world.server.desk is not None
        await world.server.desk.reconciler.look()
        [run] = await world.server.runs.active(world.repo, world.issue.number)
        assert run.repo.full_name == "acme/tool"
        script.let_go(2)
        await world.settled()
        assert world.repaired() == "right\n"
        [said] = world.said()
        assert "/acme/tool/pull/2" in said
        assert (await world.run()).id == run.id


@pytest.mark.slow
async def test_runs_end_with_a_reason_where_the_app_was_uninstalled(tmp_path: Path) -> None:
    """They stop paying models; GitHub has to say so twice, since it errs at times."""
    script = HeldScript([bash("cat app.txt"), FIX, WHY])
    script.hold(2)
    async with open_world(tmp_path, script) as world:
        await world.comment("/fix")
        await script.reached(2)
        world.state.installations.clear()
        for token in world.state.tokens.values():
            token.revoked = True
        assert world.server.desk is not None
        await world.server.desk.reconciler.look()
        [run] = await world.server.runs.active()
        assert not run.stop_requested
        await look(world)
        script.let_go(2)
        ended = await world.run()
        assert (ended.status, ended.verdict) == (RunStatus.DONE, Verdict.STOPPED)
        assert ended.reason == "The App is no longer installed on acme."


@pytest.mark.exhaustive
async def test_a_question_ends_with_a_reason_where_the_repository_was_archived(
    tmp_path: Path,
) -> None:
    """Nobody could answer it any more."""
    risky: list[Step] = [FIX, bash("echo left-pad >> requirements.txt"), WHY]
    with_requirements: Mapping[str, str | bytes] = {**FILES, "requirements.txt": "flask\n"}
    async with open_world(tmp_path, attempts(risky), files=with_requirements) as world:
        await world.comment("/fix")
        await world.settled()
        assert (await world.run()).status is RunStatus.WAITING
        world.repository.archived = True
        await look(world)
        await look(world)
        ended = await world.run()
        assert (ended.status, ended.verdict) == (RunStatus.DONE, Verdict.STOPPED)
        assert ended.reason == "acme/app is archived, so nothing can be published there."


@pytest.mark.exhaustive
async def test_what_a_stalled_server_says_too_late_is_put_right(tmp_path: Path) -> None:
    """An edit over the last words, and a comment that another server had posted; people's stay."""
    async with open_world(
        tmp_path, attempts(RIGHT), files=files("auto: default-branch", app="wrong")
    ) as world:
        await world.comment("/fix")
        await world.settled()
        [comment] = [item for item in world.issue.comments if item.author is world.state.app.bot]
        [*_, progress, last] = [*comment.history, comment.body]
        world.state.edit_comment(comment, progress, comment.author)
        world.state.add_comment(world.issue, world.state.app.bot, progress)
        quoted = world.state.add_comment(world.issue, world.state.accounts["ada"], progress)
        await long_ago(world)
        await look(world)
        assert comment.body == last
        assert [item for item in world.issue.comments if item.body == progress] == [quoted]
        world.state.edit_comment(comment, "A maintainer put it in other words.", "ada")
        await look(world)
        assert comment.body == "A maintainer put it in other words."


async def long_ago(world: World) -> None:
    """Let the time pass in which late edits may arrive."""
    earlier = update(last_words).values(said_at=datetime.now(UTC) - OLD)
    await world.server.database.write(lambda connection: connection.execute(earlier).rowcount)
