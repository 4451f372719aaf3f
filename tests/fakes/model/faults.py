"""How each fault looks on the wire when there is no stream yet."""

from __future__ import annotations

from typing import Literal, assert_never

from aiohttp import web

from tests.fakes.model import anthropic_wire, openai_wire
from tests.fakes.model.steps import Overloaded, Rejected, ServerError, TooLong, Unauthorized

Wire = Literal["anthropic", "openai"]

PlainFault = Overloaded | ServerError | Unauthorized | TooLong | Rejected


def error_answer(wire: Wire, fault: PlainFault) -> web.Response:
    """Return the error answer that the provider would give."""
    error = _in_words(wire, fault)
    encode = anthropic_wire.error_body if wire == "anthropic" else openai_wire.error_body
    wait = fault.retry_after if isinstance(fault, Overloaded) else None
    waits = {} if wait is None else {"retry-after": f"{wait:g}"}
    body = encode(error.kind, error.message, error.code)
    body["error"].update(error.fields)
    return web.json_response(
        [body] if error.listed else body,
        status=error.status,
        headers={**waits, **error.headers},
    )


def _in_words(wire: Wire, fault: PlainFault) -> Rejected:
    match fault:
        case Overloaded():
            if wire == "anthropic":
                words = Rejected("Overloaded", 529, "overloaded_error")
            else:
                words = Rejected("Rate limit reached", 429, "tokens", "rate_limit_exceeded")
        case ServerError(status):
            words = Rejected("Internal server error", status, "api_error")
        case Unauthorized():
            words = Rejected("invalid x-api-key", 401, "authentication_error")
        case TooLong():
            if wire == "anthropic":
                words = Rejected("prompt is too long: 1000001 tokens > 1000000 maximum")
            else:
                text = "This model's maximum context length is 400000 tokens."
                words = Rejected(text, code="context_length_exceeded")
        case Rejected():
            words = fault
        case _:
            assert_never(fault)
    return words
