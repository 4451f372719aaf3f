"""Who has to wait for what GitHub grants an installation."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_right
from datetime import UTC, datetime

import pytest

from bot.github.pace import OwnBook, Pace, quota_of
from bot.model.quota import Quota, Urgency, WritePace

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("remaining", "waiting"),
    [
        (1001, set()),
        (1000, {Urgency.PROGRESS}),
        (251, {Urgency.PROGRESS}),
        (250, {Urgency.PROGRESS, Urgency.ORDINARY}),
        (1, {Urgency.PROGRESS, Urgency.ORDINARY}),
        (0, set(Urgency)),
    ],
)
def test_progress_waits_first_and_publications_last(remaining: int, waiting: set[Urgency]) -> None:
    """Of 5000 requests, a fifth is not for progress and a twentieth only for publications."""
    quota = Quota(5000, remaining, resets_in=600)
    assert {urgency for urgency in Urgency if quota.wait(urgency) == 601} == waiting
    assert all(quota.wait(urgency) == 0 for urgency in set(Urgency) - waiting)


def test_a_pause_is_everybodys_and_ends() -> None:
    """A secondary limit forbids publications too, for as long as GitHub said."""
    paused = Quota(5000, 4000, 600, paused_for=30)
    assert {paused.wait(urgency) for urgency in Urgency} == {30}
    assert paused.aged(20).wait(Urgency.ORDINARY) == 10
    assert paused.aged(31).wait(Urgency.ORDINARY) == 0


def test_a_window_that_ended_says_nothing() -> None:
    """After the reset there are requests again, however many."""
    assert Quota(5000, 0, 600).aged(600).wait(Urgency.PROGRESS) == 0


def test_news_of_one_window_only_go_down() -> None:
    """An answer that was overtaken does not give requests back."""
    late, early = Quota(5000, 100, 600), Quota(5000, 120, 601)
    assert late.with_news(early) == early.with_news(late) == late


def test_a_later_window_replaces_an_earlier_one() -> None:
    """Also where it has fewer requests left; a pause stays."""
    old, new = Quota(5000, 0, 10, paused_for=5), Quota(5000, 4999, 3600)
    assert old.with_news(new) == new.with_news(old) == Quota(5000, 4999, 3600, paused_for=5)
    assert old.with_news(Quota()) == Quota().with_news(old) == old


def test_writes_have_a_burst_and_then_an_even_pace() -> None:
    """Ten at once, then one a second; a minute's rest gives no more than ten again."""
    pace, due, starts = WritePace(per_minute=60, burst=10), 0.0, []
    for _ in range(15):
        start, due = pace.slot(due, now=1000.0)
        starts.append(start)
    assert starts == [1000.0] * 10 + [1001.0, 1002.0, 1003.0, 1004.0, 1005.0]
    again = []
    for _ in range(12):
        start, due = pace.slot(due, now=2000.0)
        again.append(start)
    assert again == [2000.0] * 10 + [2001.0, 2002.0]


async def test_who_misses_a_turn_takes_another() -> None:
    """When a pause ends, those whose turns it took go one after the other again."""
    writes = WritePace(per_minute=3000, burst=2)
    pace = Pace(1, OwnBook(), writes, longest=60)
    sent: list[float] = []

    async def send() -> None:
        await pace.before("PATCH", "/repos/o/r/issues/comments/1", Urgency.ORDINARY)
        sent.append(time.monotonic())

    async with asyncio.TaskGroup() as sending:
        for _ in range(30):
            sending.create_task(send())
        await asyncio.sleep(0.1)
        await pace.refused(0.7)
    interval, window = 60 / writes.per_minute, 0.1
    most = max(bisect_right(sent, moment + window) - place for place, moment in enumerate(sent))
    assert len(sent) == 30
    assert most <= writes.burst + (window + writes.grace) / interval + 1


def test_no_hour_has_more_than_500_creations() -> None:
    """However many want to create something, and whenever the hour begins."""
    starts: list[float] = []
    pace, due, now = WritePace(), 0.0, 10_000.0
    while len(starts) < 1500:
        start, due = pace.creation_slot(due, now)
        starts.append(start)
        now = max(now, start)
    assert starts[:100] == [10_000.0] * 100
    assert all(later - first > 3600 for first, later in zip(starts, starts[500:], strict=False))


def test_the_answer_itself_says_how_far_the_reset_is() -> None:
    """A clock of ours that is wrong by minutes makes no request wait, and none go too early."""
    headers = {
        "X-RateLimit-Limit": "5000",
        "X-RateLimit-Remaining": "42",
        "X-RateLimit-Reset": str(int(NOW.timestamp()) + 60),
        "Date": "Thu, 01 Jan 2026 00:00:00 GMT",
    }
    wrong = datetime(2026, 1, 1, 0, 10, tzinfo=UTC)
    assert quota_of(headers, wrong) == Quota(5000, 42, 60)
    assert quota_of({**headers, "Date": "noon"}, NOW) == Quota(5000, 42, 60)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-RateLimit-Limit": "many", "X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "1"},
        {
            "X-RateLimit-Resource": "search",
            "X-RateLimit-Limit": "30",
            "X-RateLimit-Remaining": "0",
            "X-RateLimit-Reset": "1",
        },
    ],
)
def test_answers_that_say_nothing_of_it(headers: dict[str, str]) -> None:
    """No header, nonsense, or another resource: nothing is learnt, and nothing breaks."""
    assert quota_of(headers, NOW) is None
