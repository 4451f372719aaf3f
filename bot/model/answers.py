"""Find the JSON in a model's answer. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator


def json_objects(text: str) -> Iterator[dict[str, object]]:
    """Yield the JSON objects of a text, the last one first."""
    decoder = json.JSONDecoder()
    start = text.rfind("{")
    while start != -1:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield value
        start = text.rfind("{", 0, start)
