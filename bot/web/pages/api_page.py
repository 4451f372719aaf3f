"""The page that shows the API to people, made of its OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from aiohttp import web

from bot.web.caller import Scope
from bot.web.pages.frame import Frame

_NO_TYPE = "any"


class ApiPage:
    """Answers whoever wants to read what the API does."""

    def __init__(self, frame: Frame, document: Callable[[], Mapping[str, Any]]) -> None:
        self._frame = frame
        self._context = cache(lambda: _context(document()))

    async def show(self, request: web.Request) -> web.Response:
        """Show everything."""
        return self._frame.page(request, "api.html", "API", dict(self._context()))


def _context(document: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "about": document["info"]["description"],
        "security": document["components"]["securitySchemes"]["key"]["description"],
        "groups": _groups(document),
        "schemas": [
            {"name": name, **_schema(schema)}
            for name, schema in document["components"]["schemas"].items()
        ],
    }


def _groups(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: dict[str, list[dict[str, Any]]] = {tag["name"]: [] for tag in document["tags"]}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            body = _example(document, operation)
            found[operation["tags"][0]].append(_operation(method.upper(), path, operation, body))
    return [{"name": name, "operations": operations} for name, operations in found.items()]


def _example(document: Mapping[str, Any], operation: Mapping[str, Any]) -> str:
    """Return a body that an operation takes, as JSON: of its fields, those that have an example."""
    name = _name(_taken(operation))
    fields = document["components"]["schemas"][name].get("properties", {}) if name else {}
    body = {key: field["examples"][0] for key, field in fields.items() if "examples" in field}
    return json.dumps(body) if name else ""


def _taken(operation: Mapping[str, Any]) -> Mapping[str, Any] | None:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema: Mapping[str, Any] | None = body.get("schema")
    return schema


def _operation(method: str, path: str, operation: Mapping[str, Any], body: str) -> dict[str, Any]:
    return {
        "id": operation["operationId"],
        "method": method,
        "path": path,
        "summary": operation["summary"],
        "description": operation["description"],
        "parameters": [
            {
                "name": item["name"],
                "in": item["in"],
                "type": type_of(item["schema"]),
                "meaning": item.get("description", ""),
                "values": item["schema"].get("enum", ()),
                "default": item["schema"].get("default", ""),
            }
            for item in operation.get("parameters", ())
        ],
        "takes": _name(_taken(operation)),
        "body": body,
        "can_be_tried": method == "GET" or operation["x-scope"] == Scope.READ,
        "answer": next(
            {"status": status, "contents": list(_contents(response))}
            for status, response in operation["responses"].items()
            if status.startswith("2")
        ),
        "problems": sorted(item for item in operation["responses"] if not item.startswith("2")),
    }


def _contents(response: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for media, content in response["content"].items():
        yield {"type": media, "schema": _name(content["schema"])}


def _schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    required = schema.get("required", ())
    return {
        "description": schema.get("description", ""),
        "fields": [
            {
                "name": name,
                "type": type_of(field),
                "schema": _inner(field),
                "required": name in required,
                "meaning": field.get("description", ""),
            }
            for name, field in schema.get("properties", {}).items()
        ],
    }


def type_of(schema: Mapping[str, Any]) -> str:
    """Return what a value is, in a few words."""
    if "$ref" in schema:
        return _name(schema) or _NO_TYPE
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " | ".join(dict.fromkeys(map(type_of, schema[several])))
    kind = str(schema.get("type", _NO_TYPE))
    if kind == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    return f"{kind} ({schema['format']})" if "format" in schema else kind


def _name(schema: Mapping[str, Any] | None) -> str | None:
    reference = (schema or {}).get("$ref")
    return None if reference is None else str(reference).rpartition("/")[2]


def _inner(schema: Mapping[str, Any]) -> str | None:
    """Return the name of the first schema that a field's own is made of."""
    return next(_names(schema), None)


def _names(schema: Mapping[str, Any]) -> Iterator[str]:
    name = _name(schema)
    if name is not None:
        yield name
    for several in ("anyOf", "oneOf", "allOf"):
        for item in schema.get(several, ()):
            yield from _names(item)
    if "items" in schema:
        yield from _names(schema["items"])
