"""Pass the host's settings of package clients into a sandbox, and none of its secrets."""

from __future__ import annotations

import configparser
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

_NAMES = frozenset(
    {
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
        *("NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO"),
        *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"),
        *("PIP_TRUSTED_HOST", "PIP_CERT", "PIP_DEFAULT_TIMEOUT", "PIP_RETRIES"),
        *("UV_INDEX", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS"),
        *("UV_INDEX_STRATEGY", "UV_NO_INDEX", "UV_INSECURE_HOST", "UV_SYSTEM_CERTS"),
        *("UV_NATIVE_TLS", "UV_HTTP_TIMEOUT", "UV_OFFLINE", "UV_PYTHON_DOWNLOADS"),
        *("NPM_CONFIG_REGISTRY", "NPM_CONFIG_CAFILE", "NPM_CONFIG_STRICT_SSL"),
        *("YARN_NPM_REGISTRY_SERVER", "GOPROXY", "GONOSUMDB", "GOSUMDB", "GOFLAGS"),
        "RUSTUP_DIST_SERVER",
    }
)
"""Variables that say where packages come from and whom to trust; compared in upper case."""

_PACKAGES = frozenset(
    {
        *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"),
        *("UV_INDEX", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS"),
    }
)
_PACKAGE_KEYS = frozenset(
    name.removeprefix("PIP_").lower().replace("_", "-") for name in _PACKAGES if "PIP_" in name
)
"""Those of variables and of `pip.conf` that may name packages on this machine."""

_LOCAL = re.compile(r"(?:[^=/]+=)?(?:file:|/)")

_SECRET_NAME = re.compile(
    r"token|password|passwd|secret|auth|key|username|email|client.?cert", re.IGNORECASE
)
_PROXY_NAME = re.compile(r"\s*(https?-)?proxy\s*|\s*no-?proxy\s*", re.IGNORECASE)
"""A jail has a proxy of its own, and reaches no other."""

_USERINFO = re.compile(r"//[^/\s@]*@")


def client_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of package clients that carry no secret, and no proxy."""
    return {
        name: value
        for name, value in environ.items()
        if name.upper() in _NAMES and not _is_secret(name, value)
    }


def without_local_packages(settings: Mapping[str, str]) -> dict[str, str]:
    """Return variables of package clients without packages on this machine, which have no date."""
    kept = {name: _elsewhere(name, value) for name, value in settings.items()}
    return {name: value for name, value in kept.items() if value}


def _elsewhere(name: str, value: str) -> str:
    if name.upper() not in _PACKAGES:
        return value
    return " ".join(word for word in value.split() if not _LOCAL.match(word))


def without_package_places(pip_config: str) -> str:
    """Return pip's settings without those that say where packages are."""
    parser = configparser.RawConfigParser()
    parser.read_string(pip_config)
    return "".join(
        _pip_section(
            name, {key: text for key, text in parser.items(name) if key not in _PACKAGE_KEYS}
        )
        for name in parser.sections()
    )


def _is_secret(name: str, value: str) -> bool:
    return bool(_SECRET_NAME.search(name) or _USERINFO.search(value))


def pip_config_files(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Where pip reads its settings, weakest first.

    Source: https://pip.pypa.io/en/stable/topics/configuration/#location
    """
    home = Path(environ.get("HOME", "/root"))
    config = Path(environ.get("XDG_CONFIG_HOME", home / ".config"))
    files = [Path("/etc/xdg/pip/pip.conf"), Path("/etc/pip.conf")]
    files += [home / ".pip" / "pip.conf", config / "pip" / "pip.conf"]
    if named := environ.get("PIP_CONFIG_FILE"):
        files.append(Path(named))
    return tuple(files)


def merged_pip_config(texts: Iterable[str]) -> str:
    """Merge pip's settings, weakest first, without what is or may hold a secret."""
    merged: dict[str, dict[str, str]] = {}
    for text in texts:
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(text)
        except configparser.Error:
            continue  # pip itself will not accept that file either
        for section in parser.sections():
            merged.setdefault(section, {}).update(parser.items(section))
    return "".join(_pip_section(name, settings) for name, settings in merged.items())


def _pip_section(name: str, settings: Mapping[str, str]) -> str:
    lines = [
        f"{key} = {value.replace(os.linesep, os.linesep + '    ')}\n"
        for key, value in settings.items()
        if not _is_secret(key, value) and not _PROXY_NAME.fullmatch(key)
    ]
    return f"[{name}]\n{''.join(lines)}"


def safe_npm_config(text: str) -> str:
    """Return the lines of an `.npmrc` that hold no credential and expand no variable."""
    kept = [
        line
        for line in text.splitlines(keepends=True)
        if not _is_secret(line.partition("=")[0], line)
        and not _PROXY_NAME.fullmatch(line.partition("=")[0])
        and "${" not in line
    ]
    return "".join(kept)


def ini_values(text: str) -> Iterator[str]:
    """Yield the values of settings such as pip's, line by line."""
    for line in text.splitlines():
        yield line.partition("=")[2] if "=" in line else line


def local_paths(values: Iterable[str]) -> Iterator[Path]:
    """Yield the files and folders that settings name by path or `file://` URL and we may read."""
    for word in " ".join(values).split():
        name = url2pathname(urlsplit(word).path) if word.startswith("file://") else word
        path = Path(name)
        if path.is_absolute() and path != Path("/") and os.access(path, os.R_OK):
            yield path
