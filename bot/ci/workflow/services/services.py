"""Start a job's services inside the sandbox, where it has their programs; say it where it has not.

A service lives as long as the command that uses it: commands of a sandbox leave nothing running. So
every step starts it first, and its data stays in the sandbox's home.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bot.ci.workflow.expressions import (
    ExpressionContext,
    ExpressionError,
    Partly,
    Unknown,
    as_text,
    render,
)
from bot.ci.workflow.spec.specification import Raw
from bot.reporting.reasons import runner_differences

_IMAGE = re.compile(r"^(?:[\w.-]+(?::\d+)?/)*(?P<name>[\w.-]+?)(?::.*)?(?:@.*)?$")
_PORT = re.compile(r"^(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}:)?(?:(?P<host>\d*):)?(?P<own>\d+)(?:/tcp)?$")
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
class JobService:
    """A service that a sandbox may have.

    Attributes:
        name: In the workflow.
        kind: `postgres`, `redis` or `mysql`.
        port: On this machine's loopback, as steps expect it.
        user: Of the database.
        password: Of that user.
        database: That is there from the beginning.
        root_password: Of MySQL's own user root.
    """

    name: str
    kind: str
    port: int
    user: str
    password: str
    database: str
    root_password: str = ""

    def start(self) -> str:
        """Return the bash line that starts it, making its data first if need be."""
        words = ("ci_service", self.kind, self.name, str(self.port))
        return shlex.join((*words, self.user, self.password, self.database, self.root_password))


def filled_services(declared: Mapping[str, Raw], scope: ExpressionContext) -> dict[str, Raw]:
    """Return what a job declares with its expressions filled; one without an image is none."""
    filled = {name: _filled(service, scope) for name, service in declared.items()}
    return {name: service for name, service in filled.items() if _image(service) != ""}


def _filled(service: Raw, scope: ExpressionContext) -> Raw:
    if isinstance(service, Mapping):
        return {key: _filled(item, scope) for key, item in service.items()}
    if isinstance(service, list):
        return [_filled(item, scope) for item in service]
    try:
        value = render(service, scope)
    except ExpressionError:
        return service
    return as_text(value) or None if isinstance(value, Unknown | Partly) else value


def _image(service: Raw) -> Raw:
    return service.get("image") if isinstance(service, Mapping) else service


def services(declared: Mapping[str, Raw]) -> tuple[JobService, ...]:
    """Return the services of kinds that are known, each at a port of its own."""
    found: list[JobService] = []
    for name, declaration in declared.items():
        service = _service(name, declaration)
        if service is None:
            continue
        taken = {other.port for other in found}
        while service.port in taken:
            service = replace(service, port=service.port + 1)
        found.append(service)
    return tuple(found)


def published(declared: Mapping[str, Raw]) -> dict[str, dict[str, str]]:
    """Return for each service the port of this machine by the container's, as `job` tells them."""
    here = {service.name: service for service in services(declared)}
    found: dict[str, dict[str, str]] = {}
    for name, declaration in declared.items():
        ports = {match["own"]: match["host"] or match["own"] for match in _ports(declaration)}
        if name in here and (own := str(_KINDS[_kind(declaration)][1])) in ports:
            ports[own] = str(here[name].port)
        found[name] = ports
    return found


def service_sentences(declared: Mapping[str, Raw]) -> Iterator[str]:
    """Yield one sentence per service that a sandbox never has."""
    for name, service in declared.items():
        if _service(name, service) is None:
            image = _image(service)
            yield runner_differences.service_missing(name, image if isinstance(image, str) else "")
        else:
            yield runner_differences.service_of_sandbox(name)


def _kind(declared: Raw) -> str:
    """Return an image's name without registry and tag."""
    image = _image(declared)
    match = _IMAGE.match(image) if isinstance(image, str) else None
    return match["name"] if match else ""


def _service(name: str, declared: Raw) -> JobService | None:
    image = _kind(declared)
    if image not in _KINDS:
        return None
    kind, port = _KINDS[image]
    env = declared.get("env") if isinstance(declared, Mapping) else None
    given = env if isinstance(env, Mapping) else {}
    values = {str(key): str(value) for key, value in given.items()}
    listens = _published(declared, port)
    match kind:
        case "postgres":
            user = values.get("POSTGRES_USER", "postgres")
            password = values.get("POSTGRES_PASSWORD", "")
            return JobService(name, kind, listens, user, password, values.get("POSTGRES_DB", user))
        case "mysql":
            return _mysql(name, listens, values)
        case _:
            return JobService(name, kind, listens, "", values.get("REDIS_PASSWORD", ""), "")


def _mysql(name: str, port: int, values: Mapping[str, str]) -> JobService:
    """Return what the images of MySQL and MariaDB make of these variables."""

    def given(key: str) -> str:
        return values.get(f"MYSQL_{key}", values.get(f"MARIADB_{key}", ""))

    user, root = given("USER") or "root", given("ROOT_PASSWORD")
    password = root if user == "root" else given("PASSWORD")
    return JobService(name, "mysql", port, user, password, given("DATABASE"), root)


def _published(declared: Raw, own: int) -> int:
    """Return the port of the runner that leads to the service's own."""
    found = (int(match["host"] or own) for match in _ports(declared) if int(match["own"]) == own)
    return next(found, own)


def _ports(declared: Raw) -> Iterator[re.Match[str]]:
    ports = declared.get("ports") if isinstance(declared, Mapping) else None
    found = (_PORT.match(as_text(port)) for port in ports) if isinstance(ports, list) else ()
    return (match for match in found if match is not None)


MYSQL_RUNS = r"""
# ci_mysql_runs NAME PORT [OPTION...]: start it with the data that are there.
ci_mysql_runs() {
  local data=~/.ci/services/$1 port=$2
  shift 2
  [ ! -f "$data.pem" ] || set -- --ssl-cert="$data.pem" --ssl-key="$data.key" "$@"
  rm -f "/tmp/mysql-$port.sock" "/tmp/mysql-$port.sock.lock"
  # No job of the step's own shell: a `wait` there must not wait for it.
  (setsid mysqld --no-defaults --datadir="$data" --port="$port" --bind-address=127.0.0.1 --skip-name-resolve --socket="/tmp/mysql-$port.sock" --pid-file="$data.pid" --innodb-flush-log-at-trx-commit=2 "$@" >>"$data.log" 2>&1 </dev/null &)
}
"""

START = (
    MYSQL_RUNS
    + r"""
# ci_listens PORT: wait until something does, for 30 seconds at most.
ci_listens() {
  local n
  for n in $(seq 300); do
    (exec 3<>/dev/tcp/127.0.0.1/"$1") 2>/dev/null && return 0
    sleep 0.1
  done
  return 1
}

# ci_mysql_accounts USER PASSWORD DATABASE ROOT_PASSWORD: print the SQL that makes them, as often as it is done.
ci_mysql_accounts() {
  local user password root account
  user=${1//\'/\'\'} password=${2//\\/\\\\} root=${4//\\/\\\\}
  password=${password//\'/\'\'} root=${root//\'/\'\'}
  [ -z "$3" ] || printf 'CREATE DATABASE IF NOT EXISTS `%s`;\n' "${3//\`/}"
  printf "CREATE USER IF NOT EXISTS root@'%%' IDENTIFIED BY '%s';\n" "$root"
  for account in % localhost 127.0.0.1 ::1; do printf "ALTER USER IF EXISTS root@'%s' IDENTIFIED BY '%s';\n" "$account" "$root"; done
  printf "GRANT ALL ON *.* TO root@'%%' WITH GRANT OPTION;\n"
  [ "$1" != root ] || return 0
  printf "CREATE USER IF NOT EXISTS '%s'@'%%' IDENTIFIED BY '%s';\n" "$user" "$password"
  [ -z "$3" ] || printf "GRANT ALL ON \`%s\`.* TO '%s'@'%%';\n" "${3//\`/}" "$user"
}

# ci_mysql_certificate DATA: make one where there is OpenSSL: MySQL has one from the beginning, MariaDB has not.
ci_mysql_certificate() { openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=localhost -keyout "$1.key" -out "$1.pem" || rm -f "$1.pem"; }

# ci_service KIND NAME PORT USER PASSWORD DATABASE ROOT_PASSWORD: start a service for this command.
ci_service() {
  local data=~/.ci/services/$2 log=~/.ci/services/$2.log programs
  (exec 3<>/dev/tcp/127.0.0.1/"$3") 2>/dev/null && return 0
  mkdir -p ~/.ci/services
  case $1 in
    postgres)
      programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
      PATH=$PATH${programs:+:$programs}
      if ! command -v initdb >/dev/null; then ci_said "The service $2 (PostgreSQL) is not installed in this sandbox: steps that connect to it fail."; return 0; fi
      if [ ! -d "$data" ]; then
        printf '%s\n' "${5:-x}" >"$data.pw"
        initdb -D "$data" -U "$4" --pwfile="$data.pw" -A scram-sha-256 -E UTF8 --no-sync >"$log" 2>&1 || { ci_said "The service $2 did not start here."; return 0; }
      fi
      rm -f "$data/postmaster.pid" "/tmp/.s.PGSQL.$3" "/tmp/.s.PGSQL.$3.lock"
      pg_ctl -D "$data" -s -w -t 30 -l "$log" -o "-p $3 -h 127.0.0.1 -k /tmp -F" start >/dev/null 2>&1 </dev/null || return 0
      [ "$6" = postgres ] || PGPASSWORD=${5:-x} createdb -h 127.0.0.1 -p "$3" -U "$4" -- "$6" 2>/dev/null || true
      ;;
    redis)
      programs=$(command -v redis-server || command -v valkey-server)
      if [ -z "$programs" ]; then ci_said "The service $2 (Redis) is not installed in this sandbox: steps that connect to it fail."; return 0; fi
      mkdir -p "$data"
      "$programs" --port "$3" --bind 127.0.0.1 --dir "$data" --save '' --appendonly yes --appendfsync no ${5:+--requirepass "$5"} --daemonize yes --logfile "$log" >/dev/null 2>&1 || true
      ci_listens "$3" || ci_said "The service $2 did not start here."
      ;;
    mysql)
      if ! command -v mysqld >/dev/null; then ci_said "The service $2 (MySQL) is not installed in this sandbox: steps that connect to it fail."; return 0; fi
      if [ ! -d "$data" ]; then
        if mysqld --version 2>/dev/null | grep -qi mariadb; then
          mariadb-install-db --no-defaults --datadir="$data" --auth-root-authentication-method=normal --skip-test-db &&
            ci_mysql_certificate "$data"
        else
          mysqld --no-defaults --initialize-insecure --datadir="$data"
        fi >"$log" 2>&1 || { rm -rf "$data"; ci_said "The service $2 did not start here."; return 0; }
      fi
      ci_mysql_accounts "$4" "$5" "$6" "$7" >"$data.sql"
      ci_mysql_runs "$2" "$3" --init-file="$data.sql"
      ci_listens "$3" || ci_said "The service $2 did not start here."
      ;;
  esac
  return 0
}
"""
)
"""Bash; the second start of a service that runs already does no harm."""
