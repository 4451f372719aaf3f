"""Databases whose address tests get by a variable, and without which they are skipped.

The workflows of the project say what the variable holds on GitHub. Where that is a database on the
same machine, it is started in the sandbox, with the same user and password. Reads, runs nothing.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from bot.ci.workflow.services.missing_services import SAID
from bot.ci.workflow.services.services import START, JobService
from bot.ecosystems.missing import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

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

_KINDS = {"postgres": ("postgres", 5432, "postgres"), "redis": ("redis", 6379, "")}
_MYSQL = ("mysql", 3306, "root")
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
                before = f"{SAID}\n{START}\n{service.start()}\nexport {name}={shlex.quote(value)}"
                yield Remedy(f"service {service.kind}", why, before=before)


def service_of(address: str) -> JobService | None:
    """Return the database of this machine that an address leads to, None where it is no such one."""
    if url := _URL.fullmatch(address):
        scheme = "postgres" if url["scheme"].startswith("postgres") else url["scheme"]
        kind, port, user = _KINDS.get(scheme, _MYSQL)
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
