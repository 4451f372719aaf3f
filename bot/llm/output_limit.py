"""How long an answer may be, learned from what a provider says when it refuses. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.llm.tokens import estimate

LEAST_ANSWER = 4_000
"""Tokens. Where a window leaves less, the conversation is to be shortened instead."""
_SHARE_FOR_ANSWER = 4
"""A small window keeps this part (a fourth) for the answer, if that is less."""
_TELLING_BYTES = 8_000
_MARGIN = 64
"""Tokens between what is counted here and what a chat template makes of it."""

_N = r"\d[\d,]{0,11}"
_ALONE = r"(?<![\d,])(?<!at least )"
"""Before a count. vLLM stops counting at the limit: `at least` is no count."""
_SAID = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"> (?P<window>{_N}) - (?P<prompt>{_N})\)",  # vLLM
        rf"{_ALONE}(?P<prompt>{_N}) \+ \d+ > (?P<window>{_N})",  # Anthropic
        rf"{_ALONE}(?P<prompt>{_N}) tokens > (?P<window>{_N}) maximum",  # Anthropic
        rf"must be <= (?P<window>{_N})\. given: (?P<prompt>{_N})",  # TGI, Together
        rf"\((?P<prompt>{_N})\) exceeds the maximum number of tokens allowed \((?P<window>{_N})\)",
        rf"maximum context length(?: is| of|:)? (?P<window>{_N})",  # OpenAI, vLLM, OpenRouter
        rf"{_ALONE}(?P<window>{_N}) maximum context length",  # Mistral
        rf"context (?:size|window|length) \(?(?:of )?(?P<window>{_N})",  # llama.cpp
        rf"\): limit (?P<window>{_N}), requested",  # Groq's 413, of a minute's tokens
        rf"resulted in (?P<prompt>{_N}) tokens",  # OpenAI
        rf"request \((?P<prompt>{_N}) tokens\)",  # llama.cpp
        rf"prompt (?:contains|is too long:) (?P<prompt>{_N})",  # Mistral, Fireworks
        # OpenAI, DeepSeek | vLLM | SGLang | OpenRouter
        rf"{_ALONE}(?P<prompt>{_N}) (?:in the messages|input tokens|tokens from the input|of text input)",
        rf"supports at most (?P<answer>{_N}) completion tokens",  # OpenAI
        rf"> (?P<answer>{_N}), which is the maximum allowed number of output tokens",  # Anthropic
        rf"valid range of max_tokens is \[1, ?(?P<answer>{_N})\]",  # DeepSeek
        rf"tokens`? must be less than or equal to `?(?P<answer>{_N})",  # Groq
    )
)


@dataclass(frozen=True, slots=True)
class TokenRoom:
    """What a refusal says of the tokens there are; None where it says nothing.

    Attributes:
        window: That prompt and answer may have together.
        prompt: That the prompt has.
        answer: That an answer of this model may have.
    """

    window: int | None = None
    prompt: int | None = None
    answer: int | None = None


def read_room(message: str) -> TokenRoom:
    """Return the figures that a refusal names, whoever words it."""
    figures: dict[str, int] = {}
    for pattern in _SAID:
        found = pattern.search(message)
        for name, value in found.groupdict().items() if found else ():
            figures.setdefault(name, int(value.replace(",", "")))
    return TokenRoom(**figures)


class Rooms:
    """How long the answers of each model may be."""

    def __init__(self) -> None:
        self._windows: dict[str, int] = {}
        self._per_byte: dict[str, float] = {}
        self._answers: dict[str, int] = {}
        self._crowded: dict[str, int] = {}

    def most(self, model: str, asked: int, size: int) -> int:
        """Return the most tokens to ask for, of a request of `size` bytes that wants `asked`."""
        most = min(asked, self._answers.get(model, asked))
        window = self._windows.get(model)
        is_crowded = size >= self._crowded.get(model, size + 1)
        if window is None:
            return min(most, LEAST_ANSWER) if is_crowded else most
        left = 0 if is_crowded else window - self._prompt(model, size) - _MARGIN
        return min(most, max(left, _least(window)))

    def learn(self, model: str, room: TokenRoom, asked: int, size: int) -> bool:
        """Take down a refusal; return whether the same request may pass with a shorter answer."""
        if room.answer is not None:
            self._answers[model] = room.answer
        elif room.window is not None:
            self._windows[model] = room.window
            if room.prompt is not None:
                self.count(model, room.prompt, size)
                if room.window - room.prompt - _MARGIN < _least(room.window):
                    return False
        if room.prompt is None and room.answer is None:  # what is counted here is too little
            self._crowded[model] = min(size, self._crowded.get(model, size))
        return self.most(model, asked, size) < asked

    def count(self, model: str, prompt: int, size: int) -> None:
        """Take down how many tokens a model's server counts in a prompt of `size` bytes.

        Some content has more of them than other, so the most is kept. A short prompt says nothing:
        it is mostly what the server adds.
        """
        if prompt and size >= _TELLING_BYTES:
            self._per_byte[model] = max(prompt / size, self._per_byte.get(model, 0.0))
            if model in self._windows:  # from here on it is counted better
                self._crowded.pop(model, None)

    def share_that_fits(self, model: str, room: TokenRoom, size: int) -> float | None:
        """Return how much of a prompt of `size` bytes leaves room for an answer; None: who knows."""
        if room.window is None:
            return None
        prompt = room.prompt or self._prompt(model, size)
        return (room.window - _least(room.window) - _MARGIN) / prompt

    def _prompt(self, model: str, size: int) -> int:
        per_byte = self._per_byte.get(model)
        return estimate(size) if per_byte is None else int(size * per_byte)


def _least(window: int) -> int:
    return min(LEAST_ANSWER, window // _SHARE_FOR_ANSWER)
