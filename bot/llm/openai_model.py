"""Ask OpenAI, or any server that speaks its Chat Completions API, through OpenAI's own SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.errors import ProviderRefused, ProviderUnreachable
from bot.llm.base import Ask, Conversation, Strength
from bot.llm.encoding import EncodedMessages, with_messages
from bot.llm.failures import Failure, Trouble, cut_stream, judge, no_answer
from bot.llm.headers import retry_after
from bot.llm.openai_wire import (
    Dialect,
    OpenAIReply,
    adapt,
    encode_message,
    request_head,
    system_message,
)
from bot.llm.patience import Patience
from bot.llm.prices import PriceList, known_prices
from bot.llm.reply import Reply
from bot.llm.streaming import StreamingModel

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI

OPENAI_URL = "https://api.openai.com/v1"

_BAD_REQUEST = frozenset({400, 422})


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
    """

    def __init__(
        self,
        *,
        models: Mapping[Strength, str],
        base_url: str = OPENAI_URL,
        api_key: SecretStr | None = None,
        prices: PriceList | None = None,
        patience: Patience = Patience(),  # noqa: B008 - frozen
        silence: float = 600.0,
    ) -> None:
        super().__init__(
            "openai", models=models, prices=prices or known_prices(), patience=patience
        )
        self._key = api_key
        self._base_url = base_url
        self._silence = silence
        self._messages = EncodedMessages(encode_message)
        self._dialects: dict[str, Dialect] = {}
        self._client: AsyncOpenAI | None = None

    def offers(self, model: str) -> bool:
        """Return whether such a server can be expected to have it: all but Anthropic's own."""
        return not model.startswith("claude") or model in self._models.values()

    async def close(self) -> None:
        """Release connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    @property
    def _connected(self) -> bool:
        return self._client is not None

    def _connect(self) -> None:
        from openai import AsyncOpenAI, Timeout

        self._client = AsyncOpenAI(
            # The SDK takes no empty key, and servers that ask for none ignore it.
            api_key=self._key.get_secret_value().strip() if self._key else "none",
            base_url=self._base_url,
            timeout=Timeout(self._silence, connect=10.0),
            max_retries=0,  # ours cap the wait and count what failed tries cost
        )

    def _encode(self, conversation: Conversation, ask: Ask, model: str) -> bytes:
        head = request_head(conversation, ask, model, self._dialect(model))
        system = [system_message(conversation.system)] if conversation.system else []
        return with_messages(head, [*system, *self._messages(conversation.messages, "")])

    def _dialect(self, model: str) -> Dialect:
        own = urlsplit(self._base_url).hostname == urlsplit(OPENAI_URL).hostname
        first = Dialect(limit="max_completion_tokens" if own else "max_tokens")
        return self._dialects.get(model, first)

    async def _attempt(self, conversation: Conversation, ask: Ask, model: str) -> Reply:
        tried = {self._dialect(model)}
        while True:
            body = self._encode(conversation, ask, model)
            try:
                return await self._converse(body)
            except _Misunderstood as misunderstood:
                dialect = adapt(self._dialect(model), misunderstood.text)
                if dialect is None or dialect in tried:
                    raise misunderstood.failure from misunderstood.__cause__
                tried.add(dialect)
                self._dialects[model] = dialect

    async def _converse(self, body: bytes) -> Reply:
        reply = OpenAIReply()
        try:
            await self._stream(body, reply)
        except Failure as failure:
            failure.tokens = reply.spent(len(body))
            raise
        finished = reply.reply()
        if finished is None:
            raise cut_stream(self.name, reply.spent(len(body)))
        return finished

    async def _stream(self, body: bytes, reply: OpenAIReply) -> None:
        """Send the request and feed the chunks; see `AnthropicModel._stream` for the why of `post`."""
        from openai import APIError, AsyncStream

        try:
            stream = await self._opened().post(
                "/chat/completions",
                cast_to=object,
                content=body,
                stream=True,
                stream_cls=AsyncStream[object],
            )
            async with stream:
                async for chunk in stream:
                    if isinstance(chunk, dict):
                        reply.feed(chunk)
        except APIError as error:
            trouble = _trouble(error, self._base_url)
            failure = judge(self.name, trouble)
            if trouble.status in _BAD_REQUEST and type(failure.error) is ProviderRefused:
                raise _Misunderstood(trouble.message, failure) from error
            raise failure from error
        except (LookupError, ValueError) as error:
            raise cut_stream(self.name, None) from error

    def _opened(self) -> AsyncOpenAI:
        """Return the client. `respond` has built it, unless the model was closed under way."""
        if self._client is None:
            raise ProviderUnreachable(f"The connection to {self.name} is closed.")
        return self._client


class _Misunderstood(Exception):
    """The server does not understand the request; perhaps it does in another dialect."""

    def __init__(self, text: str, failure: Failure) -> None:
        super().__init__(text)
        self.text = text
        self.failure = failure


def _trouble(error: APIError, url: str) -> Trouble:
    from openai import APIConnectionError, APIStatusError

    if isinstance(error, APIConnectionError):
        return no_answer(error, url)
    kind, code = error.type or "", error.code or ""
    if isinstance(error, APIStatusError):
        wait = retry_after(error.response.headers)
        return Trouble(error.status_code, kind, code, _message(error), wait)
    # An error in the middle of the stream has no status of its own; its code often is one.
    status = int(code) if code.isdigit() else 200
    return Trouble(status, kind or "server_error", code, _message(error))


def _message(error: APIError) -> str:
    """Return the server's own sentence; the SDK's wraps it in the whole body."""
    body = error.body
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return str(body["message"])
    return error.message
