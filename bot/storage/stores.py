"""Everything that the server remembers, in one bundle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from bot.storage.approvals import ApprovalStore
from bot.storage.commits import CommitStore
from bot.storage.database import Database
from bot.storage.deliveries import DeliveryStore
from bot.storage.ledger import Ledger
from bot.storage.runs import RunStore
from bot.storage.stops import StopStore
from bot.storage.switches import SwitchStore


@dataclass(frozen=True, slots=True)
class Stores:
    """What deliveries, runs and looks at commits have in common, each table with its own words."""

    deliveries: DeliveryStore
    runs: RunStore
    commits: CommitStore
    switches: SwitchStore
    stops: StopStore
    approvals: ApprovalStore
    ledger: Ledger

    @classmethod
    def on(cls, database: Database, ledger: Ledger) -> Self:
        """Return the stores of a database; the ledger may be on a connection of its own."""
        return cls(
            DeliveryStore(database),
            RunStore(database),
            CommitStore(database),
            SwitchStore(database),
            StopStore(database),
            ApprovalStore(database),
            ledger,
        )
