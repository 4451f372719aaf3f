"""Anthropic's Messages API from the server's side: rules, parsing, events.

Format and rules: https://platform.claude.com/docs/en/api/messages and
https://platform.claude.com/docs/en/build-with-claude/streaming
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, assert_never

from tests.fakes.model.request import Request, Result, Seen
from tests.fakes.model.rules import Breach, demand, demand_results
from tests.fakes.model.steps import Answer, Call, Counts, Say, Stop, Think, stop_of

_TYPED_TOOLS = {
    "bash_20250124": "bash",
    "text_editor_20250728": "str_replace_based_edit_tool",
}
_CONTEXT_EDITING = "context-management-2025-06-27"
_EDIT_KEYS = {"type", "trigger", "keep", "clear_at_least", "exclude_tools", "clear_tool_inputs"}
_TOKEN_CHARACTERS = 4
_EFFORTS = {"low", "medium", "high", "xhigh", "max"}
_GONE = ("temperature", "top_p", "top_k")
_MOST_BREAKPOINTS = 4
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_PIECE = 200
"""Characters per delta: long texts and inputs come in several."""

_STOPS: Mapping[Stop, str] = {
    "end": "end_turn",
    "tool_calls": "tool_use",
    "max_tokens": "max_tokens",
    "refusal": "refusal",
}


def check(body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    """Raise `Breach` for what the API would refuse."""
    if not (headers.get("authorization", "").startswith("Bearer ") or "x-api-key" in headers):
        message = "no credentials"
        raise Breach(message, status=401)
    demand("anthropic-version" in headers, "anthropic-version: header is required")
    demand(body.get("model"), "model: Field required")
    demand(int(body.get("max_tokens", 0)) > 0, "max_tokens: Field required")
    demand(body.get("stream") is True, "this server only streams")
    for name in _GONE:
        demand(name not in body, f"{name}: Extra inputs are not permitted")
    thinking = body.get("thinking", {"type": "adaptive"})
    demand(thinking["type"] == "adaptive", "thinking: only `adaptive` is supported")
    effort = body.get("output_config", {}).get("effort", "high")
    demand(effort in _EFFORTS, f"output_config.effort: {effort!r} is not one of {_EFFORTS}")
    demand(len(breakpoints(body)) <= _MOST_BREAKPOINTS, "at most 4 blocks may have `cache_control`")
    if "context_management" in body:
        betas = headers.get("anthropic-beta", "").split(",")
        demand(_CONTEXT_EDITING in betas, "context_management: Extra inputs are not permitted")
        for i, edit in enumerate(body["context_management"]["edits"]):
            wrong = edit.keys() - _EDIT_KEYS
            demand(not wrong, f"context_management.edits.{i}: Extra inputs are not permitted")
    for i, tool in enumerate(body.get("tools", [])):
        _check_tool(f"tools.{i}", tool)
    _check_messages(body.get("messages", []))


def parse(body: Mapping[str, Any], headers: Mapping[str, str]) -> Request:
    """Return the request as scripts see it."""
    system = body.get("system", "")
    return Request(
        wire="anthropic",
        model=body["model"],
        system=system if isinstance(system, str) else "\n".join(part["text"] for part in system),
        messages=tuple(_seen(message) for message in body["messages"]),
        tools=tuple(tool["name"] for tool in body.get("tools", [])),
        effort=body.get("output_config", {}).get("effort"),
        max_tokens=body["max_tokens"],
        body=body,
        headers=headers,
    )


def segments(body: Mapping[str, Any]) -> list[Any]:
    """Return what the prompt cache compares, in the API's order, without its own marks."""
    found = [body["model"], *body.get("tools", []), *_system(body)]
    for message in body["messages"]:
        found += [(message["role"], block) for block in _content(message)]
    return [_unmarked(segment) for segment in found]


def breakpoints(body: Mapping[str, Any]) -> list[int]:
    """Return which segments end a prefix to keep; a top-level mark stands for the last one."""
    marked = [body["model"], *body.get("tools", []), *_system(body)]
    for message in body.get("messages", []):
        marked += _content(message)
    found = [
        i for i, part in enumerate(marked) if isinstance(part, dict) and "cache_control" in part
    ]
    if "cache_control" in body:
        found.append(len(marked) - 1)
    return sorted(set(found))


def events(
    answer: Answer, *, request: Request, counts: Counts, message_id: str, signatures: Iterator[str]
) -> list[bytes]:
    """Return the answer as server-sent events. Calls must have their ids."""
    before = {
        "input_tokens": counts.input,
        "cache_read_input_tokens": counts.cache_read,
        "cache_creation_input_tokens": counts.cache_write,
        "output_tokens": 1,
    }
    message: dict[str, Any] = {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": before,
    }
    sent = [_event("message_start", message=message), _event("ping")]
    for i, part in enumerate(answer.parts):
        sent += _block(i, part, signatures)
    delta = {"stop_reason": _STOPS[stop_of(answer)], "stop_sequence": None}
    ended: dict[str, Any] = {"delta": delta, "usage": {"output_tokens": counts.output}}
    if "context_management" in request.body:
        ended["context_management"] = {"applied_edits": applied_edits(request.body)}
    sent.append(_event("message_delta", **ended))
    sent.append(_event("message_stop"))
    return sent


def applied_edits(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what context editing leaves out: the oldest results of tools, where that is enough."""
    [edit] = body["context_management"]["edits"]
    blocks = [block for message in body["messages"] for block in _content(message)]
    names = {block["id"]: block["name"] for block in blocks if block["type"] == "tool_use"}
    results = [block for block in blocks if block["type"] == "tool_result"]
    old = (
        results[: len(results) - edit["keep"]["value"]]
        if len(results) > edit["keep"]["value"]
        else []
    )
    gone = [item for item in old if names[item["tool_use_id"]] not in edit["exclude_tools"]]
    tokens = sum(len(str(item["content"])) for item in gone) // _TOKEN_CHARACTERS
    whole = len(json.dumps(body)) // _TOKEN_CHARACTERS
    if whole < edit["trigger"]["value"] or tokens < edit["clear_at_least"]["value"]:
        return []
    return [{"type": edit["type"], "cleared_tool_uses": len(gone), "cleared_input_tokens": tokens}]


def error_event(kind: str, message: str) -> bytes:
    """Return an error in the middle of a stream."""
    return _event("error", error={"type": kind, "message": message})


def error_body(kind: str, message: str, code: str | None) -> dict[str, Any]:
    """Return the body of an error answer."""
    details = {"details": {"error_code": code}} if code else {}
    return {"type": "error", "error": {"type": kind, "message": message, **details}}


def _check_tool(where: str, tool: Mapping[str, Any]) -> None:
    kind = tool.get("type", "custom")
    if kind != "custom":
        demand(kind in _TYPED_TOOLS, f"{where}: unknown tool type {kind!r}")
        demand(tool.get("name") == _TYPED_TOOLS[kind], f"{where}: wrong name for {kind}")
        demand("input_schema" not in tool, f"{where}: {kind} takes no input_schema")
        return
    demand(tool.get("name"), f"{where}.custom.name: Field required")
    schema = tool.get("input_schema", {})
    demand(schema.get("type") == "object", f"{where}.custom.input_schema.type: Field required")


def _check_messages(messages: list[Mapping[str, Any]]) -> None:
    demand(messages, "messages: at least one message is required")
    demand(messages[0]["role"] == "user", "messages: first message must use the user role")
    demand(messages[-1]["role"] == "user", "This model does not support assistant message prefill.")
    for i, message in enumerate(messages):
        _check_content(f"messages.{i}", message)
    for i, (entry, other) in enumerate(pairwise(messages), start=1):
        demand(entry["role"] != other["role"], f"messages.{i}: roles must alternate")
    called: list[str] = []
    ids = [
        block["id"]
        for entry in messages
        for block in _content(entry)
        if block["type"] == "tool_use"
    ]
    demand(len(ids) == len(set(ids)), "messages: `tool_use` ids must be unique")
    for i, message in enumerate(messages):
        blocks = _content(message)
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        demand_results(f"messages.{i}", called, answered)
        called = [block["id"] for block in blocks if block["type"] == "tool_use"]


def _check_content(where: str, message: Mapping[str, Any]) -> None:
    allowed = {
        "user": {"text", "tool_result"},
        "assistant": {"text", "tool_use", "thinking", "redacted_thinking"},
    }
    blocks = _content(message)
    demand(blocks, f"{where}: content must not be empty")
    kinds = [block["type"] for block in blocks]
    for block in blocks:
        demand(
            block["type"] in allowed[message["role"]], f"{where}: {block['type']} is not allowed"
        )
        if block["type"] == "text":
            demand(block["text"].strip(), f"{where}: text content blocks must be non-empty")
        if block["type"] == "tool_use":
            demand(_ID.fullmatch(block["id"]), f"{where}: tool_use.id: bad pattern")
            demand(isinstance(block["input"], dict), f"{where}: tool_use.input: not an object")
    if "tool_result" in kinds:
        results = kinds.count("tool_result")
        demand(
            set(kinds[:results]) == {"tool_result"}, f"{where}: tool_result blocks must come first"
        )
    if message["role"] == "assistant":
        demand(
            kinds[-1] not in {"thinking", "redacted_thinking"},
            f"{where}: The final block in an assistant message cannot be `thinking`.",
        )


def _content(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _system(body: Mapping[str, Any]) -> list[Any]:
    system = body.get("system", [])
    return [system] if isinstance(system, str) else system


def _unmarked(segment: Any) -> Any:
    if isinstance(segment, dict) and "cache_control" in segment:
        return {key: value for key, value in segment.items() if key != "cache_control"}
    return segment


def _seen(message: Mapping[str, Any]) -> Seen:
    blocks = _content(message)
    return Seen(
        role=message["role"],
        text="\n".join(block["text"] for block in blocks if block["type"] == "text"),
        calls=tuple((b["name"], b["input"]) for b in blocks if b["type"] == "tool_use"),
        results=tuple(
            Result(b["tool_use_id"], b.get("content", ""), b.get("is_error", False))
            for b in blocks
            if b["type"] == "tool_result"
        ),
    )


def _block(i: int, part: Say | Think | Call, signatures: Iterator[str]) -> list[bytes]:
    match part:
        case Say(text):
            start: dict[str, Any] = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(text)]
        case Think(text):
            start = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(text)]
            deltas.append({"type": "signature_delta", "signature": next(signatures)})
        case Call(name, value, call_id, raw):
            start = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
            text = raw if raw is not None else json.dumps(dict(value)) if value else ""
            deltas = [{"type": "input_json_delta", "partial_json": p} for p in ("", *_pieces(text))]
        case _:
            assert_never(part)
    return [
        _event("content_block_start", index=i, content_block=start),
        *(_event("content_block_delta", index=i, delta=delta) for delta in deltas),
        _event("content_block_stop", index=i),
    ]


def _pieces(text: str) -> list[str]:
    return [text[i : i + _PIECE] for i in range(0, len(text), _PIECE)]


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()
