"""Ask Anthropic, or a gateway that speaks its Messages API, through Anthropic's own SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import SecretStr

from bot.errors import ProviderUnreachable
from bot.health.circuit import Circuit
from bot.llm.anthropic_wire import (
    CONTEXT_EDITING,
    AnthropicReply,
    author,
    encode_message,
    refuses_types,
    request_head,
)
from bot.llm.base import Ask, Conversation
from bot.llm.encoding import EncodedMessages, with_messages
from bot.llm.failures import FailedCall, Trouble, classify, cut_stream, no_answer
from bot.llm.headers import retry_after
from bot.llm.prices import PriceList, known_prices
from bot.llm.reply import ModelReply
from bot.llm.retries import ProviderRetries
from bot.llm.streaming import StreamingModel
from bot.model.route import ModelStrength
from bot.settings.default_models import ANTHROPIC_MODEL, ANTHROPIC_STRONGER_MODEL

if TYPE_CHECKING:
    from anthropic import APIError, AsyncAnthropic
    from httpx2 import HTTPError

DEFAULT_MODELS: Mapping[ModelStrength, str] = {
    ModelStrength.DEFAULT: ANTHROPIC_MODEL,
    ModelStrength.STRONGER: ANTHROPIC_STRONGER_MODEL,
}


class AnthropicModel(StreamingModel):
    """Anthropic as a `bot.llm.base.Model`.

    Args:
        api_key: Of the account.
        base_url: Of another server that speaks the same API, without `/v1`.
        models: Which model for which strength.
        prices: Of the models.
        patience: How long to insist.
        silence: Seconds without a byte after which a connection is given up. The API sends pings.
        circuit: Decides whether it is asked; None always asks.
    """

    def __init__(
        self,
        api_key: SecretStr,
        *,
        base_url: str | None = None,
        models: Mapping[ModelStrength, str] = DEFAULT_MODELS,
        prices: PriceList | None = None,
        patience: ProviderRetries = ProviderRetries(),  # noqa: B008 - frozen
        silence: float = 180.0,
        circuit: Circuit | None = None,
    ) -> None:
        super().__init__(
            "anthropic",
            models=models,
            prices=prices or known_prices(),
            patience=patience,
            circuit=circuit,
        )
        self._key = api_key
        self._base_url = base_url or "https://api.anthropic.com"
        self._silence = silence
        self._messages = EncodedMessages(encode_message)
        self._client: AsyncAnthropic | None = None
        self._clears = True
        self._plain: set[str] = set()

    def offers(self, model: str) -> bool:
        """Return whether it is one of Anthropic's models, or configured."""
        return model.startswith("claude") or model in self._models.values()

    async def close(self) -> None:
        """Release connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    @property
    def _connected(self) -> bool:
        return self._client is not None

    def _connect(self) -> None:
        from anthropic import AsyncAnthropic, Timeout

        self._client = AsyncAnthropic(
            api_key=self._key.get_secret_value().strip(),
            base_url=self._base_url,
            timeout=Timeout(self._silence, connect=10.0),
            max_retries=0,  # ours cap the wait and count what failed tries cost
            open_telemetry=False,  # our own spans have the run's name
        )

    def _encode(self, conversation: Conversation, ask: Ask, model: str) -> bytes:
        messages = self._messages(conversation.messages, author(self.name, model))
        typed = model not in self._plain
        head = request_head(conversation, ask, model, clears=self._clears, typed=typed)
        return with_messages(head, messages)

    async def _attempt(self, conversation: Conversation, ask: Ask, model: str) -> ModelReply:
        reply = AnthropicReply(author(self.name, model))
        try:
            await self._stream(self._encode(conversation, ask, model), reply)
        except FailedCall as failure:
            if self._clears and "context_management" in str(failure.error):
                self._clears = False  # a gateway that does not know it: our own shortening does
                return await self._attempt(conversation, ask, model)
            said = str(failure.error)
            if model not in self._plain and refuses_types(conversation.tools, said):
                return await self._with_functions(conversation, ask, model)
            failure.tokens = reply.spent()
            raise
        finished = reply.reply()
        if finished is None:
            raise cut_stream(self.name, reply.spent())
        return finished

    async def _with_functions(self, conversation: Conversation, ask: Ask, model: str) -> ModelReply:
        """Ask with plain functions in place of Anthropic's own tools, from now on if that helps."""
        self._plain.add(model)
        try:
            return await self._attempt(conversation, ask, model)
        except FailedCall:
            self._plain.discard(model)
            raise

    async def _stream(self, body: bytes, reply: AnthropicReply) -> None:
        """Send the request and feed the events.

        `post` with bytes and plain JSON events spares the SDK's conversion of every message and
        its model of every event: at a hundred messages a turn costs half the processor time.
        Keys, headers, errors and the decoding of the stream stay the SDK's.
        """
        from anthropic import APIError, AsyncStream
        from httpx2 import HTTPError

        try:
            stream = await self._opened().post(
                "/v1/messages",
                cast_to=object,
                content=body,
                options={"headers": {"anthropic-beta": CONTEXT_EDITING}} if self._clears else {},
                stream=True,
                stream_cls=AsyncStream[object],
            )
            async with stream:
                async for event in stream:
                    if isinstance(event, dict):
                        reply.feed(event)
        except (APIError, HTTPError) as error:
            raise classify(self.name, _trouble(error, self._base_url)) from error
        except (LookupError, ValueError) as error:
            raise cut_stream(self.name, None) from error

    def _opened(self) -> AsyncAnthropic:
        """Return the client. `respond` has built it, unless the model was closed under way."""
        if self._client is None:
            raise ProviderUnreachable(f"The connection to {self.name} is closed.")
        return self._client


def _trouble(error: APIError | HTTPError, url: str) -> Trouble:
    from anthropic import APIStatusError

    if not isinstance(error, APIStatusError):
        return no_answer(error, url)
    return Trouble(
        status=error.status_code,
        kind=error.type or "",
        code=error.error_code or "",
        message=error.api_message or error.message,
        retry_after=retry_after(error.response.headers),
    )
