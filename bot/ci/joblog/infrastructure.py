"""Tell failures of runner, network and registries from failures of the code, by the log's words.

A table, so that it can be read and extended: what is printed, what it means, where that is known
from. Nothing here looks at what tests print: a log in which a test runner or a linter names a
failure is never asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bot.reporting.reasons import outside_causes


@dataclass(frozen=True, slots=True)
class Sign:
    """Words that show a failure outside of the code.

    Attributes:
        words: What is printed.
        meaning: What it means, as a sentence for a person.
        source: Who prints it.
        runner_only: Whether only the runner itself says it (`##[error]`, an annotation).
    """

    words: re.Pattern[str]
    meaning: str
    source: str
    runner_only: bool = False


def _sign(words: str, meaning: str, source: str, *, runner_only: bool = False) -> Sign:
    return Sign(re.compile(words, re.IGNORECASE), meaning, source, runner_only)


SIGNS: tuple[Sign, ...] = (
    _sign(
        r"runner has received a shutdown signal|received request to deprovision",
        outside_causes.runner_shut_down(),
        "actions/runner, Runner.Listener",
        runner_only=True,
    ),
    _sign(
        r"runner(?:: .{1,80}?)? lost communication with the server",
        outside_causes.runner_disconnected(),
        "annotation of GitHub Actions",
        runner_only=True,
    ),
    _sign(
        r"exceeded the maximum execution time|has timed out after \d+ minutes",
        outside_causes.time_limit_reached(),
        "annotation of GitHub Actions, `timeout-minutes`",
        runner_only=True,
    ),
    _sign(
        r"the job was not (?:acquired by Runner|started because)|no hosted (?:runner|parallelism)",
        outside_causes.no_runner(),
        "annotation of GitHub Actions",
        runner_only=True,
    ),
    _sign(
        r"failed to (?:download action|resolve action download info)|unable to resolve action",
        outside_causes.action_not_downloaded(),
        "actions/runner, ActionManager",
        runner_only=True,
    ),
    _sign(
        r"internal server error occurred while resolving|GitHub Actions has encountered an internal error",
        outside_causes.actions_broken(),
        "annotation of GitHub Actions",
        runner_only=True,
    ),
    _sign(
        r"No space left on device|There is not enough space on the disk|ENOSPC\b",
        outside_causes.disk_full(),
        "Linux ENOSPC, Windows ERROR_DISK_FULL, Node.js",
    ),
    _sign(
        r"API rate limit exceeded|secondary rate limit",
        outside_causes.api_limit_reached(),
        "GitHub's REST API",
    ),
    _sign(
        r"toomanyrequests: |You have reached your (?:unauthenticated )?pull rate limit",
        outside_causes.image_limit_reached(),
        "Docker Hub",
    ),
    _sign(
        r"Temporary failure in name resolution|Could not resolve host|getaddrinfo (?:EAI_AGAIN|ENOTFOUND)",
        outside_causes.host_not_resolved(),
        "glibc, curl, Node.js",
    ),
    _sign(
        r"unable to access 'https://[^']+': (?:The requested URL returned error: 5\d\d|Failed to connect"
        r"|Recv failure|OpenSSL SSL_(?:connect|read))|RPC failed; (?:HTTP 5\d\d|curl \d+)",
        outside_causes.git_server_failed(),
        "git over libcurl",
    ),
    _sign(
        r"(?:HTTP(?:Error| error)?:? |status code:? |returned error: |E)50[234]\b(?!\d)"
        r"|50[234] (?:Server Error|Service Unavailable|Bad Gateway|Gateway Time-?out)",
        outside_causes.server_failed(),
        "pip, uv, npm (`E503`), curl, Maven",
    ),
    _sign(
        r"npm (?:ERR!|error) code (?:ECONNRESET|ETIMEDOUT|EAI_AGAIN|ERR_SOCKET_TIMEOUT)"
        r"|ReadTimeoutError\(|Max retries exceeded with url|error: Failed to fetch: `http"
        r"|ConnectTimeoutError|spurious network error|net/http: TLS handshake timeout",
        outside_causes.package_registry_unreachable(),
        "npm, pip over urllib3, uv, cargo, go",
    ),
    _sign(
        r"E: (?:Failed to fetch http|Unable to fetch some archives)|Hash Sum mismatch",
        outside_causes.system_packages_unavailable(),
        "apt",
    ),
)


def recognise(runner: Iterable[str], output: str, *, named: bool) -> Sign | None:
    """Return the sign of a failure outside of the code, or None.

    Args:
        runner: What the runner itself said: its errors and annotations.
        output: What the failing step printed.
        named: Whether a test runner or tool names a failure in that output; then only the runner's
            own words count.
    """
    said = "\n".join(runner)
    for sign in SIGNS:
        text = said if sign.runner_only or named else f"{said}\n{output}"
        if named and not sign.runner_only:
            continue
        if sign.words.search(text):
            return sign
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
