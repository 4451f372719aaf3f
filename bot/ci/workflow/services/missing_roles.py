"""Accounts and databases by name that tests connect to, and that a server started for them lacks.

The server is one of the sandbox's own, on the loopback, so whoever asks may be let in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.ci.workflow.services.missing_services import service_for
from bot.ci.workflow.services.trust_auth import let_in
from bot.ecosystems.missing import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

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
