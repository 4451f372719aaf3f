"""Decide what a provider's failure means, and whether the same call may be retried."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from bot.errors import (
    CredentialsRefused,
    ProviderError,
    ProviderOverloaded,
    ProviderRefused,
    ProviderUnreachable,
    RequestTooLong,
)
from bot.llm.output_limit import TokenRoom, read_room
from bot.llm.tokens import TokenCounts

_CREDENTIAL_STATUS = frozenset({401, 402, 403})
_SERVER_FAULT = 500
_TRANSIENT_STATUS = frozenset({408, 409})
_OVERLOAD_STATUS = frozenset({429, 503, 529})
_TOO_LONG_STATUS = 413

_OVERLOAD_KINDS = frozenset({"overloaded_error", "rate_limit_error"})
_SERVER_KINDS = frozenset({"api_error", "server_error", "timeout_error"})
_MALFORMED = "tool_use_failed"
"""Groq's code for a call that the model wrote wrongly: the next answer may be right."""
_CREDENTIAL_KINDS = frozenset({"authentication_error", "permission_error", "billing_error"})
_NO_CREDIT = frozenset(
    {
        "insufficient_quota",  # OpenAI's 429 of an empty account
        "contract_spend_limit_reached",  # Anthropic's 429s that waiting does not end
        "enforced_spend_limit_reached",
    }
)
_TOO_LONG = re.compile(
    # Anthropic | OpenAI and vLLM | llama.cpp | Ollama, Groq | Gemini | TGI, Together
    r"prompt is too long|context_length_exceeded|maximum context length|exceed(?:s|ed|ing)? (?:the )?"
    r"(?:available )?context (?:size|length|window|limit)|reduce the length of the messages"
    r"|exceeds the maximum number of tokens|max_new_tokens` must be",
    re.IGNORECASE,
)
_NO_CREDIT_TEXT = re.compile(r"credit balance|spend(?:ing)? limit|usage limits", re.IGNORECASE)
"""Anthropic's 400s of an empty account or a limit that its owner set."""
_KEY = re.compile(r"\b(?:sk|gsk|key)-[\w*-]{6,}")
_LONGEST_DETAIL = 300


@dataclass(frozen=True, slots=True)
class Trouble:
    """A failed call in the provider's words.

    Attributes:
        status: HTTP status; None when there was no answer, 200 when it broke off.
        kind: `error.type` of the answer, or "".
        code: `error.code` of the answer, or "".
        message: What it says.
        retry_after: Seconds that the provider asks us to wait, or None.
        generated: What the model wrote, where the provider could make no call of a tool of it.
    """

    status: int | None
    kind: str = ""
    code: str = ""
    message: str = ""
    retry_after: float | None = None
    generated: str = ""


class FailedCall(Exception):
    """One try that failed: the error to raise, and what is known about trying again.

    `room` is what the refusal says of the tokens there are, where a shorter answer may be taken.
    """

    def __init__(
        self,
        error: ProviderError,
        *,
        again: bool,
        retry_after: float | None = None,
        tokens: TokenCounts | None = None,
        room: TokenRoom | None = None,
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.again = again
        self.retry_after = retry_after
        self.tokens = tokens
        self.room = room


def classify(provider: str, trouble: Trouble, tokens: TokenCounts | None = None) -> FailedCall:
    """Return what the trouble means. `tokens` are those that were spent before it."""
    detail = _detail(trouble)
    if _is_too_long(trouble):
        error: ProviderError = RequestTooLong(
            f"The conversation is too long for {provider}{detail}."
        )
        room: TokenRoom | None = read_room(trouble.message)
        if trouble.status == _TOO_LONG_STATUS and room == TokenRoom():
            room = None  # so many bytes, which no shorter answer changes
        return FailedCall(error, again=False, tokens=tokens, room=room)
    if _is_credentials(trouble):
        error = CredentialsRefused(f"{provider} rejected the credentials or the account{detail}.")
        return FailedCall(error, again=False, tokens=tokens)
    if trouble.status in _OVERLOAD_STATUS or trouble.kind in _OVERLOAD_KINDS:
        error = ProviderOverloaded(f"{provider} is overloaded or limiting requests{detail}.")
        return FailedCall(error, again=True, retry_after=trouble.retry_after, tokens=tokens)
    if _is_transient(trouble):
        what = "can't be reached" if trouble.status is None else "failed to answer"
        error = ProviderUnreachable(f"{provider} {what}{detail}.")
        return FailedCall(error, again=True, retry_after=trouble.retry_after, tokens=tokens)
    error = ProviderRefused(f"{provider} rejected the request{detail}.")
    room = read_room(trouble.message)
    return FailedCall(error, again=False, tokens=tokens, room=None if room.answer is None else room)


def no_answer(error: Exception, url: str) -> Trouble:
    """Return the trouble of a connection that failed, with the host that a person can check."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    words = str(error).rstrip(".") or type(error).__name__
    return Trouble(None, message=f"{parts.hostname}{port}: {words}")


def cut_stream(provider: str, tokens: TokenCounts | None) -> FailedCall:
    """Return the failure of an answer that ended before its stop reason."""
    return classify(provider, Trouble(200, "api_error", message="the response was cut off"), tokens)


def _is_too_long(trouble: Trouble) -> bool:
    return trouble.status == _TOO_LONG_STATUS or bool(
        _TOO_LONG.search(trouble.code) or _TOO_LONG.search(trouble.message)
    )


def _is_credentials(trouble: Trouble) -> bool:
    return (
        trouble.status in _CREDENTIAL_STATUS
        or trouble.kind in _CREDENTIAL_KINDS
        or trouble.kind in _NO_CREDIT
        or trouble.code in _NO_CREDIT
        or bool(_NO_CREDIT_TEXT.search(trouble.message))
    )


def _is_transient(trouble: Trouble) -> bool:
    return (
        trouble.status is None
        or trouble.status >= _SERVER_FAULT
        or trouble.status in _TRANSIENT_STATUS
        or trouble.kind in _SERVER_KINDS
        or trouble.code == _MALFORMED
    )


def _detail(trouble: Trouble) -> str:
    """Return ` (529: Overloaded)`: one line, no key, not longer than a person wants to read."""
    text = " ".join(_KEY.sub("[key]", trouble.message).split())[:_LONGEST_DETAIL].rstrip(".")
    parts = [str(trouble.status)] if trouble.status not in {None, 200} else []
    parts += [text] if text else []
    return f" ({': '.join(parts)})" if parts else ""
