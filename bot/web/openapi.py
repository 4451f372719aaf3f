"""The OpenAPI document of the API, made of the operations and models that answer it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from bot import __version__
from bot.web.api import PREFIX, Operation
from bot.web.problems import CONTENT_TYPE

_REFERENCES = "#/components/schemas/{model}"
_ID = {"type": "string", "pattern": "^[0-9a-f]{12}$"}


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the document, version 3.1: https://spec.openapis.org/oas/v3.1.1.html."""
    takes = {one.takes for one in operations if one.takes is not None}
    gives = {one.gives for one in operations if not isinstance(one.gives, str)}
    models: list[tuple[type[BaseModel], Any]] = [
        *((one, "validation") for one in sorted(takes, key=lambda one: one.__name__)),
        *((one, "serialization") for one in sorted(gives, key=lambda one: one.__name__)),
    ]
    names, schemas = models_json_schema(models, ref_template=_REFERENCES)
    components = {
        **schemas.get("$defs", {}),
        "Problem": {
            "type": "object",
            "description": "RFC 9457 problem details.",
            "required": ["title", "status", "detail"],
            "properties": {
                "title": {"type": "string"},
                "status": {"type": "integer"},
                "detail": {"type": "string", "description": "What was wrong, in one sentence."},
            },
        },
    }
    paths: dict[str, dict[str, Any]] = {}
    for one in operations:
        taken = names[one.takes, "validation"] if one.takes is not None else None
        given = names[one.gives, "serialization"] if not isinstance(one.gives, str) else None
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, taken, given)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Fixpoint", "version": __version__},
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(one: Operation, taken: Any, given: Any) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if isinstance(one.gives, str):
        content[one.gives] = {"schema": {"type": "string"}}
    else:
        content["application/json"] = {"schema": given}
    if one.path.endswith("/events"):
        content["text/event-stream"] = {"schema": {"type": "string"}}
    problem = {
        "description": "A sentence that says what was wrong.",
        "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    found: dict[str, Any] = {
        "operationId": one.handler.__name__,
        "summary": one.summary,
        "responses": {
            str(int(one.status)): {"description": one.status.phrase, "content": content},
            **{str(int(status)): problem for status in one.problems},
            "401": problem,
        },
    }
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": _ID}
        for name in re.findall(r"{(\w+)}", one.path)
    ]
    parameters += [
        {"name": name, "in": "query", "description": meaning, "schema": {"type": "string"}}
        for name, meaning in one.query
    ]
    if one.path == f"{PREFIX}/runs" and one.takes is not None:
        parameters.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "schema": {"type": "string", "maxLength": 200},
            }
        )
    if parameters:
        found["parameters"] = parameters
    if taken is not None:
        found["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": taken}},
        }
    return found
