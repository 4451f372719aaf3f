"""Recognise what lists packages among a registry's answers, and leave out what is too new. No IO."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sandbox.egress import npm_listings, python_listings
from sandbox.egress.npm_listings import ABBREVIATED
from sandbox.egress.python_listings import SIMPLE_JSON
from sandbox.egress.upload_times import UploadTimes

PUBLIC_INDEXES = frozenset(
    {
        *("pypi.org", "pypi.python.org", "test.pypi.org"),
        *("registry.npmjs.org", "registry.yarnpkg.com", "npm.jsr.io"),
    }
)
"""Hosts of public indexes of Python and npm packages; an operator's settings name others."""

_HTML = frozenset({"text/html", "application/vnd.pypi.simple.v1+html"})
_JSON = frozenset({"application/json", SIMPLE_JSON, ABBREVIATED})
MAY_LIST = _HTML | _JSON
"""Types of content that may list packages; no other answer is looked into."""

_EVERYTHING = "*/*"
_READ_AS_JSON = (SIMPLE_JSON, "application/vnd.pypi.simple.latest+json")

LARGEST = 64 * 2**20
"""Bytes of a page that is looked into; of a larger one nothing is left out."""


@dataclass(frozen=True, slots=True)
class Page:
    """A registry's answer.

    Attributes:
        body: As it came.
        content_type: Of that body, once it is unpacked.
        path: That was asked for, with its query.
        encoding: Its `Content-Encoding`.
    """

    body: bytes
    content_type: str
    path: str
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a client is shown in place of a page.

    Attributes:
        body: None when nothing was there yet.
        content_type: Of the body.
    """

    body: bytes | None
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class OneVersion:
    """npm's answer about one version, which says no time: the packument does.

    Attributes:
        packument: Path to ask.
        wanted: The version, or a tag.
    """

    packument: str
    wanted: str


@dataclass(frozen=True, slots=True)
class Undated:
    """The page lists packages, and does not say when each of them was uploaded.

    Attributes:
        listing: What is left of it without those that it says of; None for the page itself.
    """

    listing: Listing | None = None


Found = Listing | OneVersion | Undated | None
"""What a page turns out to be; None for one that lists no packages."""


def to_ask_for(accept: str) -> str:
    """Return the `Accept` that gets answers with times, whatever the client can read."""
    if ABBREVIATED in accept:
        return "application/json"
    if not accept or any(word in accept for word in (_EVERYTHING, *_HTML, SIMPLE_JSON)):
        return f"{SIMPLE_JSON}, text/html;q=0.2, */*;q=0.1"
    return accept


def unpacked(body: bytes, encoding: str, most: int = LARGEST) -> bytes | None:
    """Return a page without its `Content-Encoding`; None where it is too large, or an odd one."""
    if encoding in {"", "identity"}:
        return body if len(body) < most else None
    if encoding not in {"gzip", "x-gzip", "deflate"}:
        return None
    try:
        unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)
        whole = unpacking.decompress(body, most)
    except zlib.error:
        return None
    return whole if unpacking.eof else None


def dated(page: Page, accept: str, before: datetime) -> Found:
    """Return what is left of a page.

    Args:
        page: Of a registry.
        accept: What the client can read.
        before: What was uploaded at this moment or later is left out.
    """
    body = unpacked(page.body, page.encoding)
    if body is None:
        return Undated()
    if page.content_type in _HTML:
        return Undated() if python_listings.lists_files(body) else None
    try:
        document = json.loads(body)
    except ValueError:
        return None
    times = UploadTimes(before)
    try:
        found = _left_of(document, page.path, accept, times) if isinstance(document, dict) else None
    except (AttributeError, KeyError, TypeError, ValueError):  # it only looks like a listing
        return Undated()
    return Undated(found) if times.missing and isinstance(found, Listing) else found


def _left_of(
    document: dict[str, Any], path: str, accept: str, times: UploadTimes
) -> Listing | OneVersion | None:
    if isinstance(document.get("files"), list):
        document = python_listings.simple_page(document, times)
        return _simple(document, accept, python_listings.as_html)
    if isinstance(document.get("projects"), list):
        return _simple(document, accept, python_listings.projects_as_html)
    if isinstance(document.get("versions"), dict) and "dist-tags" in document:
        return _listing(npm_listings.packument(document, times))
    if isinstance(document.get("info"), dict) and isinstance(document.get("urls"), list):
        return _listing(python_listings.legacy_page(document, path, times))
    if isinstance(document.get("dist"), dict) and "version" in document:
        package, _, wanted = path.partition("?")[0].rstrip("/").rpartition("/")
        return OneVersion(package, wanted)
    return None


def _simple(
    document: dict[str, Any], accept: str, as_html: Callable[[Mapping[str, Any]], str]
) -> Listing:
    """Return a page of the simple API as a client reads it: we asked for JSON."""
    if any(word in accept for word in _READ_AS_JSON):
        return Listing(_json(document), SIMPLE_JSON)
    return Listing(as_html(document).encode(), "text/html")


def of_packument(packument: Found, wanted: str) -> Listing | Undated:
    """Return what the rest of a packument has of one version, or of a tag."""
    if not isinstance(packument, Listing):
        return Undated()
    document = json.loads(packument.body) if packument.body is not None else None
    return _listing(document and npm_listings.manifest(document, wanted))


def _listing(document: Mapping[str, Any] | None) -> Listing:
    return Listing(None if document is None else _json(document))


def _json(document: object) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()
