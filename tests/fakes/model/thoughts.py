"""Thinking that was signed must come back as it went out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from tests.fakes.model.rules import demand
from tests.fakes.model.steps import Answer, Call, Think


class Thoughts:
    """Signs thinking, remembers it, and checks what comes back."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._signed: dict[str, str] = {}
        self._before: dict[str, tuple[str, str]] = {}

    def sign(self, answer: Answer, model: str) -> Iterator[str]:
        """Return a signature for each thinking part of the answer, in order."""
        signatures: list[str] = []
        for part in answer.parts:
            if isinstance(part, Think):
                signatures.append(f"signature-{next(self._numbers)}")
                self._signed[signatures[-1]] = part.text
            if isinstance(part, Call) and signatures:
                self._before[part.id] = (model, signatures[-1])
        return iter(signatures)

    def check(self, body: Mapping[str, Any]) -> None:
        """Raise `Breach` unless each signed thought is unchanged and stands before its calls."""
        for i, message in enumerate(body["messages"]):
            if message["role"] != "assistant" or isinstance(message["content"], str):
                continue
            self._check_message(f"messages.{i}", message["content"], body["model"])

    def _check_message(self, where: str, blocks: list[Mapping[str, Any]], model: str) -> None:
        seen: list[str] = []
        for block in blocks:
            if block["type"] == "thinking":
                demand(
                    self._signed.get(block["signature"]) == block["thinking"],
                    f"{where}: Invalid `signature` in `thinking` block",
                )
                seen.append(block["signature"])
            if block["type"] == "tool_use":
                author, signature = self._before.get(block["id"], ("", ""))
                demand(
                    author != model or signature in seen,
                    f"{where}: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
                )
