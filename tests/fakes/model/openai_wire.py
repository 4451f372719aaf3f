"""The Chat Completions API from the server's side: rules, parsing, chunks.

Format: https://developers.openai.com/api/reference/resources/chat/subresources/completions
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, assert_never

from tests.fakes.model.request import Request, Result, Seen
from tests.fakes.model.rules import Breach, demand, demand_results, refuse
from tests.fakes.model.steps import Answer, Call, Counts, Say, Stop, Think, stop_of

_PIECE = 200
_STOPS: Mapping[Stop, str] = {
    "end": "stop",
    "tool_calls": "tool_calls",
    "max_tokens": "length",
    "refusal": "content_filter",
}


def check(body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    """Raise `Breach` for what the API would refuse."""
    if not headers.get("authorization", "").startswith("Bearer "):
        message = "You didn't provide an API key."
        raise Breach(message, status=401)
    demand(body.get("model"), "you must provide a model parameter")
    limit = body.get("max_completion_tokens") or body.get("max_tokens") or 0
    demand(limit >= 0, "max_tokens: a positive number is required")
    for i, tool in enumerate(body.get("tools", [])):
        function = tool.get("function", {})
        demand(tool.get("type") == "function", f"tools[{i}].type: must be `function`")
        demand(function.get("name"), f"tools[{i}].function.name: required")
        schema = function.get("parameters", {})
        demand(schema.get("type") == "object", f"tools[{i}].function.parameters: not an object")
    _check_messages(body.get("messages", []))


def parse(body: Mapping[str, Any], headers: Mapping[str, str]) -> Request:
    """Return the request as scripts see it: tool messages as results of the user's next one."""
    systems = [m["content"] for m in body["messages"] if m["role"] in {"system", "developer"}]
    return Request(
        wire="openai",
        model=body["model"],
        system="\n".join(systems),
        messages=tuple(_conversation(body["messages"])),
        tools=tuple(tool["function"]["name"] for tool in body.get("tools", [])),
        effort=body.get("reasoning_effort"),
        max_tokens=body.get("max_completion_tokens") or body.get("max_tokens") or 0,
        body=body,
        headers=headers,
    )


def segments(body: Mapping[str, Any]) -> list[Any]:
    """Return what the prompt cache compares; its only breakpoint is the last one."""
    return [body["model"], body.get("tools", []), *body["messages"]]


def chunks(
    answer: Answer, *, request: Request, counts: Counts, message_id: str, thoughts_in: str
) -> list[bytes]:
    """Return the answer as server-sent events. Calls must have their ids."""
    base = {
        "id": message_id,
        "object": "chat.completion.chunk",
        "created": 0,
        "model": request.model,
    }
    sent = [_chunk(base, {"role": "assistant", "content": None})]
    calls = 0
    for part in answer.parts:
        sent += [_chunk(base, delta) for delta in _deltas(part, calls, thoughts_in)]
        calls += isinstance(part, Call)
    sent.append(_chunk(base, {}, answer.reason or _STOPS[stop_of(answer)]))
    if answer.reports_usage and request.body.get("stream_options", {}).get("include_usage"):
        sent.append(_data({**base, "choices": [], "usage": _usage(counts)}))
    return [*sent, b"data: [DONE]\n\n"]


def completion(
    answer: Answer, *, request: Request, counts: Counts, message_id: str
) -> dict[str, Any]:
    """Return the answer to a request that does not stream, as some other agents send them."""
    said = "".join(part.text for part in answer.parts if isinstance(part, Say))
    calls = [_call(part) for part in answer.parts if isinstance(part, Call)]
    message: dict[str, Any] = {"role": "assistant", "content": said or None}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": _STOPS[stop_of(answer)]}
    return {
        "id": message_id,
        "object": "chat.completion",
        "created": 0,
        "model": request.model,
        "choices": [choice],
        "usage": _usage(counts),
    }


def error_event(kind: str, message: str) -> bytes:
    """Return an error in the middle of a stream."""
    return _data(error_body(kind, message, None))


def error_body(kind: str, message: str, code: str | None) -> dict[str, Any]:
    """Return the body of an error answer."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _check_messages(messages: list[Mapping[str, Any]]) -> None:
    demand(messages, "messages: at least one message is required")
    called: list[str] = []
    answered: list[str] = []
    for i, message in enumerate(messages):
        where = f"messages[{i}]"
        if message["role"] == "tool":
            answered.append(message["tool_call_id"])
            demand(isinstance(message["content"], str), f"{where}: content is required")
            continue
        demand_results(where, called, answered)
        called, answered = _check_message(where, message), []
    demand_results("messages", called, answered)


def _check_message(where: str, message: Mapping[str, Any]) -> list[str]:
    """Check a message that is no tool's, and return the ids of the calls in it."""
    demand(message["role"] in {"system", "developer", "user", "assistant"}, f"{where}: bad role")
    calls = message.get("tool_calls", [])
    demand(calls or isinstance(message.get("content"), str), f"{where}: content is required")
    for call in calls:
        try:
            arguments = json.loads(call["function"]["arguments"])
        except ValueError:
            refuse(f"{where}: arguments are not JSON")
        demand(isinstance(arguments, dict), f"{where}: arguments are no object")
    return [call["id"] for call in calls]


def _conversation(messages: list[Mapping[str, Any]]) -> list[Seen]:
    found: list[Seen] = []
    results: list[Result] = []
    for message in messages:
        role: Literal["user", "assistant"] = "user"
        match message["role"]:
            case "tool":
                results.append(Result(message["tool_call_id"], message["content"]))
                continue
            case "system" | "developer":
                continue
            case "assistant":
                role = "assistant"
                if results:
                    found.append(Seen("user", results=tuple(results)))
                    results = []
            case _:
                pass
        calls = message.get("tool_calls", [])
        found.append(
            Seen(
                role,
                text=message.get("content") or "",
                calls=tuple(
                    (c["function"]["name"], json.loads(c["function"]["arguments"])) for c in calls
                ),
                results=tuple(results),
            )
        )
        results = []
    if results:
        found.append(Seen("user", results=tuple(results)))
    return found


def _call(part: Call) -> dict[str, Any]:
    text = part.raw if part.raw is not None else json.dumps(dict(part.input))
    return {
        "id": part.id,
        "type": "function",
        "function": {"name": part.name, "arguments": text},
    }


def _deltas(part: Say | Think | Call, index: int, thoughts_in: str) -> list[dict[str, Any]]:
    match part:
        case Say(text):
            return [{"content": piece} for piece in _pieces(text)]
        case Think(text):
            return [{thoughts_in: piece} for piece in _pieces(text)]
        case Call(name, value, call_id, raw):
            text = raw if raw is not None else json.dumps(dict(value))
            start = {"index": index, "id": call_id, "type": "function"}
            return [
                {"tool_calls": [{**start, "function": {"name": name, "arguments": ""}}]},
                *(
                    {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
                    for piece in _pieces(text)
                ),
            ]
        case _:
            assert_never(part)


def _usage(counts: Counts) -> dict[str, Any]:
    prompt = counts.input + counts.cache_read + counts.cache_write
    return {
        "prompt_tokens": prompt,
        "completion_tokens": counts.output,
        "total_tokens": prompt + counts.output,
        "prompt_tokens_details": {
            "cached_tokens": counts.cache_read,
            "cache_write_tokens": counts.cache_write,
        },
    }


def _pieces(text: str) -> list[str]:
    return [text[i : i + _PIECE] for i in range(0, len(text), _PIECE)]


def _chunk(base: Mapping[str, Any], delta: Mapping[str, Any], stop: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": stop}
    return _data({**base, "choices": [choice]})


def _data(value: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()
