"""The way out as a sandbox sees it: a proxy on its own loopback, which clients are told of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

PORT = 43128
"""Of the relay, on the sandbox's own loopback."""

FOLDER = "/run/fixpoint-egress"
"""Where the sandbox sees the gate's socket."""

RELAY = Path(__file__).with_name("relay.py")

_PROXY = f"http://127.0.0.1:{PORT}"
_OWN = ("localhost", "127.0.0.1", "::1")
_JAVA = " ".join(
    f"-D{scheme}.proxyHost=127.0.0.1 -D{scheme}.proxyPort={PORT}" for scheme in ("http", "https")
)


BUNDLE = "certificates.pem"
"""File in that folder with whom clients trust, where the gate stands for registries."""

_CERTIFICATES = (
    *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO"),
    *("NODE_EXTRA_CA_CERTS", "NPM_CONFIG_CAFILE", "CARGO_HTTP_CAINFO"),
    "YARN_HTTPS_CA_FILE_PATH",
)


def proxy_environment(trusted: Collection[tuple[str, int]] = ()) -> dict[str, str]:
    """Return the variables that tell clients of the proxy; what ignores them has no network.

    Args:
        trusted: The operator's registries. One on the host's loopback is reached by the proxy
            too, so clients must not take it for the sandbox's own.
    """
    outside = {host for host, _ in trusted}
    own = ",".join(name for name in _OWN if name not in outside)
    return {
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), _PROXY),
        **dict.fromkeys(("YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"), _PROXY),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), own),
        "NODE_USE_ENV_PROXY": "1",
        "MAVEN_OPTS": _JAVA,
        "GRADLE_OPTS": _JAVA,
    }


def trust_environment() -> dict[str, str]:
    """Return the variables that tell clients to trust whom the gate's bundle names."""
    return dict.fromkeys(_CERTIFICATES, f"{FOLDER}/{BUNDLE}")


def relayed(python: str, script: str, command: Sequence[str]) -> list[str]:
    """Return a command that starts the relay beside another one, as soon as it listens."""
    return [python, "-I", "-S", script, str(PORT), FOLDER, "--", *command]


def relay_alone() -> list[str]:
    """Return the relay as a command that needs no file, with the `python3` on `PATH`."""
    return ["python3", "-I", "-S", "-c", RELAY.read_text("utf-8"), str(PORT), FOLDER]
