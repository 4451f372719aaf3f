"""Serve the script over HTTP and keep the requests."""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import count
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.fakes.model import anthropic_wire, openai_wire
from tests.fakes.model.faults import Wire, error_answer
from tests.fakes.model.prompt_cache import PromptCache
from tests.fakes.model.request import Request
from tests.fakes.model.rules import Breach
from tests.fakes.model.steps import (
    Answer,
    Call,
    Counts,
    CutStream,
    ErrorMidStream,
    Overloaded,
    Part,
    Rejected,
    Script,
    ServerError,
    Slow,
    Step,
    TooLong,
    Unauthorized,
    whole,
)
from tests.fakes.model.thoughts import Thoughts
from tests.fakes.model.window import Window, tokens_of

_LARGEST_BODY = 64 * 2**20
_CREDENTIALS = frozenset({"authorization", "x-api-key"})


class ModelServer:
    """A model provider on a free port of this machine.

    Args:
        script: Decides every answer; see the package's docstring.
        models: The only models it knows; None for any.
        port: To listen on; 0 for a free one.
        keep: Whether to keep the requests. Not for long benchmarks.
        window: Of its models; None for one without an end.
        thoughts_in: The field of OpenAI's wire that has what is thought.

    Attributes:
        requests: All that were let through by the API's rules, oldest first.
        breaches: What the API's rules said about the others.
        too_long: How many were refused because of the window.
        counts: Tokens of each answer, in order.
        times: When each request came and when its answer was ready, in `time.perf_counter()`.
        connections: The client's address of every connection that carried a request.
    """

    def __init__(
        self,
        script: Script,
        *,
        models: Collection[str] | None = None,
        port: int = 0,
        keep: bool = True,
        window: Window | None = None,
        thoughts_in: str = "reasoning_content",
    ) -> None:
        self.requests: list[Request] = []
        self.breaches: list[str] = []
        self.too_long = 0
        self.counts: list[Counts] = []
        self.times: list[tuple[float, float]] = []
        self.connections: set[object] = set()
        self._script = script
        self._models = models
        self._keep = keep
        self._window = window
        self._thoughts_in = thoughts_in
        self._wanted_port = port
        self._asked = 0
        self._numbers = count(1)
        self._cache = PromptCache()
        self._thoughts = Thoughts()
        app = web.Application(client_max_size=_LARGEST_BODY)
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_post("/v1/chat/completions", self._completions)
        app.router.add_get("/v1/models", self._list_models)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._wanted_port).start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._runner.cleanup()

    @property
    def anthropic_url(self) -> str:
        """Base URL for Anthropic's SDK."""
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    @property
    def openai_url(self) -> str:
        """Base URL for OpenAI's SDK."""
        return f"{self.anthropic_url}/v1"

    async def _messages(self, http: web.Request) -> web.StreamResponse:
        return await self._timed(http, "anthropic")

    async def _completions(self, http: web.Request) -> web.StreamResponse:
        return await self._timed(http, "openai")

    async def _list_models(self, _http: web.Request) -> web.Response:
        names = self._models or ()
        return web.json_response({"object": "list", "data": [{"id": name} for name in names]})

    async def _timed(self, http: web.Request, wire: Wire) -> web.StreamResponse:
        arrived = time.perf_counter()
        if http.transport is not None:
            self.connections.add(http.transport.get_extra_info("peername"))
        response = await self._answer(http, wire)
        self.times.append((arrived, time.perf_counter()))
        return response

    async def _answer(self, http: web.Request, wire: Wire) -> web.StreamResponse:
        body = json.loads(await http.read())
        headers = {name.lower(): value for name, value in http.headers.items()}
        try:
            request = self._admit(wire, body, headers)
        except Breach as breach:
            self.breaches.append(str(breach))
            return error_answer(wire, Rejected(str(breach), breach.status))
        if self._window is not None and (refusal := self._window.refusal(body)):
            self.too_long += 1
            return error_answer(wire, Rejected(refusal))
        if self._keep:
            self.requests.append(request)
        return await self._perform(http, request, await self._next(request))

    def _admit(self, wire: Wire, body: dict[str, Any], headers: dict[str, str]) -> Request:
        (anthropic_wire if wire == "anthropic" else openai_wire).check(body, headers)
        if self._models is not None and body["model"] not in self._models:
            message = f"model: {body['model']}"
            raise Breach(message, status=404)
        public = {name: value for name, value in headers.items() if name not in _CREDENTIALS}
        if wire == "openai":
            return openai_wire.parse(body, public)
        self._thoughts.check(body)
        return anthropic_wire.parse(body, public)

    async def _next(self, request: Request) -> Step:
        self._asked += 1
        if isinstance(self._script, Sequence):
            if self._asked > len(self._script):
                return Rejected(f"the script has no step for request {self._asked}")
            return self._script[self._asked - 1]
        step = self._script(request)
        return await step if inspect.isawaitable(step) else step

    async def _perform(self, http: web.Request, request: Request, step: Step) -> web.StreamResponse:
        match step:
            case Slow(seconds, then):
                await asyncio.sleep(seconds)
                return await self._perform(http, request, then)
            case CutStream(answer, events, abrupt):
                sent = self._events(request, whole(answer))[:events]
                return await _broken(http, sent) if abrupt else _stream(sent)
            case ErrorMidStream(answer, events, kind):
                sent = self._events(request, whole(answer))[:events]
                wire = anthropic_wire if request.wire == "anthropic" else openai_wire
                return _stream([*sent, wire.error_event(kind, "something went wrong")])
            case Overloaded() | ServerError() | Unauthorized() | TooLong() | Rejected():
                return error_answer(request.wire, step)
            case _:
                return self._whole(request, whole(step))

    def _whole(self, request: Request, answer: Answer) -> web.Response:
        if request.body.get("stream"):
            return _stream(self._events(request, answer))
        answer, counts, number = self._prepared(request, answer)
        return web.json_response(
            openai_wire.completion(
                answer, request=request, counts=counts, message_id=f"chatcmpl-{number}"
            )
        )

    def _events(self, request: Request, answer: Answer) -> list[bytes]:
        answer, counts, number = self._prepared(request, answer)
        if request.wire == "openai":
            return openai_wire.chunks(
                answer,
                request=request,
                counts=counts,
                message_id=f"chatcmpl-{number}",
                thoughts_in=self._thoughts_in,
            )
        return anthropic_wire.events(
            answer,
            request=request,
            counts=counts,
            message_id=f"msg_{number}",
            signatures=self._thoughts.sign(answer, request.model),
        )

    def _prepared(self, request: Request, answer: Answer) -> tuple[Answer, Counts, int]:
        """Return the answer with ids, its token counts and its number."""
        parts = tuple(self._with_id(part, request.wire) for part in answer.parts)
        answer = replace(answer, parts=parts)
        counts = answer.counts or self._counts(request, answer)
        self.counts.append(counts)
        return answer, counts, next(self._numbers)

    def _with_id(self, part: Part, wire: Wire) -> Part:
        if isinstance(part, Call) and not part.id:
            prefix = "toolu" if wire == "anthropic" else "call"
            return replace(part, id=f"{prefix}_{next(self._numbers)}")
        return part

    def _counts(self, request: Request, answer: Answer) -> Counts:
        """Return the tokens of the request, by what the cache has, and about those of the answer."""
        if request.wire == "anthropic":
            segments = anthropic_wire.segments(request.body)
            breakpoints = anthropic_wire.breakpoints(request.body)
        else:
            segments = openai_wire.segments(request.body)
            breakpoints = [len(segments) - 1]
        written = sum(
            len(json.dumps(dict(part.input))) if isinstance(part, Call) else len(part.text)
            for part in answer.parts
        )
        if self._window is not None:
            return Counts(input=tokens_of(request.body), output=1 + written // 4)
        return replace(self._cache.count(segments, breakpoints), output=1 + written // 4)


def _stream(events: Sequence[bytes]) -> web.Response:
    return web.Response(body=b"".join(events), content_type="text/event-stream")


async def _broken(http: web.Request, events: Sequence[bytes]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    response.enable_chunked_encoding()
    await response.prepare(http)
    await response.write(b"".join(events))
    if http.transport is not None:
        http.transport.close()  # what is written goes out; the last chunk never comes
    return response
