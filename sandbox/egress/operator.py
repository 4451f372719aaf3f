"""What the operator's own settings of package clients mean for the way out."""

from __future__ import annotations

import base64
import configparser
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

_INDEXES = (
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"),
    *("UV_INDEX", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS"),
    *("NPM_CONFIG_REGISTRY", "YARN_NPM_REGISTRY_SERVER", "GOPROXY", "RUSTUP_DIST_SERVER"),
)
_SECTIONS = ("index-url", "extra-index-url", "find-links")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Upstream:
    """A proxy of the operator's, between this host and the internet.

    Attributes:
        authorization: Value of `Proxy-Authorization`, which no sandbox sees.
    """

    host: str
    port: int
    tls: bool = False
    authorization: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Operator:
    """The operator's settings, as far as they concern the network.

    Attributes:
        trusted: Host and port of all registries that the operator named or has credentials for.
        named: Those that the settings of package managers name: every sandbox may reach them.
        proxies: The proxy for each of `http` and `https`.
        without_proxy: `NO_PROXY`.
    """

    trusted: frozenset[tuple[str, int]] = frozenset()
    named: frozenset[tuple[str, int]] = frozenset()
    proxies: Mapping[str, Upstream] = field(default_factory=dict)
    without_proxy: str = ""

    def upstream(self, scheme: str, host: str, port: int) -> Upstream | None:
        """Return the proxy through which a host is reached; None for the direct way."""
        exceptions = self.without_proxy.replace(",", " ").lower().split()
        if any(_is_excepted(host, port, exception) for exception in exceptions):
            return None
        return self.proxies.get(scheme)


def _is_excepted(host: str, port: int, exception: str) -> bool:
    """Whether an entry of `NO_PROXY` names the host, as curl reads it."""
    name, _, number = exception.partition(":") if exception.count(":") == 1 else (exception, "", "")
    name = name.removeprefix("*").removeprefix(".")
    if number and number != str(port):
        return False
    return not name or host == name or host.endswith(f".{name}")


def operator(
    environ: Mapping[str, str],
    pip_config: str = "",
    npm_config: str = "",
    private: Iterable[tuple[str, int]] = (),
) -> Operator:
    """Read the settings.

    Args:
        environ: The host's environment.
        pip_config: Content of `pip.conf`.
        npm_config: Content of `.npmrc`.
        private: Host and port of registries whose credentials the operator gave us.
    """
    upper = {name.upper(): value for name, value in environ.items()}
    texts = [upper[name] for name in _INDEXES if name in upper]
    texts += [*_pip_values(pip_config), *_npm_values(npm_config)]
    everything = upper.get("ALL_PROXY")
    proxies = {
        scheme: upstream
        for scheme in _DEFAULT_PORTS
        if (upstream := _upstream(upper.get(f"{scheme.upper()}_PROXY") or everything or ""))
    }
    named = frozenset(_places(texts))
    return Operator(named.union(private), named, proxies, upper.get("NO_PROXY", ""))


def _pip_values(text: str) -> Iterator[str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for section in parser.sections():
        yield from (value for key, value in parser.items(section) if key in _SECTIONS)


def _npm_values(text: str) -> Iterator[str]:
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key.strip().endswith("registry"):
            yield value.strip()


def _places(texts: Iterable[str]) -> Iterator[tuple[str, int]]:
    for word in " ".join(texts).replace(",", " ").replace("|", " ").split():
        _, named, url = word.rpartition("=http")  # uv names its indexes: `name=https://...`
        try:
            parts = urlsplit(f"http{url}" if named else word)
            port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
        except ValueError:
            continue  # its client will complain
        if parts.hostname and port and parts.scheme in _DEFAULT_PORTS:
            yield parts.hostname, port


def _upstream(url: str) -> Upstream | None:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    try:
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname or parts.scheme not in _DEFAULT_PORTS:
        return None
    authorization = None
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = f"Basic {base64.b64encode(pair.encode()).decode()}"
    tls = parts.scheme == "https"
    return Upstream(parts.hostname, port or _DEFAULT_PORTS[parts.scheme], tls, authorization)
