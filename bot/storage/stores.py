"""Everything that the server remembers, in one bundle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from bot.model.embedding import Embedder
from bot.model.memory_sharing import Sharing
from bot.storage.api_keys import ApiKeyStore
from bot.storage.approvals import ApprovalStore
from bot.storage.automatic_runs import SwitchStore
from bot.storage.broken_releases import BrokenReleaseStore
from bot.storage.commits import CommitStore
from bot.storage.database import Database
from bot.storage.deliveries import DeliveryStore
from bot.storage.events import EventStore
from bot.storage.github_quotas import GitHubQuotas
from bot.storage.last_words import LastWords
from bot.storage.ledger import Ledger
from bot.storage.lessons import LessonStore
from bot.storage.memory import MemoryStore
from bot.storage.names import NameStore
from bot.storage.open_pulls import OpenPullStore
from bot.storage.outcomes import OutcomeStore
from bot.storage.proofs import ProofStore
from bot.storage.pull_memory import PullMemory
from bot.storage.quarantines import QuarantineStore
from bot.storage.queue_entries import QueueEntryStore
from bot.storage.request_counts import RequestCounts
from bot.storage.route_history import StoredRouteHistory
from bot.storage.run_queue import RunQueue
from bot.storage.runs import RunStore
from bot.storage.seen_tests import SeenTestStore
from bot.storage.sessions import SessionStore
from bot.storage.stops import StopStore
from bot.storage.webhook_messages import MessageStore
from bot.storage.webhooks import WebhookStore


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
    events: EventStore
    quotas: GitHubQuotas
    keys: ApiKeyStore
    webhooks: WebhookStore
    messages: MessageStore
    sessions: SessionStore
    requests: RequestCounts
    queue: RunQueue
    last_words: LastWords
    names: NameStore
    memory: MemoryStore
    lessons: LessonStore
    outcomes: OutcomeStore
    routes: StoredRouteHistory
    pulls: OpenPullStore
    pull_memory: PullMemory
    proofs: ProofStore
    releases: BrokenReleaseStore
    queued_pulls: QueueEntryStore
    tests: SeenTestStore
    quarantines: QuarantineStore

    @classmethod
    def on(
        cls,
        database: Database,
        ledger: Ledger,
        unflushed: Database | None = None,
        queue: Callable[[Database], RunQueue] = RunQueue,
        embedder: Embedder | None = None,
        sharing: Sharing = Sharing.NONE,
    ) -> Self:
        """Return the stores of a database.

        Args:
            database: Of deliveries and runs.
            ledger: May be on a connection of its own.
            unflushed: For events, quotas and counts, of which a power cut may cost the last; `database`
                if None.
            queue: Opens the queue with its limits.
            embedder: Makes the vectors by which what was tried is found again; local if None.
            sharing: What repositories may read of each other's memory.
        """
        events = EventStore(unflushed or database)
        return cls(
            DeliveryStore(database),
            RunStore(database, events.signals),
            CommitStore(database),
            SwitchStore(database),
            StopStore(database),
            ApprovalStore(database),
            ledger,
            events,
            GitHubQuotas(unflushed or database),
            ApiKeyStore(database),
            WebhookStore(database),
            MessageStore(database),
            SessionStore(database),
            RequestCounts(unflushed or database),
            queue(database),
            LastWords(database),
            NameStore(database),
            MemoryStore(database, embedder, sharing),
            LessonStore(database),
            OutcomeStore(database),
            StoredRouteHistory(database),
            OpenPullStore(database),
            PullMemory(database),
            ProofStore(database),
            BrokenReleaseStore(database),
            QueueEntryStore(database),
            SeenTestStore(database),
            QuarantineStore(database),
        )
