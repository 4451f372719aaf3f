"""Say what is wrong with a value of the repo config, and what would be right."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from bot.reporting.reasons import config_problems

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
    return _wrong_value(model, detail)


def own_problems(details: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """Return pydantic's errors without the ones that others make.

    It leaves wrong items out before it counts, and calls a list of nothing else too short.
    """
    inner = {detail["loc"][:n] for detail in details for n in range(len(detail["loc"]))}
    return [item for item in details if item["type"] != "too_short" or item["loc"] not in inner]


def _name(path: Sequence[str | int]) -> str:
    if not path:
        return "the file"
    name = "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in path)
    return f"'{name.removeprefix('.')}'"


_REQUIREMENTS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "string_type": config_problems.text_required,
        "bool_type": config_problems.true_or_false,
        "int_type": config_problems.whole_number,
        "tuple_type": config_problems.list_required,
        "too_short": config_problems.empty,
        "string_too_short": config_problems.empty,
    }
)


def _wrong_value(model: Model, detail: ErrorDetails) -> str:
    """Say what a value must be, and which allowed one is nearest to it."""
    kind, name = detail["type"], _name(detail["loc"])
    if kind in _REQUIREMENTS:
        return _REQUIREMENTS[kind](name)
    if kind == "model_type":
        return config_problems.mapping_required(name, _keys(model, detail["loc"])[:3])
    message = re.sub(r"^(Input|String) should ", "must ", detail["msg"]).removeprefix(
        "Value error, "
    )
    message = re.sub(r"\b(True|False)\b", lambda word: word[0].lower(), message)  # as YAML has them
    wanted = str((detail.get("ctx") or {}).get("expected", ""))
    nearest = difflib.get_close_matches(str(detail["input"]), _quoted(wanted), n=1)
    return config_problems.requirement_missed(name, message, nearest="".join(nearest))


def _quoted(text: str) -> list[str]:
    return text.split("'")[1::2]


def _unknown_key(model: Model, path: Sequence[str | int]) -> str:
    key = str(path[-1])
    shown, known = key[:60], _keys(model, path[:-1])
    nearest = difflib.get_close_matches(key, known, n=1)
    if nearest:
        return config_problems.misspelt_key(shown, nearest[0])
    for section in _keys(model, ()):
        if key in _keys(model, (section,)):
            return config_problems.key_of_section(shown, section)
    if key in _keys(model, ()):
        return config_problems.key_of_top_level(shown)
    return config_problems.unknown_key(shown, known)


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
