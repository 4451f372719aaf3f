"""What the tables were while rows belonged to names of repositories, for SQLite and PostgreSQL."""

from __future__ import annotations

NAMED_TABLES = (
    "DROP INDEX runs_by_identity",
    "DROP INDEX runs_counted",
    "DROP INDEX memory_entries_found",
    "DROP INDEX memory_entries_of_pull",
    "DROP INDEX repair_outcomes_of_pull",
    "ALTER TABLE runs DROP COLUMN identity",
    "ALTER TABLE sessions DROP COLUMN identity",
    "ALTER TABLE memory_entries DROP COLUMN identity",
    "ALTER TABLE repair_outcomes DROP COLUMN identity",
    "ALTER TABLE last_words DROP COLUMN repository_id",
    "ALTER TABLE api_keys DROP COLUMN identities",
    "DROP TABLE repositories",
    "DROP TABLE commits_of_repositories",
    "DROP TABLE pulls_of_repositories",
    "DROP TABLE switches_of_repositories",
    "DROP TABLE stops_of_repositories",
    "DROP TABLE lessons_of_repositories",
    """CREATE TABLE watched_commits (
        repository VARCHAR(255) NOT NULL, sha VARCHAR(64) NOT NULL, full_name VARCHAR(255) NOT NULL,
        installation_id BIGINT NOT NULL, branch TEXT NOT NULL, state VARCHAR(16) NOT NULL,
        due_at BIGINT NOT NULL, first_at BIGINT NOT NULL, looks INTEGER NOT NULL,
        changes INTEGER NOT NULL, asked_by VARCHAR(255) NOT NULL, published_by VARCHAR(32),
        note TEXT NOT NULL, claimed_by VARCHAR(32), PRIMARY KEY (repository, sha))""",
    """CREATE TABLE open_pulls (
        repository VARCHAR(255) NOT NULL, number INTEGER NOT NULL, full_name VARCHAR(255) NOT NULL,
        installation_id BIGINT NOT NULL, base VARCHAR(255) NOT NULL, seen VARCHAR(64) NOT NULL,
        due_at BIGINT, looks INTEGER NOT NULL, changes INTEGER NOT NULL, note TEXT NOT NULL,
        claimed_by VARCHAR(32), PRIMARY KEY (repository, number))""",
    """CREATE TABLE auto_switches (
        repository VARCHAR(255) NOT NULL, number INTEGER NOT NULL, "on" BOOLEAN NOT NULL,
        actor VARCHAR(255) NOT NULL, set_at BIGINT NOT NULL, PRIMARY KEY (repository, number))""",
    """CREATE TABLE stops (
        repository VARCHAR(255) NOT NULL, number INTEGER NOT NULL, asked_at BIGINT NOT NULL,
        comment_id BIGINT NOT NULL, PRIMARY KEY (repository, number))""",
    """CREATE TABLE memory_lessons (
        repository VARCHAR(255) NOT NULL, id VARCHAR(16) NOT NULL, installation_id BIGINT NOT NULL,
        text TEXT NOT NULL, url TEXT NOT NULL, author TEXT NOT NULL, state VARCHAR(16) NOT NULL,
        confirmed_by TEXT NOT NULL, pull_request INTEGER, comment_id BIGINT, made_at BIGINT NOT NULL,
        PRIMARY KEY (repository, id))""",
    "DELETE FROM migrations WHERE number = 8",
)
