"""`POST /code`: a repository and a prompt in, a stream of what happens out, a pull request at its end.

The stream is the one that Tiny Backspace's clients read: `data:` lines of JSON with a `type`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.model.events import EventType, KeptEvent
from bot.model.progress import Phase
from bot.storage.events import EventStore
from bot.web.api.exchange import given, idempotency_key
from bot.web.api.models import CodeRequest
from bot.web.caller import CALLER, Scope
from bot.web.problems import ApiProblem
from bot.web.run_control import RunControl, RunParameters
from bot.web.streams import PULSE_SECONDS, pulse, send, stream

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Step:
    """One of the steps that clients know, and how far the run is when it begins."""

    name: str
    progress: int


_VALIDATION = _Step("validation", 10)
_SANDBOX = _Step("sandbox_init", 20)
_CLONE = _Step("clone", 30)
_ANALYSIS = _Step("analysis", 50)
_WORK = _Step("ai_processing", 70)
_PUBLISH = _Step("pr_creation", 90)

_STEPS = {
    Phase.PREPARE: _CLONE,
    Phase.SETUP: _CLONE,
    Phase.REPRODUCE: _ANALYSIS,
    Phase.SPECIFY: _ANALYSIS,
    Phase.WRITE_TEST: _ANALYSIS,
    Phase.EXPLAIN: _ANALYSIS,
    Phase.ATTEMPT: _WORK,
    Phase.VERIFY: _WORK,
}
_PUBLISHES = frozenset({"fixed", "improved"})


class Code:
    """Answers `POST /code`. A client that leaves does not end the run."""

    def __init__(self, control: RunControl, events: EventStore) -> None:
        self._control = control
        self._events = events

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Start a run and tell what happens until it is over."""
        asked = await given(request, CodeRequest)
        key, caller = idempotency_key(request), request[CALLER]
        caller.demand(Scope.RUN)
        async with stream(request) as response:
            await send(response, _whole(_info("The request is valid.", _VALIDATION)))
            try:
                run_id = await self._control.ask(
                    RunParameters(asked.repoUrl, asked.prompt, key=key), caller
                )
            except ApiProblem as problem:
                await send(response, _whole({"type": "error", "message": problem.detail}))
                return response
            telling = Telling()
            async for batch in self._events.follow(run_id, pulse=PULSE_SECONDS):
                if not batch:
                    await pulse(response)
                for event in batch:
                    for message in telling.of(event):
                        await send(response, _whole(message, run_id))
            run = await self._control.run(run_id, caller)
            if run.pull_request_url is not None:
                published = _published(run.repo.full_name, run.pull_request_url)
                await send(response, _whole(published, run_id))
            await send(response, _whole(_end(run.pull_request_url, run.reason), run_id))
        return response


class Telling:
    """Words events as Tiny Backspace's messages. Pure; progress never goes back."""

    def __init__(self) -> None:
        self._progress = 0

    def of(self, event: KeptEvent) -> Iterator[Message]:  # noqa: C901, PLR0912 - one case per event
        """Yield the messages of one event; most have one, some have none."""
        data = event.data
        match event.type:
            case EventType.STATUS if data["status"] == "running":
                yield self._info("The run begins.", _SANDBOX)
            case EventType.STATUS if data["status"] == "waiting":
                yield self._info("The run waits for a person's approval.", _PUBLISH)
            case EventType.PHASE:
                yield from self._phase(data)
            case EventType.REPRODUCED:
                yield self._info(data["reason"] or data["cause"], _ANALYSIS)
                if data["command"] is not None:
                    yield _thought(f"{data['command']} exits with {data['exit_code']}.")
            case EventType.SPECIFICATION:
                points = "; ".join(item["expected"] for item in data["points"])
                yield _thought(f"{data['title']}: {points}")
            case EventType.NOTE:
                yield _thought(data["text"])
            case EventType.TURN:
                if data.get("thought"):  # events of before have none
                    yield _thought(data["thought"])
                yield _thought(data["said"] or data["action"])
            case EventType.TOOL if data["operation"] in {"create", "edit"}:
                yield {
                    "type": "file_edit",
                    "filepath": data["path"],
                    "operation": data["operation"],
                    "description": data["action"],
                }
            case EventType.ATTEMPT:
                yield from _attempt(data)
            case EventType.FINISHED if data["verdict"] in _PUBLISHES:
                yield self._info(data["reason"], _PUBLISH)
            case _:
                pass

    def _phase(self, data: Any) -> Iterator[Message]:
        step = _STEPS.get(data["phase"])
        if step is None:
            return
        number = "" if data["attempt"] is None else f" {data['attempt']}"
        detail = f": {data['detail']}" if data["detail"] else ""
        message = f"{data['phase']}{number}{detail}"
        if step is _CLONE and data["phase"] == Phase.PREPARE:
            yield {"type": "git_operation", "command": "git fetch", "output": ""}
        yield self._info(message[:1].upper() + message[1:], step)

    def _info(self, message: str, step: _Step) -> Message:
        self._progress = max(self._progress, step.progress)
        return {"type": "info", "message": message, "step": step.name, "progress": self._progress}


def _whole(message: Message, run_id: str = "") -> Message:
    """Return a message with what clients read of every kind: a text, a moment, the run.

    The moment is in milliseconds since 1970.
    """
    text = message.get("description") or message.get("command") or message["type"]
    named = {"run_id": run_id} if run_id else {}
    return {"message": text, **message, "timestamp": round(time.time() * 1000), **named}


def _info(message: str, step: _Step) -> Message:
    return {"type": "info", "message": message, "step": step.name, "progress": step.progress}


def _thought(text: str) -> Message:
    return {"type": "agent_thinking", "message": text}


def _attempt(data: Any) -> Iterator[Message]:
    """Yield what an attempt changed, where no tool told it, and how it went."""
    if data["proposer"] != "agent":
        for path in _paths(data["patch"]):
            yield {
                "type": "file_edit",
                "filepath": path,
                "operation": "edit",
                "description": data["summary"],
            }
    yield _thought(f"Attempt {data['n']} ({data['proposer']}): {data['outcome']}.")


def _paths(patch: str) -> Iterator[str]:
    for line in patch.splitlines():
        if line.startswith("+++ b/"):
            yield line.removeprefix("+++ b/").rstrip("\t")


def _published(repository: str, url: str) -> Message:
    return {"type": "pr_creation", "command": f"POST /repos/{repository}/pulls", "output": url}


def _end(url: str | None, reason: str) -> Message:
    if url is None:
        return {"type": "error", "message": reason, "step": "complete", "progress": 100}
    return {
        "type": "success",
        "message": reason,
        "pr_url": url,
        "step": "complete",
        "progress": 100,
    }
