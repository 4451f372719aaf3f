"""Tools for models that call none: described in words, called by fenced blocks of JSON.

One block per call; the forms that models learned elsewhere are read as well. What can't be read
becomes a call whose input is the model's own words, which is answered with what is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, assert_never
from uuid import uuid4

import prompts
from bot.llm.base import Block, Opaque, Text, Tool, ToolCall, ToolResult
from bot.llm.reply import DraftCall
from bot.llm.text_calls import without_marks, written_calls

UNNAMED = "tool_call"
"""The tool of a block that names none that can be read."""


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


def example(name: str, value: str) -> str:
    """Return a call as a model is to write it; `value` is its input as JSON."""
    return f'```tool_call\n{{"name": "{name}", "input": {value}}}\n```'


def read(text: str, *, fences: bool = True) -> list[Block | DraftCall]:
    """Return what a model said: the words, and the calls in it, in order.

    Args:
        text: What it said.
        fences: Whether fenced blocks are calls; without, only a model's own marks of calls are,
            which some servers pass on as text.
    """
    found: list[Block | DraftCall] = []
    end = 0
    for call in written_calls(text, fences=fences):
        found += _words(without_marks(text[end : call.start]))
        found.append(DraftCall(f"call_{uuid4().hex}", call.name or UNNAMED, call.arguments))
        end = call.end
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
    return example(name, json.dumps(value, ensure_ascii=False))


def _words(text: str) -> list[Block | DraftCall]:
    said = text.strip()
    return [Text(said)] if said else []
