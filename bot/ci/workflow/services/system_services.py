"""Databases that GitHub's runners have installed, and that a step starts as a system service.

A service lives as long as the command that uses it, so what a step started is started again by
every later one. Users and passwords are those of the runner's image:
https://github.com/actions/runner-images/blob/main/images/ubuntu/Ubuntu2404-Readme.md#databases.
"""

from __future__ import annotations

import shlex

from bot.ci.workflow.inside import source
from bot.ci.workflow.services.services import JobService

_MYSQL = JobService("mysql", "mysql", 3306, "root", "root", "", "root")
_POSTGRES = JobService("postgresql", "postgres", 5432, "postgres", "root", "postgres")
_REDIS = JobService("redis", "redis", 6379, "", "", "")


def functions() -> str:
    """Return what starts a service by its name; behind the functions of services."""
    return source(
        "system_services.sh",
        MYSQL=_MYSQL.start(),
        POSTGRES=_POSTGRES.start(),
        REDIS=_REDIS.start(),
        LET_INTO_POSTGRES=let_in(_POSTGRES),
    )


def begin() -> str:
    """Return what every step begins with."""
    return source("system_services_begin.sh")


def let_in(service: JobService, role: str = "", database: str = "") -> str:
    """Return the bash text that lets everybody in, and makes a user of PostgreSQL or a database.

    Whatever user and password they name: it is the sandbox's own and listens on the loopback. A
    service of another kind asks nobody: its text is empty.
    """
    name, port, root = service.name, str(service.port), service.root_password
    match service.kind:
        case "postgres":
            call = shlex.join(("ci_let_in", name, port, service.user, role, database))
            return source("let_into_postgres.sh") + call
        case "mysql":
            call = shlex.join(("ci_mysql_let_in", name, port, root, database))
            return source("mysql_runs.sh") + source("let_into_mysql.sh") + call
        case _:
            return ""
