"""What webhooks are promised, on SQLite and on PostgreSQL, with real receivers over real HTTP."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from pydantic import SecretStr

from bot.background import in_background
from bot.model import Verdict
from bot.model.request import FixRequest
from bot.storage.database import Database, open_database
from bot.storage.ledger import Ledger
from bot.storage.runs import RunStatus
from bot.storage.stores import Stores
from bot.storage.webhooks import MessageState, Webhook, WebhookFormat, WebhookType
from bot.web.webhooks.sender import WebhookSender
from tests.contract.databases import url
from tests.contract.run_requests import REQUEST
from tests.fakes.webhook_receiver import Received, open_receiver

__all__ = ["url"]  # a fixture: pytest finds it by name

LEASE = timedelta(minutes=1)


@pytest.fixture
async def database(url: SecretStr) -> AsyncIterator[Database]:
    """Open an empty database."""
    async with await open_database(url) as opened:
        yield opened


@pytest.fixture
def stores(database: Database) -> Stores:
    """All stores on it."""
    return Stores.on(database, Ledger(database))


@asynccontextmanager
async def sending(stores: Stores) -> AsyncIterator[None]:
    sender = WebhookSender(stores, first_wait=0.001, lease=timedelta(seconds=0.5))
    async with in_background(sender.keep_sending):
        yield


async def finish(stores: Stores, request: FixRequest = REQUEST) -> None:
    """Let a run happen."""
    await stores.runs.create(request, "delivery")
    await stores.runs.update(request.run_id, status=RunStatus.RUNNING)
    await stores.runs.update(
        request.run_id, status=RunStatus.DONE, verdict=Verdict.GAVE_UP, reason="No idea."
    )


async def until(stores: Stores, webhook: Webhook, state: MessageState, count: int) -> None:
    async with asyncio.timeout(600):
        while (await stores.messages.standing(webhook.id)).counts.get(state) != count:  # noqa: ASYNC110 - the database tells nobody
            await asyncio.sleep(0.02)


async def test_chats_get_a_line(stores: Stores) -> None:
    """Slack and Teams get what they show: title and outcome, in which nothing of a stranger acts."""
    title = "<!channel> *it* is [red](https://evil.test)"
    async with open_receiver() as receiver, sending(stores):
        chats = [
            await stores.webhooks.add(receiver.url, [WebhookType.FINISHED], local=True, format=chat)
            for chat in (WebhookFormat.SLACK, WebhookFormat.TEAMS)
        ]
        await stores.runs.create(REQUEST, "delivery")
        await stores.runs.update(REQUEST.run_id, title=title)
        await finish(stores)
        for webhook in chats:
            await until(stores, webhook, MessageState.SENT, 1)
    bodies = [received.json for received in receiver.received]
    [text] = [body["text"] for body in bodies if "text" in body]
    assert "&lt;!channel&gt; \u2217it\u2217 is [red](https://evil.test)" in text
    assert "No idea." in text
    [card] = [body["attachments"][0]["content"] for body in bodies if "attachments" in body]
    assert {part["type"] for part in card["body"]} == {"RichTextBlock"}
    assert title in card["body"][0]["inlines"][1]["text"]


def is_signed(secret: SecretStr, received: Received) -> bool:
    """Whether a signature is right, by the words of the specification."""
    headers = {name.lower(): value for name, value in received.headers.items()}
    key = base64.b64decode(secret.get_secret_value().removeprefix("whsec_"))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{received.body.decode()}"
    wanted = base64.b64encode(hmac.digest(key, content.encode(), hashlib.sha256)).decode()
    return headers["webhook-signature"] == f"v1,{wanted}"


async def test_messages_arrive_signed_and_in_order(stores: Stores) -> None:
    """Those that were wanted, each with the run as it was then."""
    async with open_receiver() as receiver, sending(stores):
        types = (WebhookType.QUEUED, WebhookType.STARTED, WebhookType.FINISHED)
        webhook = await stores.webhooks.add(receiver.url, types, local=True)
        one = await stores.webhooks.add(receiver.url, [WebhookType.WAITING], local=True)
        await finish(stores)
        await until(stores, webhook, MessageState.SENT, 3)
        assert (await stores.messages.standing(one.id)).counts == {}
    told = [received.json for received in receiver.received]
    assert [text["type"] for text in told] == ["run.queued", "run.started", "run.finished"]
    assert [text["data"]["status"] for text in told] == ["queued", "running", "done"]
    assert told[-1]["data"] | {
        "repository": "Octo/Widgets", "verdict": "gave_up", "reason": "No idea.", "event": 3,
    } == told[-1]["data"]  # fmt: skip
    assert all(is_signed(webhook.secret, received) for received in receiver.received)
    assert not is_signed(SecretStr("whsec_AAAA"), receiver.received[0])


async def test_it_goes_on_after_a_wait_is_resumed(stores: Stores) -> None:
    """A run that a person approved does not start twice."""
    webhook = await stores.webhooks.add("https://hook.test/", WebhookType, local=False)
    await stores.runs.create(REQUEST, "delivery")
    for status in (RunStatus.RUNNING, RunStatus.WAITING, RunStatus.RUNNING):
        await stores.runs.update(REQUEST.run_id, status=status)
    types = []
    for _ in range(4):
        claimed = await stores.messages.claim(webhook.id, LEASE)
        assert claimed is not None
        types.append(claimed[1].type)
    assert types == ["run.queued", "run.started", "run.waiting", "run.resumed"]
    assert await stores.messages.claim(webhook.id, LEASE) is None


async def test_what_failed_is_sent_again_also_by_the_next_process(stores: Stores) -> None:
    """With the same id, whatever the receiver said; redirects are not followed."""
    headers = {"Location": "/elsewhere"}
    async with open_receiver([500, 302, 429], headers) as receiver:
        webhook = await stores.webhooks.add(receiver.url, [WebhookType.FINISHED], local=True)
        async with sending(stores):
            pass
        await finish(stores)
        async with sending(stores):
            await receiver.until(1)
        async with sending(stores):
            await until(stores, webhook, MessageState.SENT, 1)
        assert len(receiver.received) >= 4
        assert {received.path for received in receiver.received} == {"/hook"}
        assert {received.headers["webhook-id"] for received in receiver.received} == {
            f"msg_{REQUEST.run_id}_3"
        }


async def test_a_receiver_that_is_gone_gets_no_more(stores: Stores) -> None:
    """As status 410 says, and without a word to anybody else."""
    async with open_receiver([410]) as gone, open_receiver() as there, sending(stores):
        first = await stores.webhooks.add(gone.url, WebhookType, local=True)
        second = await stores.webhooks.add(there.url, WebhookType, local=True)
        await finish(stores)
        await until(stores, first, MessageState.DEAD, 3)
        await finish(stores, replace(REQUEST, comment_id=502))
        await until(stores, second, MessageState.SENT, 6)
    assert len(gone.received) == 1
    assert (await stores.messages.standing(first.id)).counts == {MessageState.DEAD: 3}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"])
async def test_it_leads_to_nothing_of_ours(database: Database, host: str) -> None:
    """Without the operator's permission, no name or address of this machine is connected to."""
    stores = Stores.on(database, Ledger(database))
    async with open_receiver() as receiver, sending(stores):
        address = receiver.url.replace("127.0.0.1", host)
        webhook = await stores.webhooks.add(address, [WebhookType.QUEUED], local=False)
        await stores.runs.create(REQUEST, "delivery")
        async with asyncio.timeout(600):
            while not (await stores.messages.standing(webhook.id)).problem:  # noqa: ASYNC110 - likewise
                await asyncio.sleep(0.02)
    assert receiver.received == []
    problem = (await stores.messages.standing(webhook.id)).problem
    assert "this machine or into a private network" in problem


async def test_a_webhook_can_be_removed(stores: Stores) -> None:
    """With what it still had to be told."""
    webhook = await stores.webhooks.add("https://hook.test/", WebhookType, local=False)
    await finish(stores)
    assert await stores.webhooks.remove(webhook.id)
    assert not await stores.webhooks.remove(webhook.id)
    assert await stores.webhooks.list() == ()
    assert await stores.messages.next_due() is None
