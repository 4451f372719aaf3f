"""The page of one run: what happened in it as it happens, and what a person may do about it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime

from aiohttp import web

from bot.model.events import EventType
from bot.reporting.reasons import run_life
from bot.storage.approvals import ApprovalStore
from bot.storage.events import EventStore
from bot.storage.run_lists import RunLists
from bot.web.api.exchange import last_event
from bot.web.caller import CALLER
from bot.web.diffs import Diffs
from bot.web.pages.frame import Frame
from bot.web.phases import WIDTH, phases
from bot.web.run_control import RunControl
from bot.web.run_links import links, thread_link
from bot.web.shown_text import terminal
from bot.web.streams import PULSE_SECONDS, pulse, send, stream
from bot.web.timeline import TimelineEntry, timeline


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
        return self._frame.page(request, "run.html", f"Run {run.id}", context)

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


def _patches(entries: Iterable[TimelineEntry]) -> list[str]:
    """Return the patches of all attempts."""
    return [str(entry.data["patch"]) for entry in entries if entry.data.get("patch")]
