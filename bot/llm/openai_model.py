"""Ask OpenAI, or any server that speaks its Chat Completions API.

Over HTTP itself: one request with server-sent events is all that is used of it, and importing
OpenAI's SDK takes longer than ten turns of a repair.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.errors import ProviderRefused, ProviderUnreachable
from bot.health.circuit import Circuit
from bot.llm.base import Ask, Conversation
from bot.llm.encoding import EncodedMessages, with_messages
from bot.llm.failures import FailedCall, classify, cut_stream, no_answer
from bot.llm.openai_dialect import Dialect, adapt
from bot.llm.openai_refusals import (
    Misunderstood,
    RequestRefused,
    late_error,
    late_refusal,
    refusal,
)
from bot.llm.openai_reply import OpenAIReply
from bot.llm.openai_wire import encode_message, request_head, system_messages, told_to
from bot.llm.prices import PriceList, known_prices
from bot.llm.reply import ModelReply
from bot.llm.retries import ProviderRetries
from bot.llm.streaming import StreamingModel
from bot.model.route import ModelStrength
from bot.model.tool_calls import ToolCalls

if TYPE_CHECKING:
    from httpx2 import AsyncClient

OPENAI_URL = "https://api.openai.com/v1"

_MISREAD = frozenset({400, 422, 404, 500})
"""Statuses of what a server doesn't understand; chat templates fail as 404 (MLX) or 500 (llama.cpp)."""
_LAST = "[DONE]"
_CONNECT_SECONDS = 10.0
_DRAIN_SECONDS = 0.1
"""For what follows the last event. A server that sends more loses its connection."""


class OpenAIModel(StreamingModel):
    """An OpenAI-compatible server as a `bot.llm.base.Model`.

    Args:
        models: Which model for which strength.
        base_url: Of the server, with its version path (`http://127.0.0.1:11434/v1`).
        api_key: Of the account; None for servers that ask for none.
        prices: Of the models. Declare a model of your own machine as `FREE` there.
        patience: How long to insist.
        silence: Seconds without a byte after which a connection is given up: servers on one's
            own machine send nothing while they read a long prompt.
        circuit: Decides whether it is asked; None always asks.
        tool_calls: `native` uses the API's own, `text` describes tools in words; `auto` does so
            once a server says that it or its model has no tools.
    """

    def __init__(
        self,
        *,
        models: Mapping[ModelStrength, str],
        base_url: str = OPENAI_URL,
        api_key: SecretStr | None = None,
        prices: PriceList | None = None,
        patience: ProviderRetries = ProviderRetries(),  # noqa: B008 - frozen
        silence: float = 600.0,
        circuit: Circuit | None = None,
        tool_calls: ToolCalls = ToolCalls.AUTO,
    ) -> None:
        super().__init__(
            "openai",
            models=models,
            prices=prices or known_prices(),
            patience=patience,
            circuit=circuit,
        )
        self._key = api_key
        self._tool_calls = tool_calls
        self._base_url = base_url
        self._silence = silence
        self._messages = EncodedMessages(encode_message)
        self._dialects: dict[str, Dialect] = {}
        self._client: AsyncClient | None = None

    def offers(self, model: str) -> bool:
        """Return whether such a server can be expected to have it: all but Anthropic's own."""
        return not model.startswith("claude") or model in self._models.values()

    async def close(self) -> None:
        """Release connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    @property
    def _connected(self) -> bool:
        return self._client is not None

    def _connect(self) -> None:
        from httpx2 import AsyncClient, Timeout

        # Servers that ask for no key ignore one; some proxies before them ask for the header.
        key = self._key.get_secret_value().strip() if self._key else "none"
        self._client = AsyncClient(
            headers={"Authorization": f"Bearer {key}"},
            timeout=Timeout(self._silence, connect=_CONNECT_SECONDS),
            follow_redirects=True,
        )

    def _encode(self, conversation: Conversation, ask: Ask, model: str) -> bytes:
        dialect = self._dialect(model)
        head = request_head(conversation, ask, model, dialect)
        messages = self._messages(told_to(conversation, dialect), dialect)
        return with_messages(head, [*system_messages(conversation, dialect), *messages])

    def _dialect(self, model: str) -> Dialect:
        own = urlsplit(self._base_url).hostname == urlsplit(OPENAI_URL).hostname
        first = Dialect(
            limit="max_completion_tokens" if own else "max_tokens",
            tools="text" if self._tool_calls is ToolCalls.TEXT else "native",
        )
        return self._dialects.get(model, first)

    async def _attempt(self, conversation: Conversation, ask: Ask, model: str) -> ModelReply:
        tried = {self._dialect(model)}
        while True:
            body = self._encode(conversation, ask, model)
            try:
                return await self._converse(body, self._dialect(model))
            except Misunderstood as misunderstood:
                dialect = adapt(self._dialect(model), misunderstood.text)
                if dialect is None or dialect in tried or not self._may_speak(dialect):
                    raise misunderstood.failure from misunderstood.__cause__
                tried.add(dialect)
                self._dialects[model] = dialect

    def _may_speak(self, dialect: Dialect) -> bool:
        """Whether tools may be described in words, where that is what a dialect does."""
        return dialect.tools == "native" or self._tool_calls is not ToolCalls.NATIVE

    async def _converse(self, body: bytes, dialect: Dialect) -> ModelReply:
        reply = OpenAIReply(tools_in_text=dialect.tools == "text")
        try:
            await self._stream(body, reply)
        except FailedCall as failure:
            failure.tokens = reply.spent(len(body))
            raise
        finished = reply.reply()
        if finished is None:
            raise cut_stream(self.name, reply.spent(len(body)))
        return finished

    async def _stream(self, body: bytes, reply: OpenAIReply) -> None:
        """Send the request and feed the chunks of the answer."""
        from httpx2 import HTTPError, InvalidURL

        try:
            async with aclosing(self._chunks(body)) as chunks:
                async for chunk in chunks:
                    reply.feed(chunk)
        except RequestRefused as refused:
            if reply.reads_call(refused.trouble.generated, len(body)):
                return
            failure = classify(self.name, refused.trouble)
            if refused.trouble.status in _MISREAD and _may_be_misread(failure):
                raise Misunderstood(refused.trouble.message, failure) from refused
            raise failure from refused
        except (HTTPError, InvalidURL) as error:
            raise classify(self.name, no_answer(error, self._base_url)) from error
        except (LookupError, TypeError, ValueError) as error:
            raise cut_stream(self.name, None) from error

    async def _chunks(self, body: bytes) -> AsyncGenerator[dict[str, Any]]:
        """Send the request and yield the objects of the answer.

        Raises:
            Refused: When the server says no, at once or in the middle.
        """
        url = f"{self._base_url.rstrip('/')}/chat/completions"
        headers = {"Content-Type": "application/json"}
        client = self._opened()
        async with client.sse(url, method="POST", content=body, headers=headers) as source:
            if not source.response.is_success:
                raise RequestRefused(await refusal(source.response))
            events = aiter(source)
            async for event in events:
                if event.data.startswith(_LAST):
                    await _drain(events)
                    return
                chunk = json.loads(event.data) if event.data else None  # such as `retry: 3000`
                if (error := late_error(chunk, named=event.event == "error")) is not None:
                    raise RequestRefused(late_refusal(error))
                if isinstance(chunk, dict):
                    yield chunk

    def _opened(self) -> AsyncClient:
        """Return the client. `respond` has built it, unless the model was closed under way."""
        if self._client is None:
            raise ProviderUnreachable(f"The connection to {self.name} is closed.")
        return self._client


def _may_be_misread(failure: FailedCall) -> bool:
    """Whether nothing else is known of a failure: it is no overload, no account, no full window."""
    kinds = (ProviderRefused, ProviderUnreachable)
    return failure.room is None and type(failure.error) in kinds


async def _drain(events: AsyncIterator[object]) -> None:
    """Read what follows the last event, so that the connection can carry the next request."""
    from httpx2 import HTTPError

    with contextlib.suppress(TimeoutError, HTTPError):  # the answer is complete, whatever comes
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in events:
                pass
