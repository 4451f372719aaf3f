"""Take secrets out of everything that leaves the process: planted values and known token shapes."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import quote, unquote, urlsplit

from pydantic import BaseModel, SecretStr

from bot.model import Patch
from bot.model.mcp_servers import McpServer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")

REDACTED = "[redacted]"

_SHORTEST_SECRET = 6
"""Shorter values are words; replacing them would shred the text and hide nothing."""

_SHORTEST_LINE = 16
"""Lines of a longer secret (a PEM key) that are shorter than this identify nothing."""

TOKEN_SHAPES: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern)
    for pattern in (
        # https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github
        r"gh[pousr]_(?<=\bgh[pousr]_)[A-Za-z0-9_.-]{16,}",
        r"github_pat_(?<=\bgithub_pat_)[A-Za-z0-9_]{16,}",
        # Anthropic, OpenAI and services that follow their form; a digit tells keys from words
        r"sk-(?<![A-Za-z0-9_-]sk-)(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}",
        r"e2b_(?<=\be2b_)[A-Za-z0-9]{16,}",
        # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
        r"A[KS]IA(?<=\bA[KS]IA)[A-Z0-9]{16}\b",
        r"AIza(?<=\bAIza)[A-Za-z0-9_-]{35}",
        r"xox[abeoprs]-(?<=\bxox[abeoprs]-)[A-Za-z0-9-]{10,}",
        r"glpat-(?<=\bglpat-)[A-Za-z0-9_-]{20,}",
        r"fxp_(?<=\bfxp_)[0-9a-f]{12}_[0-9a-f]{64}",  # our own: bot/storage/api_keys.py
        # https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
        r"whsec_(?<=\bwhsec_)[A-Za-z0-9+/]{32,}={0,2}",
        r"npm_(?<=\bnpm_)[A-Za-z0-9]{36}\b",
        r"pypi-AgEI(?<=\bpypi-AgEI)[A-Za-z0-9_-]{16,}",
        # RFC 7519: three base64url parts, the first two of them JSON objects
        r"eyJ(?<![A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        # RFC 7468, also with the end cut off or the line ends written as \n
        (
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\s*[A-Za-z-]{1,60}: [^\n]{0,200}\n)*"
            r"[A-Za-z0-9+/=\s\\]*(?:-----END [A-Z ]*PRIVATE KEY-----)?"
        ),
        # RFC 3986: user information in a URL
        r"(?P<kept>://)[^\s/@:]*:[^\s/@]+(?=@)",
        # RFC 9110: credentials of the Authorization header
        r"(?P<kept>[Aa](?i:uthorization: ))(?i:bearer|basic|token) \S+",
        (
            r"(?P<kept>[Bb](?i:earer) )(?<=\b(?i:bearer) )"
            r"(?=[A-Za-z._~+/=-]*\d)[A-Za-z0-9._~+/=-]{16,}"
        ),
    )
)
"""What a credential looks like, wherever it comes from; the group `kept` is no part of it.

Each begins with a literal, which `re` finds much faster than a boundary: every log line and every
webhook is looked through for all of them.
"""


_IN_ANY_CASE: Mapping[re.Pattern[str], str] = {
    shape: word
    for shape in TOKEN_SHAPES
    for word in ("authorization", "bearer")
    if f"(?i:{word[1:]}" in shape.pattern
}
"""What is in every match of a shape that ignores case, in lower case: such a shape has no literal to
begin with, and to look for it in texts that lack the word is half of all the time."""


def planted_secrets(settings: BaseModel) -> tuple[SecretStr, ...]:
    """Return every secret that the settings hold, of addresses with credentials those as well."""
    values = [getattr(settings, name) for name in type(settings).model_fields]
    listed = [item for value in values if isinstance(value, tuple) for item in value]
    secrets = [value for value in (*values, *listed) if isinstance(value, SecretStr)]
    secrets += [secret for item in listed if isinstance(item, McpServer) for secret in item.secrets]
    urls = [item.get_secret_value() for item in listed if isinstance(item, SecretStr)]
    mapped = [item for value in values if isinstance(value, Mapping) for item in value.values()]
    secrets += [item for item in mapped if isinstance(item, SecretStr)]
    return (*secrets, *(SecretStr(part) for url in urls for part in _credentials_in(url)))


def _credentials_in(url: str) -> Iterator[str]:
    """Yield the password of an address, or the user alone that is a token, and as they are sent."""
    whom, limited, scheme = url.partition("://")[0].rpartition("=")
    parts = urlsplit(url[len(whom) + len(limited) :] if scheme else url)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    yield password or user
    if password:
        yield base64.b64encode(f"{user}:{password}".encode()).decode()


@dataclass(frozen=True, slots=True)
class Redactor:
    """Takes secrets out of whatever is about to be kept, posted, printed, logged or sent.

    Attributes:
        secrets: Values that must not appear, in clear, URL-quoted, in JSON or in base64.
        patterns: What else is taken for a secret, besides what looks like a credential.
    """

    secrets: tuple[SecretStr, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()
    _forms: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """How the secrets may be written, the longest first."""

    def __post_init__(self) -> None:
        """Find out once how the secrets may be written."""
        forms = {form for secret in self.secrets for form in _forms_of(secret.get_secret_value())}
        object.__setattr__(self, "_forms", tuple(sorted(forms, key=len, reverse=True)))

    def text(self, text: str) -> str:
        """Return the text with every secret replaced by `[redacted]`."""
        text = self.planted(text)
        lower = text.lower()
        for pattern in (*self.patterns, *TOKEN_SHAPES):
            if _IN_ANY_CASE.get(pattern, "") in lower:
                kept = "kept" in pattern.groupindex
                text = pattern.sub(_kept_and_redacted if kept else REDACTED, text)
        return text

    def planted(self, text: str) -> str:
        """Return the text without `secrets` alone: a patch of which more is replaced won't apply."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, REDACTED)
        return text

    def values(self, value: Any) -> Any:
        """Return a copy of a JSON-like value in which every string, keys included, is redacted."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bytes):
            return self.text(value.decode("utf-8", "replace"))
        if isinstance(value, Mapping):
            return {self.values(key): self.values(item) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.values(item) for item in value]
        return value

    def frozen(self, value: T) -> T:
        """Return a report, an event or any other frozen value with every text in it redacted.

        Done before a text is written as Markdown, whose escapes would hide a secret from `text`.
        Patches stay as they are: with other content they no longer apply.

        Args:
            value: Made of dataclasses, tuples and texts.
        """
        return cast("T", _redacted(value, self.text))

    def payload(self, data: bytes) -> bytes:
        """Return a webhook's JSON with what people wrote in it redacted; names and ids stay."""
        text = data.decode("utf-8", "replace")
        if self.text(text) == text:
            return data
        return json.dumps(_written(json.loads(data), self.text, is_written=False)).encode()


def remembering(redactor: Redactor, *, longest: int = 64, most: int = 4096) -> Callable[[str], str]:
    """Return `redactor.text` for texts many of which are short and come again, such as names.

    Args:
        redactor: Takes out what never leaves.
        longest: Characters of a text whose redacted form is remembered.
        most: How many of them are.
    """
    known = lru_cache(maxsize=most)(redactor.text)
    return lambda text: known(text) if len(text) <= longest else redactor.text(text)


TOKENS_ALONE = Redactor()
"""Takes out what looks like a credential, where no secret is known."""


def redactor_of(settings: BaseModel, patterns: Sequence[re.Pattern[str]] = ()) -> Redactor:
    """Return what takes out every secret that the settings hold, and these patterns."""
    return Redactor(planted_secrets(settings), tuple(patterns))


def _kept_and_redacted(found: re.Match[str]) -> str:
    return f"{found['kept']}{REDACTED}"


_WRITTEN = frozenset({"body", "title", "from", "text", "summary", "message", "description"})
"""Keys of what people and programs wrote freely, in webhooks."""


def _written(value: Any, scrub: Callable[[str], str], *, is_written: bool) -> Any:
    if isinstance(value, str):
        return scrub(value) if is_written else value
    if isinstance(value, dict):
        return {
            key: _written(item, scrub, is_written=key in _WRITTEN) for key, item in value.items()
        }
    if isinstance(value, list):
        return [_written(item, scrub, is_written=is_written) for item in value]
    return value


def _redacted(value: object, scrub: Callable[[str], str]) -> object:
    if isinstance(value, Enum | Patch):
        return value
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, tuple | frozenset):
        scrubbed_items = [_redacted(item, scrub) for item in value]
        same = all(new is old for new, old in zip(scrubbed_items, value, strict=True))
        return value if same else type(value)(scrubbed_items)
    if is_dataclass(value) and not isinstance(value, type):
        kept = ((name, getattr(value, name)) for name in _names_of(type(value)))
        scrubbed = ((name, part, _redacted(part, scrub)) for name, part in kept)
        changes = {name: new for name, part, new in scrubbed if new is not part}
        return replace(value, **changes) if changes else value
    return value


@cache  # there are as many as there are kinds of reports and events
def _names_of(kind: type[DataclassInstance]) -> tuple[str, ...]:
    """Return the names of the fields that a dataclass is made with."""
    return tuple(part.name for part in fields(kind) if part.init)


def _forms_of(value: str) -> Iterator[str]:
    value = value.strip()
    if len(value) < _SHORTEST_SECRET:
        return
    yield value
    yield quote(value, safe="")
    yield json.dumps(value)[1:-1]
    for clear in (value, f"x-access-token:{value}"):  # the user name that GitHub's git takes
        yield base64.b64encode(clear.encode()).decode().rstrip("=")
    if "\n" in value:
        yield from (line for line in value.splitlines() if len(line) >= _SHORTEST_LINE)
