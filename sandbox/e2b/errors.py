"""Turn whatever E2B's SDK raises into our three errors.

The SDK has no common base class: connection errors of httpx and pyqwest, undecodable JSON and
bare `Exception`s come out of it next to its own types, and `AuthenticationException` and
`ServiceBusyException` are no `SandboxException`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from typing import TypeVar

from sandbox.base import SandboxError, SandboxFault, SandboxGone, SandboxUnavailable

_ATTEMPTS = 4
_SERVER_ERROR = 500
_NOT_FOUND = 404

_Answer = TypeVar("_Answer")


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Raise our error for any that leaves the block; `doing` completes "E2B could not ..."."""
    try:
        yield
    except SandboxError:
        raise
    except Exception as error:  # the SDK's errors share no other base class
        raise sandbox_error(error, doing) from error


async def retried(doing: str, call: Callable[[], Awaitable[_Answer]]) -> _Answer:
    """Make a call that may safely be made twice, again when its answer was lost."""
    import stamina

    with translated(doing):
        async for attempt in stamina.retry_context(
            on=is_transient, attempts=_ATTEMPTS, wait_initial=0.1, wait_jitter=0.1, wait_max=2.0
        ):
            with attempt:
                return await call()
    raise AssertionError  # the last attempt returns or raises


def is_transient(error: Exception) -> bool:
    """Whether the same call may be answered the next time.

    Connecting is not worth it: the SDK has tried that several times. It repeats some errors of
    the control plane too, but none of the machines and no 500.
    """
    import e2b
    import httpx

    match error:
        case e2b.SandboxUnreachableException() | e2b.RateLimitException():
            return True
        case e2b.SandboxException():
            return (error.status_code or 0) >= _SERVER_ERROR
        case httpx.ConnectError() | httpx.ConnectTimeout():
            return False
        case _:
            return isinstance(
                error, httpx.TransportError | JSONDecodeError | e2b.ServiceBusyException
            )


def is_not_found(error: BaseException | None) -> bool:
    """Whether the control plane said that something of the request is not there."""
    import e2b

    return isinstance(error, e2b.SandboxException) and error.status_code == _NOT_FOUND


def sandbox_error(error: Exception, doing: str) -> SandboxError:
    """Return the error to raise instead, with what a person can do about it."""
    import e2b
    import httpx

    kind: type[SandboxError] = SandboxError
    match error:
        case (
            e2b.SandboxNotRunningException()
            | e2b.SandboxUnreachableException()
            | e2b.SandboxNotFoundException()
        ):
            kind, reason = SandboxGone, "the sandbox has ended or can't be reached; open it again"
        case e2b.AuthenticationException():
            kind, reason = (
                SandboxUnavailable,
                "it refused the API key; set E2B_API_KEY to a valid one",
            )
        case e2b.RateLimitException() | e2b.ServiceBusyException():
            kind, reason = SandboxFault, "it is busy or limiting requests; try again later"
        case e2b.NotEnoughSpaceException():
            reason = "the sandbox's disk is full"
        case httpx.TimeoutException() | e2b.TimeoutException():
            kind, reason = SandboxFault, "it did not answer in time; try again later"
        case httpx.TransportError() | ConnectionError():
            kind, reason = (
                SandboxFault,
                "the connection to it failed; check E2B's URL and the network",
            )
        case JSONDecodeError():
            kind, reason = SandboxFault, "the answer is not JSON; check E2B's URL"
        case _:
            reason = str(error) or type(error).__name__
            kind = SandboxError if _is_refusal(error) else SandboxFault
    return kind(f"E2B could not {doing}: {reason}.")


def _is_refusal(error: Exception) -> bool:
    """Whether E2B says what is wrong with the request: the SDK has no type or status for bad answers."""
    import e2b

    if not isinstance(error, e2b.SandboxException) or is_transient(error):
        return False
    return type(error) is not e2b.SandboxException or error.status_code is not None
