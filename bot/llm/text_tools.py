"""Tools for models that call none: described in words, called by fenced blocks of JSON.

One block per call, read strictly. What can't be read becomes a call whose input is the model's own
words, which the tool answers with what is wrong and an example.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, assert_never
from uuid import uuid4

import prompts
from bot.llm.base import Block, Opaque, Text, Tool, ToolCall, ToolResult
from bot.llm.reply import DraftCall

_FENCE = re.compile(r"^```tool_call[ \t]*\n(.*?)(?:^```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r'"name"\s*:\s*"([A-Za-z_][\w-]{0,63})"')


def instructions(tools: Sequence[Tool]) -> str:
    """Return what the system prompt says about the tools, and how they are called."""
    described = [
        {
            "name": tool.name,
            "description": tool.description,
            "schema": json.dumps(dict(tool.schema), ensure_ascii=False),
        }
        for tool in tools
    ]
    return prompts.render("text_tools", tools=described)


def as_text(blocks: Sequence[Block]) -> str:
    """Return a message in words: calls as the model writes them, results behind their call's id."""
    return "\n\n".join(_in_words(blocks))


def read(text: str) -> list[Block | DraftCall]:
    """Return what a model said: the words, and the calls in it, in order."""
    found: list[Block | DraftCall] = []
    end = 0
    for fence in _FENCE.finditer(text):
        found += _words(text[end : fence.start()])
        found.append(_call(fence[1]))
        end = fence.end()
    return [*found, *_words(text[end:])]


def _in_words(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Text(text):
                yield text
            case ToolCall(_, name, value):
                yield _fenced(name, dict(value))
            case ToolResult(_, text, is_error):
                yield f"Result of the call{' (an error)' if is_error else ''}:\n\n{text}"
            case Opaque():
                pass
            case _:
                assert_never(block)


def _fenced(name: str, value: dict[str, Any]) -> str:
    called = json.dumps({"name": name, "input": value}, ensure_ascii=False)
    return f"```tool_call\n{called}\n```"


def _words(text: str) -> list[Block | DraftCall]:
    said = text.strip()
    return [Text(said)] if said else []


def _call(content: str) -> DraftCall:
    """Return a block's call; where it is no such object, its content is the input to complain of."""
    call_id = f"call_{uuid4().hex}"
    try:
        value = json.loads(content)
    except ValueError:
        value = None
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        given = value.get("input", {})
        return DraftCall(call_id, value["name"], json.dumps(given, ensure_ascii=False))
    named = _NAME.search(content)
    return DraftCall(call_id, named[1] if named else "tool_call", content.strip() or "nothing")
