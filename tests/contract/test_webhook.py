"""What the webhook's endpoint promises to GitHub and to strangers, over real HTTP."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import hmac
import http.client
import io
import json
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr
from sqlalchemy import text

from bot.intake.webhook import MAX_BODY, WebhookReceiver
from bot.model.repository import Repo
from bot.storage.database import Database, open_database
from bot.storage.deliveries import DeliveryStore
from bot.storage.open_pulls import OpenPullStore

SECRET = "it's a secret to everybody"
COMMENT = json.dumps({"action": "created", "comment": {"body": "/fix"}}).encode()


def signature(body: bytes, secret: str = SECRET) -> str:
    """Sign as GitHub does."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Endpoint:
    """A server with the endpoint, and a client that speaks to it as GitHub would."""

    def __init__(self, database: Database, client: aiohttp.ClientSession) -> None:
        self.database = database
        self.deliveries = DeliveryStore(database)
        self.pulls = OpenPullStore(database)
        self.woken = 0
        self._client = client
        self._server: TestServer | None = None

    async def start(self) -> None:
        """Listen on a free port."""
        app = web.Application()
        webhook = WebhookReceiver(
            SecretStr(SECRET), self.deliveries, self._wake, is_base=self.pulls.has_base
        )
        app.router.add_post("/webhook", webhook.handle)
        self._server = TestServer(app)
        await self._server.start_server(auto_decompress=False)

    def _wake(self) -> None:
        self.woken += 1

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        assert self._server is not None
        assert self._server.port is not None
        return self._server.host, self._server.port

    async def stop(self) -> None:
        """Close the port."""
        assert self._server is not None
        await self._server.close()

    async def post(
        self,
        body: bytes | AsyncIterator[bytes] = COMMENT,
        *,
        drop: str | None = None,
        **headers: str,
    ) -> tuple[int, dict[str, str]]:
        """Send a delivery; keyword arguments replace headers (`X_GitHub_Event="ping"`)."""
        signed = signature(body) if isinstance(body, bytes) else "sha256=00"
        sent = {
            "Content-Type": "application/json",
            "X-GitHub-Event": "issue_comment",
            "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
            "X-Hub-Signature-256": signed,
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        sent.pop(drop or "", None)
        host, port = self.address
        url = f"http://{host}:{port}/webhook"
        data = io.BytesIO(body) if isinstance(body, bytes) else body
        async with self._client.post(url, data=data, headers=sent) as response:
            return response.status, await response.json()

    async def stored(self) -> list[str]:
        """Ids of the deliveries that wait to be worked through."""
        return [delivery.id for delivery in await self.deliveries.pending()]


@pytest.fixture
async def endpoint(tmp_path: Path) -> AsyncIterator[Endpoint]:
    """Start the endpoint on an empty database."""
    url = SecretStr(f"sqlite:///{tmp_path}/fixpoint.db")
    async with await open_database(url) as database, aiohttp.ClientSession() as client:
        endpoint = Endpoint(database, client)
        await endpoint.start()
        yield endpoint
        await endpoint.stop()


async def test_a_push_is_kept_where_a_pull_request_of_ours_merges(endpoint: Endpoint) -> None:
    """All others, most of them, are acknowledged and forgotten."""
    await endpoint.pulls.opened(Repo("Acme/app", 1, 70), 2, "next")
    for ref, status in (
        ("heads/main", "ignored"),
        ("tags/next", "ignored"),
        ("heads/next", "accepted"),
    ):
        told = {
            "ref": f"refs/{ref}",
            "commits": [],
            "repository": {"id": 70, "full_name": "acme/App"},
        }
        body = json.dumps(told).encode()
        assert await endpoint.post(body, X_GitHub_Event="push") == (202, {"status": status})
    assert len(await endpoint.stored()) == 1


async def test_a_signed_comment_is_stored_and_acknowledged(endpoint: Endpoint) -> None:
    """202, the exact bytes are kept, and the dispatcher is woken once."""
    assert await endpoint.post() == (202, {"status": "accepted"})
    [delivery] = await endpoint.deliveries.pending()
    assert (delivery.event, delivery.payload) == ("issue_comment", COMMENT)
    assert endpoint.woken == 1


async def test_the_same_delivery_again_does_nothing(endpoint: Endpoint) -> None:
    """A redelivery is acknowledged, stored once, and wakes nobody."""
    await endpoint.post()
    assert await endpoint.post() == (202, {"status": "duplicate"})
    assert len(await endpoint.stored()) == 1
    assert endpoint.woken == 1


async def test_simultaneous_duplicates_wake_once(endpoint: Endpoint) -> None:
    """Of many copies in flight together exactly one is accepted."""
    answers = await asyncio.gather(*(endpoint.post() for _ in range(10)))
    assert sorted(answer["status"] for _, answer in answers) == ["accepted"] + ["duplicate"] * 9
    assert endpoint.woken == 1


async def test_a_ping_is_answered(endpoint: Endpoint) -> None:
    """GitHub's test of a new webhook succeeds and is not stored."""
    body = b'{"zen": "Keep it logically awesome.", "hook_id": 1}'
    assert await endpoint.post(body, X_GitHub_Event="ping") == (200, {"status": "pong"})
    assert await endpoint.stored() == []


@pytest.mark.parametrize(
    ("event", "body"),
    [
        ("issue_comment", b'{"action": "deleted"}'),
        ("issue_comment", b'{"action": "created", "comment": {"body": "I see it too"}}'),
        ("issue_comment", b'{"action": "edited", "comment": {"body": null}}'),
        ("star", b'{"action": "created"}'),
        ("create", b'{"ref": "refs/heads/main"}'),
    ],
)
async def test_events_without_meaning_are_dropped(
    endpoint: Endpoint, event: str, body: bytes
) -> None:
    """They are acknowledged, so that GitHub is content, and leave no trace."""
    assert await endpoint.post(body, X_GitHub_Event=event) == (202, {"status": "ignored"})
    assert await endpoint.stored() == []
    assert endpoint.woken == 0


@pytest.mark.parametrize(
    "given",
    [
        signature(COMMENT, "another secret"),
        signature(b"another body"),
        signature(COMMENT).upper(),
        signature(COMMENT).removeprefix("sha256="),
        signature(COMMENT)[:-1],
        signature(COMMENT) + "0",
        "sha1=" + hmac.new(SECRET.encode(), COMMENT, hashlib.sha1).hexdigest(),
        "sha256=ünïcödé",
        "sha256=",
    ],
)
async def test_a_wrong_signature_is_refused(endpoint: Endpoint, given: str) -> None:
    """401 with a sentence that names the setting; nothing is stored."""
    status, answer = await endpoint.post(X_Hub_Signature_256=given)
    assert status == 401
    assert "GITHUB_WEBHOOK_SECRET" in answer["error"]
    assert SECRET not in answer["error"]
    assert await endpoint.stored() == []


async def test_bytes_in_a_signature_that_are_no_text_are_refused(endpoint: Endpoint) -> None:
    """A header that is not even UTF-8 is a wrong signature, not a crash."""

    def send() -> int:
        connection = http.client.HTTPConnection(*endpoint.address, timeout=600)
        headers: dict[str, str | bytes] = {
            "Content-Type": "application/json",
            "X-GitHub-Event": "issue_comment",
            "X-GitHub-Delivery": "guid-1",
            "X-Hub-Signature-256": b"sha256=\xff\xfe",
        }
        connection.request("POST", "/webhook", COMMENT, headers)
        status = connection.getresponse().status
        connection.close()
        return status

    assert await asyncio.to_thread(send) == 401


async def test_sha1_alone_is_no_signature(endpoint: Endpoint) -> None:
    """The old header does not count, even when it is right."""
    sha1 = "sha1=" + hmac.new(SECRET.encode(), COMMENT, hashlib.sha1).hexdigest()
    status, answer = await endpoint.post(drop="X-Hub-Signature-256", X_Hub_Signature=sha1)
    assert status == 401
    assert "X-Hub-Signature-256 header is missing" in answer["error"]


@pytest.mark.parametrize("header", ["X-GitHub-Event", "X-GitHub-Delivery"])
async def test_a_missing_header_is_named(endpoint: Endpoint, header: str) -> None:
    """400 says which one."""
    status, answer = await endpoint.post(drop=header)
    assert status == 400
    assert header in answer["error"]


@pytest.mark.parametrize("guid", ["", "a b", "x" * 65, "../../etc", "ü"])
async def test_an_odd_delivery_id_is_refused(endpoint: Endpoint, guid: str) -> None:
    """What is no GUID never reaches the database or a log line."""
    status, _ = await endpoint.post(X_GitHub_Delivery=guid)
    assert status == 400


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "text/plain", "application/jsonx"]
)
async def test_only_json_is_taken(endpoint: Endpoint, kind: str) -> None:
    """415 tells which setting of the App to change."""
    status, answer = await endpoint.post(Content_Type=kind)
    assert status == 415
    assert "choose application/json" in answer["error"]


async def test_a_charset_is_fine(endpoint: Endpoint) -> None:
    """Parameters of the content type do not matter."""
    status, _ = await endpoint.post(Content_Type="application/json; charset=utf-8")
    assert status == 202


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"text"', b"\xff", b'{"action": 3}', b"[" * 200_000, b"{}{}"],
)
async def test_a_signed_body_that_is_no_object_is_refused(endpoint: Endpoint, body: bytes) -> None:
    """400 with a sentence, never a 500."""
    status, answer = await endpoint.post(body)
    assert status == 400
    assert answer["error"].startswith("The issue_comment webhook could not be read: ")


async def test_an_unsigned_body_is_not_parsed(endpoint: Endpoint) -> None:
    """The signature is checked first: a bad body with a bad signature is a bad signature."""
    status, _ = await endpoint.post(b"{", X_Hub_Signature_256=signature(b"other"))
    assert status == 401


@pytest.mark.parametrize("encoding", ["deflate", "gzip", "br", "zstd", "identity", "?"])
async def test_an_encoded_payload_is_refused(endpoint: Endpoint, encoding: str) -> None:
    """400 with a sentence, whether or not it is what it says: it is not even unpacked."""
    for body in (COMMENT, gzip.compress(COMMENT), zlib.compress(COMMENT)):
        status, answer = await endpoint.post(body, Content_Encoding=encoding)
        assert status == 400
        assert answer["error"].startswith("The payload has a Content-Encoding, ")


async def test_a_large_payload_is_taken(endpoint: Endpoint) -> None:
    """The 1 MiB that aiohttp allows by itself do not apply."""
    body = json.dumps({"action": "created", "padding": "x" * 3 * 2**20}).encode()
    status, _ = await endpoint.post(body)
    assert status == 202


async def test_a_payload_over_the_limit_is_refused_unread(endpoint: Endpoint) -> None:
    """413 follows from the announced length alone."""

    def send() -> int:
        connection = http.client.HTTPConnection(*endpoint.address, timeout=600)
        connection.putrequest("POST", "/webhook")
        for name, value in {
            "Content-Type": "application/json",
            "X-GitHub-Event": "issue_comment",
            "X-GitHub-Delivery": "guid-1",
            "Content-Length": str(MAX_BODY + 1),
        }.items():
            connection.putheader(name, value)
        connection.endheaders()
        status = connection.getresponse().status
        connection.close()
        return status

    assert await asyncio.to_thread(send) == 413


async def test_a_payload_without_a_length_is_bounded(endpoint: Endpoint) -> None:
    """A chunked body is cut off at the limit."""

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(MAX_BODY // 2**20 + 1):
            yield b"x" * 2**20

    status, answer = await endpoint.post(chunks())
    assert status == 413
    assert "larger than 25 MiB" in answer["error"]


async def test_a_delivery_that_cannot_be_stored_is_not_acknowledged(endpoint: Endpoint) -> None:
    """503, so that GitHub shows it as failed and it can be delivered again."""
    await endpoint.database.write(
        lambda connection: connection.execute(text("DROP TABLE deliveries"))
    )
    status, answer = await endpoint.post()
    assert (status, answer) == (
        503,
        {"error": "The delivery could not be stored; redeliver it."},
    )
    assert endpoint.woken == 0
