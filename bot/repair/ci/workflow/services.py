"""Start a job's services inside the sandbox, where it has their programs; say it where it has not.

A service lives as long as the command that uses it: commands of a sandbox leave nothing running. So
every step starts it first, and its data stays in the sandbox's home.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.repair.ci.workflow.specification import Raw

_IMAGE = re.compile(r"^(?:[\w.-]+(?::\d+)?/)*(?P<name>[\w.-]+?)(?::.*)?(?:@.*)?$")
_PORT = re.compile(r"^(?:(?P<host>\d+):)?(?P<own>\d+)(?:/tcp)?$")
_KINDS = {
    "postgres": ("postgres", 5432),
    "postgresql": ("postgres", 5432),
    "postgis": ("postgres", 5432),
    "pgvector": ("postgres", 5432),
    "timescaledb": ("postgres", 5432),
    "redis": ("redis", 6379),
    "valkey": ("redis", 6379),
    "mysql": ("mysql", 3306),
    "mariadb": ("mysql", 3306),
}
"""Images by their name without registry and tag, with what they are and the port they listen on."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service that a sandbox may have.

    Attributes:
        name: In the workflow.
        kind: `postgres`, `redis` or `mysql`.
        port: On this machine's loopback, as steps expect it.
        user: Of the database.
        password: Of that user.
        database: That is there from the beginning.
    """

    name: str
    kind: str
    port: int
    user: str
    password: str
    database: str

    def start(self) -> str:
        """Return the bash line that starts it, making its data first if need be."""
        words = ("ci_service", self.kind, self.name, str(self.port))
        return shlex.join((*words, self.user, self.password, self.database))


def services(declared: Mapping[str, Raw]) -> tuple[Service, ...]:
    """Return the services of kinds that are known."""
    found = (_service(name, service) for name, service in declared.items())
    return tuple(service for service in found if service is not None)


def service_sentences(declared: Mapping[str, Raw]) -> Iterator[str]:
    """Yield one sentence per service that a sandbox never has."""
    for name, service in declared.items():
        if _service(name, service) is None:
            image = service.get("image") if isinstance(service, Mapping) else service
            made = f" (`{image}`)" if isinstance(image, str) and image else ""
            yield f"The service `{name}`{made} is not started here: steps that connect to it fail."
        else:
            yield (
                f"The service `{name}` is the sandbox's own program at its own version, where it "
                "has one."
            )


def _service(name: str, declared: Raw) -> Service | None:
    image = declared.get("image") if isinstance(declared, Mapping) else declared
    match = _IMAGE.match(image) if isinstance(image, str) else None
    if match is None or match["name"] not in _KINDS:
        return None
    kind, port = _KINDS[match["name"]]
    env = declared.get("env") if isinstance(declared, Mapping) else None
    given = env if isinstance(env, Mapping) else {}
    values = {str(key): str(value) for key, value in given.items()}
    prefix = "POSTGRES" if kind == "postgres" else "MYSQL"
    user = values.get(f"{prefix}_USER", "postgres" if kind == "postgres" else "root")
    password = values.get(f"{prefix}_PASSWORD", values.get("MYSQL_ROOT_PASSWORD", ""))
    database = values.get(f"{prefix}_DB", values.get("MYSQL_DATABASE", user))
    return Service(name, kind, _published(declared, port), user, password, database)


def _published(declared: Raw, own: int) -> int:
    """Return the port of the runner that leads to the service's own."""
    ports = declared.get("ports") if isinstance(declared, Mapping) else None
    for port in ports if isinstance(ports, list) else []:
        match = _PORT.match(str(port))
        if match and int(match["own"]) == own:
            return int(match["host"] or own)
    return own


START = r"""
# ci_service KIND NAME PORT USER PASSWORD DATABASE: start a service for this command.
ci_service() {
  local data=~/.ci/services/$2 log=~/.ci/services/$2.log programs
  (exec 3<>/dev/tcp/127.0.0.1/"$3") 2>/dev/null && return 0
  mkdir -p ~/.ci/services
  case $1 in
    postgres)
      programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
      PATH=$PATH${programs:+:$programs}
      if ! command -v initdb >/dev/null; then ci_said "The service $2 (PostgreSQL) is not in this sandbox: steps that connect to it fail."; return 0; fi
      if [ ! -d "$data" ]; then
        printf '%s\n' "${5:-x}" >"$data.pw"
        initdb -D "$data" -U "$4" --pwfile="$data.pw" -A scram-sha-256 -E UTF8 --no-sync >"$log" 2>&1 || { ci_said "The service $2 does not start here."; return 0; }
      fi
      rm -f "$data/postmaster.pid" "/tmp/.s.PGSQL.$3" "/tmp/.s.PGSQL.$3.lock"
      pg_ctl -D "$data" -s -w -t 30 -l "$log" -o "-p $3 -h 127.0.0.1 -k /tmp -F" start >/dev/null 2>&1 </dev/null || return 0
      [ "$6" = postgres ] || PGPASSWORD=${5:-x} createdb -h 127.0.0.1 -p "$3" -U "$4" -- "$6" 2>/dev/null || true
      ;;
    redis)
      if ! command -v redis-server >/dev/null; then ci_said "The service $2 (Redis) is not in this sandbox: steps that connect to it fail."; return 0; fi
      redis-server --port "$3" --bind 127.0.0.1 --save '' --daemonize yes --logfile "$log" >/dev/null 2>&1 || true
      ;;
    mysql)
      if ! command -v mysqld >/dev/null; then ci_said "The service $2 (MySQL) is not in this sandbox: steps that connect to it fail."; return 0; fi
      [ -d "$data" ] || mysqld --no-defaults --initialize-insecure --datadir="$data" >"$log" 2>&1 || { ci_said "The service $2 does not start here."; return 0; }
      mysqld --no-defaults --datadir="$data" --port="$3" --bind-address=127.0.0.1 --socket=/tmp/mysql.sock --daemonize --log-error="$log" >/dev/null 2>&1 || true
      printf "ALTER USER root@localhost IDENTIFIED BY '%s'; CREATE DATABASE IF NOT EXISTS \`%s\`;" "$5" "$6" | mysql --no-defaults -u root -S /tmp/mysql.sock >/dev/null 2>&1 || true
      ;;
  esac
  return 0
}
"""
"""Bash; the second start of a service that runs already does no harm."""
