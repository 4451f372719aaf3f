"""Read the environment once and report everything that is wrong with it at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SecretStr, ValidationError

from bot.errors import SettingsError
from bot.model.memory_sharing import Sharing
from bot.model.tool_calls import ToolCalls
from bot.settings.default_models import ANTHROPIC_MODEL, ANTHROPIC_STRONGER_MODEL
from bot.settings.mcp import McpServers
from bot.settings.sandbox_kind import KEYS, SandboxKind
from bot.settings.telemetry import TelemetrySettings
from bot.settings.values import (
    DatabaseUrl,
    Dollars,
    FolderPath,
    HttpUrl,
    Logins,
    Origins,
    Patterns,
    PrivateKey,
    Registries,
    SandboxKinds,
)


class Proofs(StrEnum):
    """Which pull requests are proved where the repo config does not say."""

    OFF = "off"
    FIXES = "fixes"
    ALL = "all"


class OnboardingKind(StrEnum):
    """What is opened in a repository that the App was installed on."""

    OFF = "off"
    PULL_REQUEST = "pull-request"


class LogFormat(StrEnum):
    """How a log line is written."""

    JSON = "json"
    CONSOLE = "console"


class LogLevel(StrEnum):
    """The least severe event that is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def variable_of(field_name: str) -> str:
    """Return the variable that a field of the settings is read from."""
    return field_name.upper()


class LocalSettings(BaseModel):
    """What `fixpoint fix` reads. A field's variable is its name in upper case."""

    model_config = ConfigDict(
        alias_generator=variable_of,
        frozen=True,
        extra="ignore",
        hide_input_in_errors=True,
        validate_default=True,
    )

    _derived: dict[str, str] = PrivateAttr(default_factory=dict)

    @property
    def derived(self) -> Mapping[str, str]:
        """Which variable a value comes from, of those that come from another one than their own."""
        return self._derived

    anthropic_api_key: SecretStr | None = Field(None, description="Anthropic API key.")
    anthropic_base_url: HttpUrl | None = Field(
        None, description="URL of a gateway or proxy to use instead of the Anthropic API."
    )
    anthropic_model: str = Field(ANTHROPIC_MODEL, description="Anthropic model for most attempts.")
    anthropic_stronger_model: str = Field(
        ANTHROPIC_STRONGER_MODEL,
        description="Anthropic model for hard failures, and for attempts after others failed.",
    )
    anthropic_small_model: str | None = Field(
        None, description="Anthropic model for failures that look easy; none is used if unset."
    )
    openai_base_url: HttpUrl | None = Field(
        None,
        description="URL of an OpenAI-compatible API, including `/v1`; if unset, the key is for "
        "OpenAI itself.",
    )
    openai_api_key: SecretStr | None = Field(
        None, description="Key of the OpenAI-compatible API; many self-hosted servers need none."
    )
    openai_model: str | None = Field(
        None, description="Model of the OpenAI-compatible API, which is used only if this is set."
    )
    openai_stronger_model: str | None = Field(
        None,
        description="Model of the OpenAI-compatible API for hard failures, and for attempts after "
        "others failed; `OPENAI_MODEL` if unset.",
    )
    openai_small_model: str | None = Field(
        None,
        description="Model of the OpenAI-compatible API for failures that look easy; none is used "
        "if unset.",
    )
    openai_tool_calls: ToolCalls = Field(
        ToolCalls.AUTO,
        description="How the OpenAI-compatible API offers tools to its model: `native` by its own "
        "field, `text` in words, for local models without tool calling; `auto` changes to `text` "
        "once the API says that it has no tools.",
    )
    fixpoint_sandbox: SandboxKinds = Field(
        (SandboxKind.AUTO,),
        description="Sandbox in which commands run: `auto`, `e2b`, `docker` or `bubblewrap`. Of "
        "several, separated by commas, the later ones stand in while the first fails.",
        json_schema_extra={"default_text": "`auto`"},
    )
    fixpoint_docker_image: str | None = Field(
        None,
        description="Docker image for sandboxes if the repo config names none; "
        "`python:3.12-bookworm` if unset.",
    )
    e2b_api_key: SecretStr | None = Field(
        None, description="E2B API key; required for E2B sandboxes."
    )
    e2b_template: str | None = Field(
        None, description="E2B template if the repo config names none."
    )
    e2b_domain: str | None = Field(None, description="Domain of a self-hosted E2B installation.")
    e2b_api_url: HttpUrl | None = Field(
        None, description="URL of the E2B API, if not the default for the domain."
    )
    e2b_sandbox_url: HttpUrl | None = Field(
        None, description="URL of the E2B sandboxes, if not the default for the domain."
    )
    fixpoint_data: FolderPath = Field(
        Path("~/.local/share/fixpoint"),
        description="Folder in which Fixpoint stores its data.",
    )
    fixpoint_mcp: McpServers = Field(
        (),
        description="MCP servers whose tools the agent gets: JSON, or the path of a JSON file. "
        "See docs/agent-tools.md.",
        json_schema_extra={"default_text": ""},
    )
    fixpoint_redact: Patterns = Field(
        (),
        description="Regular expressions, one per line. Matching text is redacted from everything "
        "that is stored, posted, sent or logged, in addition to what looks like a credential.",
        json_schema_extra={"default_text": ""},
    )
    fixpoint_registries: Registries = Field(
        (),
        description="Private package registries, as `https://user:password@host/path`, separated by "
        "spaces. The credentials are added outside the sandbox, and "
        "answers that show them are cut off (see docs/security.md): use read-only tokens "
        "for the packages alone. Of the host, only what is below the path can be read. "
        "`acme,beta/app=https://...` limits a registry to the repositories of acme and to beta/app.",
        json_schema_extra={"default_text": ""},
    )
    fixpoint_log_level: LogLevel = Field(
        LogLevel.INFO, description="Minimum log level: `debug`, `info`, `warning` or `error`."
    )


def _embedded_database(earlier: dict[str, Any]) -> SecretStr:
    folder: Path = earlier["fixpoint_data"]
    return SecretStr(f"sqlite:///{folder.absolute() / 'fixpoint.db'}")


class StoreSettings(LocalSettings, TelemetrySettings):
    """What commands read that only use the database of a server."""

    github_api_url: HttpUrl = Field(
        "https://api.github.com",
        description="URL of the GitHub API; `https://HOST/api/v3` for GitHub Enterprise Server.",
    )
    github_url: HttpUrl = Field(
        "https://github.com", description="URL of GitHub, from which git fetches repositories."
    )
    database_url: DatabaseUrl = Field(
        default_factory=_embedded_database,
        description="Database for deliveries and runs: `sqlite:////path/to/file.db` or "
        "`postgresql://user:password@host/name`.",
        json_schema_extra={"default_text": "`fixpoint.db` in the data folder"},
    )
    fixpoint_concurrency: int = Field(
        2, ge=1, le=10_000, description="Maximum number of concurrent runs per server."
    )
    fixpoint_total_concurrency: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="Maximum number of concurrent runs on all servers of the database together; no "
        "maximum if unset.",
    )
    fixpoint_proofs: Proofs = Field(
        Proofs.OFF,
        description="Which pull requests get a proof card where the repo config doesn't say: `off`, "
        "`fixes` or `all`.",
    )
    fixpoint_onboarding: OnboardingKind = Field(
        OnboardingKind.OFF,
        description="What is opened in a repository that the App was installed on and that has no "
        "repo config: nothing (`off`), or a pull request with one (`pull-request`), which says what "
        "was detected and what runs cost.",
    )
    fixpoint_proof_concurrency: int = Field(
        1,
        ge=1,
        le=1_000,
        description="Maximum number of concurrent proofs of pull requests per server, besides the "
        "runs.",
    )
    fixpoint_installation_concurrency: int | None = Field(
        None,
        ge=1,
        description="Maximum number of concurrent runs of one installation of the App, on all servers "
        "together; no maximum if unset.",
    )
    fixpoint_repository_concurrency: int | None = Field(
        None,
        ge=1,
        description="Maximum number of concurrent runs of one repository, on all servers together; "
        "no maximum if unset.",
    )
    fixpoint_queue_limit: int = Field(
        100,
        ge=1,
        description="Number of runs in the queue from which on failed checks start no more, until the "
        "queue is shorter. People's requests are always queued.",
    )
    fixpoint_shared_memory: Sharing = Field(
        Sharing.NONE,
        description="What repositories may use of each other's memory: `none`; `owner`, those of one "
        "owner share; `public`, and public ones share with all.",
    )
    fixpoint_embedding_model: str | None = Field(
        None,
        description="Model of an OpenAI-compatible API that compares failures with remembered ones; if "
        "unset, they are compared without a model.",
    )
    fixpoint_embedding_url: HttpUrl | None = Field(
        None, description="URL of that API, including `/v1`; `OPENAI_BASE_URL` if unset."
    )
    fixpoint_embedding_key: SecretStr | None = Field(
        None, description="Key of that API; `OPENAI_API_KEY` if neither it nor the URL is set."
    )
    fixpoint_run_usd: Dollars = Field(
        Decimal(10),
        description="Maximum cost of model calls per run in dollars, whatever the repository allows.",
    )
    fixpoint_thread_usd: Dollars = Field(
        Decimal(20),
        description="Maximum cost of all runs on one issue or pull request, in dollars.",
    )
    fixpoint_repository_usd: Dollars = Field(
        Decimal(50),
        description="Maximum daily (UTC) cost of all runs on one repository, in dollars.",
    )
    fixpoint_installation_usd: Dollars = Field(
        Decimal(100),
        description="Maximum daily cost of all runs of one installation of the App, in dollars.",
    )
    fixpoint_day_usd: Dollars = Field(
        Decimal(200), description="Maximum daily cost of all runs, in dollars."
    )
    fixpoint_run_tokens: int | None = Field(
        None,
        ge=1,
        description="Maximum number of input and output tokens per run; no cap if unset.",
    )
    fixpoint_sandbox_seconds: float | None = Field(
        None,
        gt=0,
        description="Maximum total time of all commands in one run, in seconds; no cap if unset.",
    )
    fixpoint_runs_per_hour: int = Field(
        30, ge=1, description="Maximum number of runs per repository per hour."
    )
    fixpoint_approval_days: float = Field(
        7.0,
        gt=0,
        le=90,
        description="Days that a run waits for `/fix approve` or `/fix reject`.",
    )
    fixpoint_edit_seconds: float = Field(
        10.0,
        gt=0,
        le=600,
        description="Minimum seconds between edits of a progress comment; github.com limits how "
        "often an App may write.",
    )
    fixpoint_github_writes_per_minute: float = Field(
        60.0,
        gt=0,
        description="Maximum number of requests per minute that create or change something on "
        "GitHub, for each installation and by all servers together. github.com allows about 80. "
        "Requests that create content are held to 500 an hour with 60 a minute, and in proportion.",
    )
    fixpoint_retry_seconds: float = Field(
        5.0,
        gt=0,
        le=600,
        description="Seconds before a run retries what a GitHub outage interrupted; doubles with "
        "each retry.",
    )
    fixpoint_outage_seconds: float = Field(
        600.0,
        ge=0,
        le=86_400,
        description="Seconds that a run waits while no model provider, or no sandbox, works; then it "
        "ends.",
    )
    fixpoint_failing_calls: int = Field(
        3,
        ge=1,
        le=20,
        description="Minimum number of recent calls by which a model provider or a sandbox is judged; "
        "at most the last 20 count.",
    )
    fixpoint_failing_rate: float = Field(
        0.5,
        gt=0,
        le=1,
        description="Share of failed calls, from 0 to 1, at which a model provider or a sandbox is not "
        "used until it recovers.",
    )
    fixpoint_failing_window_seconds: float = Field(
        300.0, gt=0, le=86_400, description="Seconds after which a call is no longer recent."
    )
    fixpoint_probe_seconds: float = Field(
        30.0,
        gt=0,
        le=600,
        description="Seconds before what fails is tried again; doubles with each failure, up to 20 "
        "times this. Also the time between two changes of the number of concurrent runs.",
    )
    fixpoint_escalate_seconds: float = Field(
        900.0,
        gt=0,
        le=86_400,
        description="Seconds after which a failing model provider or sandbox is reported as an error, "
        "although another one is used; at once if none is left.",
    )
    fixpoint_heartbeat_seconds: float = Field(
        5.0,
        ge=0.1,
        le=10,
        description="Seconds between heartbeats. A server that misses four is taken for dead, and "
        "another one takes its runs over.",
    )
    fixpoint_stop_seconds: float = Field(
        25.0,
        gt=0,
        le=3600,
        description="Seconds that a server has to stop after `SIGTERM`. Runs stop after their "
        "current step if it ends in time.",
    )
    fixpoint_missed_seconds: float = Field(
        900.0,
        gt=0,
        le=86_400,
        description="Seconds between checks for missed webhook deliveries.",
    )
    fixpoint_reconcile_seconds: float = Field(
        300.0,
        gt=0,
        le=86_400,
        description="Seconds between comparisons of GitHub with the database: missed comments and "
        "checks, renamed or lost repositories.",
    )
    fixpoint_reconcile_requests: int = Field(
        300,
        ge=10,
        le=5_000,
        description="Requests to GitHub that one comparison may take, about.",
    )
    fixpoint_mirrors_gb: float = Field(
        50.0,
        gt=0,
        description="Maximum size in GB of the mirrors from which runs fetch repositories. The least "
        "recently used are removed first, but none of the last 24 hours.",
    )
    fixpoint_log_format: LogFormat = Field(
        LogFormat.JSON, description="Log format: `json` or `console`."
    )
    fixpoint_admin_token: SecretStr | None = Field(
        None,
        min_length=16,
        description="Token for the dashboard and the API, at least 16 characters. If unset, they are "
        "on only while `HOST` is a loopback address or people can log in with GitHub.",
    )
    github_client_id: str | None = Field(
        None,
        description="The App's client ID; with its secret, people can log in to the dashboard with "
        "GitHub.",
    )
    github_client_secret: SecretStr | None = Field(
        None, min_length=1, description="A client secret of the App."
    )
    fixpoint_admins: Logins = Field(
        (),
        description="GitHub logins, separated by spaces, of people who may do everything once they "
        "have logged in.",
        json_schema_extra={"default_text": ""},
    )
    fixpoint_public_url: HttpUrl | None = Field(
        None,
        description="URL of this server as browsers know it: comments, check runs and pull requests "
        "link to a run's page below it, and people log in there; if unset, nothing is linked, and "
        "each request's own is used for logging in.",
    )
    fixpoint_smee_url: HttpUrl | None = Field(
        None,
        description="Channel of smee.io, or of another server with its protocol, from which the "
        "deliveries are fetched where GitHub can't reach this server.",
    )
    fixpoint_api_rate: int = Field(
        600, ge=1, description="Maximum number of API requests per key per minute."
    )
    fixpoint_api_origins: Origins = Field(
        (),
        description="Origins of web pages that may use the API with a key, separated by spaces, "
        "such as `https://app.example.com`; `*` allows all.",
        json_schema_extra={"default_text": ""},
    )
    host: str = Field(
        "0.0.0.0",  # noqa: S104 - a server in a container is reached from outside it
        description="Address the server listens on.",
    )
    port: int = Field(8080, ge=0, le=65535, description="Port the server listens on.")
    fixpoint_worker_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="Port on which `fixpoint worker` answers `/healthz`, `/readyz`, `/metrics` and "
        "the pages; if unset, it doesn't listen.",
    )


class ServerSettings(StoreSettings):
    """What `fixpoint serve` reads. A field's variable is its name in upper case."""

    github_app_id: int = Field(
        gt=0, description="The App's ID, a number shown on the App's settings page."
    )
    github_private_key: PrivateKey = Field(
        description="The App's private key: PEM text (newlines may be written as `\\n`), the same in "
        "base64, or the path of a file."
    )
    github_webhook_secret: SecretStr = Field(min_length=1, description="The App's webhook secret.")


APP_VARIABLES = ("GITHUB_APP_ID", "GITHUB_PRIVATE_KEY", "GITHUB_WEBHOOK_SECRET")
"""Without all of them, a server is not set up."""

S = TypeVar("S", bound=LocalSettings)


def load_server_settings(environ: Mapping[str, str]) -> ServerSettings:
    """Return the server's settings; an empty variable counts as unset.

    Raises:
        SettingsError: With one sentence for every missing or bad variable.
    """
    return _load(ServerSettings, environ)


def load_store_settings(environ: Mapping[str, str]) -> StoreSettings:
    """Return the settings of a command that only uses the database: the App need not be known.

    Raises:
        SettingsError: With one sentence for every bad variable.
    """
    return _load(StoreSettings, environ)


def load_local_settings(environ: Mapping[str, str]) -> LocalSettings:
    """Return the settings of a command that needs nothing of GitHub's.

    Raises:
        SettingsError: With one sentence for every bad variable.
    """
    return _load(LocalSettings, environ)


def _load(kind: type[S], environ: Mapping[str, str]) -> S:
    values = _values(environ)
    problems = list(_contradictions(kind, values))
    settings: S | None = None
    try:
        settings = kind.model_validate(values)
    except ValidationError as error:
        problems = [*_problems(kind, error), *problems]
    # Raised outside `except`, so that no traceback or error report carries what was read.
    if settings is None or problems:
        raise SettingsError(tuple(problems))
    if "XDG_DATA_HOME" in values and not environ.get("FIXPOINT_DATA", "").strip():
        settings._derived["fixpoint_data"] = "XDG_DATA_HOME"  # noqa: SLF001 - our own class
    return settings


_LOWER_CASE = frozenset({"FIXPOINT_LOG_LEVEL", "FIXPOINT_LOG_FORMAT"})


def _values(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what is set, without the blanks and line ends that secret stores like to add."""
    values = {name: value.strip() for name, value in environ.items() if value.strip()}
    values |= {name: values[name].lower() for name in _LOWER_CASE & values.keys()}
    if "XDG_DATA_HOME" in values:
        values.setdefault("FIXPOINT_DATA", f"{values['XDG_DATA_HOME']}/fixpoint")
    return values


_PAIRS = (
    ("GITHUB_URL", "GITHUB_API_URL", "They must name the same GitHub"),
    ("GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET", "Logging in with GitHub needs them"),
)


def _contradictions(kind: type[LocalSettings], values: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with variables that are fine one by one."""
    chosen = values.get("FIXPOINT_SANDBOX", "").lower()
    for sandbox, key in KEYS.items():
        if sandbox in [word.strip() for word in chosen.split(",")] and key not in values:
            yield f"FIXPOINT_SANDBOX is {chosen}, but {key} is not set. Set the key, or choose auto."
    if not issubclass(kind, StoreSettings):
        return
    for pair, other, why in _PAIRS:
        if (pair in values) != (other in values):
            here, missing = (pair, other) if pair in values else (other, pair)
            yield f"{here} is set, but {missing} is not. {why}, so set both."


def _problems(kind: type[LocalSettings], error: ValidationError) -> Iterator[str]:
    fields = {variable_of(name): info for name, info in kind.model_fields.items()}
    for problem in error.errors(include_input=False, include_url=False):
        if problem["type"] == "default_factory_not_called":
            continue  # a default that depends on a bad variable: that one is reported itself
        name = str(problem["loc"][0])
        meaning = (fields[name].description or "").replace("`", "")
        if problem["type"] == "missing":
            yield f"{name} is not set. {meaning}"
        else:
            yield f"{name} {_requirement(problem['msg'])}. {meaning}"


def _requirement(message: str) -> str:
    """Turn pydantic's wording into the middle of a sentence; it never quotes the value."""
    text = message.removeprefix("Value error, ").replace("Input should be", "must be")
    return text.partition(", unable to")[0]


_PREFIX, _GITHUB = "FIXPOINT_", "GITHUB_"

_RETIRED = {"FIXPOINT_SERVER_NAME": "Each server makes up an ID of its own; remove the setting."}
"""What had an effect in an earlier version."""


def _nearest(name: str, known: Sequence[str], least: float) -> str:
    """Return the setting with the same prefix that is most like a name; nothing if none is."""
    prefix, _, ending = name.partition("_")
    endings = [other.partition("_")[2] for other in known if other.startswith(f"{prefix}_")]
    nearest = difflib.get_close_matches(ending, endings, n=1, cutoff=least)
    return f"{prefix}_{nearest[0]}" if nearest else ""


def settings_warnings(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return a sentence for everything that is set and has no effect.

    A misspelt variable would else be ignored in silence. Of other prefixes than our own, only what
    is close to a setting is one: GitHub Actions sets dozens that begin with `GITHUB_`.
    """
    values = _values(environ)
    known = [variable_of(name) for name in ServerSettings.model_fields]
    found = []
    for name in sorted(values.keys() - set(known)):
        if name in _RETIRED:
            found.append(f"{name} has no effect any more. {_RETIRED[name]}")
        elif name.startswith(_PREFIX):
            nearest = _nearest(name, known, 0.6)
            hint = f"; did you mean {nearest}?" if nearest else "."
            found.append(f"{name} is not a known setting{hint}")
        elif name.startswith(_GITHUB) and "GITHUB_ACTIONS" not in values:
            nearest = _nearest(name, known, 0.8)
            found += [f"{name} is not a known setting; did you mean {nearest}?"] if nearest else []
    if "FIXPOINT_ADMINS" in values and "GITHUB_CLIENT_ID" not in values:
        found.append("FIXPOINT_ADMINS has no effect unless GITHUB_CLIENT_ID is set.")
    if "OPENAI_BASE_URL" in values and "OPENAI_MODEL" not in values:
        found.append("OPENAI_BASE_URL has no effect unless OPENAI_MODEL is set.")
    if "OPENAI_MODEL" in values and not {"OPENAI_BASE_URL", "OPENAI_API_KEY"} & values.keys():
        found.append("OPENAI_MODEL has no effect unless OPENAI_BASE_URL or OPENAI_API_KEY is set.")
    protocol = values.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or values.get(
        "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"
    )
    if protocol != "http/protobuf":
        found.append(
            f"OTEL_EXPORTER_OTLP_PROTOCOL is {protocol}, but traces are sent by http/protobuf. Name "
            "an endpoint that takes it; collectors listen on port 4318 for it."
        )
    return tuple(found)
