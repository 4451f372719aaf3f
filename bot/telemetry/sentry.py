"""Report bugs to Sentry when a DSN is configured: no variables, no bodies, no secrets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from pydantic import SecretStr

from bot import __version__
from bot.errors import FixpointError
from bot.redaction import TOKENS_ALONE, Redactor, redactor_of
from bot.settings.environment import ServerSettings

if TYPE_CHECKING:
    from sentry_sdk.integrations import Integration
    from sentry_sdk.types import Breadcrumb, Event, Hint

_IDS = ("run_id", "attempt", "delivery_id", "request_id", "trace_id")
"""Fields of log lines that are tags."""

_OF_A_BREADCRUMB = (
    "phase",
    "attempt",
    "seconds",
    "proposer",
    "accepted",
    "verdict",
    "model",
    "turn",
)
"""Fields of log lines that a breadcrumb shows besides the sentence: none holds other people's text."""

_KEPT_OF_A_REQUEST = frozenset({"url", "method"})


def configure_sentry(settings: ServerSettings) -> None:
    """Report errors of this process where the settings say; without a DSN nothing is sent."""
    start(
        settings.sentry_dsn,
        environment=settings.sentry_environment,
        redactor=redactor_of(settings, settings.fixpoint_redact),
        traced=settings.sentry_traces_sample_rate,
    )


def start(
    dsn: SecretStr | None,
    *,
    environment: str = "production",
    redactor: Redactor = TOKENS_ALONE,
    traced: float | None = None,
) -> bool:
    """Send unexpected errors to Sentry from now on; return whether a DSN was given.

    Args:
        dsn: Where to; None sends nothing anywhere.
        environment: Sentry's name for this installation.
        redactor: Takes out what never leaves.
        traced: Share of requests to this server whose performance is told; None: nothing is.
    """
    if dsn is None or not dsn.get_secret_value():
        return False
    import sentry_sdk
    from sentry_sdk.integrations.argv import ArgvIntegration
    from sentry_sdk.integrations.modules import ModulesIntegration

    def breadcrumb(crumb: Breadcrumb, hint: dict[str, Any]) -> Breadcrumb | None:
        fields = _log_fields(hint)
        if not fields:  # such as a command with its arguments, which hold other people's text
            return None
        data = {name: fields[name] for name in _OF_A_BREADCRUMB if fields.get(name) is not None}
        kept = {**crumb, "message": fields["event"], "data": data}
        return cast("Breadcrumb", redactor.values(kept))

    sentry_sdk.init(
        dsn.get_secret_value(),
        release=f"fixpoint@{__version__}",
        environment=environment,
        send_default_pii=False,
        include_local_variables=False,
        include_source_context=False,
        max_request_body_size="never",
        before_send=scrubber(redactor),
        before_send_transaction=scrubber(redactor),
        traces_sample_rate=traced,
        trace_propagation_targets=[],  # nobody else is told of our traces
        integrations=[] if traced is None else _traced_integrations(),
        before_breadcrumb=breadcrumb,
        auto_enabling_integrations=False,  # those of model SDKs would record conversations
        disabled_integrations=[ArgvIntegration, ModulesIntegration],
        auto_session_tracking=False,
        send_client_reports=False,
    )
    return True


def _traced_integrations() -> list[Integration]:
    """Return what tells of requests to this server."""
    from sentry_sdk.integrations.aiohttp import AioHttpIntegration

    return [AioHttpIntegration(transaction_style="method_and_path_pattern")]


def scrubber(redactor: Redactor = TOKENS_ALONE) -> Callable[[Event, Hint], Event | None]:
    """Return Sentry's `before_send`: drops expected errors, takes out what is nobody's business."""

    def before_send(event: Event, hint: Hint) -> Event | None:
        if _is_expected(hint):
            return None
        reduced = {**_reduced(event), **_told(event, _log_fields(hint))}
        return cast("Event", redactor.values(reduced))

    return before_send


def _is_expected(hint: Hint) -> bool:
    """Whether the error was raised on purpose, so that a person was told already."""
    exc_info = hint.get("exc_info")
    return exc_info is not None and isinstance(exc_info[1], FixpointError)


def _log_fields(hint: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the log line that caused an event; empty when it was none of ours."""
    record = hint.get("log_record")
    fields = getattr(record, "msg", None)
    return fields if isinstance(fields, dict) and "event" in fields else {}


def _told(event: Event, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the constant sentence, by which Sentry groups, and the ids that find the log again."""
    import structlog

    bound = {**structlog.contextvars.get_contextvars(), **fields}
    ids = {name: str(bound[name]) for name in _IDS if name in bound}
    told: dict[str, Any] = {"tags": {**(event.get("tags") or {}), **ids}} if ids else {}
    if fields:
        told["logentry"] = {"message": fields["event"]}
    return told


def _reduced(event: Event) -> dict[str, Any]:
    reduced: dict[str, Any] = {
        key: value
        for key, value in event.items()
        if key not in {"request", "user", "server_name", "extra"}
    }
    request = event.get("request")
    if isinstance(request, dict):
        reduced["request"] = {
            key: value for key, value in request.items() if key in _KEPT_OF_A_REQUEST
        }
    for raised in (reduced.get("exception") or {}).get("values", []):
        for frame in (raised.get("stacktrace") or {}).get("frames", []):
            frame.pop("vars", None)
    return reduced
