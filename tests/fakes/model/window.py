"""A context window: how a server counts tokens, and what it says when there are too many."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

_PIECE = re.compile(r"[A-Za-z]{1,6}|[0-9]{1,3}|\s+|[^\sA-Za-z0-9]{1,2}")
"""About what tokenizers make one token of: short words, three digits, white space, a pair of signs."""


@dataclass(frozen=True, slots=True)
class Window:
    """The window of a server.

    Attributes:
        tokens: That it has.
        counts_answer: Whether the longest answer that is asked for has to fit as well (vLLM), or
            the prompt alone (llama.cpp).
        says: How it refuses: with both counts, as vLLM; with the window and the least that the
            prompt has, as newer ones; without any figure.
    """

    tokens: int
    counts_answer: bool = True
    says: Literal["counts", "at least", "nothing"] = "counts"

    def refusal(self, body: Mapping[str, Any]) -> str:
        """Return what is said of a request that is too long; "" of one that fits."""
        prompt = tokens_of(body)
        asked = body.get("max_completion_tokens") or body.get("max_tokens") or 0
        answer = asked if self.counts_answer else 0
        if prompt + answer <= self.tokens:
            return ""
        limit = (
            f"This model's maximum context length is {self.tokens} tokens. However, you requested"
        )
        match self.says:
            case "counts":
                return f"{limit} {prompt + asked} tokens ({prompt} in the messages, {asked} in the completion)."
            case "at least":
                least = min(prompt, self.tokens - answer + 1)
                return (
                    f"{limit} {asked} output tokens and your prompt contains at least {least} input "
                    f"tokens, for a total of at least {least + asked} tokens."
                )
            case "nothing":
                return "Please reduce the length of the messages or completion."


def tokens_of(body: Mapping[str, Any]) -> int:
    """Return how many tokens a request's prompt has, its tools included."""
    said = {key: body[key] for key in ("system", "tools", "messages") if key in body}
    text = json.dumps(said, ensure_ascii=False).replace("\\n", "\n").replace('\\"', '"')
    return sum(1 for _ in _PIECE.finditer(text))
