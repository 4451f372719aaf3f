"""How an OpenAI-compatible server says no, read from its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.llm.failures import FailedCall, Trouble
from bot.llm.headers import retry_after, retry_delay

if TYPE_CHECKING:
    from httpx2 import Response

_LONGEST_REFUSAL = 1000
"""Characters of an answer that is no JSON, from a proxy perhaps."""


class RequestRefused(Exception):
    """The server says no."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.message)
        self.trouble = trouble


class Misunderstood(Exception):
    """The server does not understand the request; perhaps it does in another dialect."""

    def __init__(self, text: str, failure: FailedCall) -> None:
        super().__init__(text)
        self.text = text
        self.failure = failure


async def refusal(response: Response) -> Trouble:
    """Read the answer to a request that is refused."""
    await response.aread()
    try:
        body = response.json()
    except ValueError:
        body = response.text[:_LONGEST_REFUSAL]
    if isinstance(body, list) and body:  # as Gemini and Vertex have it
        body = body[0]
    error = body.get("error", body) if isinstance(body, dict) else body
    wait = retry_after(response.headers)
    wait = retry_delay(error) if wait is None else wait
    return Trouble(response.status_code, *_words(error), wait, _generated(error))


def late_error(chunk: object, *, named: bool) -> object | None:
    """Return the error that an event in the middle of a stream is or has; None where it has none.

    Args:
        chunk: The event's data.
        named: Whether the event itself is called an error.
    """
    if isinstance(chunk, list) and chunk:  # as Gemini and Vertex have it
        chunk = chunk[0]
    if not isinstance(chunk, dict):
        return chunk if named else None
    is_error = named or chunk.get("object") == "error"  # the latter: older vLLM
    return chunk.get("error") or (chunk if is_error else None)


def late_refusal(error: object) -> Trouble:
    """Read an error in the middle of a stream: it has no status of its own; its code often is one."""
    kind, code, message = _words(error)
    status = int(code) if code.isdigit() else 200
    return Trouble(status, kind or "server_error", code, message, generated=_generated(error))


def _generated(error: object) -> str:
    """Return what a model wrote that Groq could make no call of."""
    return str(error.get("failed_generation") or "") if isinstance(error, dict) else ""


def _words(error: object) -> tuple[str, str, str]:
    """Return type, code and message of an error in whatever form a server gives it."""
    if not isinstance(error, dict):
        return "", "", str(error)
    message = error.get("message") or error.get("detail") or error
    if "n_ctx" in error:  # llama.cpp: what is too long, beside the message
        message = f"{message} ({error.get('n_prompt_tokens')} tokens > {error['n_ctx']} maximum)"
    return str(error.get("type") or ""), str(error.get("code") or ""), str(message)
