"""Review threads: what was said at lines is answered once, and resolved."""

from __future__ import annotations

import json

import pytest

from bot.errors import NotPermitted
from bot.github.refusals import Gone
from bot.intake.review_events import parse_review
from tests.contract.test_github import World, world
from tests.fakes.github import Issue, Trouble
from tests.fakes.github.model import Branches, Event

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
    said = [(one["user"]["login"], one["body"]) for one in pull.threads[0].comments]
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
    assert [one.comments[0] for one in found] == [one.comments[0]["id"] for one in pull.threads]
    assert world.calls("POST", "^/graphql$") == 2


async def test_refusals_of_graphql_are_told(world: World) -> None:
    """It refuses with status 200."""
    issue, pull, _ = reviewed(world)
    with pytest.raises(Gone, match="PullRequest"):
        await world.github.review_threads(world.repo, 999)
    [thread] = await world.github.review_threads(world.repo, issue.number)
    pull.threads.clear()
    with pytest.raises(NotPermitted, match="global id"):
        await world.github.resolve_thread(world.repo, thread)


def test_what_is_asked_at_lines_is_known_by_its_comment(world: World) -> None:
    """A review itself is no such comment; those that it consists of are asked for when needed."""
    issue, _, event = reviewed(world)
    for asked in (event, world.server.review(issue, "ada", "/fix", "commented", "Why?")):
        said = parse_review(asked.name, json.dumps(asked.payload).encode())
        assert said is not None
        own = (said.said.comment.id,) if asked is event else ()
        assert said.said.comment.remarks == own
