"""Databases that tests lack: started as the project's own files describe them, with what was missing in them.

A database may have refused a connection, be named by a variable without which tests are skipped, or
lack the account or the database that a test connects to. It is the sandbox's own, on the loopback, so
whoever asks may be let in. Reads, runs nothing.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

from bot.ci.workflow.services.services import JobService, published, services, start_functions
from bot.ci.workflow.services.system_services import let_in
from bot.ecosystems.missing import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

_REFUSED = r"refused|ECONNREFUSED|Errno 111|Can't connect|[Cc]ould not connect"
_HOST = r"(?:localhost|127\.0\.0\.1|::1)"
_KINDS = {"5432": "postgres", "3306": "mysql", "6379": "redis"}
_ABSENT = {
    "27017": "MongoDB",
    "5672": "RabbitMQ",
    "9200": "Elasticsearch",
    "9092": "Kafka",
    "11211": "memcached",
    "9042": "Cassandra",
    "1433": "SQL Server",
    "8123": "ClickHouse",
    "4222": "NATS",
    "2379": "etcd",
    "9000": "MinIO",
    "4566": "LocalStack",
}
"""What listens on these ports wherever people leave them as they are, and is not started here."""

_PORT = r"\b(?P<port>[1-9]\d{2,4})\b"
_CONNECTIONS = (
    re.compile(rf"{_HOST}[^\n]{{0,60}}?{_PORT}[^\n]{{0,120}}?(?:{_REFUSED})"),
    re.compile(rf"(?:{_REFUSED})[^\n]{{0,120}}?{_HOST}[^\n]{{0,60}}?{_PORT}"),
)
_MYSQL = re.compile(
    rf"Can't connect to (?:local )?(?:MySQL )?server on '{_HOST}'[^\n]{{0,40}}?(?:refused|\(11[15]\))"
)
"""Which tells no port."""

_SOCKETS = {
    "postgres": (
        re.compile(r"\.s\.PGSQL\.5432\b[^\n]{0,60}\n?[^\n]{0,60}No such file"),
        "export PGHOST=127.0.0.1",
    ),
    "mysql": (
        re.compile(r"Can't connect to (?:local )?(?:MySQL )?server through socket"),
        "export MYSQL_UNIX_PORT=/tmp/mysql-3306.sock",
    ),
}
"""Where the path of a socket is said, and how clients find the one of the service:
https://www.postgresql.org/docs/current/libpq-envars.html,
https://dev.mysql.com/doc/refman/8.4/en/environment-variables.html."""

_COMPOSE = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
_WORKFLOWS = (".github/workflows/*.yml", ".github/workflows/*.yaml")
_USERS = {"postgres": ("postgres", "postgres", "postgres"), "mysql": ("root", "", "test")}
"""User, password and database where the project describes none: those of the images' own pages."""

SAID = "ci_said() { printf 'fixpoint: %s\\n' \"$*\" >&2; }"
"""What the shell text that starts services tells people with."""


def missing_services(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the start of each database that refused a connection; it lives as long as a command.

    Of other services it says which they are.
    """
    found = list(refused_ports(symptoms.output))
    if _MYSQL.search(symptoms.output):
        found.append("3306")
    for port in dict.fromkeys(port for port in found if port in _ABSENT):
        why = setup_repair.service_absent(_ABSENT[port], port)
        yield Remedy(f"service {_ABSENT[port]}", why, outside=True)
    kinds = {_KINDS[port]: "" for port in found if port in _KINDS}
    kinds |= {kind: way for kind, (said, way) in _SOCKETS.items() if said.search(symptoms.output)}
    for kind, way in kinds.items():
        service, origin = service_for(kind, tree)
        known = "" if origin else let_in(service)
        before = "\n".join(filter(None, (SAID, start_functions(), service.start(), known, way)))
        why = setup_repair.service_started(kind, service.port, origin)
        yield Remedy(f"service {kind}", why, before=before, outside=True)


def refused_ports(text: str) -> Iterator[str]:
    """Yield the ports of this machine at which a text says that nobody listened."""
    return (match["port"] for pattern in _CONNECTIONS for match in pattern.finditer(text))


def described_ports(tree: Tree) -> dict[str, str]:
    """Return what the project's compose files and workflows run beside it: names by port."""
    return {
        port: name
        for declared, _ in _declared(tree)
        for name, ports in published(declared).items()
        for port in ports.values()
    }


def service_for(kind: str, tree: Tree) -> tuple[JobService, str]:
    """Return a database as the project describes it with the file that does, else a plain one."""
    port = next(int(port) for port, name in _KINDS.items() if name == kind)
    return next(_described(kind, tree), (_plain(kind, port), ""))


def _described(kind: str, tree: Tree) -> Iterator[tuple[JobService, str]]:
    """Yield the services of a kind in compose files and workflows, with their file."""
    for declared, path in _declared(tree):
        yield from ((service, path) for service in services(declared) if service.kind == kind)


def _declared(tree: Tree) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the services of each compose file and of each job, as a job has them, with their file."""
    for path in _COMPOSE:
        declared = _mapping(_mapping(_document(tree, path)).get("services"))
        yield {name: _as_job(key) for name, key in declared.items()}, path
    for path in (path for pattern in _WORKFLOWS for path in tree.glob(pattern)):
        for job in _mapping(_mapping(_document(tree, path)).get("jobs")).values():
            yield _mapping(_mapping(job).get("services")), path


def _as_job(service: object) -> dict[str, Any]:
    """Return a service of a compose file as a workflow has it."""
    values = _mapping(service)
    given = values.get("environment")
    pairs = (str(line).partition("=") for line in given) if isinstance(given, list) else ()
    env = _mapping(given) or {name: value for name, _, value in pairs}
    return {**values, "env": env}


def _plain(kind: str, port: int) -> JobService:
    user, password, database = _USERS.get(kind, ("", "", ""))
    return JobService(kind, kind, port, user, password, database)


def _document(tree: Tree, path: str) -> object:
    from bot.config.yaml_document import Unreadable, read  # slow, and most runs miss no database

    try:
        return read(tree.read(path) or "").value
    except Unreadable:
        return None


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


_FILES = (
    *(".github/workflows/*.yml", ".github/workflows/*.yaml"),
    *("tox.ini", ".env.example", ".env.test", "compose.yaml", "docker-compose.yml"),
)
_LINE = re.compile(
    r"^[ \t-]*(?:export )?(?P<name>[A-Z][A-Z0-9_]{2,})[ \t]*[:=][ \t]*"
    r"(?P<quote>[\"']?)(?P<value>[^\"'\n$]{1,200})(?P=quote)[ \t]*$",
    re.MULTILINE,
)
_URL = re.compile(
    r"(?P<scheme>postgres(?:ql)?|mysql|mariadb|redis)(?:\+\w+)?://"
    r"(?:(?P<user>[^:@/\s]*)(?::(?P<password>[^@/\s]*))?@)?(?:localhost|127\.0\.0\.1)"
    r"(?::(?P<port>\d+))?(?:/(?P<database>[\w-]*))?"
)
_WORDS = re.compile(r"(?P<key>host|port|user|password|dbname)\s*=\s*(?P<value>\S+)")
"""A connection string of libpq: https://www.postgresql.org/docs/current/libpq-connect.html"""

_KIND_OF_SCHEME = {"postgres": ("postgres", 5432, "postgres"), "redis": ("redis", 6379, "")}
_MYSQL_KIND = ("mysql", 3306, "root")
_TEST_FILES = ("conftest.py", "test*/*.py", "test*/*/*.py", "*/test*/*.py", "*/conftest.py")
_MOST_TEST_FILES = 400


def named_services(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield each database that a variable of skipped tests leads to, with the variable."""
    if not symptoms.left_out:
        return
    tests = [path for pattern in _TEST_FILES for path in tree.glob(pattern)][:_MOST_TEST_FILES]
    texts = [tree.read(path) or "" for path in tests]
    for path in (path for pattern in _FILES for path in tree.glob(pattern)):
        for match in _LINE.finditer(tree.read(path) or ""):
            name, value = match["name"], match["value"].strip()
            service = service_of(value)
            quoted = re.compile(rf"[\"']{re.escape(name)}[\"']")
            if service is not None and any(map(quoted.search, texts)):
                why = setup_repair.service_named(service.kind, name, path)
                export = f"export {name}={shlex.quote(value)}"
                before = f"{SAID}\n{start_functions()}\n{service.start()}\n{export}"
                yield Remedy(f"service {service.kind}", why, before=before)


def service_of(address: str) -> JobService | None:
    """Return the database of this machine that an address leads to, None where it is no such one."""
    if url := _URL.fullmatch(address):
        scheme = "postgres" if url["scheme"].startswith("postgres") else url["scheme"]
        kind, port, user = _KIND_OF_SCHEME.get(scheme, _MYSQL_KIND)
        own = url["user"] or user
        database = "" if kind == "redis" else url["database"] or (own if kind == "postgres" else "")
        return JobService(
            kind, kind, int(url["port"] or port), own, url["password"] or "", database
        )
    words = {match["key"]: match["value"] for match in _WORDS.finditer(address)}
    if words.get("host") not in {"localhost", "127.0.0.1"} or not {"user", "dbname"} & words.keys():
        return None
    named, listens = words.get("user", "postgres"), words.get("port", "5432")
    if not listens.isdigit():
        return None
    password, database = words.get("password", ""), words.get("dbname", named)
    return JobService("postgres", "postgres", int(listens), named, password, database)


_NAME = r"\\?[\"'](?P<name>[\w.-]{1,63})\\?[\"']"
_ROLE = re.compile(rf"(?:password authentication failed for user|role) {_NAME}(?: does not exist)?")
_DATABASE = re.compile(rf"database {_NAME} does not exist")
_OF_MYSQL = re.compile(rf"Unknown database {_NAME}")
_DENIED = re.compile(
    r"Access denied for user \\?'(?P<name>[\w.-]{0,80})\\?'@\\?'(?:localhost|127\.0\.0\.1|::1)"
)
_FATAL = re.compile(r"FATAL:[ \t]+")
"""How PostgreSQL begins what ends a connection; queries may fail with the same words."""


def named_in_databases(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the making of each account and database that a server says it does not have."""
    for fatal in _FATAL.finditer(symptoms.output):
        for pattern in (_ROLE, _DATABASE):
            if found := pattern.match(symptoms.output, fatal.end()):
                yield _postgres(found["name"], tree, is_role=pattern is _ROLE)
    for found in _OF_MYSQL.finditer(symptoms.output):
        why = setup_repair.database_made("mysql", found["name"])
        before = let_in(service_for("mysql", tree)[0], database=found["name"])
        yield Remedy(f"mysql database {found['name']}", why, before=before)
    for found in _DENIED.finditer(symptoms.output):
        why = setup_repair.everybody_let_in("mysql", found["name"])
        yield Remedy("mysql account", why, before=let_in(service_for("mysql", tree)[0]))


def _postgres(name: str, tree: Tree, *, is_role: bool) -> Remedy:
    service, _ = service_for("postgres", tree)
    role, database = (name, "") if is_role else ("", name)
    why = (setup_repair.user_made if is_role else setup_repair.database_made)("postgres", name)
    kind = "role" if is_role else "database"
    return Remedy(f"postgres {kind} {name}", why, before=let_in(service, role, database))
