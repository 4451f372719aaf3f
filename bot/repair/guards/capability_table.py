"""The tables of what lets code do more than compute: one for each language. Pure.

A table `capabilities.LANGUAGE.toml` has a section for each capability. Names are those of
`names.Names`, and `*` in them stands for anything:

- `names`: each use of one grants it.
- `computed`: a call of one whose first argument is not written in the file.
- `opens`, `paths`, `owners`: a call of one with a path outside of the repository: `opens` opens a
  file for writing, `paths` has the path as its first argument, `owners` are methods of the path.
- `homes`: calls that return such a path.
- `nodes`: kinds of syntax.
- `settings`: names of arguments, keys and attributes, each with the values that grant it.
- `texts`: regular expressions that search each literal without space.
- `kept`: what a patch must not use less often.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from bot.code.languages import Language

_NEVER = re.compile(r"(?!)")
_ROOTS = ("builtins.", "globalThis.")


@dataclass(frozen=True, slots=True)
class Capability:
    """What grants one capability; patterns match whole names."""

    id: str
    names: re.Pattern[str] = _NEVER
    computed: re.Pattern[str] = _NEVER
    opens: re.Pattern[str] = _NEVER
    paths: re.Pattern[str] = _NEVER
    owners: re.Pattern[str] = _NEVER
    homes: re.Pattern[str] = _NEVER
    kept: re.Pattern[str] = _NEVER
    texts: re.Pattern[str] = _NEVER
    nodes: frozenset[str] = frozenset()
    settings: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CapabilityTable:
    """What grants capabilities in one language.

    Attributes:
        capabilities: In the table's order.
        builtins: Names in it that need no import.
        kept_words: Of which a file has one that uses what must stay.
        modules: What has such names in it: taking a computed name from one may be any of them.
    """

    capabilities: tuple[Capability, ...]
    builtins: frozenset[str]
    modules: frozenset[str]
    kept_words: frozenset[bytes]


@cache
def table_of(language: Language) -> CapabilityTable:
    """Return the table of a language, with what holds in all of them."""
    own, shared = _read(language.value), _read("any")
    names = [name for section in own.values() for name in _all_names(section)]
    # Rust's crates need no import either
    starts = (*_ROOTS, "") if language is Language.RUST else _ROOTS
    roots = [
        name.removeprefix(start) for name in names for start in starts if name.startswith(start)
    ]
    return CapabilityTable(
        tuple(
            _capability(name, {**shared.get(name, {}), **section}) for name, section in own.items()
        ),
        frozenset(re.split(r"[.*]", name)[0] for name in roots),
        frozenset(
            module for name in names if (module := name.rpartition(".")[0]) and "?" not in module
        ),
        frozenset(
            name.rstrip(".*").rpartition(".")[2].encode()
            for section in own.values()
            for name in section.get("kept", ())
        ),
    )


def _read(name: str) -> dict[str, dict[str, Any]]:
    text = files("bot.repair.guards").joinpath(f"capabilities.{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


def _all_names(section: Mapping[str, Any]) -> list[str]:
    return [
        name for key in ("names", "computed", "opens", "paths") for name in section.get(key, ())
    ]


def _capability(name: str, section: Mapping[str, Any]) -> Capability:
    patterns = ("names", "computed", "opens", "paths", "owners", "homes", "kept")
    return Capability(
        name,
        **{key: _pattern(section.get(key, ())) for key in patterns},
        texts=_any(section.get("texts", ())),
        nodes=frozenset(section.get("nodes", ())),
        settings={key: frozenset(values) for key, values in section.get("settings", {}).items()},
    )


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    return _any([rf"^{re.escape(name).replace(re.escape('*'), '.*')}$" for name in names])


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) if patterns else _NEVER
