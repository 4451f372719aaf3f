"""Take a place among the servers of a database, and write only as long as one has it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from bot.background import in_background
from bot.runs.durability.dbos_runs import STEPS_VERSION
from bot.runs.timing import Timing
from bot.server.membership import Membership, new_id
from bot.server.roles import ServerRole
from bot.settings.environment import ServerSettings
from bot.storage.database import Database, open_database
from bot.storage.group_commit import Fence
from bot.storage.server_locks import ServerLocks
from bot.storage.servers import ServerStore


@dataclass(frozen=True, slots=True)
class ServerDatabase:
    """The database, as one of its servers has it.

    Attributes:
        database: Its writes are on disk when they return.
        unflushed: Of its writes a power cut may cost the last.
        servers: All of them.
        membership: This one's.
        fence: What refuses to write once this one was taken for dead.
    """

    database: Database
    unflushed: Database
    servers: ServerStore
    membership: Membership
    fence: Fence


@asynccontextmanager
async def joined(
    settings: ServerSettings, role: ServerRole, timing: Timing
) -> AsyncIterator[ServerDatabase]:
    """Be one of the servers while the block lasts.

    Raises:
        UsageError: When the database can't be used.
    """
    url, stall = settings.database_url, timing.stall_seconds
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(await open_database(url, stall_seconds=stall))
        # What a power cut costs it, it costs the steps that it belongs to as well.
        unflushed = await stack.enter_async_context(
            await open_database(url, flushed=False, stall_seconds=stall)
        )
        servers = ServerStore(database)
        membership = Membership(servers, ServerLocks.of(url, new_id()), role, timing)
        await stack.enter_async_context(membership.joined(STEPS_VERSION))
        await stack.enter_async_context(in_background(membership.keep_beating))
        fence = servers.fence(membership.id)
        for item in (database, unflushed):
            item.fenced_by(fence)
        yield ServerDatabase(database, unflushed, servers, membership, fence)
