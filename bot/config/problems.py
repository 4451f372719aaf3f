"""Say what is wrong with a value of the repo config, and what would be right."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pydantic import BaseModel
from pydantic_core import ErrorDetails

Model = type[BaseModel]


def describe(model: Model, detail: ErrorDetails) -> str:
    """Return the sentence for one of pydantic's errors.

    Args:
        model: What was validated; its sections are models too.
        detail: From `ValidationError.errors`.
    """
    path = detail["loc"]
    if detail["type"] == "extra_forbidden":
        return _unknown_key(model, path)
    return f"{_name(path)} {_requirement(model, detail)}"


def own_problems(details: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """Return pydantic's errors without the ones that others make.

    It leaves wrong items out before it counts, and calls a list of nothing else too short.
    """
    inner = {detail["loc"][:n] for detail in details for n in range(len(detail["loc"]))}
    return [one for one in details if one["type"] != "too_short" or one["loc"] not in inner]


def _name(path: Sequence[str | int]) -> str:
    if not path:
        return "the file"
    name = "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in path)
    return f"'{name.removeprefix('.')}'"


_REQUIREMENTS: Mapping[str, str] = MappingProxyType(
    {
        "string_type": "must be text; put it in quotes.",
        "bool_type": "must be true or false.",
        "int_type": "must be a whole number.",
        "tuple_type": "must be a list.",
        "too_short": "must not be empty.",
        "string_too_short": "must not be empty.",
    }
)


def _requirement(model: Model, detail: ErrorDetails) -> str:
    """Return what a value must be, and the allowed one that is nearest to it."""
    kind = detail["type"]
    if kind in _REQUIREMENTS:
        return _REQUIREMENTS[kind]
    if kind == "model_type":
        keys = _keys(model, detail["loc"])
        return f"must have keys of its own, such as {', '.join(keys[:3])}."
    message = re.sub(r"^(Input|String) should ", "must ", detail["msg"]).removeprefix(
        "Value error, "
    )
    wanted = str((detail.get("ctx") or {}).get("expected", ""))
    nearest = difflib.get_close_matches(str(detail["input"]), _quoted(wanted), n=1)
    return f"{message}; did you mean '{nearest[0]}'?" if nearest else f"{message}."


def _quoted(text: str) -> list[str]:
    return text.split("'")[1::2]


def _unknown_key(model: Model, path: Sequence[str | int]) -> str:
    key = str(path[-1])
    known = _keys(model, path[:-1])
    nearest = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean '{nearest[0]}'?" if nearest else _elsewhere(model, key)
    return f"unknown key '{key[:60]}'; {hint or 'there are ' + ', '.join(known) + '.'}"


def _elsewhere(model: Model, key: str) -> str:
    for section in _keys(model, ()):
        if key in _keys(model, (section,)):
            return f"it belongs below '{section}'."
    return "" if key not in _keys(model, ()) else f"'{key}' belongs at the top of the file."


def _keys(model: Model, path: Sequence[str | int]) -> tuple[str, ...]:
    """Return the keys that may stand at a path; none where it leads to no section."""
    section = model
    for step in path:
        info = section.model_fields.get(str(step))
        kind = None if info is None else info.annotation
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            return ()
        section = kind
    return tuple(section.model_fields)
