"""Servers on one PostgreSQL, as a platform would run them: whichever ends is started again."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Mapping
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Self

from bench.chaos.plan import Disaster, Kind
from tests.contract.postgres import PostgresServer
from tests.flows.server_process import PATIENCE, ServerProcess

ROLES = ("serve", "serve", "worker")


class Member:
    """One place for a server, whoever has it at the moment."""

    def __init__(self, role: str, variables: Mapping[str, str], folder: Path) -> None:
        folder.mkdir()
        self.port = _free_port()
        ports = {"PORT": str(self.port), "FIXPOINT_WORKER_PORT": str(self.port)}
        self.process = ServerProcess({**variables, **ports}, folder, role=role)
        self.role = role
        self.folder = folder
        self.up = False

    @property
    def webhook(self) -> str | None:
        """Where it takes webhooks; None where it doesn't at the moment."""
        return (
            f"http://127.0.0.1:{self.port}/webhook" if self.up and self.role != "worker" else None
        )

    async def start(self) -> None:
        """Start it, again and again until it stands."""
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    await self.process.start()
                    break
                except AssertionError:  # it ended: the database is away
                    await asyncio.sleep(0.5)
        self.up = True

    async def kill(self) -> None:
        """End it at once."""
        self.up = False
        await self.process.kill()

    async def stop(self) -> int:
        """Ask it to end, and return how it did."""
        self.up = False
        await self.process.stop()
        return await self.process.exit_code()


class Company:
    """All of them.

    Attributes:
        members: In order.
        odd: What no server should do, in words.
    """

    def __init__(
        self,
        root: Path,
        variables: Mapping[str, str],
        postgres: PostgresServer,
        roles: tuple[str, ...] = ROLES,
    ) -> None:
        """Give each a data folder of its own below `root`."""
        self.members = []
        self.odd: list[str] = []
        self._postgres = postgres
        for number, role in enumerate(roles):
            folder = root / f"machine-{number}"
            own = {"FIXPOINT_DATA": str(folder / "data")}
            self.members.append(Member(role, {**variables, **own}, folder))

    async def __aenter__(self) -> Self:
        """Start all of them."""
        try:
            for member in self.members:
                await member.start()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """End all of them."""
        for member in self.members:
            await member.kill()

    @property
    def webhooks(self) -> list[str]:
        """Where webhooks are taken at the moment."""
        return [member.webhook for member in self.members if member.webhook is not None]

    async def suffer(self, disaster: Disaster) -> None:
        """Let a disaster happen, and see to it that all servers stand again."""
        member = self.members[disaster.server]
        match disaster.kind:
            case Kind.KILL:
                await member.kill()
                await member.start()
            case Kind.STALL:
                member.process.send(SIGSTOP)
                await asyncio.sleep(disaster.seconds)
                if member.process.lives_on:
                    member.process.send(SIGCONT)
            case Kind.STOP:
                if (code := await member.stop()) != 0:
                    self.odd.append(f"exit code {code} after SIGTERM")
                await member.start()
            case Kind.DATABASE_RESTART:
                await asyncio.to_thread(self._postgres.restart, "fast")
            case Kind.DATABASE_CRASH:
                await asyncio.to_thread(self._postgres.restart, "immediate")
            case Kind.READ_ONLY:
                await asyncio.to_thread(self._postgres.refuse_writes, refused=True)
                await asyncio.sleep(disaster.seconds)
                await asyncio.to_thread(self._postgres.refuse_writes, refused=False)
        await self._revive()

    async def _revive(self) -> None:
        """Start whoever ended by itself, which is nothing that a server should do."""
        for member in self.members:
            if not member.process.lives_on:
                member.up = False
                self.odd.append(f"{member.role} ended by itself: {member.process.text[-2000:]}")
                await member.start()

    def taken_up(self) -> int:
        """Return how often a run was taken up, by any server in any of its lives."""
        return sum(member.process.text.count('"event": "run taken up"') for member in self.members)


def _free_port() -> int:
    with contextlib.closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
