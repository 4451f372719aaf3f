"""The kinds of values that settings have, each with its check.

A check raises `ValueError` with the middle of a sentence, "must be ...", and never quotes the
value: it may be a secret.
"""

from __future__ import annotations

import base64
import re
from decimal import Decimal
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from bot.settings.sandbox_kind import SandboxKind


def _http_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        complete = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:  # brackets of an IPv6 address that do not match
        complete = False
    if not complete:
        raise ValueError("must be a URL that starts with https:// or http://")
    return value.rstrip("/")


def _database_url(value: SecretStr) -> SecretStr:
    """Name the driver, so that the `postgres://` of hosting platforms works as it is."""
    scheme, separator, rest = value.get_secret_value().partition("://")
    if separator and scheme in {"postgres", "postgresql", "postgresql+psycopg"}:
        return SecretStr(f"postgresql+psycopg://{rest}")
    if separator and scheme == "sqlite" and len(rest) > 1 and rest.startswith("/"):
        return value
    raise ValueError("must look like sqlite:////path/to/file.db or postgresql://user@host/name")


def _patterns(value: object) -> tuple[re.Pattern[str], ...]:
    lines = value.splitlines() if isinstance(value, str) else ()
    try:
        return tuple(re.compile(line.strip()) for line in lines if line.strip())
    except re.error as error:
        raise ValueError(f"must be regular expressions, one per line ({error})") from error


def _registries(value: object) -> tuple[SecretStr, ...]:
    words = value.split() if isinstance(value, str) else []
    if words:
        from sandbox.egress.credentials import registry_credential
    for word in words:
        registry_credential(word)
    return tuple(map(SecretStr, words))


def _origins(value: object) -> tuple[str, ...]:
    words = value.split() if isinstance(value, str) else []
    for word in words:
        try:
            parts = urlsplit(word)
            whole = f"{parts.scheme}://{parts.netloc}" == word and bool(parts.hostname)
        except ValueError:
            whole = False
        if word != "*" and not (whole and parts.scheme in {"http", "https"}):
            raise ValueError("must be origins such as https://app.example.com, or *")
    return tuple(words)


def _private_key(value: SecretStr) -> SecretStr:
    r"""Return the PEM text of a key given as text, as one line with `\n`, in base64, or as a path."""
    # Slow to import, and only a server has a key.
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    text = value.get_secret_value()
    if "-----BEGIN" not in text:
        text = _decoded(text) or _file_content(text)
    pem = text.replace("\\n", "\n").strip() + "\n"
    try:
        load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # `from None`, here and below: what the parsers quote may be a part of the secret.
        raise ValueError("must be the App's private key in PEM form, without a password") from None
    return SecretStr(pem)


def _decoded(text: str) -> str:
    """Return PEM text that is written in base64, or nothing: a path is no such text."""
    try:
        pem = base64.b64decode(text, validate=True).decode()
    except ValueError:
        return ""
    return pem if "-----BEGIN" in pem else ""


def _file_content(path: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, ValueError, RuntimeError):
        raise ValueError(
            "must be PEM text, the same in base64, or the path of a readable file"
        ) from None


def _sandbox_kinds(value: object) -> tuple[SandboxKind, ...]:
    if isinstance(value, tuple):
        return value
    words = [word.strip().lower() for word in str(value).split(",")]
    try:
        kinds = tuple(dict.fromkeys(map(SandboxKind, words)))
    except ValueError:
        kinds = ()
    if not kinds or (SandboxKind.AUTO in kinds and len(kinds) > 1):
        raise ValueError("must be auto, or some of e2b, docker and bubblewrap, separated by commas")
    return kinds


HttpUrl = Annotated[str, AfterValidator(_http_url)]
DatabaseUrl = Annotated[SecretStr, AfterValidator(_database_url)]
PrivateKey = Annotated[SecretStr, AfterValidator(_private_key)]
Dollars = Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]
"""US dollars; 0 allows no call that has a price."""

SandboxKinds = Annotated[tuple[SandboxKind, ...], BeforeValidator(_sandbox_kinds)]
Patterns = Annotated[tuple[re.Pattern[str], ...], BeforeValidator(_patterns)]
Registries = Annotated[tuple[SecretStr, ...], BeforeValidator(_registries)]
Origins = Annotated[tuple[str, ...], BeforeValidator(_origins)]
FolderPath = Annotated[Path, AfterValidator(Path.expanduser)]


def _logins(value: object) -> tuple[str, ...]:
    words = value.replace(",", " ").split() if isinstance(value, str) else []
    names = tuple(word.removeprefix("@").lower() for word in words)
    if not all(re.fullmatch(r"[a-z0-9](?:[a-z0-9_-]{0,98}[a-z0-9])?", name) for name in names):
        raise ValueError("must be logins at GitHub, separated by spaces or commas")
    return names


Logins = Annotated[tuple[str, ...], BeforeValidator(_logins)]
"""In lower case."""
