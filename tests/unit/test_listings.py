"""What is left of package indexes' pages as of a date."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from typing import Any

import pytest

from sandbox.base import Network
from sandbox.egress.credentials import registry_credential
from sandbox.egress.listings import (
    Listing,
    OneVersion,
    Page,
    Undated,
    dated,
    of_packument,
    to_ask_for,
    unpacked,
)
from sandbox.egress.npm_listings import ABBREVIATED
from sandbox.egress.policy import Policy
from sandbox.egress.python_listings import SIMPLE_JSON, as_html
from sandbox.egress.registries import Registries
from sandbox.egress.request import Wanted

THEN = datetime(2023, 11, 8, tzinfo=UTC)
EARLY, LATE = "2023-11-07T23:59:59.999999Z", "2023-11-08T00:00:00Z"


def left(
    document: object, *, path: str = "/", accept: str = SIMPLE_JSON, kind: str = "application/json"
) -> Any:
    """Return the JSON that a client is shown, or what else a page turns out to be."""
    found = dated(Page(json.dumps(document).encode(), kind, path), accept, THEN)
    return json.loads(found.body) if isinstance(found, Listing) and found.body else found


def file(name: str, time: str | None, **more: object) -> dict[str, object]:
    known = {} if time is None else {"upload-time": time}
    return {
        "filename": name,
        "url": f"../{name}",
        "hashes": {"md5": "a", "sha256": "b"},
        **known,
        **more,
    }


def test_files_and_their_versions_are_left_out() -> None:
    """What was uploaded at the moment itself came too late; a version stays while a file does."""
    files = [
        file("a_b-1.0-py3-none-any.whl", EARLY),
        file("a_b-1.0.tar.gz", LATE),
        file("a_b-1.1.tar.gz", LATE),
        file("a_b-1.2.exe", EARLY),
    ]
    page = {"meta": {"api-version": "1.1"}, "name": "a-b", "files": files}
    found = left({**page, "versions": ["1.0.0", "1.1", "1.2", "odd"]}, kind=SIMPLE_JSON)
    assert [item["filename"] for item in found["files"]] == [
        "a_b-1.0-py3-none-any.whl",
        "a_b-1.2.exe",
    ]
    assert found["versions"] == ["1.0.0", "1.2", "odd"]
    assert found["meta"] == {"api-version": "1.1"}


def test_old_clients_get_html() -> None:
    """With what PEP 503 and its successors let a link say; nothing in it ends an attribute."""
    files = [
        file("a-1.0.tar.gz", EARLY, **{"requires-python": ">=3.7", "yanked": 'not "good"'}),
        file("a-1.1.whl", EARLY, **{"core-metadata": {"sha256": "c"}, "yanked": False}),
        file("a-1.2.whl", EARLY, **{"core-metadata": True, "gpg-sig": False, "hashes": {}}),
    ]
    page = Page(json.dumps({"name": "<a>", "files": files}).encode(), SIMPLE_JSON, "/simple/a/")
    found = dated(page, "text/html", THEN)
    assert isinstance(found, Listing)
    assert (found.content_type, found.body) == (
        "text/html",
        as_html({"name": "<a>", "files": files}).encode(),
    )
    links = [line for line in (found.body or b"").decode().splitlines() if line.startswith("<a ")]
    assert links == [
        (
            '<a href="../a-1.0.tar.gz#sha256=b" data-requires-python="&gt;=3.7" '
            'data-yanked="not &quot;good&quot;">a-1.0.tar.gz</a><br/>'
        ),
        (
            '<a href="../a-1.1.whl#sha256=b" data-dist-info-metadata="sha256=c" '
            'data-core-metadata="sha256=c">a-1.1.whl</a><br/>'
        ),
        (
            '<a href="../a-1.2.whl" data-dist-info-metadata="true" data-core-metadata="true" '
            'data-gpg-sig="false">a-1.2.whl</a><br/>'
        ),
    ]
    assert b"&lt;a&gt;" in (found.body or b"")


def test_pages_without_times_are_named() -> None:
    """A file whose time nobody knows stays; HTML never says one; other pages are no listings."""
    found = left({"files": [file("a-1.0.whl", None), file("a-1.1.whl", LATE)]})
    assert isinstance(found, Undated)
    assert found.listing is not None
    assert json.loads(found.listing.body or b"")["files"] == [file("a-1.0.whl", None)]
    html = b"<html><a class='x' href = 'https://x/a-1.0.tar.gz#sha256=b'>a-1.0.tar.gz</a>"
    assert dated(Page(html, "text/html", "/simple/a/"), "text/html", THEN) == Undated()
    for body in (b"<a href='/simple/a/'>a</a>", b"<h1>Welcome</h1>", b""):
        assert dated(Page(body, "text/html", "/"), "text/html", THEN) is None
    for text in (b"[1]", b"{", b'{"versions": []}'):
        assert dated(Page(text, "application/json", "/"), "*/*", THEN) is None


def test_the_list_of_projects_is_for_everybody() -> None:
    """It has no times; we asked for JSON, which old clients can't read."""
    page = {"meta": {"api-version": "1.0"}, "projects": [{"name": "A_b"}]}
    assert left(page) == page
    found = dated(Page(json.dumps(page).encode(), SIMPLE_JSON, "/simple/"), "text/html", THEN)
    assert isinstance(found, Listing)
    assert b'<a href="a-b/">A_b</a>' in (found.body or b"")


def release(time: str) -> list[dict[str, str]]:
    return [{"filename": "x", "upload_time_iso_8601": time}]


def test_a_projects_json_tells_of_its_newest_version_then() -> None:
    """Also where that is not the newest one now: what is only known of that one is not said."""
    releases = {
        "1.9": release(EARLY),
        "1.10": release(EARLY),
        "2.0a1": release(EARLY),
        "2.0": release(LATE),
        "0.1": [],
    }
    info = {"name": "a", "version": "2.0", "requires_dist": ["b"], "requires_python": ">=3.12"}
    page: dict[str, Any] = {"info": info, "releases": releases, "urls": releases["2.0"]}
    found = left(page, path="/pypi/a/json")
    assert list(found["releases"]) == ["1.9", "1.10", "2.0a1", "0.1"]
    assert found["info"]["version"] == "1.10"
    assert (found["info"]["name"], found["info"]["requires_dist"]) == ("a", None)
    assert found["urls"] == releases["1.10"]
    page["urls"] = page["releases"]["1.10"]
    assert left(page, path="/pypi/a/json")["info"] == info
    assert left(
        {**page, "urls": release(LATE), "releases": {"2.0": release(LATE)}}, path="/pypi/a/json"
    ) == Listing(None)


def test_one_versions_json_was_there_or_not() -> None:
    """Poetry asks for it; answers about one version may list all of them."""
    info = {"version": "2.0"}
    assert left({"info": info, "urls": release(EARLY)}, path="/pypi/a/2.0/json")["urls"] == release(
        EARLY
    )
    assert left({"info": info, "urls": release(LATE)}, path="/pypi/a/2.0/json") == Listing(None)
    both = {"info": info, "urls": release(LATE), "releases": {"1.0": release(EARLY)}}
    assert left(both, path="/pypi/a/2.0/json") == Listing(None)
    assert left({"info": info, "urls": []}, path="/pypi/a/2.0/json")["info"] == info


@pytest.mark.parametrize(
    ("published", "tags", "then"),
    [
        (
            {"1.9.0": EARLY, "1.10.0": EARLY, "2.0.0": LATE},
            {"latest": "2.0.0"},
            {"latest": "1.10.0"},
        ),
        ({"1.0.0": EARLY, "3.0.0": EARLY, "2.0.0": LATE}, {"latest": "2.0.0"}, {"latest": "1.0.0"}),
        (
            {"1.0.0": EARLY, "2.0.0-rc.1": EARLY, "2.0.0": LATE},
            {"latest": "2.0.0"},
            {"latest": "1.0.0"},
        ),
        (
            {"1.0.0": EARLY, "2.0.0-rc.2": EARLY, "2.0.0-rc.10": EARLY, "2.0.0-rc.11": LATE},
            {"latest": "1.0.0", "next": "2.0.0-rc.11"},
            {"latest": "1.0.0", "next": "2.0.0-rc.10"},
        ),
        ({"1.0.0-alpha": EARLY, "1.0.0": LATE}, {"latest": "1.0.0"}, {"latest": "1.0.0-alpha"}),
        ({"2.0.0": EARLY, "1.0.0": LATE}, {"latest": "2.0.0", "lts": "1.0.0"}, {"latest": "2.0.0"}),
    ],
)
def test_tags_point_to_what_was_there(
    published: dict[str, str], tags: dict[str, str], then: dict[str, str]
) -> None:
    """To the newest version up to where they point now, as npm itself does it."""
    versions = {version: {"version": version} for version in published}
    found = left({"dist-tags": tags, "versions": versions, "time": {"created": EARLY, **published}})
    kept = [version for version, time in published.items() if time == EARLY]
    assert (found["dist-tags"], list(found["versions"])) == (then, kept)
    assert list(found["time"]) == ["created", *kept]


def test_one_version_of_a_packument() -> None:
    """The answer about one says no time, so the packument is asked."""
    one = {"name": "@a/b", "version": "2.0.0", "dist": {"tarball": "x"}}
    assert left(one, path="/@a%2fb/latest?x=y") == OneVersion("/@a%2fb", "latest")
    versions = {"1.0.0": {"n": 1}, "2.0.0": {"n": 2}}
    page = {
        "dist-tags": {"latest": "2.0.0"},
        "versions": versions,
        "time": {"1.0.0": EARLY, "2.0.0": LATE},
    }
    found = dated(Page(json.dumps(page).encode(), "application/json", "/a"), "", THEN)
    assert of_packument(found, "latest") == Listing(b'{"n":1}')
    assert of_packument(found, "2.0.0") == Listing(None)
    assert of_packument(Listing(None), "latest") == Listing(None)
    assert of_packument(None, "latest") == Undated()
    none = {**page, "time": {"1.0.0": LATE, "2.0.0": LATE}}
    assert left(none) == Listing(None)
    assert isinstance(left({**page, "time": {}}), Undated)


def test_indexes_are_asked_for_times() -> None:
    """Whatever the client can read; what is no listing is asked for as the client does."""
    assert to_ask_for(f"{ABBREVIATED}; q=1.0, application/json; q=0.8, */*") == "application/json"
    for accept in ("", "*/*", "text/html", f"{SIMPLE_JSON}, text/html; q=0.1"):
        assert to_ask_for(accept).startswith(f"{SIMPLE_JSON}, ")
    assert to_ask_for("application/json") == "application/json"


def test_pages_are_unpacked() -> None:
    """As far as they can be; a broken one is no page."""
    packing = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    packed = packing.compress(b"page") + packing.flush()
    assert (unpacked(packed, "gzip"), unpacked(b"page", "")) == (b"page", b"page")
    assert unpacked(zlib.compress(b"page"), "deflate") == b"page"
    for body, encoding in ((packed[:-9], "gzip"), (b"page", "gzip"), (b"page", "br")):
        assert unpacked(body, encoding) is None
    assert (unpacked(packed, "gzip", 3), unpacked(b"page", "", 3)) == (None, None)


@pytest.mark.parametrize(
    "page",
    [
        {"files": [1]},
        {"files": [{"filename": 1, "upload-time": EARLY}], "versions": []},
        {"dist-tags": {"latest": {}}, "versions": {"1.0.0": 7}, "time": {"1.0.0": EARLY}},
        {"dist-tags": {"latest": f"{'9' * 5000}.0.0"}, "versions": {"1.0.0": {}}, "time": 1},
        {"info": {}, "urls": [[]]},
    ],
)
def test_what_only_looks_like_a_listing_says_no_times(page: object) -> None:
    """The client gets it as it is, and judges itself."""
    assert left(page) == Undated()


def test_the_gate_stands_for_indexes_of_a_dated_sandbox() -> None:
    """Public ones at their usual ports, the operator's at theirs, and those with credentials."""
    private = Registries([registry_credential("https://me:pass@pkg.example/simple")])
    trusted = frozenset({("mirror.corp", 8080), ("pkg.example", 443)})
    index, mirror = Wanted("pypi.org", 443, "https"), Wanted("mirror.corp", 8080, "http")
    own, other = Wanted("pkg.example", 443, "https"), Wanted("files.pythonhosted.org", 443, "https")
    today, then = (Policy(Network(package_date=moment), trusted) for moment in (None, THEN))
    asked = (index, mirror, own, other, Wanted("pypi.org", 8443, "https"))
    assert [private.stand_for(wanted, today) for wanted in asked] == [
        False,
        False,
        True,
        False,
        False,
    ]
    assert [private.stand_for(wanted, then) for wanted in asked] == [True, True, True, False, False]
    assert not Registries().end_tls(today)
    assert Registries().end_tls(then)
