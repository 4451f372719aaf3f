"""The chunks of a Chat Completions stream, put together to a reply."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from bot.llm import text_tools
from bot.llm.base import Block, Opaque, StopReason, Text
from bot.llm.openai_wire import AUTHOR, BACK, EXTRA
from bot.llm.reply import DraftCall, ModelReply, finish
from bot.llm.tokens import TokenCounts, estimate
from bot.model.untrusted import clip

_LONGEST_SHOWN = 4_000
_FIELDS = ("reasoning_content", "reasoning")
"""DeepSeek, Kimi, older vLLM | OpenRouter, Groq, Ollama, vLLM. Some send both, which say the same."""
_DETAILS = "reasoning_details"
"""OpenRouter's, with the signatures that Gemini and Anthropic want back."""
_TEXTS = frozenset({"text", "summary", "data", "signature"})


class ThoughtsReply:
    """Puts the thoughts of one stream together."""

    def __init__(self) -> None:
        """Begin with none."""
        self._aside: list[str] = []
        self._field = ""
        self._said: list[str] = []
        self._details: list[dict[str, Any]] = []

    def extend(self, delta: Mapping[str, Any], aside: str) -> int:
        """Take the next delta, and a thought from its content; return how many characters they are."""
        given = {name: delta[name] for name in _FIELDS if isinstance(delta.get(name), str)}
        field = next((name for name, value in given.items() if value), next(iter(given), ""))
        said = given.get(field, "")
        self._field = field if said or not self._field else self._field
        self._said.append(said)
        self._aside.append(aside)
        for detail in delta.get(_DETAILS) or []:
            self._extend_details(detail)
        return len(said) + len(aside)

    def blocks(self, aloud: str, *, calls: bool) -> list[Opaque]:
        """Return the thoughts as a block, if there are any.

        Args:
            aloud: What the model thought in its text.
            calls: Whether it calls tools: then a server may want its thoughts back, all of them.
        """
        said = "".join(self._said)
        data: dict[str, Any] = {}
        if thought := "".join(self._aside) + said + aloud:
            data["thinking"] = clip(thought, _LONGEST_SHOWN)
        if calls and self._details:
            data[BACK] = {_DETAILS: self._details}
        elif calls and self._field:
            data[BACK] = {self._field: said}
        return [Opaque(AUTHOR, data)] if data else []

    def _extend_details(self, detail: Mapping[str, Any]) -> None:
        """Take a piece of a detail: those with the same index and type are one."""
        if not isinstance(detail, dict):
            return
        last = self._details[-1] if self._details else {}
        same = ("index" in last or "index" in detail) and all(
            last.get(key) == detail.get(key) for key in ("index", "type")
        )
        if not same:
            self._details.append(dict(detail))
            return
        for key, value in detail.items():
            joins = key in _TEXTS and isinstance(value, str)
            last[key] = (last.get(key) or "") + value if joins else last.get(key) or value


_OPENS, _CLOSES = "<think>", "</think>"
"""How models think aloud whose server does not tell thoughts from words."""

_CLOSED = re.compile(rf"^{_CLOSES}[ \t]*$", re.MULTILINE)
"""The end alone, where the model's template has begun to think for it."""

_MALFORMED = "malformed_function_call"
"""Gemini's reason for an answer with a call that it can't read: no answer, but another may be one."""

_STOPS = {
    "stop": StopReason.END,
    "length": StopReason.MAX_TOKENS,
    "tool_calls": StopReason.TOOL_CALLS,
    "function_call": StopReason.TOOL_CALLS,
    "content_filter": StopReason.REFUSAL,
    "safety": StopReason.REFUSAL,
}


@dataclass(slots=True)
class _Slot:
    """A tool call that is still arriving."""

    index: int | None
    id: str
    name: str
    pieces: list[str]
    extra: Any = None

    @property
    def whole(self) -> bool:
        """Whether its arguments are complete."""
        try:
            return isinstance(json.loads("".join(self.pieces)), dict)
        except ValueError:
            return False


class OpenAIReply:
    """Puts the chunks of one stream together."""

    def __init__(self, *, tools_in_text: bool = False) -> None:
        """With `tools_in_text`, calls are read from what the model says."""
        self._tools_in_text = tools_in_text
        self._model = ""
        self._stop: StopReason | None = None
        self._usage: Mapping[str, Any] | None = None
        self._text: list[str] = []
        self._slots: list[_Slot] = []
        self._refused = False
        self._started = False
        self._received = 0
        self._thoughts = ThoughtsReply()

    def feed(self, chunk: Mapping[str, Any]) -> None:
        """Take the next chunk. Raises `LookupError` when it lacks what a chunk has."""
        self._started = True
        self._model = chunk.get("model") or self._model
        groq = chunk.get("x_groq") or {}
        self._usage = chunk.get("usage") or groq.get("usage") or self._usage
        for choice in (chunk.get("choices") or [])[:1]:
            self._extend(choice.get("delta") or {})
            reason = choice.get("finish_reason")
            if reason and _MALFORMED not in str(reason).lower():
                self._stop = _STOPS.get(str(reason).lower(), StopReason.END)

    def reads_call(self, text: str, request_size: int) -> bool:
        """Take what a model wrote instead of a call; return whether it has one that can be read."""
        if not any(isinstance(item, DraftCall) for item in text_tools.read(text)):
            return False
        self._text, self._tools_in_text, self._stop = [text], True, StopReason.TOOL_CALLS
        self._usage = {
            "prompt_tokens": estimate(request_size),
            "completion_tokens": estimate(len(text)),
        }
        return True

    def reply(self) -> ModelReply | None:
        """Return the answer, or None when the stream ended before its finish reason."""
        if self._stop is None:
            return None
        text, aloud = _thought_aloud("".join(self._text))
        drafts: list[Block | DraftCall] = []
        drafts += self._thoughts.blocks(aloud, calls=bool(self._slots))
        slots = _with_own_ids(self._slots)
        extras = {slot.id: slot.extra for slot in slots if slot.extra}
        drafts += [Opaque(AUTHOR, {EXTRA: extras})] if extras else []
        drafts += self._words(text)
        drafts += [DraftCall(slot.id, slot.name, "".join(slot.pieces)) for slot in slots]
        blocks, stop = finish(drafts, StopReason.REFUSAL if self._refused else self._stop)
        return ModelReply(blocks, stop, self._model, _tokens(self._usage))

    def _words(self, text: str) -> Sequence[Block | DraftCall]:
        """Return what was said, with the calls in it: some servers pass on a model's own marks."""
        if self._tools_in_text:
            return text_tools.read(text)
        calls = [] if self._slots else text_tools.read(text, fences=False)
        has_calls = any(isinstance(call, DraftCall) for call in calls)
        return calls if has_calls else [Text(text)] if text else []

    def spent(self, request_size: int) -> TokenCounts | None:
        """Return what a cut stream cost. The counts come last, so without them it is a guess."""
        if self._usage:
            return _tokens(self._usage)
        if not self._started:
            return None
        return TokenCounts(input=estimate(request_size), output=estimate(self._received))

    def _extend(self, delta: Mapping[str, Any]) -> None:
        refusal = delta.get("refusal") or ""
        self._refused = self._refused or bool(refusal)
        said, aside = _content(delta.get("content"))
        text = said + refusal
        if text:
            self._text.append(text)
        self._received += len(text) + self._thoughts.extend(delta, aside)
        for call in delta.get("tool_calls") or []:
            self._extend_call(call)

    def _extend_call(self, call: Mapping[str, Any]) -> None:
        function = call.get("function") or {}
        slot = self._slot(call, starts=bool(function.get("name") and function.get("arguments")))
        slot.id = slot.id or call.get("id") or ""
        slot.name = slot.name or function.get("name") or ""
        slot.extra = call.get(EXTRA) or slot.extra
        piece = function.get("arguments") or ""
        if not isinstance(piece, str):  # some servers send the object itself
            piece = json.dumps(piece, ensure_ascii=False)
        slot.pieces.append(piece)
        self._received += len(piece)

    def _slot(self, call: Mapping[str, Any], *, starts: bool) -> _Slot:
        """Return the call that this piece belongs to.

        Pieces name it by index. Some servers leave the index out, some say 0 for each of several
        calls, some give all of them one id and some repeat the name in each piece. So the next one
        starts with a new id, or with a name and arguments where those of the last are complete.
        """
        index, call_id = call.get("index"), call.get("id") or ""
        for slot in reversed(self._slots):
            if slot.index != index or (call_id and slot.id and call_id != slot.id):
                continue
            if starts and slot.whole:
                break
            return slot
        self._slots.append(_Slot(index, call_id, "", []))
        return self._slots[-1]


def _content(content: Any) -> tuple[str, str]:
    """Return text and thought of a delta's content, which Mistral sends in typed parts."""
    if not isinstance(content, list):
        return content or "", ""
    said, thought = [], []
    for part in content:
        if part.get("type") == "thinking":
            thought.append(_content(part.get("thinking"))[0])
        else:
            said.append(part.get("text") or "")
    return "".join(said), "".join(thought)


def _thought_aloud(text: str) -> tuple[str, str]:
    """Return what was said and what was thought, where the model marks its thoughts itself."""
    if text.lstrip().startswith(_OPENS):
        thought, _, said = text.lstrip().removeprefix(_OPENS).partition(_CLOSES)
        return said.lstrip(), thought.strip()
    closed = _CLOSED.search(text)
    if closed is None or _OPENS in text[: closed.start()]:
        return text, ""
    return text[closed.end() :].lstrip(), text[: closed.start()].strip()


def _with_own_ids(slots: Sequence[_Slot]) -> Sequence[_Slot]:
    """Return the calls, each with an id that no other has: some servers give none, or one to all."""
    seen: set[str] = set()
    for slot in slots:
        if not slot.id or slot.id in seen:
            slot.id = f"call_{uuid4().hex}"
        seen.add(slot.id)
    return slots


def _tokens(usage: Mapping[str, Any] | None) -> TokenCounts:
    """Return the counts. Unlike Anthropic's, `prompt_tokens` includes what the cache had."""
    if not usage:
        return TokenCounts(known=False)
    details = usage.get("prompt_tokens_details") or {}
    # DeepSeek has its own name for what its cache had.
    read = details.get("cached_tokens") or usage.get("prompt_cache_hit_tokens") or 0
    written = details.get("cache_write_tokens") or 0
    return TokenCounts(
        input=max((usage.get("prompt_tokens") or 0) - read - written, 0),
        output=usage.get("completion_tokens") or 0,
        cache_read=read,
        cache_write=written,
    )
