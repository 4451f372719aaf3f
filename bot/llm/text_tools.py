"""Tools for models that call none: described in words, called by fenced blocks of JSON.

One block per call; the forms that models learned elsewhere are read as well. What can't be read
becomes a call whose input is the model's own words, which is answered with what is wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never
from uuid import uuid4

import prompts
from bot.llm.base import Block, Opaque, Text, Tool, ToolCall, ToolResult
from bot.llm.reply import DraftCall

# Blocks of JSON as we describe them; those of Hermes and Qwen (`<tool_call>`), of Llama and Qwen's
# coders (`<function=...>`), of Mistral (`[TOOL_CALLS]`), GLM, Kimi, DeepSeek, MiniMax and gpt-oss.
# Formats: the chat templates of these models, and vLLM's parsers of their tool calls,
# https://docs.vllm.ai/en/latest/features/tool_calling.html

_NAME = r"[A-Za-z_][\w.-]{0,63}"
_TAG = r"<tool_calls?>|<function_calls?>|<functioncall>|<\|python_tag\|>|\[TOOL_CALLS\]"
_NAMED = (
    rf"(?:\[TOOL_CALLS\](?P<mistral>{_NAME})(?:\[ARGS\])?(?=\s*\{{))"
    rf"|<function=[\"']?(?P<llama>{_NAME})[\"']?>"
    rf"|<(?:\w{{1,10}}:)?invoke name=[\"'](?P<invoke>{_NAME})[\"']>"
    rf"|<\|tool_call_begin\|>\s*(?:functions\.)?(?P<kimi>{_NAME})(?::\d+)?\s*<\|tool_call_argument_begin\|>"
    rf"|<\uff5ctool▁call▁begin\uff5c>(?:function<\uff5ctool▁sep\uff5c>)?(?P<deepseek>{_NAME})(?:<\uff5ctool▁sep\uff5c>|\n)"
    rf"|\bto=functions\.(?P<harmony>{_NAME})[^{{}}\n]{{0,80}}<\|message\|>"
    rf"|<tool_call>\s*(?P<glm>{_NAME})(?=\s*<arg_key>)"
)
_MARK = r"(?:\w{1,10}:)?(?:tool_calls?|function_calls?|functioncall|function|invoke)"
_OPENER = re.compile(rf"{_NAMED}|(?P<tag>{_TAG})|^```(?P<fence>[\w-]*)[ \t]*\n", re.MULTILINE)
_JSON_BEHIND = re.compile(r"\s*(?:```(?:json)?\s*)?(?=[\[{])")
_PARAMETER = re.compile(
    r"\s*<(?:parameter=[\"']?(?P<key>[\w.-]+)[\"']?|parameter name=[\"'](?P<named>[\w.-]+)[\"'][^>\n]*)>"
    r"(?P<value>.*?)</parameter>"
    r"|\s*<arg_key>(?P<glm>[^<]*)</arg_key>\s*<arg_value>(?P<of_glm>.*?)</arg_value>",
    re.DOTALL,
)
_CLOSERS = re.compile(
    rf"(?:\s*(?:```[ \t]*(?=[\n<]|\Z)|</{_MARK}>|<\|[\w▁]{{1,40}}\|>|<\uff5c[\w▁]{{1,40}}\uff5c>))*"
)
_LEFT_BEFORE = re.compile(
    rf"(?:```[\w-]{{0,20}}|<{_MARK}>|<\|[\w▁]{{1,40}}\|>(?:commentary)?|<\uff5c[\w▁]{{1,40}}\uff5c>)\Z"
)
_LONGEST_MARK = 60
_END = re.compile(rf"^```[ \t]*$|</{_MARK}>", re.MULTILINE)
_ARGUMENTS = ("input", "arguments", "parameters", "args", "tool_input")
_NAMES = ("name", "tool", "tool_name", "function")
_CALLED = re.compile(rf'\s*\{{\s*"(?:{"|".join(_NAMES)})"\s*:\s*"({_NAME})"')
_DECODER = json.JSONDecoder(strict=False)
"""Takes line breaks inside of texts, which models forget to escape."""


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as a model wrote it, between two places of its text.

    Attributes:
        start, end: Of its block.
        name: Of the tool; "" where it can't be read.
        arguments: A JSON object; the model's own words where they are none.
    """

    start: int
    end: int
    name: str
    arguments: str


def written_calls(text: str, *, fences: bool = True) -> Iterator[WrittenCall]:
    """Yield the calls in a text, in order.

    Args:
        text: Whatever a model wrote.
        fences: Whether fenced blocks are calls as well, and blocks that can't be read.
    """
    whole = _decoded(text, len(text) - len(text.lstrip())) if fences else None
    if whole is not None and not text[whole[1] :].strip():
        yield from _calls_of(whole[0], 0, len(text), strict=True)
        return
    position = 0
    while (opener := _OPENER.search(text, position)) is not None:
        calls = list(_behind(opener, text, fences=fences))
        yield from calls
        position = calls[-1].end if calls else opener.end()


def without_marks(words: str) -> str:
    """Return words before a call without the marks that only open what follows them."""
    words = words.strip()
    while (mark := _LEFT_BEFORE.search(words, max(0, len(words) - _LONGEST_MARK))) is not None:
        words = words[: mark.start()].rstrip()
    return words


def _behind(opener: re.Match[str], text: str, *, fences: bool) -> Iterator[WrittenCall]:
    """Yield what stands behind the words that open a block."""
    start, fence = opener.start(), opener["fence"]
    if fence is not None and not fences:
        return
    groups = opener.groupdict()
    name = next((groups[key] for key in groups if key not in {"tag", "fence"} and groups[key]), "")
    begins = _JSON_BEHIND.match(text, opener.end())
    decoded = None if begins is None else _decoded(text, begins.end())
    ours = fence is not None and fence.startswith("tool")
    if name and decoded is not None and isinstance(decoded[0], dict):
        yield WrittenCall(start, _closed(text, decoded[1]), name, _dumps(decoded[0]))
    elif name:
        yield from _with_parameters(start, opener.end(), name, text, fences=fences)
    elif decoded is not None:
        strict = fence is not None and not ours
        yield from _calls_of(decoded[0], start, _closed(text, decoded[1]), strict=strict)
    elif fences and not _opens_another(text, opener.end()):
        yield from _unreadable(opener, text, ours=ours)


def _with_parameters(
    start: int, begins: int, name: str, text: str, *, fences: bool
) -> Iterator[WrittenCall]:
    """Yield a call whose arguments stand one by one between tags; without any, it has none."""
    values: dict[str, Any] = {}
    end = begins
    while (found_match := _PARAMETER.match(text, end)) is not None:
        key = found_match["key"] or found_match["named"] or found_match["glm"].strip()
        values[key] = _plain(
            found_match["of_glm"] if found_match["glm"] is not None else found_match["value"]
        )
        end = found_match.end()
    closed = _closed(text, end)
    if values or closed > end:
        yield WrittenCall(start, closed, name, _dumps(values))
    elif fences:
        end, content = _until_end(text, begins)
        yield WrittenCall(start, end, name, content)


def _unreadable(opener: re.Match[str], text: str, *, ours: bool) -> Iterator[WrittenCall]:
    """Yield a block that is meant as a call, with its words: whoever reads it says what is wrong."""
    end, content = _until_end(text, opener.end())
    called = _CALLED.match(content)
    closes = opener["tag"] is not None and _END.search(text, opener.end()) is not None
    if ours or called is not None or closes:
        yield WrittenCall(opener.start(), end, called[1] if called else "", content or "nothing")


def _calls_of(value: Any, start: int, end: int, *, strict: bool) -> Iterator[WrittenCall]:
    """Yield the calls that a decoded value is; `strict` demands that it says so with its keys."""
    for entry in value if isinstance(value, list) else [value]:
        if not isinstance(entry, dict):
            continue
        if isinstance(entry.get("tool_calls"), list):
            yield from _calls_of(entry["tool_calls"], start, end, strict=strict)
            continue
        call: Mapping[str, Any] = (
            entry["function"] if isinstance(entry.get("function"), dict) else entry
        )
        named = next((key for key in _NAMES if isinstance(call.get(key), str)), None)
        given = next((key for key in _ARGUMENTS if isinstance(call.get(key), dict | str)), None)
        if named is not None and given is not None:
            yield WrittenCall(start, end, call[named], _dumps(call[given]))
        elif not strict:
            rest = {key: item for key, item in call.items() if key != named}
            yield WrittenCall(start, end, call[named] if named else "", _dumps(rest))


def _decoded(text: str, start: int) -> tuple[Any, int] | None:
    """Return the JSON object or list that begins there, and where it ends."""
    if text[start : start + 1] not in {"{", "["}:
        return None
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def _opens_another(text: str, position: int) -> bool:
    """Whether a block begins there that says more: a tag within a fence, a name within a tag."""
    opener = _OPENER.search(text, position)
    return opener is not None and not text[position : opener.start()].strip()


def _until_end(text: str, begins: int) -> tuple[int, str]:
    found = _END.search(text, begins)
    if found is None:
        return len(text), text[begins:].strip()
    return _closed(text, found.start()), text[begins : found.start()].strip()


def _closed(text: str, position: int) -> int:
    """Return where a block ends, whatever it is closed with."""
    found = _CLOSERS.match(text, position)
    return position if found is None else found.end()


def _plain(value: str) -> Any:
    """Return an argument that stands between tags: a text, or JSON that is none."""
    text = value.removeprefix("\n").removesuffix("\n")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, list | dict | int | bool) else text


def _dumps(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


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
