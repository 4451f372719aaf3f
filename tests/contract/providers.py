"""Both providers against a scripted server, for the tests of what they promise."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from bot.errors import (
    ProviderError,
)
from bot.llm.anthropic_model import AnthropicModel
from bot.llm.base import (
    Ask,
    Conversation,
    Message,
    Text,
    Tool,
    ToolResult,
    Turn,
)
from bot.llm.openai_model import OpenAIModel
from bot.llm.retries import ProviderRetries
from bot.llm.streaming import StreamingModel
from bot.model.route import ModelStrength
from tests.fakes.model import (
    ModelServer,
    Script,
)

KEY = SecretStr("sk-test-0123456789")
QUICK = ProviderRetries(first_wait=0.01, longest_wait=0.02)
BASH = Tool(
    "bash",
    "Run a command.",
    {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
    anthropic_type="bash_20250124",
)
RUN_TESTS = Tool("run_tests", "Run the tests.", {"type": "object", "properties": {}})

Make = Callable[..., StreamingModel]


def anthropic(server: ModelServer, **options: Any) -> StreamingModel:
    models = {ModelStrength.DEFAULT: "claude-sonnet-5-5", ModelStrength.STRONGER: "claude-opus-5-5"}
    options = {"models": models, "patience": QUICK, **options}
    return AnthropicModel(KEY, base_url=server.anthropic_url, **options)


def openai(server: ModelServer, **options: Any) -> StreamingModel:
    models = {ModelStrength.DEFAULT: "gpt-4.1", ModelStrength.STRONGER: "gpt-5"}
    options = {"models": models, "patience": QUICK, **options}
    return OpenAIModel(api_key=KEY, base_url=server.openai_url, **options)


@asynccontextmanager
async def closing(model: StreamingModel) -> AsyncIterator[StreamingModel]:
    """Close the model whatever happens."""
    try:
        yield model
    finally:
        await model.close()


@asynccontextmanager
async def making(maker: Make) -> AsyncIterator[Make]:
    """Give the maker, and close at the end what it made."""
    made: list[StreamingModel] = []

    def make(server: ModelServer, **options: Any) -> StreamingModel:
        made.append(maker(server, **options))
        return made[-1]

    try:
        yield make
    finally:
        for model in made:
            await model.close()


def conversation(*messages: Message, text: str = "Fix it.") -> Conversation:
    opening = Message("user", (Text(text),))
    return Conversation("You repair programs.", (opening, *messages), (BASH, RUN_TESTS))


def answered(before: Conversation, turn: Turn, *results: str) -> Conversation:
    """Return the conversation after the turn and its tools' results."""
    blocks = tuple(
        ToolResult(call.id, text) for call, text in zip(turn.tool_calls, results, strict=True)
    )
    messages = (*before.messages, Message("assistant", turn.blocks), Message("user", blocks))
    return replace(before, messages=messages)


async def ask(
    make: Make,
    script: Script,
    question: Ask = Ask(),  # noqa: B008 - frozen
    **options: Any,
) -> tuple[Turn, ModelServer]:
    """Return the turn that the script's first answers lead to, and the server that gave it."""
    async with ModelServer(script) as server, closing(make(server, **options)) as model:
        return await model.respond(conversation(), question), server


async def failure(make: Make, script: Script, **options: Any) -> ProviderError:
    """Return the error that the script's answers lead to."""
    with pytest.raises(ProviderError) as caught:
        await ask(make, script, **options)
    assert KEY.get_secret_value() not in str(caught.value)
    return caught.value
