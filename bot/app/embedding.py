"""Choose what makes the vectors by which earlier attempts are found again."""

from __future__ import annotations

from bot.llm.embeddings import OpenAIEmbedder
from bot.llm.openai_model import OPENAI_URL
from bot.model.embedding import Embedder, HashedNgrams
from bot.settings.environment import ServerSettings


def embedder_of(settings: ServerSettings) -> Embedder:
    """Return the embedder that the settings name; without one, nothing leaves this process."""
    model = settings.fixpoint_embedding_model
    if model is None:
        return HashedNgrams()
    url = settings.fixpoint_embedding_url
    if url is not None:
        return OpenAIEmbedder(model, base_url=url, api_key=settings.fixpoint_embedding_key)
    key = settings.fixpoint_embedding_key or settings.openai_api_key
    return OpenAIEmbedder(model, base_url=settings.openai_base_url or OPENAI_URL, api_key=key)
