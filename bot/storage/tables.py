"""Every table of both databases, and the column types that they share.

`metadata` is of the database of deliveries and runs, `steps_metadata` of the one of durable steps.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Row,
    String,
    Table,
    Text,
    text,
)
from sqlalchemy.types import TypeDecorator

from bot.model.repository import Repo

SCHEMA_VERSION = 1
"""Raised by one with a change that a program of before could not work with.

A new table is created where it is missing; any other change is a step in `migrations.py`.
"""


metadata = MetaData()


schema_version = Table("schema_version", metadata, Column("version", Integer, primary_key=True))


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC moment as microseconds since 1970: the same, and sortable, on both databases."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Store the moment."""
        del dialect
        return None if value is None else round(value.timestamp() * 1_000_000)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """Give the moment back."""
        del dialect
        return None if value is None else datetime.fromtimestamp(value / 1_000_000, tz=UTC)


class PlainText(TypeDecorator[str]):
    """Text of any origin, less what PostgreSQL or UTF-8 can't hold: NUL and lone surrogates."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Store the text."""
        del dialect
        if value is None:
            return None
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _identity() -> Column[str]:
    """Return the column of `Repo.identity`, by which rows belong to their repository.

    It is empty in rows of a version that knew names alone, until it is sure whose they are: they are
    found by nobody who looks at a repository.
    """
    return Column("identity", String(255))


migrations = Table(
    "migrations",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("applied_at", UtcDateTime, nullable=False),
)


servers = Table(
    "servers",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("role", String(16), nullable=False),
    Column("host", PlainText, nullable=False),
    Column("version", String(32), nullable=False),
    # Of stored steps: runs of a version are left to servers of that version.
    Column("steps", String(16), nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("beat_at", UtcDateTime, nullable=False),
    Column("beats", BigInteger, nullable=False),
)


# How many runs each server may work on at once at the moment.
server_places = Table(
    "server_places",
    metadata,
    Column("server_id", String(32), primary_key=True),
    Column("places", Integer, nullable=False),
)


duties = Table(
    "duties",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("server_id", String(32), nullable=False),
)


deliveries = Table(
    "deliveries",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("event", String(64), nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("received_at", UtcDateTime, nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("note", PlainText, nullable=False),
    # The server that works on it, while that one lives, and what it must not be overtaken in.
    Column("claimed_by", String(32)),
    Column("thread", String(300)),
    Index("deliveries_by_state", "state", "received_at"),
)


runs = Table(
    "runs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("repository", String(255), nullable=False),
    Column("number", Integer, nullable=False),
    Column("request", LargeBinary, nullable=False),
    Column("delivery_id", String(64), nullable=False),
    Column("status", String(16), nullable=False),
    Column("begun", Integer, nullable=False),
    Column("verdict", String(32)),
    Column("reason", PlainText, nullable=False),
    Column("head", String(64)),
    Column("stop_requested", Boolean, nullable=False),
    Column("report", LargeBinary),
    Column("progress_comment_id", BigInteger),
    Column("pull_request", Integer),
    Column("pull_request_url", PlainText),
    # Decimal text: SQLite would make it a float.
    Column("cost_usd", String(32)),
    Column("tokens", BigInteger, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    # What lists call it: the title of its issue, and how far it came.
    Column("title", PlainText),
    Column("phase", String(32)),
    _identity(),
    Index("runs_by_thread", "repository", "number", "created_at"),
    Index("runs_by_identity", "identity", "number", "created_at"),
    Index("runs_by_status", "status"),
    Index("runs_by_age", "created_at"),
    # All that figures are made of: in a file, what is behind a report is found by reading past it.
    Index(
        "runs_counted",
        *(
            "status",
            "created_at",
            "verdict",
            "repository",
            "identity",
            "updated_at",
            "cost_usd",
            "tokens",
            "id",
        ),
        sqlite_where=text("verdict IS NOT NULL"),
        postgresql_where=text("verdict IS NOT NULL"),
    ),
)


# Proofs of pull requests. A card is JSON, as far as it has grown.
proofs = Table(
    "proofs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("identity", String(255), nullable=False),
    Column("number", Integer, nullable=False),
    Column("head", String(64), nullable=False),
    Column("request", LargeBinary, nullable=False),
    Column("state", String(16), nullable=False),
    Column("begun", Integer, nullable=False),
    # Why it has to stop, or why it has no card.
    Column("reason", PlainText, nullable=False),
    Column("check_run_id", BigInteger),
    Column("card", LargeBinary),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Index("proofs_of_pull", "identity", "number", "created_at"),
    Index("proofs_by_state", "state", "created_at"),
)


# Under which name, and through which installation, a repository was seen last.
repositories = Table(
    "repositories",
    metadata,
    Column("identity", String(255), primary_key=True),
    Column("full_name", String(255), nullable=False),
    # The same in lower case, by which people look for it.
    Column("name", String(255), nullable=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
    Index("repositories_by_name", "name"),
)


# Runs that wait for a place or have one; for a while also those that are over.
run_queue = Table(
    "run_queue",
    metadata,
    Column("run_id", String(32), primary_key=True),
    Column("installation_id", BigInteger, nullable=False),
    Column("repository", String(255), nullable=False),
    Column("number", Integer, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("queued_at", UtcDateTime, nullable=False),
    Column("admitted_at", UtcDateTime),
    Column("ended_at", UtcDateTime),
    # What people were told of its position, and until when it may not leave the queue, because they
    # are being told.
    Column("told", PlainText),
    Column("told_at", UtcDateTime),
    Column("telling_until", UtcDateTime),
    Index("run_queue_by_state", "state", "ended_at"),
)


# Whose turn it was last: everything, each installation, repository and thread.
queue_turns = Table(
    "queue_turns",
    metadata,
    Column("flow", String(400), primary_key=True),
    Column("served_at", UtcDateTime, nullable=False),
    Column("passed", Integer, nullable=False),
)


# How many attempts a run made, as soon as it has a report. Runs of before have none.
attempts_made = Table(
    "attempts_made",
    metadata,
    Column("run_id", String(32), primary_key=True),
    Column("attempts", Integer, nullable=False),
)


events = Table(
    "run_events",
    metadata,
    Column("run_id", String(32), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("type", String(16), nullable=False),
    Column("key", String(64), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("data", PlainText, nullable=False),
    Index("run_events_by_key", "run_id", "key", unique=True),
    Index("run_events_by_age", "at"),
)


# What runs said at their ends, until it is sure that no late edit of their progress replaced it.
last_words = Table(
    "last_words",
    metadata,
    Column("run_id", String(32), primary_key=True),
    Column("full_name", String(255), nullable=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("comment_id", BigInteger),
    Column("text", PlainText, nullable=False),
    Column("check_run_id", BigInteger),
    # JSON of the check run's report.
    Column("report", PlainText),
    Column("said_at", UtcDateTime, nullable=False),
    Column("looks", Integer, nullable=False),
    Column("repository_id", BigInteger),
    Index("last_words_by_age", "said_at"),
)


commits = Table(
    "commits_of_repositories",
    metadata,
    Column("identity", String(255), primary_key=True),
    Column("sha", String(64), primary_key=True),
    Column("full_name", String(255), nullable=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("branch", PlainText, nullable=False),
    Column("state", String(16), nullable=False),
    Column("due_at", UtcDateTime, nullable=False),
    Column("first_at", UtcDateTime, nullable=False),
    Column("looks", Integer, nullable=False),
    Column("changes", Integer, nullable=False),
    Column("asked_by", String(255), nullable=False),
    Column("asked_for", String(16)),
    Column("published_by", String(32)),
    Column("note", PlainText, nullable=False),
    Column("claimed_by", String(32)),
    Index("commits_of_repositories_due", "state", "due_at"),
)


# Pull requests of ours that are open. `seen` is the base's head at the last look that was finished.
open_pulls = Table(
    "pulls_of_repositories",
    metadata,
    Column("identity", String(255), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("full_name", String(255), nullable=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("base", String(255), nullable=False),
    Column("seen", String(64), nullable=False),
    Column("due_at", UtcDateTime),
    Column("looks", Integer, nullable=False),
    Column("changes", Integer, nullable=False),
    Column("note", PlainText, nullable=False),
    Column("claimed_by", String(32)),
    Index("pulls_of_repositories_due", "due_at"),
)


approvals = Table(
    "approvals",
    metadata,
    # A question's key, which begins with the run's id.
    Column("run_id", String(32), primary_key=True),
    Column("until", UtcDateTime, nullable=False),
    Column("answer", String(16)),
    Column("by", PlainText, nullable=False),
    # What it asks for; by our clock when; by GitHub's, when people could read it.
    Column("about", PlainText),
    Column("asked_at", UtcDateTime),
    Column("posted_at", UtcDateTime),
)


api_keys = Table(
    "api_keys",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("name", String(100), nullable=False),
    # SHA-256 of the whole key, in hex: the key itself is nowhere.
    Column("digest", String(64), nullable=False),
    # Scopes, and repositories unless it is all of them: JSON lists.
    Column("scopes", Text, nullable=False),
    # In names. What counts is `identities`, JSON too; none of a key that only names limit.
    Column("repositories", Text),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime),
    Column("revoked_at", UtcDateTime),
    Column("used_at", UtcDateTime),
    Column("identities", Text),
)


sessions = Table(
    "sessions",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("repository", String(255), nullable=False),
    Column("full_name", String(255), nullable=False),
    Column("title", PlainText, nullable=False),
    Column("started_by", PlainText, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    _identity(),
    Index("sessions_by_age", "created_at"),
)


session_runs = Table(
    "session_runs",
    metadata,
    Column("session_id", String(32), primary_key=True),
    # From 1: a prompt's place.
    Column("place", Integer, primary_key=True),
    Column("run_id", String(32), nullable=False),
    # By which the client may repeat the prompt; "" if it gave none.
    Column("key", PlainText, nullable=False),
)


webhooks = Table(
    "webhooks",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("url", Text, nullable=False),
    # It signs, so that it can't be a digest.
    Column("secret", String(100), nullable=False),
    # JSON list of the types that it gets.
    Column("types", Text, nullable=False),
    Column("local", Boolean, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("gone_at", UtcDateTime),
    Column("format", String(16)),
)


webhook_messages = Table(
    "webhook_messages",
    metadata,
    Column("webhook_id", String(16), primary_key=True),
    Column("run_id", String(32), primary_key=True),
    # Of the event in its run.
    Column("number", Integer, primary_key=True),
    Column("type", String(32), nullable=False),
    Column("state", String(16), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("due_at", UtcDateTime, nullable=False),
    Column("note", PlainText, nullable=False),
    Index("webhook_messages_by_due", "state", "webhook_id", "due_at"),
)


# Releases that were proven to break a repository of an owner, and what it did about them.
broken_releases = Table(
    "broken_releases",
    metadata,
    # "#" and the installation; a login where a version stored it that knew no better: nobody's.
    Column("owner", String(255), primary_key=True),
    Column("registry", String(16), primary_key=True),
    Column("package", String(255), primary_key=True),
    Column("after", String(100), primary_key=True),
    Column("before", String(100), nullable=False),
    # JSON of names of the package, each with what takes its place.
    Column("followed", PlainText, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
)


# Heads of merge queues, each with the pull request that was added last.
queue_entries = Table(
    "queue_entries",
    metadata,
    Column("identity", String(255), primary_key=True),
    Column("head", String(64), primary_key=True),
    Column("parent", String(64), nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("base_branch", String(255), nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
    Index("queue_entries_by_age", "seen_at"),
)


# How tests ended on commits: those that were seen failing.
seen_tests = Table(
    "seen_tests",
    metadata,
    Column("identity", String(255), primary_key=True),
    # Of the test's id, which may be long.
    Column("digest", String(32), primary_key=True),
    Column("commit_sha", String(64), primary_key=True),
    # Name of GitHub's check; "" for a sandbox.
    Column("place", String(255), primary_key=True),
    Column("test", PlainText, nullable=False),
    Column("branch", String(255), nullable=False),
    Column("number", Integer),
    Column("failed", Boolean, nullable=False),
    Column("message", PlainText, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
    # Who looks after it; null or "" where that is not known.
    Column("owner", PlainText),
    Index("seen_tests_of_repository", "identity", "seen_at"),
    Index("seen_tests_by_age", "seen_at"),
)


# Flaky tests in quarantine: those that ended are kept for a while.
quarantines = Table(
    "quarantines",
    metadata,
    Column("identity", String(255), primary_key=True),
    # Of what all ids of the test have in common.
    Column("digest", String(32), primary_key=True),
    Column("run_id", String(64), primary_key=True),
    Column("repository", String(255), nullable=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("test", PlainText, nullable=False),
    Column("path", PlainText, nullable=False),
    # "" without a mark.
    Column("kind", String(32), nullable=False),
    # JSON: names, and where they are from; "" for nobody.
    Column("owner", PlainText, nullable=False),
    Column("state", String(16), nullable=False),
    Column("until", UtcDateTime, nullable=False),
    Column("opened_at", UtcDateTime, nullable=False),
    Column("issue", BigInteger),
    Column("pull", BigInteger),
    Column("removal", BigInteger),
    Column("repaired_by", BigInteger),
    Index("quarantines_due", "state", "until"),
)


switches = Table(
    "switches_of_repositories",
    metadata,
    Column("identity", String(255), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("on", Boolean, nullable=False),
    Column("actor", String(255), nullable=False),
    Column("set_at", UtcDateTime, nullable=False),
)


stops = Table(
    "stops_of_repositories",
    metadata,
    Column("identity", String(255), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("asked_at", UtcDateTime, nullable=False),
    Column("comment_id", BigInteger, nullable=False),
)


accounts = Table(
    "ledger_accounts",
    metadata,
    Column("key", String(400), primary_key=True),
    Column("spent", BigInteger, nullable=False),
    Column("reserved", BigInteger, nullable=False),
    Column("spent_tokens", BigInteger, nullable=False),
    Column("reserved_tokens", BigInteger, nullable=False),
    Column("sandbox_ms", BigInteger, nullable=False),
    Column("unpriced", Integer, nullable=False),
)


reservations = Table(
    "ledger_reservations",
    metadata,
    Column("run_id", String(32), primary_key=True),
    Column("call", String(200), primary_key=True),
    # JSON list of the accounts' keys: a call that is settled after midnight is yesterday's.
    Column("accounts", Text, nullable=False),
    Column("reserved", BigInteger, nullable=False),
    Column("reserved_tokens", BigInteger, nullable=False),
    Column("priced", Boolean, nullable=False),
    Column("is_open", Boolean, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Index("ledger_reservations_open", "is_open", "run_id"),
)


github_quotas = Table(
    "github_quotas",
    metadata,
    Column("installation_id", BigInteger, primary_key=True, autoincrement=False),
    # Of GitHub's primary rate limit: requests in each window, what is left, when the next begins.
    Column("allowed", Integer, nullable=False),
    Column("remaining", Integer, nullable=False),
    Column("resets_at", UtcDateTime, nullable=False),
    # Of a secondary one.
    Column("paused_until", UtcDateTime, nullable=False),
    # When the last request that changes something would have gone at an even pace.
    Column("write_due", UtcDateTime, nullable=False),
)


# When the last request that creates content would have gone at an even pace.
github_creations = Table(
    "github_creations",
    metadata,
    Column("installation_id", BigInteger, primary_key=True, autoincrement=False),
    Column("due", UtcDateTime, nullable=False),
)


# Requests of the API in the minute that a caller sent some last; `window` counts minutes.
request_counts = Table(
    "api_request_counts",
    metadata,
    Column("caller", String(120), primary_key=True),
    Column("window", BigInteger, nullable=False),
    Column("taken", Integer, nullable=False),
)


# What earlier runs of a repository tried, and what became of it. An installation's own.
memory_entries = Table(
    "memory_entries",
    metadata,
    # Its row in the full-text index of a file.
    Column("number", Integer, primary_key=True),
    Column("id", String(48), nullable=False, unique=True),
    Column("run_id", String(32), nullable=False),
    Column("repository", String(255), nullable=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("fingerprint", String(32), nullable=False),
    # JSON of what never changes but for the patch, which has no place in what lists read.
    Column("entry", PlainText, nullable=False),
    Column("patch", LargeBinary),
    # Compressed JSON: the files that the patch changes, as they were.
    Column("before", LargeBinary),
    Column("became", String(16), nullable=False),
    Column("pull_request", Integer),
    Column("url", PlainText, nullable=False),
    Column("commit_sha", String(64), nullable=False),
    Column("merge_sha", String(64), nullable=False),
    # JSON of what people said of its pull request; empty for nothing.
    Column("remarks", PlainText),
    # Who else may read it, where the operator shares; empty for nobody.
    Column("reach", String(16)),
    # For the search: words, and a vector of bytes with the name of what made it.
    Column("words", PlainText, nullable=False),
    Column("embedder", String(100), nullable=False),
    Column("vector", LargeBinary),
    Column("made_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    _identity(),
    Index("memory_entries_found", "identity", "installation_id", "fingerprint"),
    Index("memory_entries_of_pull", "identity", "pull_request"),
    Index("memory_entries_expiry", "expires_at"),
)


# What became of the repair that a run published; also where nothing is remembered.
repair_outcomes = Table(
    "repair_outcomes",
    metadata,
    Column("run_id", String(32), primary_key=True),
    Column("repository", String(255), nullable=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("pull_request", Integer),
    Column("commit_sha", String(64), nullable=False),
    Column("merge_sha", String(64), nullable=False),
    Column("became", String(16), nullable=False),
    Column("published_at", UtcDateTime, nullable=False),
    _identity(),
    Index("repair_outcomes_of_pull", "identity", "pull_request"),
    Index("repair_outcomes_age", "published_at", "became"),
)


memory_lessons = Table(
    "lessons_of_repositories",
    metadata,
    Column("identity", String(255), primary_key=True),
    Column("id", String(16), primary_key=True),
    Column("full_name", String(255), nullable=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("text", PlainText, nullable=False),
    Column("url", PlainText, nullable=False),
    Column("author", PlainText, nullable=False),
    Column("state", String(16), nullable=False),
    Column("confirmed_by", PlainText, nullable=False),
    Column("pull_request", Integer),
    Column("comment_id", BigInteger),
    Column("made_at", UtcDateTime, nullable=False),
)


def repo_of(row: Row[Any]) -> Repo:
    """Return the repository of a row with the columns `full_name`, `installation_id` and `identity`."""
    return Repo(row.full_name, row.installation_id, number_of(row.identity))


def number_of(identity: str | None) -> int | None:
    """Return GitHub's number of a repository; None where it is not known."""
    return int(identity) if identity is not None and identity.isdecimal() else None


steps_metadata = MetaData()


finished_acts = Table(
    "finished_acts",
    steps_metadata,
    Column("run_id", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("result", LargeBinary, nullable=False),
    Column("kept_at", UtcDateTime, nullable=False, index=True),
)
