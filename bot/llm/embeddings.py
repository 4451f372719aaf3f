"""Have an OpenAI-compatible server make vectors of texts.

https://platform.openai.com/docs/api-reference/embeddings/create
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import SecretStr

from bot.errors import ProviderError
from bot.llm.failures import Trouble, classify, no_answer
from bot.llm.openai_model import OPENAI_URL
from bot.model.embedding import Vector, scaled

SECONDS = 10.0
"""For an answer; without one, what is searched for is found by its words alone."""

_LONGEST = 8_000
"""Characters of a text; models take some 8,000 tokens."""

_LONGEST_REFUSAL = 500

_PROVIDER = "embeddings"


class OpenAIEmbedder:
    """The endpoint `/embeddings` of a server as a `bot.model.embedding.Embedder`."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI_URL,
        api_key: SecretStr | None = None,
        seconds: float = SECONDS,
    ) -> None:
        """Say which server's model is asked; nothing is sent yet."""
        self._model = model
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._key = api_key
        self._seconds = seconds

    @property
    def name(self) -> str:
        """The model's: other models' vectors mean something else."""
        return self._model

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Return a vector for each text, in order.

        Raises:
            ProviderError: When the server does not answer, or with something else.
        """
        from httpx2 import AsyncClient, HTTPError, InvalidURL

        key = self._key.get_secret_value().strip() if self._key else "none"
        body = {"model": self._model, "input": [text[:_LONGEST] or " " for text in texts]}
        try:
            async with AsyncClient(timeout=self._seconds, follow_redirects=True) as client:
                headers = {"Authorization": f"Bearer {key}"}
                answer = await client.post(self._url, json=body, headers=headers)
        except (HTTPError, InvalidURL) as error:
            raise classify(_PROVIDER, no_answer(error, self._url)).error from error
        if not answer.is_success:
            raise classify(_PROVIDER, _trouble(answer.status_code, answer.text)).error
        return _vectors(answer.content, len(texts))


def _trouble(status: int, text: str) -> Trouble:
    return Trouble(status, message=text[:_LONGEST_REFUSAL])


def _vectors(answer: bytes, count: int) -> tuple[Vector, ...]:
    try:
        found = sorted(json.loads(answer)["data"], key=lambda load: int(load["index"]))
        vectors = tuple(scaled([float(number) for number in item["embedding"]]) for item in found)
    except (LookupError, TypeError, ValueError) as error:
        raise ProviderError("The embedding server's answer could not be read.") from error
    if len(vectors) != count:
        raise ProviderError(
            f"The embedding server returned {len(vectors)} vectors for {count} texts."
        )
    return vectors
