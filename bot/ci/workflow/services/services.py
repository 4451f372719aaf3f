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
from bot.ci.workflow.inside import source
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


def start_functions() -> str:
    """Return the bash that starts services; a second start of one that runs already does no harm."""
    return source("mysql_runs.sh") + source("services.sh")
