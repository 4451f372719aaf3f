"""A real PostgreSQL server of this test run: private socket, throw-away data, no TCP."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import psycopg
import pytest
from psycopg import sql

from tests.contract.shared import folder_of_run, shared

_OWN_SCHEMAS = "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)'"


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A running server, reached through the socket in `folder`; the database is this worker's."""

    folder: Path
    database: str

    def empty_database(self) -> str:
        """Return the SQLAlchemy URL of a database, after dropping what an earlier test left there.

        Dropping a few tables is fifty times as fast as a new database, which is 300 files.
        """
        with psycopg.connect(
            host=str(self.folder), user="fixpoint", dbname=self.database, autocommit=True
        ) as connection:
            connection.execute("SET lock_timeout = '600s'")  # of a connection that was left open
            for schema in connection.execute(_OWN_SCHEMAS).fetchall():
                connection.execute(
                    sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(*schema))
                )
            connection.execute("CREATE SCHEMA public")
        return f"postgresql+psycopg://fixpoint@/{self.database}?host={self.folder}"

    def restart(self, how: Literal["fast", "immediate"]) -> None:
        """End every connection and begin anew; `immediate` is as a crash."""
        _run([*_control(self.folder), "-m", how, "restart"], _unprivileged(self.folder))

    def refuse_writes(self, *, refused: bool) -> None:
        """Be read-only, as a standby is, or take writes again."""
        value = sql.SQL("on" if refused else "off")
        with psycopg.connect(
            host=str(self.folder), user="fixpoint", dbname=self.database, autocommit=True
        ) as connection:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute(
                sql.SQL("ALTER SYSTEM SET default_transaction_read_only = {}").format(value)
            )
            connection.execute("SELECT pg_reload_conf()")


@contextmanager
def own_server() -> Iterator[PostgresServer]:
    """Start a server for whoever is no test."""
    [*_, newest] = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    with _server(newest.parent) as folder:
        yield PostgresServer(folder, _new_database(folder, "own"))


@pytest.fixture(scope="session")
def postgres(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PostgresServer]:
    """Start the server once per run, or skip with what is missing."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql).")
    here, worker = folder_of_run(request, tmp_path_factory), tmp_path_factory.getbasetemp().name
    with shared(here, "postgres", lambda: _server(programs[-1].parent)) as folder:
        yield PostgresServer(folder, _new_database(folder, f"of-{worker}"))


def _new_database(folder: Path, name: str) -> str:
    with psycopg.connect(
        host=str(folder), user="fixpoint", dbname="postgres", autocommit=True
    ) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return name


@contextmanager
def _server(programs: Path) -> Iterator[Path]:
    # Not below pytest's folder: that one is closed to the server's user, and its path may be
    # longer than a socket's may be.
    folder = Path(tempfile.mkdtemp(prefix="fixpoint-pg-"))
    account = _unprivileged(folder)
    data = folder / "data"
    _run([str(programs / "initdb"), "-D", str(data), "-U", "fixpoint", "-A", "trust"], account)
    options = f"-c listen_addresses= -c fsync=off -k {folder}"
    control = _control(folder)
    _run([*control, "-o", options, "start"], account)
    try:
        yield folder
    finally:
        _run([*control, "-m", "immediate", "stop"], account)
        shutil.rmtree(folder)


def _control(folder: Path) -> list[str]:
    [*_, newest] = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    return [str(newest), "-D", str(folder / "data"), "-w", "-l", str(folder / "log")]


def _unprivileged(folder: Path) -> dict[str, Any]:
    """Return subprocess arguments for another user: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    entry = pwd.getpwnam("nobody")
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": [], "cwd": folder}


def _run(command: list[str], account: dict[str, Any]) -> None:
    # A file, not a pipe: the server inherits it and would keep a pipe open.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(command, stdout=output, stderr=output, check=False, **account)
        output.seek(0)
        assert done.returncode == 0, output.read().decode()
