"""Settings of what operators see: metrics, traces, logs, error reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import unquote

from pydantic import BaseModel, BeforeValidator, Field, SecretStr

from bot.settings.values import HttpUrl

_CONTENT = {"span_only": "true", "span_and_event": "true", "no_content": "false"}
"""What the switch for content is called where it is more than a switch; we have spans alone."""


def _pairs(value: Any) -> Any:
    """Return `name=value,name=value` as a mapping; both sides may be percent-encoded."""
    if not isinstance(value, str):
        return value
    found = {}
    for pair in filter(None, map(str.strip, value.split(","))):
        name, separator, content = pair.partition("=")
        if not separator or not name.strip():
            raise ValueError("must look like name=value,name=value")
        found[unquote(name.strip())] = unquote(content.strip())
    return found


def _switch(value: Any) -> Any:
    return _CONTENT.get(value.lower(), value) if isinstance(value, str) else value


Headers = Annotated[Mapping[str, SecretStr], BeforeValidator(_pairs)]
Attributes = Annotated[Mapping[str, str], BeforeValidator(_pairs)]
Switch = Annotated[bool, BeforeValidator(_switch)]


class TelemetrySettings(BaseModel):
    """What of `fixpoint serve`'s settings is about watching it."""

    fixpoint_metrics_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="Second port, on `HOST`, which serves `/metrics` alone; without "
        "`FIXPOINT_METRICS_TOKEN` to everybody who reaches it.",
    )
    fixpoint_metrics_token: SecretStr | None = Field(
        None, min_length=16, description="Token that reads `/metrics` and nothing else."
    )
    fixpoint_log_burst: int = Field(
        200,
        ge=0,
        description="How many log lines with the same sentence are written per minute; of what "
        "comes beyond that, every hundredth, and how many were left out. 0 writes all. Errors "
        "are always written.",
    )
    sentry_dsn: SecretStr | None = Field(None, description="Sentry DSN for error reports.")
    sentry_environment: str = Field(
        "production", max_length=64, description="Sentry's name for this installation."
    )
    sentry_traces_sample_rate: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Share of requests whose performance Sentry is told; none if unset.",
    )
    otel_exporter_otlp_endpoint: HttpUrl | None = Field(
        None,
        description="URL of an OpenTelemetry collector that takes OTLP over HTTP, such as "
        "`http://127.0.0.1:4318`; `/v1/traces` is added. Nothing is traced if this and the next "
        "are unset.",
    )
    otel_exporter_otlp_traces_endpoint: HttpUrl | None = Field(
        None, description="Whole URL to which traces go, if it is another."
    )
    otel_exporter_otlp_headers: Headers = Field(
        {},
        description="Headers for the collector, as `name=value,name=value`, percent-encoded.",
        json_schema_extra={"default_text": ""},
    )
    otel_exporter_otlp_traces_headers: Headers = Field(
        {},
        description="Likewise, for traces; they come before the others.",
        json_schema_extra={"default_text": ""},
    )
    otel_service_name: str = Field("fixpoint", description="What traces call this server.")
    otel_resource_attributes: Attributes = Field(
        {},
        description="More attributes of this server in traces, as `name=value,name=value`, such as "
        "`deployment.environment.name=production`.",
        json_schema_extra={"default_text": ""},
    )
    otel_sdk_disabled: bool = Field(
        default=False,
        description="Set to `true` to trace nothing although a collector is configured.",
    )
    otel_instrumentation_genai_capture_message_content: Switch = Field(
        default=False,
        description="Set to `true` to have traces say what models were told and answered, and "
        "what tools and sandboxes were asked. It is redacted, and still your source code.",
    )

    @property
    def traces_endpoint(self) -> str | None:
        """Where traces go; None where nothing is traced."""
        if self.otel_sdk_disabled:
            return None
        if self.otel_exporter_otlp_traces_endpoint is not None:
            return self.otel_exporter_otlp_traces_endpoint
        base = self.otel_exporter_otlp_endpoint
        return None if base is None else f"{base}/v1/traces"

    @property
    def traces_headers(self) -> Mapping[str, SecretStr]:
        """What every request with traces carries."""
        return {**self.otel_exporter_otlp_headers, **self.otel_exporter_otlp_traces_headers}
