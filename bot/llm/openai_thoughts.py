"""What a model of an OpenAI-compatible server thought: for people, and to be sent back as it came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.llm.base import Opaque
from bot.llm.openai_wire import AUTHOR, BACK
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
