"""Tell failures of runner, network and registries from failures of the code, by the log's words.

Nothing here looks at what tests print: a log in which a test runner or a linter names a failure is
asked only for what the runner itself says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bot.reporting.reasons import outside_causes

# Tables, so that they can be read and extended. The first sign that fits counts.


@dataclass(frozen=True, slots=True)
class Sign:
    """Words that show a failure outside of the code.

    Attributes:
        words: What is printed.
        meaning: What it means, as a sentence for a person; given what the words caught.
        source: Who prints it, or where it was seen.
        rerun: Whether the same job may well pass when it runs again.
    """

    words: re.Pattern[str]
    meaning: str | Callable[..., str]
    source: str
    rerun: bool = False


def _sign(
    words: str, meaning: str | Callable[..., str], source: str, *, rerun: bool = False
) -> Sign:
    return Sign(re.compile(words, re.IGNORECASE | re.MULTILINE), meaning, source, rerun)


RUNNER_SIGNS: tuple[Sign, ...] = (
    _sign(
        r"job was not started because (?:recent account payments have failed|your account is locked"
        r" due to a billing issue)|spending limit needs to be increased",
        outside_causes.BILLING,
        "annotation; nodejs/admin#980, fontanierh/boxology#734",
    ),
    _sign(
        r"Canceling since a higher priority waiting request for .{0,300}? exists",
        outside_causes.SUPERSEDED,
        "annotation of a concurrency group; seL4/camkes-vm-examples#65",
    ),
    _sign(
        r"The run was canceled by @(?P<who>[\w\[\]-]+)",
        outside_causes.cancelled_by,
        "annotation of GitHub Actions",
    ),
    _sign(
        r"uses a deprecated version of [`'](?P<action>[^`'\n]+)[`']",
        outside_causes.action_retired,
        "annotation, when the job is set up; libretro/RetroArch#17378",
    ),
    _sign(
        r"Unable to resolve action,? ?[`']?(?P<action>[\w.-]+/[\w./@-]+)"
        r"|Unable to resolve action\. Repository not found: (?P<repository>\S+)"
        r"|Missing download info for (?P<pinned>\S+)",
        outside_causes.action_missing,
        "actions/runner, ActionManager; actions/add-to-project#540, jetify-com/devbox-install-action#43",
    ),
    _sign(
        r"failed to (?:download action|resolve action download info)|Unable to download actions\b",
        outside_causes.ACTION_NOT_DOWNLOADED,
        "actions/runner, ActionManager",
        rerun=True,
    ),
    _sign(
        r"Invalid workflow file|workflow is not valid|likely failed because of a workflow file issue",
        outside_causes.WORKFLOW_INVALID,
        "annotation of a run that did not start",
    ),
    _sign(
        r"scheduled \S+ brownout|The \S+ (?:runner|environment) (?:is deprecated|has been removed)",
        outside_causes.IMAGE_RETIRED,
        "annotation; actions/runner-images, announcements of retired images",
    ),
    _sign(
        r"runner has received a shutdown signal|received request to deprovision",
        outside_causes.RUNNER_SHUT_DOWN,
        "actions/runner, Runner.Listener; actions/runner#2468",
        rerun=True,
    ),
    _sign(
        r"runner(?:: .{1,80}?)? lost communication with the server"
        r"|hosted runner encountered an error while running your job",
        outside_causes.RUNNER_DISCONNECTED,
        "annotation; actions/runner#2624, ankidroid/Anki-Android-Backend#600",
        rerun=True,
    ),
    _sign(
        r"not allowed to deploy to (?P<environment>\S+) due to environment protection rules",
        outside_causes.deployment_refused,
        "annotation; actions/deploy-pages#76",
    ),
    _sign(
        r"maximum execution time while awaiting a runner|no enabled runners online"
        r"|no runners enabled online|waiting for a runner for more than|job was not (?:acquired by Runner|started because)"
        r"|no hosted (?:runner|parallelism)",
        outside_causes.NO_RUNNER,
        "annotation; spdk/spdk#3876, buildsville/add-remove-label#3, BoundaryML/baml#4680",
        rerun=True,
    ),
    _sign(
        r"exceeded the maximum execution time|has timed out after \d+ minutes",
        outside_causes.TIME_LIMIT_REACHED,
        "annotation, `timeout-minutes`; BoundaryML/baml#4680",
    ),
    _sign(
        r"internal server error occurred while resolving|GitHub Actions has encountered an internal error"
        r"|Internal server error\. Correlation ID",
        outside_causes.ACTIONS_BROKEN,
        "annotation of GitHub Actions; spdk/spdk#3876",
        rerun=True,
    ),
)
"""What only the runner itself says, in its errors (`##[error]`) and annotations."""

OUTPUT_SIGNS: tuple[Sign, ...] = (
    _sign(
        r"Input required and not supplied: (?P<name>\S+)",
        outside_causes.input_missing,
        "actions/toolkit, core.getInput; Anantys-oss/koan#1601",
    ),
    _sign(
        r"Resource not accessible by (?:integration|personal access token)",
        outside_causes.PERMISSION_MISSING,
        "GitHub's REST API; actions/first-interaction#10",
    ),
    _sign(
        r"remote: Permission to \S+ denied to|unable to access 'https://[^']+': The requested URL returned error: 403",
        outside_causes.PUSH_DENIED,
        "git over HTTPS; ad-m/github-push-action#96",
    ),
    _sign(
        r"HttpError: Bad credentials|could not read Username for|Unable to get ACTIONS_ID_TOKEN_REQUEST_URL"
        r"|Error: Username and password required|Parameter token or opts\.auth is required"
        r"|remote: Invalid username or password|fatal: Authentication failed for 'https?://"
        r"|ExpiredToken\b|security token included in the request is (?:expired|invalid)"
        r"|Could not assume role with OIDC|Error: Credentials could not be loaded, please check"
        r"|Error response from daemon: pull access denied for|token (?:provided )?(?:has|is) expired"
        r"|Codecov token not found|Token required(?: because branch is protected| - not valid tokenless)",
        outside_causes.CREDENTIALS_MISSING,
        "GitHub's REST API, git, actions/toolkit (oidc-utils, github), docker/login-action, "
        "aws-actions/configure-aws-credentials, Docker Engine, codecov/codecov-action",
    ),
    _sign(
        r"(?:Artifact not found for name:|Unable to download artifact\(s\): Artifact not found for name:)"
        r" (?P<artifact>[^\n]{1,100})|Unable to find any artifacts for the associated workflow",
        outside_causes.artifact_absent,
        "actions/toolkit, artifact; actions/download-artifact",
    ),
    _sign(
        r"[Vv]ersion '?(?P<version>[\w.*^~>=<-]+)'? with (?:arch|architecture) '?\w+'?"
        r"(?: was)? not found",
        outside_causes.version_not_offered,
        "actions/setup-python, actions/setup-node; actions/setup-python#401",
    ),
    _sign(
        r"Artifact storage quota has been hit",
        outside_causes.ARTIFACT_STORAGE_FULL,
        "actions/upload-artifact#307",
    ),
    _sign(
        r"Failed to (?:Create|Finalize|List)Artifacts?: (?:Failed to make request|Unable to make request)"
        r"|(?:Cache|Artifact) service responded with (?:429|5\d\d)|reserveCache failed: .{0,300}5\d\d",
        outside_causes.STORAGE_SERVICE_FAILED,
        "actions/toolkit; actions/upload-artifact#569, #560",
        rerun=True,
    ),
    _sign(
        r"exit code 137\b|line \d+: +\d+ Killed\b|JavaScript heap out of memory"
        r"|Cannot allocate memory|virtual memory exhausted|java\.lang\.OutOfMemoryError",
        outside_causes.MEMORY_FULL,
        "SIGKILL of the kernel, V8, Linux ENOMEM, the JVM; actions/setup-python#350",
    ),
    _sign(
        r"No space left on device|You are running out of disk space|There is not enough space on the disk|ENOSPC\b",
        outside_causes.DISK_FULL,
        "Linux ENOSPC, Windows ERROR_DISK_FULL, Node.js",
    ),
    _sign(
        r"API rate limit exceeded|secondary rate limit",
        outside_causes.API_LIMIT_REACHED,
        "GitHub's REST API",
        rerun=True,
    ),
    _sign(
        r"toomanyrequests: |You have reached your (?:unauthenticated )?pull rate limit",
        outside_causes.IMAGE_LIMIT_REACHED,
        "Docker Hub",
        rerun=True,
    ),
    _sign(
        r"(?:HTTP(?:Error| error)?:? |status code:? |returned error: |npm (?:ERR!|error) code E)429\b"
        r"|429 (?:Client Error|Too Many Requests)",
        outside_causes.TOO_MANY_REQUESTS,
        "RFC 6585; pip, curl, npm (`E429`)",
        rerun=True,
    ),
    _sign(
        r"Temporary failure in name resolution|Could not resolve host|getaddrinfo (?:EAI_AGAIN|ENOTFOUND)",
        outside_causes.HOST_NOT_RESOLVED,
        "glibc, curl, Node.js",
        rerun=True,
    ),
    _sign(
        r"unable to access 'https://[^']+': (?:The requested URL returned error: 5\d\d|Failed to connect"
        r"|Recv failure|OpenSSL SSL_(?:connect|read))|RPC failed; (?:HTTP 5\d\d|curl \d+)",
        outside_causes.GIT_SERVER_FAILED,
        "git over libcurl",
        rerun=True,
    ),
    _sign(
        r"(?:HTTP(?:Error| error)?:? |status code:? |returned error: |E)50[234]\b(?!\d)"
        r"|50[234] (?:Server Error|Service Unavailable|Bad Gateway|Gateway Time-?out)"
        r"|Unexpected HTTP response: 5\d\d",
        outside_causes.SERVER_FAILED,
        "pip, uv, npm (`E503`), curl, Maven, actions/toolkit (tool-cache)",
        rerun=True,
    ),
    _sign(
        r"npm (?:ERR!|error) code (?:ECONNRESET|ETIMEDOUT|EAI_AGAIN|ERR_SOCKET_TIMEOUT)"
        r"|ReadTimeoutError\(|Max retries exceeded with url|error: Failed to fetch: `http"
        r"|ConnectTimeoutError|spurious network error|net/http: TLS handshake timeout"
        r"|HTTPSConnectionPool\(host='[^']{1,200}', port=\d+\): Read timed out"
        r"|Get \"https://[^\"\n]{1,500}\": (?:dial tcp|net/http|context deadline exceeded|read tcp|EOF\b)"
        r"|Could not transfer artifact .{1,500}?: (?:Connection|Read|Remote host|Connect to|transfer failed)"
        r"|ESOCKETTIMEDOUT|trouble with your network connection|ERR_PNPM_\w{0,60}FETCH_FAIL\b|socket hang up",
        outside_causes.PACKAGE_REGISTRY_UNREACHABLE,
        "npm, pip over urllib3, uv, cargo, go, Docker Engine, Maven, Yarn, pnpm",
        rerun=True,
    ),
    _sign(
        r"E: (?:Failed to fetch http|Unable to fetch some archives)|Hash Sum mismatch"
        r"|^E: The repository '[^'\n]{1,300}' (?:does not have a|no longer has a) Release file"
        r"|Unable to connect to \S{1,200}:http",
        outside_causes.SYSTEM_PACKAGES_UNAVAILABLE,
        "apt",
        rerun=True,
    ),
)
"""What a step may print, too; they count only where no test runner or tool names a failure."""


@dataclass(frozen=True, slots=True)
class OutsideCause:
    """Why a job failed that the code did not make fail.

    Attributes:
        meaning: As a sentence.
        rerun: Whether the same job may well pass when it runs again.
    """

    meaning: str
    rerun: bool = False


def recognise(runner: Iterable[str], output: str, *, named: bool) -> OutsideCause | None:
    """Return what outside of the code made a job fail, or None.

    Args:
        runner: What the runner itself said: its errors and annotations.
        output: What the failing step printed.
        named: Whether a test runner or tool names a failure in that output; then only the runner's
            own words count.
    """
    said = "\n".join(runner)
    searched = [(sign, said) for sign in RUNNER_SIGNS]
    if not named:
        searched += [(sign, f"{said}\n{output}") for sign in OUTPUT_SIGNS]
    for sign, text in searched:
        if found := sign.words.search(text):
            caught = [value for value in found.groupdict().values() if value]
            meaning = sign.meaning if isinstance(sign.meaning, str) else sign.meaning(*caught)
            return OutsideCause(meaning, sign.rerun)
    return None


FLAKY_SIGNS = re.compile(
    r"\bflak(?:y|iness)\b|\bTimed? ?out\b|\btimeout\b|Connection (?:refused|reset)|ECONNREFUSED"
    r"|Address already in use|EADDRINUSE|\bdeadlock\b|\brace condition\b|WARNING: DATA RACE"
    r"|database is locked",
    re.IGNORECASE,
)
"""Words of failures that often come and go: time, ports, connections, races."""


def may_be_flaky(text: str) -> bool:
    """Whether a failure's account has words that flaky failures have."""
    return FLAKY_SIGNS.search(text) is not None
