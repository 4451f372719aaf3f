"""The page of one run: what happened in it as it happens, and what a person may do about it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from aiohttp import web

from bot.model.culprit import ChangeEvent, EventKind, TestedState, WhatChanged
from bot.model.events import EventType, KeptEvent
from bot.model.progress import Phase
from bot.reporting.answer_instructions import answer_by
from bot.reporting.final_report import next_step
from bot.reporting.own_card import card_of
from bot.reporting.proof_card import cells
from bot.reporting.pull_request import story
from bot.reporting.reasons import run_life
from bot.reporting.what_changed import opening, tested
from bot.storage.approvals import ApprovalStore
from bot.storage.events import EventStore
from bot.storage.run_lists import RunLists
from bot.storage.runs import RunRecord, RunStatus
from bot.web.api.exchange import last_event
from bot.web.caller import CALLER
from bot.web.diffs import Diffs
from bot.web.pages.frame import Frame
from bot.web.run_control import RunControl
from bot.web.shown_text import called, terminal
from bot.web.streams import PULSE_SECONDS, pulse, send, stream
from bot.web.timeline import TimelineEntry, timeline

WIDTH = 1000
_NARROWEST = 4.0
_MOST = 60
_FEWEST_LOOKS = 2
_MARGIN = 20.0
_SHORT = 7
_SHA = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Span:
    """One phase, or a time in which the run waited.

    Attributes:
        name: `attempt 2`, `queued`.
        kind: Decides its colour: `wait`, `attempt` or `work`.
        seconds: That it took so far.
        x: Of its left edge, of `WIDTH`.
        width: Of it.
    """

    name: str
    kind: str
    seconds: float
    x: float = 0.0
    width: float = 0.0


def phases(events: Iterable[KeptEvent], now: datetime) -> tuple[Span, ...]:
    """Return what a run did one after another, as far as its events tell.

    Args:
        events: In order; output may be left out.
        now: Ends the last phase of a run that is under way.
    """
    found: list[tuple[str, str, datetime]] = []
    end: datetime | None = None
    for event in events:
        told = _begun(event)
        if told == ("", ""):
            continue
        if told is None:
            end = event.at
            continue
        end = None
        if not found or found[-1][:2] != told:
            found.append((*told, event.at))
    if not found:
        return ()
    last = now if end is None else end
    ends = [*(at for _, _, at in found[1:]), last]
    spans = [
        Span(name, kind, max(0.0, (until - at).total_seconds()))
        for (name, kind, at), until in zip(found, ends, strict=True)
    ]
    return _placed(spans[:_MOST])


def _begun(event: KeptEvent) -> tuple[str, str] | None:
    """Return what begins with an event; None when all ends with it, empty when nothing does."""
    match event.type:
        case EventType.STATUS if event.data["status"] == "queued":
            return "queued", "wait"
        case EventType.STATUS if event.data["status"] == "waiting":
            return "waiting for a person", "wait"
        case EventType.STATUS if event.data["status"] == "done":
            return None
        case EventType.STATUS:
            return "starting", "work"
        case EventType.PHASE:
            name, number = event.data["phase"], event.data["attempt"]
            kind = "attempt" if name == Phase.ATTEMPT else "work"
            return (name if number is None else f"{name} {number}"), kind
        case _:
            return "", ""


def _placed(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return the pieces where they stand; each is wide enough to be seen."""
    whole = sum(span.seconds for span in spans)
    if not whole:
        return ()
    free = WIDTH - _NARROWEST * len(spans)
    x, placed = 0.0, []
    for span in spans:
        width = _NARROWEST + free * span.seconds / whole
        placed.append(Span(span.name, span.kind, span.seconds, round(x, 2), round(width, 2)))
        x += width
    return tuple(placed)


@dataclass(frozen=True, slots=True)
class Look:
    """A state on the line of what was looked at, from old to new.

    Attributes:
        name: A commit, cut short; a day, or versions.
        kind: Decides its colour: `green`, `red`, `mixed` or `skipped`.
        words: What was seen there.
        x: Of its middle, of `WIDTH`.
        is_culprit: Whether the tests fail since then.
    """

    name: str
    kind: str
    words: str
    x: float
    is_culprit: bool


def looks(found: WhatChanged | None) -> tuple[Look, ...]:
    """Return the states that were looked at on a line; nothing where one could not be drawn."""
    points = _line_of(found)[-_MOST:] if found is not None else []
    if found is None or len(points) < _FEWEST_LOOKS:
        return ()
    after = {_state_of(culprit.event) for culprit in found.culprits}
    step = (WIDTH - 2 * _MARGIN) / (len(points) - 1)
    return tuple(
        Look(
            point.state[:_SHORT] if _SHA.fullmatch(point.state) else point.state,
            _kind(point),
            point.skipped or tested(point.runs.failed, point.runs.passed),
            round(_MARGIN + n * step, 2),
            point.state in after,
        )
        for n, point in enumerate(points)
    )


def _line_of(found: WhatChanged) -> list[TestedState]:
    """Return the commits, from old to new, or where a release is to blame, days and then versions."""
    commits = [point for point in found.points if _SHA.fullmatch(point.state)]
    if found.culprits and found.culprits[0].event.kind is not EventKind.COMMIT:
        others = [point for point in found.points if point not in commits]
        return sorted(others, key=lambda point: (point.state[:1] != "2", point.state))
    return sorted(commits, key=lambda point: point.order)


def _state_of(event: ChangeEvent) -> str:
    return event.after if event.kind is EventKind.COMMIT else f"{event.name}=={event.after}"


def _kind(point: TestedState) -> str:
    if point.skipped:
        return "skipped"
    if point.runs.failed and point.runs.passed:
        return "mixed"
    return "green" if point.runs.passed else "red"


_MOST_CHECKS = 10


@dataclass(frozen=True, slots=True)
class Link:
    """An address, and what is there."""

    text: str
    url: str


def thread_link(run: RunRecord, github_url: str) -> Link | None:
    """Return where the issue, pull request or commit of a run is; None before that is known."""
    base, request = f"{github_url}/{run.repo.full_name}", run.request
    if request.number is not None:
        kind = "pull" if request.is_pull_request else "issues"
        return Link(f"#{request.number}", f"{base}/{kind}/{request.number}")
    if run.head is not None:
        return Link(run.head[:7], f"{base}/commit/{run.head}")
    return None


def links(run: RunRecord, github_url: str) -> tuple[Link, ...]:
    """Return everything else that a person may want to open."""
    return tuple(_links(run, github_url))


def _links(run: RunRecord, github_url: str) -> Iterator[Link]:
    base, request = f"{github_url}/{run.repo.full_name}", run.request
    yield Link("Repository", base)
    if run.head is not None:
        yield Link(f"Commit {run.head[:7]}", f"{base}/commit/{run.head}")
    if run.progress_comment_id is not None and request.number is not None:
        kind = "pull" if request.is_pull_request else "issues"
        place = f"{base}/{kind}/{request.number}#issuecomment-{run.progress_comment_id}"
        yield Link("Progress comment", place)
    if request.failed is not None:
        for check in request.failed.checks[:_MOST_CHECKS]:
            # services choose the addresses of their checks
            if check.url.startswith(("https://", "http://")):
                yield Link(f"Check {check.name}", check.url)


class RunView:
    """Answers with a run, and acts on it."""

    def __init__(
        self,
        frame: Frame,
        control: RunControl,
        events: EventStore,
        lists: RunLists,
        approvals: ApprovalStore,
        diffs: Diffs,
        github_url: str,
    ) -> None:
        self._frame = frame
        self._control = control
        self._events = events
        self._lists = lists
        self._approvals = approvals
        self._diffs = diffs
        self._github_url = github_url

    async def show(self, request: web.Request) -> web.Response:
        """Show one run."""
        run = await self._control.run(request.match_info["id"], request[CALLER])
        events, output, questions, places, allowed, asked = await asyncio.gather(
            self._events.without_output(run.id),
            self._events.last_output(run.id),
            self._control.questions(run),
            self._lists.queue(),
            self._control.allowed(run, request[CALLER]),
            self._approvals.get(run.id),
        )
        numbers = [event.number for event in (*events, *output)]
        entries = timeline(events)
        patch = run.report.patch.text if run.report is not None and run.report.patch else ""
        context = {
            "run": run,
            "entries": entries,
            "phases": phases(events, datetime.now(UTC)),
            "phases_width": WIDTH,
            "changed": _changed(run),
            "story": _story(run),
            "card": card_of(run.report) if run.report is not None else None,
            "cells": cells,
            "next": _next(run),
            "looks": looks(run.report.what_changed if run.report is not None else None),
            "output": "".join(str(event.data["text"]) for event in output),
            "last": max(numbers, default=0),
            "questions": questions,
            "may_here": {scope.value for scope in allowed},
            "approval": asked,
            "thread": thread_link(run, self._github_url),
            "links": links(run, self._github_url),
            "queued": run_life.standing(places[run.id]) if run.id in places else "",
            "patch": patch,
            "diffs": await self._diffs.shown([*_patches(entries), patch]),
        }
        return self._frame.page(request, "run.html", called(run), context)

    async def live(self, request: web.Request) -> web.StreamResponse:
        """Tell the events of a run as they happen: output in full, of others that they came."""
        run = await self._control.run(request.match_info["id"], request[CALLER])
        number = last_event(request)
        async with stream(request) as response:
            async for batch in self._events.follow(run.id, number, pulse=PULSE_SECONDS):
                if not batch:
                    await pulse(response)
                for event in batch:
                    at = event.at.timestamp()
                    if event.type is EventType.OUTPUT:
                        html = str(terminal(str(event.data["text"])))
                        data = {"html": html, "at": at}
                        await send(response, data, event="output", number=event.number)
                    else:
                        await send(response, {"at": at}, event="stale", number=event.number)
            await send(response, {}, event="over")
        return response

    async def act(self, request: web.Request) -> web.Response:
        """Stop, answer or repeat a run."""
        form = await self._frame.checked_form(request)
        run_id, caller = request.match_info["id"], request[CALLER]
        match request.match_info["action"]:
            case "stop":
                await self._control.stop(run_id, caller)
            case "retry":
                run_id = await self._control.again(run_id, caller)
            case action:
                approved, question = action == "approve", form.get("question", "")
                await self._control.answer(run_id, caller, question, approved=approved)
        raise web.HTTPSeeOther(f"/runs/{run_id}")


def _story(run: RunRecord) -> list[tuple[str, str]]:
    """Return what failed, why, and what was done about it; nothing before a run's end."""
    report = run.report
    if report is None:
        return []
    told = story(report)
    return told if report.patch else [said for said in told if said[0] in {"Failed", "Cause"}]


def _next(run: RunRecord) -> str:
    """Return the next thing for a person; "" where there is a repair, or none yet."""
    report = run.report
    if report is None or run.status is not RunStatus.DONE or report.patch_accepted:
        return ""
    return next_step(report, by=answer_by(run.request))


def _changed(run: RunRecord) -> str:
    """Return what changed since the tests passed, in a line; "" where nobody looked."""
    found = run.report.what_changed if run.report is not None else None
    return opening(found) if found is not None and found.is_answer else ""


def _patches(entries: Iterable[TimelineEntry]) -> list[str]:
    """Return the patches of all attempts."""
    return [str(entry.data["patch"]) for entry in entries if entry.data.get("patch")]
