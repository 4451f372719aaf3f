"""What the pages of runs and repositories show, before it is HTML."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from bot.model import Verdict
from bot.model.culprit import (
    Certainty,
    ChangeEvent,
    Culprit,
    EventKind,
    RunCounts,
    WhatChanged,
)
from bot.model.culprit import TestedState as ExaminedState
from bot.model.events import EventType, KeptEvent
from bot.model.request import FailedCheck, FailedCommit, FixRequest
from bot.storage.run_figures import DayFigures
from bot.storage.runs import RunRecord, RunStatus
from bot.web.pages.figures import attempts_chart, cost_chart, runs_chart, time_chart
from bot.web.pages.repository import flaky_jobs
from bot.web.pages.run_page import WIDTH, links, looks, phases, thread_link
from bot.web.repository_config import shown
from bot.web.timeline import timeline

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
REQUEST = FixRequest("acme/app", 1, 12, False, "ada", 5, NOW)  # noqa: FBT003 - fields in order


def event(second: float, kind: EventType, **data: Any) -> KeptEvent:
    """Return an event."""
    return KeptEvent("run", round(second * 10), NOW + timedelta(seconds=second), kind, data)


def run(request: FixRequest = REQUEST, **changes: Any) -> RunRecord:
    """Return a run that ended."""
    record = RunRecord(
        request.run_id, request.repo, request, "d", RunStatus.DONE, Verdict.FLAKY, "", None, False, None, None,  # noqa: FBT003 - fields in order
        None, None, Decimal(0), 0, NOW, NOW,
    )  # fmt: skip
    return replace(record, **changes)


STORY = [
    event(0, EventType.STATUS, status="queued", verdict=None, reason=""),
    event(2, EventType.STATUS, status="running", verdict=None, reason=""),
    event(2.5, EventType.PHASE, phase="set up", attempt=None, detail=""),
    event(3, EventType.COMMANDS, failing="make test", setup=[], test="make test"),
    event(4, EventType.PHASE, phase="set up", attempt=None, detail="again"),
    event(10, EventType.PHASE, phase="attempt", attempt=1, detail="agent"),
    event(13, EventType.TURN, turn=1, said="I see.", tokens=5, cost_usd=0.1),
    event(15, EventType.PHASE, phase="verify", attempt=1, detail=""),
    event(
        20, EventType.ATTEMPT, n=1, failing_before=["a", "b"], failing_after=["b", "c"], summary="I see.",
    ),
    event(20, EventType.STATUS, status="done", verdict="gave_up", reason=""),
]  # fmt: skip


def test_phases_of_a_run() -> None:
    """One behind another, as wide as they took; what goes on is one."""
    found = phases(STORY, NOW)
    assert [(span.name, span.kind, span.seconds) for span in found] == [
        ("queued", "wait", 2.0),
        ("starting", "work", 0.5),
        ("set up", "work", 7.5),
        ("attempt 1", "attempt", 5.0),
        ("verify 1", "work", 5.0),
    ]
    assert found[-1].x + found[-1].width == WIDTH
    going_on = phases(STORY[:2], NOW + timedelta(seconds=60))
    assert [span.seconds for span in going_on] == [2.0, 58.0]
    assert phases([], NOW) == ()


def test_an_attempt_has_what_belongs_to_it() -> None:
    """Its command, how long a turn took, and what became of each test."""
    [group] = [entry for entry in timeline(STORY) if entry.kind == "group"]
    assert (group.command, group.last_words) == ("make test", "I see.")
    assert [(entry.kind, entry.seconds) for entry in group.entries] == [
        ("turn", 3.0),
        ("phase", 2.0),
    ]
    assert group.tests == [("a", "repaired"), ("b", "still fails"), ("c", "newly fails")]


def test_a_reason_is_said_once() -> None:
    """When a run ends with what its repair ended with; another one is said as well."""
    ended = event(1, EventType.FINISHED, verdict="fixed", reason="It passes.")
    for reason, said in (("It passes.", ""), ("GitHub is away.", "GitHub is away.")):
        done = event(2, EventType.STATUS, status="done", verdict="fixed", reason=reason)
        assert timeline([ended, done])[-1].data["reason"] == said


def test_charts() -> None:
    """The highest bar has the full height; what is missing has none; words say the same."""
    figures = (
        DayFigures(date(2026, 2, 27)),
        DayFigures(date(2026, 2, 28), {Verdict.FIXED: 1}, Decimal(0), 30.0, 10, None),
        DayFigures(
            date(2026, 3, 1), {Verdict.FIXED: 1, Verdict.GAVE_UP: 1}, Decimal("1.5"), 40.0, 20, 3.5
        ),
    )
    chart = runs_chart(figures)
    assert (chart.summary, chart.highest, chart.width) == (
        "3 runs, 66 % fixed",
        "2 runs, 1 fixed",
        30,
    )
    assert [(bar.height, bar.part) for bar in chart.bars] == [(0, 0), (30, 30), (60, 30)]
    assert attempts_chart(figures).summary == "3.5 per run"
    assert (cost_chart(figures).summary, cost_chart(figures).highest) == ("$1.50 in all", "$1.50")
    assert [bar.label for bar in time_chart(figures).bars] == ["no run", "30 s", "40 s"]
    assert runs_chart(figures[:1]).summary == "nothing yet"


def test_flaky_jobs() -> None:
    """By the names of the checks, the most frequent first; else by where somebody asked."""
    checks = (FailedCheck("test"), FailedCheck("lint"))
    failed = replace(
        REQUEST, number=None, failed=FailedCommit("a" * 40, "main", "main", checks=checks)
    )
    again = replace(failed, failed=FailedCommit("b" * 40, "main", "main", checks=checks[:1]))
    found = flaky_jobs([run(again), run(failed), run()])
    assert [(job.name, job.times, job.last.id) for job in found] == [
        ("test", 2, again.run_id),
        ("lint", 1, failed.run_id),
        ("asked in #12", 1, REQUEST.run_id),
    ]


def test_links_lead_to_github() -> None:
    """To what a run is about; an address that a service chose only if it is one of the web."""
    base = "https://github.test"
    thread = thread_link(run(), base)
    assert thread is not None
    assert thread.url == "https://github.test/acme/app/issues/12"
    checks = (
        FailedCheck("a", url="javascript:alert(1)"),
        FailedCheck("b", url="https://ci.test/b"),
    )
    failed = replace(REQUEST, failed=FailedCommit("a" * 40, "main", "main", checks=checks))
    found = links(run(failed, head="a" * 40, progress_comment_id=7), base)
    assert [link.url.removeprefix(base) for link in found] == [
        "/acme/app",
        f"/acme/app/commit/{'a' * 40}",
        "/acme/app/issues/12#issuecomment-7",
        "https://ci.test/b",
    ]


def test_a_config_is_shown_line_by_line() -> None:
    """Each problem at its line; without problems, what is in force and where it comes from."""
    wrong = shown(b"draft: maybe\nsetup: [true]\n")
    assert [(line.number, len(line.problems)) for line in wrong.lines] == [(1, 1), (2, 1)]
    assert (len(wrong.problems), wrong.unplaced, wrong.values) == (2, (), ())
    right = {value.key: value for value in shown(b"draft: false\nwho: {approve: admin}\n").values}
    assert (right["draft"].value, right["draft"].is_default) == ("false", False)
    assert (right["who.approve"].value, right["who.permission"].is_default) == ("admin", True)
    nothing = shown(None)
    assert (nothing.found, all(value.is_default for value in nothing.values)) == (False, True)
    assert shown(b"{").unplaced == () != shown(b"{").problems


def test_the_states_that_were_looked_at_stand_on_a_line() -> None:
    """From old to new, each in its colour, and the culprit is marked."""
    old, lost, new = "1" * 40, "3" * 40, "2" * 40
    event = ChangeEvent(EventKind.COMMIT, new, old, new)
    culprit = Culprit(event, Certainty.PROVEN, (), RunCounts(failed=3), RunCounts(passed=3))
    points = (
        ExaminedState(new, 9, RunCounts(failed=3)),
        ExaminedState(old, 2, RunCounts(passed=3)),
        ExaminedState(lost, 5, skipped="It can't be set up."),
        ExaminedState("2024-03-31 10:00", 0, RunCounts(failed=1)),
    )
    line = looks(WhatChanged((culprit,), (), points))
    assert [(look.name, look.kind, look.x, look.is_culprit) for look in line] == [
        ("1111111", "green", 20.0, False),
        ("3333333", "skipped", 500.0, False),
        ("2222222", "red", 980.0, True),
    ]
    assert looks(None) == looks(WhatChanged(points=points[:1])) == ()
