"""What runs leave: attempts, events, the report, the patch, the logs."""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import web

from bot.model.events import EventType
from bot.reporting.json_report import AttemptPart, FixOutput, to_json
from bot.storage.events import EventStore
from bot.storage.runs import RunRecord, RunStatus
from bot.web.api.exchange import AFTER, answer, last_event
from bot.web.api.models import (
    ArtifactPage,
    ArtifactPart,
    AttemptPage,
    EventPage,
    event_part,
)
from bot.web.api.operation import PREFIX, Operation
from bot.web.caller import CALLER, Scope
from bot.web.problems import ApiProblem
from bot.web.run_control import RunControl
from bot.web.streams import PULSE_SECONDS, pulse, send, stream

_RUN = f"{PREFIX}/runs/{{id}}"
_MISSING = (HTTPStatus.NOT_FOUND,)
_NOT_LEFT = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)


class ArtifactOperations:
    """Answers programs that look at one run."""

    def __init__(self, control: RunControl, events: EventStore) -> None:
        self._control = control
        self._events = events

    def operations(self) -> tuple[Operation, ...]:
        """Return what this does."""
        return (
            Operation(
                "GET", f"{_RUN}/attempts", self.list_attempts, Scope.READ,
                "List the attempts of a run that ended so far.",
                None, AttemptPage, problems=_MISSING,
            ),
            Operation(
                "GET", f"{_RUN}/attempts/{{n}}", self.show_attempt, Scope.READ,
                "Show an attempt, counted from 1.",
                None, AttemptPart, problems=_MISSING,
            ),
            Operation(
                "GET", f"{_RUN}/artifacts", self.list_artifacts, Scope.READ,
                "List what a run left so far.",
                None, ArtifactPage, problems=_MISSING,
            ),
            Operation(
                "GET", f"{_RUN}/report", self.show_report, Scope.READ,
                "Show the report of a run that ended, as `fixpoint fix --json` prints it.",
                None, FixOutput, problems=_NOT_LEFT,
            ),
            Operation(
                "GET", f"{_RUN}/patch", self.show_patch, Scope.READ,
                "Return the patch of a run, as `git apply` takes it.",
                None, "text/x-diff", problems=_NOT_LEFT,
            ),
            Operation(
                "GET", f"{_RUN}/logs", self.show_logs, Scope.READ,
                "Return the output of all commands of a run; untrusted text.",
                None, "text/plain", problems=_MISSING,
            ),
            Operation(
                "GET", f"{_RUN}/events", self.show_events, Scope.READ,
                "Return events; with `Accept: text/event-stream`, all of them and those to come.",
                None, EventPage, query=(AFTER,), streams=True,
                problems=(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY),
            ),
        )  # fmt: skip

    async def list_attempts(self, request: web.Request) -> web.Response:
        """List attempts."""
        return answer(AttemptPage(attempts=await self._attempts(await self._run(request))))

    async def show_attempt(self, request: web.Request) -> web.Response:
        """Show an attempt."""
        run = await self._run(request)
        wanted = request.match_info["n"]
        for attempt in await self._attempts(run):
            if str(attempt.n) == wanted:
                return answer(attempt)
        raise ApiProblem(HTTPStatus.NOT_FOUND, f"Run {run.id} has no attempt {wanted[:20]!r}.")

    async def list_artifacts(self, request: web.Request) -> web.Response:
        """List what there is."""
        run = await self._run(request)
        found = [("logs.txt", "text/plain", "logs"), ("events.json", "application/json", "events")]
        if run.report is not None and run.report.patch:
            found.insert(0, ("patch.diff", "text/x-diff", "patch"))
        if run.report is not None:
            found.insert(0, ("report.json", "application/json", "report"))
        parts = [
            {"name": name, "media_type": media, "url": f"{PREFIX}/runs/{run.id}/{path}"}
            for name, media, path in found
        ]
        return answer(ArtifactPage(artifacts=tuple(map(ArtifactPart.model_validate, parts))))

    async def show_report(self, request: web.Request) -> web.Response:
        """Show the report."""
        run = await self._run(request)
        if run.report is None:
            raise _not_left(run, "report")
        return answer(FixOutput.model_validate(to_json(run.report)))

    async def show_patch(self, request: web.Request) -> web.Response:
        """Return the patch."""
        run = await self._run(request)
        if run.report is None or not run.report.patch:
            raise _not_left(run, "patch")
        body = str(to_json(run.report)["patch"]).encode("utf-8", "replace")
        return web.Response(body=body, content_type="text/x-diff", charset="utf-8")

    async def show_logs(self, request: web.Request) -> web.StreamResponse:
        """Return the output of commands, piece by piece."""
        run = await self._run(request)
        response = web.StreamResponse(headers={"Content-Type": "text/plain; charset=utf-8"})
        await response.prepare(request)
        number = 0
        while events := await self._events.after(run.id, number):
            number = events[-1].number
            for event in events:
                if event.type is EventType.OUTPUT:
                    await response.write(str(event.data["text"]).encode("utf-8", "replace"))
                elif event.type is EventType.PHASE:
                    head = f"\n== {event.data['phase']} {event.data['detail']}".rstrip() + "\n"
                    await response.write(head.encode("utf-8", "replace"))
        await response.write_eof()
        return response

    async def show_events(self, request: web.Request) -> web.StreamResponse:
        """Return the events, or follow them."""
        run = await self._run(request)
        number = last_event(request)
        if "text/event-stream" not in request.headers.get("Accept", ""):
            events = await self._events.after(run.id, number)
            return answer(EventPage(events=tuple(map(event_part, events))))
        async with stream(request) as response:
            async for batch in self._events.follow(run.id, number, pulse=PULSE_SECONDS):
                if not batch:
                    await pulse(response)
                for event in batch:
                    part = event_part(event).model_dump(mode="json")
                    await send(response, part, event=event.type.value, number=event.number)
        return response

    async def _run(self, request: web.Request) -> RunRecord:
        return await self._control.run(request.match_info["id"], request[CALLER])

    async def _attempts(self, run: RunRecord) -> tuple[AttemptPart, ...]:
        """Return the attempts: of the report, or before there is one, of the events."""
        if run.report is not None:
            return FixOutput.model_validate(to_json(run.report)).attempts
        told = await self._events.without_output(run.id)
        parts = [
            {name: value for name, value in event.data.items() if name != "output"}
            for event in told
            if event.type is EventType.ATTEMPT
        ]
        return tuple(map(AttemptPart.model_validate, parts))


def _not_left(run: RunRecord, what: str) -> ApiProblem:
    """Say that a run is there, and what was asked for is not: no 404, which would deny the run."""
    said = f"ended without a {what}" if run.status is RunStatus.DONE else f"has no {what} yet"
    return ApiProblem(HTTPStatus.CONFLICT, f"Run {run.id} {said}.")
