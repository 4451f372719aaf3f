"""Remember every proof of a pull request: what was asked, where it stands, its card."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, select, update

from bot.model.proof_card import ProofCard
from bot.model.proof_request import ProofRequest
from bot.model.repository import Repo
from bot.storage.database import Database, insert_if_new
from bot.storage.stored_json import dump_card, dump_proof_request, load_card, load_proof_request
from bot.storage.tables import proofs


class ProofState(StrEnum):
    """Where a proof is."""

    QUEUED = "queued"
    RUNNING = "running"
    STOPPING = "stopping"
    """Nobody needs it any more, and whoever works on it has to end it."""
    STOPPED = "stopped"
    DONE = "done"

    @property
    def is_over(self) -> bool:
        """Whether nobody works on it any more."""
        return self in {ProofState.STOPPED, ProofState.DONE}


_ACTIVE = [state for state in ProofState if not state.is_over]


@dataclass(frozen=True, slots=True)
class ProofRecord:
    """One proof.

    Attributes:
        request: What was asked.
        state: Where it is.
        reason: Why it stops, or ended without a card, as a sentence.
        check_run: Id of its check run, as soon as there is one.
        card: As far as it has grown; None before its first row, and in lists.
        created_at: UTC.
        updated_at: UTC, of the last change.
    """

    request: ProofRequest
    state: ProofState
    reason: str
    check_run: int | None
    card: ProofCard | None
    created_at: datetime
    updated_at: datetime


_LISTED = tuple(column for column in proofs.c if column.name != "card")


class ProofStore:
    """The table of proofs. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, request: ProofRequest) -> bool:
        """Note that a proof is wanted; return whether it is new. On disk when this returns."""
        now = datetime.now(UTC)
        row = {
            "id": request.run_id,
            "identity": request.repo.identity,
            "number": request.number,
            "head": request.head,
            "request": dump_proof_request(request),
            "state": ProofState.QUEUED,
            "begun": 0,
            "reason": "",
            "created_at": now,
            "updated_at": now,
        }
        return await self._database.write(lambda connection: insert_if_new(connection, proofs, row))

    async def get(self, proof_id: str) -> ProofRecord | None:
        """Return a proof with its card."""
        found = await self._select(select(proofs).where(proofs.c.id == proof_id))
        return found[0] if found else None

    async def of_pull(self, repo: Repo, number: int) -> tuple[ProofRecord, ...]:
        """Return the proofs of a pull request, the youngest first, without cards."""
        here = proofs.c.identity == repo.identity, proofs.c.number == number
        return await self._select(_youngest_first(select(*_LISTED).where(*here)))

    async def active(self) -> tuple[ProofRecord, ...]:
        """Return the proofs that are not over, the youngest first, without cards."""
        statement = select(*_LISTED).where(proofs.c.state.in_(_ACTIVE))
        return await self._select(_youngest_first(statement))

    async def begin(self, proof_id: str) -> int:
        """Note that a process takes it up; return how many did since it last got further."""
        return await self._change_begun(proof_id, proofs.c.begun + 1)

    async def handed_over(self, proof_id: str) -> None:
        """Note that the process leaves it to another one, through no fault of the proof's."""
        await self._change_begun(proof_id, proofs.c.begun - 1, fenced=False)

    async def got_further(self, proof_id: str) -> None:
        """Note that it did something, in this process, that it never has to do again."""
        await self._change_begun(proof_id, 1)

    async def _change_begun(self, proof_id: str, begun: Any, *, fenced: bool = True) -> int:
        changed = update(proofs).where(proofs.c.id == proof_id).values(begun=begun)
        statement = changed.returning(proofs.c.begun)
        found = await self._database.write(
            lambda connection: connection.scalar(statement), fenced=fenced
        )
        return int(found or 0)

    async def working(self, proof_id: str) -> None:
        """Note that it is under way, unless it has to stop."""
        await self._update(proof_id, {"state": ProofState.RUNNING}, among=[ProofState.QUEUED])

    async def shown_in(self, proof_id: str, check_run: int) -> None:
        """Note which check run shows it."""
        await self._update(proof_id, {"check_run_id": check_run})

    async def grown(self, proof_id: str, card: ProofCard) -> None:
        """Keep a card that has a row more."""
        await self._update(proof_id, {"card": dump_card(card)})

    async def stop(self, proof_id: str, reason: str) -> bool:
        """Have a proof stop; return whether it was still active."""
        values = {"state": ProofState.STOPPING, "reason": reason}
        return await self._update(proof_id, values, among=_ACTIVE) == 1

    async def why_to_stop(self, proof_id: str) -> str | None:
        """Return why a proof has to stop; None where it hasn't."""
        statement = select(proofs.c.state, proofs.c.reason).where(proofs.c.id == proof_id)
        row = await self._database.read(lambda connection: connection.execute(statement).first())
        return row.reason if row is not None and row.state == ProofState.STOPPING else None

    async def over(
        self, proof_id: str, card: ProofCard | None, reason: str = "", *, stopped: bool = False
    ) -> None:
        """Note how a proof ended.

        Args:
            proof_id: Of the proof.
            card: What was shown; None keeps what is there.
            reason: Why there is no more, as a sentence.
            stopped: Whether nobody needed it any more.
        """
        state = ProofState.STOPPED if stopped else ProofState.DONE
        values: dict[str, Any] = {"state": state, "reason": reason}
        if card is not None:
            values["card"] = dump_card(card)
        await self._update(proof_id, values)

    async def prune(self, older_than: datetime) -> int:
        """Delete proofs that are over and did not change since then; return how many."""
        old = proofs.c.updated_at < older_than, proofs.c.state.not_in(_ACTIVE)
        statement = delete(proofs).where(*old)
        return await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def _update(
        self, proof_id: str, values: dict[str, Any], *, among: list[ProofState] | None = None
    ) -> int:
        wanted = proofs.c.id == proof_id
        changed = update(proofs).where(wanted).values({**values, "updated_at": datetime.now(UTC)})
        statement = changed if among is None else changed.where(proofs.c.state.in_(among))

        def act(connection: Connection) -> int:
            return connection.execute(statement).rowcount

        return await self._database.write(act)

    async def _select(self, statement: Select[Any]) -> tuple[ProofRecord, ...]:
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(map(_proof, rows))


def _youngest_first(statement: Select[Any]) -> Select[Any]:
    return statement.order_by(proofs.c.created_at.desc(), proofs.c.id)


def _proof(row: Row[Any]) -> ProofRecord:
    card = getattr(row, "card", None)
    return ProofRecord(
        request=load_proof_request(row.request),
        state=ProofState(row.state),
        reason=row.reason,
        check_run=row.check_run_id,
        card=None if card is None else load_card(card),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
