"""Review threads: what was said at lines is answered once, and resolved."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from bot.errors import Conflict, GitHubError, NotPermitted, is_outage
from bot.github.graphql import refusal_of
from bot.github.refusals import Gone
from bot.intake.review_events import parse_review
from bot.model.request import FixRequest
from bot.runs.publishing.outcome_comment import NotPublished
from bot.runs.publishing.review_answers import ReviewAnswers
from tests.contract.test_github import World, world
from tests.fakes.github import Issue, Trouble
from tests.fakes.github.model import Branches, Event
from tests.unit.reports import GAVE_UP

__all__ = ["world"]  # a fixture: pytest finds it by name

MARK = "<!-- fixpoint:run=1f2e kind=thread-1 -->"


def reviewed(world: World) -> tuple[Issue, Branches, Event]:
    """Return our own pull request, and the webhook of what somebody says there."""
    world.state.push(world.repository, "work", {"a.txt": "a\n"})
    pull = world.state.open_pull_request(world.repository, world.state.app.bot, "Work", head="work")
    assert pull.pull is not None
    return pull, pull.pull, world.server.review_comment(pull, "ada", "Why?")


@pytest.mark.parametrize("trouble", [Trouble.LOST_ANSWER, Trouble.BAD_GATEWAY])
async def test_a_thread_is_answered_once_and_resolved(world: World, trouble: Trouble) -> None:
    """Whichever answer of GitHub's is lost, and however often it is done."""
    issue, pull, event = reviewed(world)
    world.server.review_comment(issue, "bob", f"Same here. {MARK}", event.payload["comment"]["id"])
    world.state.faults.add(trouble, method="POST", path="/replies|/graphql", times=3)
    for _ in range(2):
        [thread] = await world.github.review_threads(world.repo, issue.number)
        body = f"Because.\n{MARK}"
        await world.github.reply_in_thread(world.repo, issue.number, thread, body, MARK)
        await world.github.resolve_thread(world.repo, thread)
    assert (thread.path, thread.resolved) == ("a.txt", True)
    said = [(comment["user"]["login"], comment["body"]) for comment in pull.threads[0].comments]
    assert said == [
        ("ada", "Why?"),
        ("bob", f"Same here. {MARK}"),
        (world.state.app.bot.login, f"Because.\n{MARK}"),
    ]


async def test_threads_are_read_page_by_page(world: World) -> None:
    """A pull request may have more than GitHub shows at once."""
    issue, pull, _ = reviewed(world)
    for at in range(120):
        world.server.review_comment(issue, "ada", str(at))
    found = await world.github.review_threads(world.repo, issue.number)
    assert [thread.comments[0] for thread in found] == [
        thread.comments[0]["id"] for thread in pull.threads
    ]
    assert world.calls("POST", "^/graphql$") == 2


async def test_refusals_of_graphql_are_told(world: World) -> None:
    """It refuses with status 200."""
    issue, pull, _ = reviewed(world)
    with pytest.raises(Gone, match="PullRequest"):
        await world.github.review_threads(world.repo, 999)
    [thread] = await world.github.review_threads(world.repo, issue.number)
    pull.threads.clear()
    with pytest.raises(Gone, match="global id"):
        await world.github.resolve_thread(world.repo, thread)


@pytest.mark.parametrize(
    ("error", "kind", "later"),
    [
        ({"type": "FORBIDDEN"}, NotPermitted, False),
        ({"type": "RATE_LIMITED"}, GitHubError, True),
        ({}, GitHubError, True),
        ({"extensions": {"code": "undefinedField"}}, Conflict, False),
        ({"type": "UNPROCESSABLE"}, Conflict, False),
    ],
)
def test_only_what_may_work_later_is_asked_again(
    error: dict[str, object], kind: type[GitHubError], *, later: bool
) -> None:
    """A run must not wait for hours for what will be refused again."""
    found = refusal_of({"message": "No.", **error})
    assert (type(found), is_outage(found)) == (kind, later)


async def test_a_thread_that_cant_be_answered_keeps_none_from_its_answer(world: World) -> None:
    """Nor does it end the run. Threads that were not asked about are left alone."""
    issue, pull, event = reviewed(world)
    asked = [event, *(world.server.review_comment(issue, "ada", "And here?") for _ in range(2))]
    remarks = tuple(item.payload["comment"]["id"] for item in asked)
    world.state.faults.add(Trouble.NOT_FOUND, path=f"/{remarks[0]}/replies", times=3)
    request = FixRequest(
        world.repo.full_name,
        world.repo.installation_id,
        issue.number,
        is_pull_request=True,
        actor="ada",
        comment_id=1,
        asked_at=datetime(2026, 11, 1, tzinfo=UTC),
        in_review=True,
        remarks=remarks[:2],
    )
    await ReviewAnswers(world.github).give(request, GAVE_UP, NotPublished())
    assert [len(thread.comments) for thread in pull.threads] == [1, 2, 1]
    assert not any(thread.resolved for thread in pull.threads)


def test_what_is_asked_at_lines_is_known_by_its_comment(world: World) -> None:
    """A review itself is no such comment; those that it consists of are asked for when needed."""
    issue, _, event = reviewed(world)
    for asked in (event, world.server.review(issue, "ada", "/fix", "commented", "Why?")):
        said = parse_review(asked.name, json.dumps(asked.payload).encode())
        assert said is not None
        own = (said.said.comment.id,) if asked is event else ()
        assert said.said.comment.remarks == own
