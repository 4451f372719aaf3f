"""The API under `/api/v1`: runs, their events, and what they left."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from bot.model import Verdict
from bot.model.events import EventType
from bot.reporting.json_report import FixOutput, to_json
from bot.storage.events import EventStore
from bot.storage.run_lists import RunLists, RunQuery, repositories
from bot.storage.runs import RunStatus
from bot.web.api_models import (
    EventPage,
    NewRun,
    RepositoryPage,
    RunPage,
    RunPart,
    StartedPart,
    event_part,
    repository_part,
    run_part,
)
from bot.web.caller import CALLER, Scope
from bot.web.problems import ApiProblem
from bot.web.run_control import RunControl, RunParameters
from bot.web.streams import PULSE_SECONDS, pulse, send, stream

PREFIX = "/api/v1"
MOST_BODY = 256 * 1024
_MOST_RUNS = 100
_LONGEST_KEY = 200
_LAST_EVENT = 10**9

M = TypeVar("M", bound=BaseModel)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that the API does, as it is routed and described.

    Attributes:
        method: Of HTTP.
        path: With the names of its variables in braces.
        handler: Answers.
        summary: What it does, in a sentence.
        takes: The JSON that it takes, or None.
        gives: The JSON that it gives, or a content type.
        status: When all went well.
        query: Its parameters and what they mean.
        problems: With what else it answers.
    """

    method: str
    path: str
    handler: Handler
    summary: str
    takes: type[BaseModel] | None
    gives: type[BaseModel] | str
    status: HTTPStatus = HTTPStatus.OK
    query: tuple[tuple[str, str], ...] = ()
    problems: tuple[HTTPStatus, ...] = ()


class Api:
    """Answers programs."""

    def __init__(self, control: RunControl, events: EventStore, lists: RunLists) -> None:
        self._control = control
        self._events = events
        self._lists = lists

    def operations(self) -> tuple[Operation, ...]:
        """Return everything that the API does."""
        run = f"{PREFIX}/runs/{{id}}"
        missing = (HTTPStatus.NOT_FOUND,)
        ended = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
        asked = (HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.NOT_FOUND, HTTPStatus.BAD_GATEWAY)
        listed = (
            ("repository", "`owner/name`."),
            ("status", "`queued`, `running`, `waiting` or `done`."),
            ("verdict", "Such as `fixed`."),
            ("q", "Words in the repository's name or the reason, or the start of an id."),
            ("limit", f"At most {_MOST_RUNS}; 50 if unset."),
            ("offset", "How many to leave out; 0 if unset."),
        )
        behind = (("after", "Number of the last event that is known; 0 if unset."),)
        return (
            Operation(
                "GET", f"{PREFIX}/runs", self.list_runs, "List runs, the youngest first.",
                None, RunPage, query=listed, problems=(HTTPStatus.UNPROCESSABLE_ENTITY,),
            ),
            Operation(
                "POST", f"{PREFIX}/runs", self.create_run,
                "Start a run. Repeated with the same `Idempotency-Key`, it is the same run.",
                NewRun, StartedPart, HTTPStatus.ACCEPTED, problems=asked,
            ),
            Operation("GET", run, self.show_run, "Show a run.", None, RunPart, problems=missing),
            Operation(
                "GET", f"{run}/report", self.show_report,
                "Show the report of a run that ended, as `fixpoint fix --json` prints it.",
                None, FixOutput, problems=missing,
            ),
            Operation(
                "GET", f"{run}/patch", self.show_patch,
                "Return the patch of a run, as `git apply` takes it.",
                None, "text/x-diff", problems=missing,
            ),
            Operation(
                "GET", f"{run}/logs", self.show_logs,
                "Return the output of all commands of a run; untrusted text.",
                None, "text/plain", problems=missing,
            ),
            Operation(
                "GET", f"{run}/events", self.show_events,
                "Return events; with `Accept: text/event-stream`, all of them and those to come.",
                None, EventPage, query=behind,
                problems=(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY),
            ),
            Operation(
                "POST", f"{run}/stop", self.stop_run, "Ask a run to stop.",
                None, RunPart, HTTPStatus.ACCEPTED, problems=ended,
            ),
            Operation(
                "POST", f"{run}/approve", self.approve_run, "Approve what a run waits for.",
                None, RunPart, HTTPStatus.ACCEPTED, problems=ended,
            ),
            Operation(
                "POST", f"{run}/reject", self.reject_run, "Reject what a run waits for.",
                None, RunPart, HTTPStatus.ACCEPTED, problems=ended,
            ),
            Operation(
                "POST", f"{run}/retry", self.retry_run, "Start a run with the same question.",
                None, StartedPart, HTTPStatus.ACCEPTED, problems=ended,
            ),
            Operation(
                "GET", f"{PREFIX}/repositories", self.list_repositories,
                "Show how the runs of the last 30 days went, by repository.",
                None, RepositoryPage,
            ),
        )  # fmt: skip

    async def list_runs(self, request: web.Request) -> web.Response:
        """List runs."""
        query = run_query(request)
        page = await self._lists.page(query)
        end = query.offset + len(page.runs)
        following = None
        if end < page.total and page.runs:
            changed = request.rel_url.update_query(offset=str(end), limit=str(query.limit))
            following = str(changed)
        parts = tuple(run_part(run) for run in page.runs)
        return _json(RunPage(runs=parts, total=page.total, next=following))

    async def create_run(self, request: web.Request) -> web.Response:
        """Start a run."""
        asked = await given(request, NewRun)
        ask = RunParameters(
            asked.repository,
            asked.prompt,
            asked.number,
            asked.test,
            asked.budget_usd,
            asked.given_test(),
            idempotency_key(request),
        )
        return _started(await self._control.ask(ask, request[CALLER]))

    async def show_run(self, request: web.Request) -> web.Response:
        """Show a run."""
        return _json(run_part(await self._control.run(_id(request), request[CALLER])))

    async def show_report(self, request: web.Request) -> web.Response:
        """Show the report of a run."""
        run = await self._control.run(_id(request), request[CALLER])
        if run.report is None:
            raise ApiProblem(HTTPStatus.NOT_FOUND, f"Run {run.id} has no report.")
        return web.json_response(to_json(run.report))

    async def show_patch(self, request: web.Request) -> web.Response:
        """Return the patch of a run."""
        run = await self._control.run(_id(request), request[CALLER])
        if run.report is None or not run.report.patch:
            raise ApiProblem(HTTPStatus.NOT_FOUND, f"Run {run.id} has no patch.")
        text = to_json(run.report)["patch"]
        return web.Response(text=text, content_type="text/x-diff", charset="utf-8")

    async def show_logs(self, request: web.Request) -> web.StreamResponse:
        """Return the output of a run's commands, piece by piece."""
        run = await self._control.run(_id(request), request[CALLER])
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
        """Return the events of a run, or follow them."""
        run = await self._control.run(_id(request), request[CALLER])
        if "text/event-stream" not in request.headers.get("Accept", ""):
            events = await self._events.after(run.id, last_event(request))
            return _json(EventPage(events=tuple(map(event_part, events))))
        number = last_event(request)
        async with stream(request) as response:
            async for batch in self._events.follow(run.id, number, pulse=PULSE_SECONDS):
                if not batch:
                    await pulse(response)
                for event in batch:
                    part = event_part(event).model_dump(mode="json")
                    await send(response, part, event=event.type.value, number=event.number)
        return response

    async def stop_run(self, request: web.Request) -> web.Response:
        """Ask a run to stop."""
        await self._control.stop(_id(request), request[CALLER])
        return await self._accepted(request)

    async def approve_run(self, request: web.Request) -> web.Response:
        """Approve what a run waits for."""
        await self._control.answer(_id(request), request[CALLER], approved=True)
        return await self._accepted(request)

    async def reject_run(self, request: web.Request) -> web.Response:
        """Reject what a run waits for."""
        await self._control.answer(_id(request), request[CALLER], approved=False)
        return await self._accepted(request)

    async def retry_run(self, request: web.Request) -> web.Response:
        """Start a run with the same question."""
        return _started(await self._control.again(_id(request), request[CALLER]))

    async def list_repositories(self, request: web.Request) -> web.Response:
        """Show how runs went, by repository."""
        caller = request[CALLER]
        caller.demand(Scope.READ)
        found = repositories(await self._lists.ended(among=caller.sees))
        return _json(RepositoryPage(repositories=tuple(map(repository_part, found))))

    async def _accepted(self, request: web.Request) -> web.Response:
        run = await self._control.run(_id(request), request[CALLER])
        return _json(run_part(run), HTTPStatus.ACCEPTED)


def run_query(request: web.Request) -> RunQuery:
    """Return which runs a request asks for, of those that its caller sees.

    Raises:
        ApiProblem: When a parameter can't be read, or the caller may not look at runs.
    """
    caller = request[CALLER]
    caller.demand(Scope.READ)
    query = request.query
    status, verdict = query.get("status", ""), query.get("verdict", "")
    if status and status not in {one.value for one in RunStatus}:
        raise _bad_parameter("status", ", ".join(RunStatus))
    verdicts = {one.value.replace(" ", "_"): one for one in Verdict}
    if verdict and verdict not in verdicts:
        raise _bad_parameter("verdict", ", ".join(verdicts))
    return RunQuery(
        repository=query.get("repository", "")[:300],
        status=RunStatus(status) if status else None,
        verdict=verdicts[verdict] if verdict else None,
        words=query.get("q", "")[:200],
        offset=_number(request, "offset", 0, 0, 2**31 - 1),
        limit=_number(request, "limit", 50, 1, _MOST_RUNS),
        among=caller.sees,
    )


def last_event(request: web.Request) -> int:
    """Return the number of the last event that a client knows."""
    header = request.headers.get("Last-Event-ID", "")
    if header.isascii() and header.isdigit() and len(header) < len(str(_LAST_EVENT)):
        return int(header)
    return _number(request, "after", 0, 0, _LAST_EVENT)


async def given(request: web.Request, kind: type[M]) -> M:
    """Return the body of a request.

    Raises:
        ApiProblem: When it is not JSON of that kind; the text names what is wrong.
    """
    body = await request.read()
    if len(body) > MOST_BODY:
        raise ApiProblem(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body has more than {MOST_BODY:,} bytes."
        )
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        told = [f"{'.'.join(map(str, one['loc'])) or 'body'}: {one['msg']}." for one in found]
        raise ApiProblem(HTTPStatus.UNPROCESSABLE_ENTITY, " ".join(told)) from None


def idempotency_key(request: web.Request) -> str:
    """Return the key under which a request may be repeated, or "".

    See https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
    """
    key = request.headers.get("Idempotency-Key", "").strip('"')
    if len(key) > _LONGEST_KEY or not (key.isascii() and key.isprintable()):
        raise ApiProblem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"The Idempotency-Key may have at most {_LONGEST_KEY} characters, all of them ASCII.",
        )
    return key


def _number(request: web.Request, name: str, default: int, least: int, most: int) -> int:
    text = request.query.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and least <= int(text) <= most):  # noqa: PLR2004 - digits of `most`
        raise _bad_parameter(name, f"a whole number from {least} to {most}")
    return int(text)


def _bad_parameter(name: str, wanted: str) -> ApiProblem:
    return ApiProblem(HTTPStatus.UNPROCESSABLE_ENTITY, f"The parameter {name} must be {wanted}.")


def _id(request: web.Request) -> str:
    return request.match_info["id"]


def _json(part: BaseModel, status: HTTPStatus = HTTPStatus.OK) -> web.Response:
    text = json.dumps(part.model_dump(mode="json"), ensure_ascii=False)
    # texts of strangers may have half characters, which UTF-8 has no place for
    body = text.encode("utf-8", "replace")
    return web.Response(body=body, status=status, content_type="application/json")


def _started(run_id: str) -> web.Response:
    url = f"{PREFIX}/runs/{run_id}"
    return _json(StartedPart(id=run_id, url=url, events=f"{url}/events"), HTTPStatus.ACCEPTED)
