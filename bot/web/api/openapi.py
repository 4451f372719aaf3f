"""The OpenAPI document of the API, made of the operations and models that answer it."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from bot import __version__
from bot.web.api.exchange import LONGEST_IDEMPOTENCY_KEY
from bot.web.api.operation import PREFIX, Operation
from bot.web.caller import Scope
from bot.web.problems import CONTENT_TYPE

_REFERENCES = "#/components/schemas/{model}"
_DESCRIPTION = (
    "Start repairs, follow them, answer them. Every error is a problem (RFC 9457) with a sentence "
    "in `detail`. Texts of runs, their events and logs are untrusted."
)
_ALWAYS = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
"""With what every operation may answer."""

_OF_BODIES = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
)
"""With what every operation that takes a body may answer."""

_STREAM = "text/event-stream"
_EVENT = {
    "type": "object",
    "description": "One of the events, by its fields.",
    "required": ["data"],
    "properties": {
        "data": {"type": "string", "description": "JSON."},
        "id": {"type": "string", "description": "What `Last-Event-ID` takes."},
    },
}
"""Readers of documents take the schema of a stream for that of each event."""

_PROBLEM = {
    "type": "object",
    "description": "RFC 9457 problem details.",
    "required": ["title", "status", "detail"],
    "properties": {
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What was wrong, in one sentence."},
    },
}

_HEADERS: dict[str, dict[str, Any]] = {
    "X-Request-ID": {
        "description": "Names the request in the log; the client's own if it sent one.",
        "schema": {"type": "string"},
    },
    "RateLimit-Policy": {
        "description": "Requests per window of seconds: draft-ietf-httpapi-ratelimit-headers.",
        "schema": {"type": "string"},
    },
    "RateLimit": {
        "description": "How many are left, and for how many seconds.",
        "schema": {"type": "string"},
    },
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
    "Location": {"description": "Path of what was created.", "schema": {"type": "string"}},
    "Link": {"description": "Other pages: RFC 8288.", "schema": {"type": "string"}},
}


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the document, version 3.1: https://spec.openapis.org/oas/v3.1.1.html."""
    takes = {operation.takes for operation in operations if operation.takes is not None}
    gives = {operation.gives for operation in operations if not isinstance(operation.gives, str)}
    models: list[tuple[type[BaseModel], Any]] = [
        *((entry, "validation") for entry in sorted(takes, key=lambda item: item.__name__)),
        *((entry, "serialization") for entry in sorted(gives, key=lambda item: item.__name__)),
    ]
    names, schemas = models_json_schema(models, ref_template=_REFERENCES)
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        taken = names[operation.takes, "validation"] if operation.takes is not None else None
        given = (
            names[operation.gives, "serialization"]
            if not isinstance(operation.gives, str)
            else None
        )
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(
            operation, taken, given
        )
    return {
        "openapi": "3.1.0",
        "info": {"title": "Fixpoint", "version": __version__, "description": _DESCRIPTION},
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "tags": [{"name": name} for name in dict.fromkeys(map(_tag, operations))],
        "paths": paths,
        "components": {
            "schemas": {**_listed(schemas.get("$defs", {})), "Problem": _PROBLEM},
            "headers": _HEADERS,
            "securitySchemes": {"key": _security()},
        },
    }


def _listed(schema: Any) -> Any:
    """Return a schema with each `const` as an `enum` of one, which generators of clients know.

    openapi-python-client 0.29 refuses `true` where there may be a boolean or a `const`.
    """
    if isinstance(schema, list):
        return [_listed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _listed(value) for name, value in schema.items() if name != "const"}
    return {**found, "enum": [schema["const"]]} if "const" in schema else found


def _security() -> dict[str, Any]:
    scopes = ", ".join(f"`{scope.value}`" for scope in Scope)
    return {
        "type": "http",
        "scheme": "bearer",
        "description": f"A key made with `fixpoint keys create`, with the scopes {scopes}; or the "
        "admin token, which has all of them.",
    }


def _requires(operation: Operation) -> str:
    return (
        "Requires no scope."
        if operation.scope is None
        else f"Requires the scope `{operation.scope.value}`."
    )


def _tag(operation: Operation) -> str:
    return operation.path.removeprefix(PREFIX).strip("/").partition("/")[0]


def _operation(operation: Operation, taken: Any, given: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [_tag(operation)],
        "summary": operation.summary,
        "description": _requires(operation),
        "x-scope": operation.scope,
        "responses": {
            str(int(operation.status)): _success(operation, given),
            **{str(int(status)): _problem(status) for status in _problems(operation)},
        },
    }
    if parameters := _parameters(operation):
        found["parameters"] = parameters
    if taken is not None:
        found["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": taken}},
        }
    return found


def _problems(operation: Operation) -> list[HTTPStatus]:
    return [*operation.problems, *(_OF_BODIES if operation.takes is not None else ()), *_ALWAYS]


def _success(operation: Operation, given: Any) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if isinstance(operation.gives, str):
        content[operation.gives] = {
            "schema": _EVENT if operation.gives == _STREAM else {"type": "string"}
        }
    else:
        content["application/json"] = {"schema": given}
    if operation.streams:
        content[_STREAM] = {"schema": _EVENT}
    headers = ["X-Request-ID", "RateLimit-Policy", "RateLimit"]
    if operation.takes is not None and operation.creates:
        headers.append("Location")
    if operation.paged:
        headers.append("Link")
    return {
        "description": operation.status.phrase,
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in headers},
        "content": content,
    }


def _problem(status: HTTPStatus) -> dict[str, Any]:
    headers = ["X-Request-ID"]
    if status is HTTPStatus.TOO_MANY_REQUESTS:
        headers += ["RateLimit-Policy", "RateLimit", "Retry-After"]
    return {
        "description": status.phrase,
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in headers},
        "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": schema}
        for name, schema in operation.variables().items()
    ]
    found += [
        {
            "name": parameter.name,
            "in": "query",
            "description": parameter.meaning,
            "schema": parameter.kind.schema(),
        }
        for parameter in operation.query
    ]
    if operation.repeatable:
        schema = {
            "type": "string",
            "maxLength": LONGEST_IDEMPOTENCY_KEY,
            "pattern": "^[ -~]*$",
        }
        found.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "description": "Names the request: sent again with the same key, it is done once.",
                "schema": schema,
            }
        )
    return found
