"""Runs: list, start, show, stop, answer and repeat them."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from aiohttp import web

from bot.model import Verdict
from bot.model.waiting_time import QueuePosition
from bot.storage.run_lists import RunLists, RunQuery
from bot.storage.runs import RunRecord, RunStatus
from bot.web.api.exchange import answer, given, idempotency_key, link, next_page, started
from bot.web.api.models import Answer, NewRun, RunPage, RunPart, StartedPart, run_part
from bot.web.api.operation import PREFIX, Operation
from bot.web.api.parameters import LIMIT, OFFSET, Choice, Parameter, Words
from bot.web.caller import CALLER, Scope
from bot.web.run_control import RunControl

VERDICTS = {verdict.value.replace(" ", "_"): verdict for verdict in Verdict}

_REPOSITORY = Parameter("repository", "`owner/name`.", Words(300))
_STATUS = Parameter(
    "status", "Where they are.", Choice(tuple(runstatu.value for runstatu in RunStatus))
)
_VERDICT = Parameter("verdict", "How they ended.", Choice(tuple(VERDICTS)))
_WORDS = Parameter(
    "q", "Words in the repository's name or the reason, or the start of an id.", Words(200)
)
RUN_FILTERS = (_REPOSITORY, _STATUS, _VERDICT, _WORDS, LIMIT, OFFSET)

_RUN = f"{PREFIX}/runs/{{id}}"
_MISSING = (HTTPStatus.NOT_FOUND,)
_ENDED = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
_ANSWERED = (*_ENDED, HTTPStatus.UNPROCESSABLE_ENTITY)
ASKED = (
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.BAD_GATEWAY,
)


class RunOperations:
    """Answers programs that act on runs."""

    def __init__(self, control: RunControl, lists: RunLists) -> None:
        self._control = control
        self._lists = lists

    def operations(self) -> tuple[Operation, ...]:
        """Return what this does."""
        return (
            Operation(
                "GET", f"{PREFIX}/runs", self.list_runs, Scope.READ,
                "List runs, the youngest first.",
                None, RunPage, query=RUN_FILTERS, paged=True,
                problems=(HTTPStatus.UNPROCESSABLE_ENTITY,),
            ),
            Operation(
                "POST", f"{PREFIX}/runs", self.create_run, Scope.RUN,
                "Start a run. Repeated with the same `Idempotency-Key`, it is the same run.",
                NewRun, StartedPart, HTTPStatus.ACCEPTED, problems=ASKED, repeatable=True,
            ),
            Operation(
                "GET", _RUN, self.show_run, Scope.READ, "Show a run.",
                None, RunPart, problems=_MISSING,
            ),
            Operation(
                "POST", f"{_RUN}/stop", self.stop_run, Scope.RUN, "Ask a run to stop.",
                None, RunPart, HTTPStatus.ACCEPTED, problems=_ENDED,
            ),
            Operation(
                "POST", f"{_RUN}/approve", self.approve_run, Scope.APPROVE,
                "Approve what a run asks.",
                Answer, RunPart, HTTPStatus.ACCEPTED, problems=_ANSWERED, creates=False,
            ),
            Operation(
                "POST", f"{_RUN}/reject", self.reject_run, Scope.APPROVE,
                "Reject what a run asks.",
                Answer, RunPart, HTTPStatus.ACCEPTED, problems=_ANSWERED, creates=False,
            ),
            Operation(
                "POST", f"{_RUN}/retry", self.retry_run, Scope.RUN,
                "Start a run with the same question.",
                None, StartedPart, HTTPStatus.ACCEPTED, problems=_ENDED,
            ),
        )  # fmt: skip

    async def list_runs(self, request: web.Request) -> web.Response:
        """List runs."""
        query = run_query(request)
        page = await self._lists.page(query)
        places = await self._places(page.runs)
        parts = tuple(run_part(run, places.get(run.id)) for run in page.runs)
        following = next_page(request, len(parts), page.total)
        response = answer(RunPage(runs=parts, total=page.total, next=following))
        link(response, request, len(parts), page.total, query.limit)
        return response

    async def _places(self, runs: tuple[RunRecord, ...]) -> Mapping[str, QueuePosition]:
        """Return the positions of the queue, unless none of the runs waits there."""
        if all(run.status is not RunStatus.QUEUED for run in runs):
            return {}
        return await self._lists.queue()

    async def create_run(self, request: web.Request) -> web.Response:
        """Start a run."""
        asked = await given(request, NewRun)
        parameters = asked.parameters(idempotency_key(request))
        return started(await self._control.ask(parameters, request[CALLER]))

    async def show_run(self, request: web.Request) -> web.Response:
        """Show a run."""
        run = await self._control.run(_id(request), request[CALLER])
        places, questions = await self._places((run,)), await self._control.questions(run)
        return answer(run_part(run, places.get(run.id), questions))

    async def stop_run(self, request: web.Request) -> web.Response:
        """Ask a run to stop."""
        await self._control.stop(_id(request), request[CALLER])
        return await self._accepted(request)

    async def approve_run(self, request: web.Request) -> web.Response:
        """Approve what a run asks."""
        return await self._answer(request, approved=True)

    async def reject_run(self, request: web.Request) -> web.Response:
        """Reject what a run asks."""
        return await self._answer(request, approved=False)

    async def _answer(self, request: web.Request, *, approved: bool) -> web.Response:
        await self._control.may_answer(_id(request), request[CALLER], approved=approved)
        question = (await given(request, Answer)).question
        await self._control.answer(_id(request), request[CALLER], question, approved=approved)
        return await self._accepted(request)

    async def retry_run(self, request: web.Request) -> web.Response:
        """Start a run with the same question."""
        return started(await self._control.again(_id(request), request[CALLER]))

    async def _accepted(self, request: web.Request) -> web.Response:
        run = await self._control.run(_id(request), request[CALLER])
        questions = await self._control.questions(run)
        return answer(run_part(run, questions=questions), HTTPStatus.ACCEPTED)


def run_query(request: web.Request, *, of_form: bool = False) -> RunQuery:
    """Return which runs a request asks for, of those that its caller sees.

    Args:
        request: That asks.
        of_form: Whether a form sent it, which sends what is unset as empty text.

    Raises:
        ApiProblem: When a parameter can't be read, or the caller may not look at runs.
    """
    caller = request[CALLER]
    caller.demand(Scope.READ)
    status, verdict = _STATUS.of(request, of_form=of_form), _VERDICT.of(request, of_form=of_form)
    return RunQuery(
        repository=_REPOSITORY.of(request, of_form=of_form),
        status=RunStatus(status) if status else None,
        verdict=VERDICTS[verdict] if verdict else None,
        words=_WORDS.of(request, of_form=of_form),
        offset=OFFSET.of(request, of_form=of_form),
        limit=LIMIT.of(request, of_form=of_form),
        among=caller.sees,
    )


def _id(request: web.Request) -> str:
    return request.match_info["id"]
