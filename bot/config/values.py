"""The kinds of values in `.github/fixpoint.yml`, each with its check and its JSON Schema.

A check raises `ValueError` with the middle of a sentence: "must be ...".
"""

from __future__ import annotations

import difflib
import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pathspec import GitIgnoreSpec
from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticKnownError

from bot.config.options import MAX_BUDGET_USD, MAX_TIMEOUT, seconds
from bot.model.guard_rules import RULES, SHOWN_BY_CARD, Strictness
from bot.model.proof_card import RowKind
from bot.model.proposers import PROPOSERS
from bot.model.specification import Specify

_HOST = re.compile(r"(\*\.)?[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){0,20}")


def _filled(text: str) -> str:
    if not text.strip() or "\0" in text:
        raise ValueError("must not be empty")
    return text.strip()


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError("must not contain duplicates")
    return names


def _proposer(name: str) -> str:
    if name not in PROPOSERS:
        *others, last = (f"'{known}'" for known in PROPOSERS)
        raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})
    return name


def _glob(pattern: str) -> str:
    # pathspec raises ValueError for a pattern that can't match anything.
    GitIgnoreSpec.from_lines([pattern])
    if pattern.startswith(("!", "#")) or ".." in pattern.split("/"):
        raise ValueError("must be a glob inside the repository, such as src/** or *.md")
    return pattern


def _restored(pattern: str) -> str:
    _glob(pattern.removeprefix("!"))
    return pattern


def _rules(severities: dict[str, Strictness]) -> dict[str, Strictness]:
    for rule in severities:
        if rule in SHOWN_BY_CARD:
            why = "the proof card shows what it found, whatever is set here (see docs/proof.md)"
            raise ValueError(f"has the rule '{rule}', which is gone: {why}")
        if rule not in RULES:
            near = difflib.get_close_matches(rule, RULES, n=1)
            hint = f"did you mean '{near[0]}'?" if near else "see docs/verification.md"
            raise ValueError(f"has an unknown rule '{rule[:60]}' ({hint})")
    return severities


def _ref_prefix(prefix: str) -> str:
    """Check what stands before a branch's own name: https://git-scm.com/docs/git-check-ref-format."""
    parts = prefix.split("/")
    wrong = (
        re.search(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//", prefix)
        or prefix.startswith(("-", "/"))
        or any(part.startswith(".") for part in parts)
        or any(part.endswith((".lock", ".")) for part in parts[:-1])
    )
    if wrong or not 0 < len(prefix) <= 100:  # noqa: PLR2004 - leaves room for the name behind it
        raise ValueError("must be a valid branch name prefix, such as fixpoint/")
    return prefix


def _branch_pattern(pattern: str) -> str:
    """Check a pattern of branch names: any values in it must make a name that git takes."""
    names = re.findall(r"\{(\w*)\}", pattern)
    try:
        filled = _ref_prefix(re.sub(r"\{(issue|slug|run)\}", "x", pattern))
    except ValueError:
        filled = "{"
    if not names or "{" in filled or "}" in filled or filled.endswith(("/", ".", ".lock")):
        raise ValueError(
            "must make branch names of {issue}, {slug} and {run}, such as fix/{issue}-{slug}"
        )
    return pattern


def _network(value: object) -> str | tuple[str, ...]:
    # YAML 1.1 reads `off` as false, YAML 1.2 as text.
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str) and value in {"on", "off"}:
        return value
    if isinstance(value, dict) and [*value] == ["allow"]:
        value = [value["allow"]] if isinstance(value["allow"], str) else value["allow"]
    if isinstance(value, list | tuple) and value:
        hosts = tuple(host for host in value if isinstance(host, str) and _HOST.fullmatch(host))
        if len(hosts) == len(value):
            return hosts
    raise ValueError("must be off, on, or `allow:` with a list of host names")


def _duration(value: object) -> float:
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        try:
            return float(seconds(str(value)))
        except ValueError:
            pass  # the sentence below says what is wanted
    raise ValueError("must be a duration of up to 6 hours, such as 900, 15m or 1h")


def _auto(value: object) -> object:
    # YAML 1.1 reads `off` as false, YAML 1.2 as text.
    return "off" if value is False else value


def _switch(value: object) -> object:
    # YAML 1.1 reads `on` and `off` as booleans, YAML 1.2 as text.
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


def _spec(value: object) -> Specify:
    # YAML 1.1 reads `on` and `off` as booleans, YAML 1.2 as text.
    if isinstance(value, bool):
        return Specify.ON if value else Specify.OFF
    if isinstance(value, str) and value in set(Specify):
        return Specify(value)
    raise ValueError("must be on, off or approve")


def _pause(value: object) -> float:
    none = not isinstance(value, bool) and str(value) in {"0", "0s"}
    return 0.0 if none else _duration(value)


def _probability(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise ValueError("must be a probability from 0 to 1, such as 0.8")


def _dollars(value: object) -> Decimal:
    if isinstance(value, int | float) and not isinstance(value, bool):
        amount = Decimal(str(value))
        if amount.is_finite() and 0 < amount <= MAX_BUDGET_USD:
            return amount
    raise ValueError(f"must be an amount in dollars, more than 0 and at most {MAX_BUDGET_USD}")


Text = Annotated[str, Field(min_length=1), AfterValidator(_filled)]
"""A command, a name or other text that is not blank."""

Texts = Annotated[
    tuple[Text, ...],
    BeforeValidator(_listed),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {"type": "array", "items": {"type": "string", "minLength": 1}},
            ]
        }
    ),
]
"""One text, or a list of them."""

Label = Annotated[str, Field(min_length=1, max_length=50), AfterValidator(_filled)]
"""GitHub takes no longer label."""

Glob = Annotated[Text, AfterValidator(_glob)]
"""In gitignore syntax."""

RestoredGlob = Annotated[Text, AfterValidator(_restored)]
"""In gitignore syntax; `!` takes out what an earlier one takes in."""

Guards = Annotated[
    dict[str, Strictness],
    AfterValidator(_rules),
    WithJsonSchema(
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                rule: {"enum": [strictness.value for strictness in Strictness]} for rule in RULES
            },
        }
    ),
]
"""Severities by rule."""

ProposerName = Annotated[
    str,
    AfterValidator(_proposer),
    WithJsonSchema({"enum": [*PROPOSERS], "type": "string"}),
]

Proposers = Annotated[
    tuple[ProposerName, ...],
    Field(min_length=1),
    AfterValidator(_distinct),
]

BranchPrefix = Annotated[str, AfterValidator(_ref_prefix)]

BranchPattern = Annotated[str, AfterValidator(_branch_pattern)]
"""With `{issue}`, `{slug}` and `{run}` in it."""

_NAMED_HOST = {"type": "string", "pattern": f"^{_HOST.pattern}$"}
_HOSTS = {"type": "array", "minItems": 1, "items": _NAMED_HOST}

Network = Annotated[
    Literal["off", "on"] | tuple[str, ...],
    PlainValidator(_network),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": ["off", "on", False, True]},
                _HOSTS,
                {
                    "type": "object",
                    "properties": {"allow": {"anyOf": [_NAMED_HOST, _HOSTS]}},
                    "required": ["allow"],
                    "additionalProperties": False,
                },
            ]
        }
    ),
]

Spec = Annotated[
    Specify,
    PlainValidator(_spec),
    WithJsonSchema({"enum": ["on", "off", "approve", True, False]}),
]
"""Whether an issue without a failing test becomes a specification first."""

Duration = Annotated[
    float,
    PlainValidator(_duration),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": MAX_TIMEOUT},
                {"type": "string", "pattern": "^[0-9]{1,6}[smh]?$"},
            ]
        }
    ),
]
"""Seconds."""

Probability = Annotated[
    float,
    PlainValidator(_probability),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1}),
]

Pause = Annotated[
    float,
    PlainValidator(_pause),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0, "maximum": MAX_TIMEOUT},
                {"type": "string", "pattern": "^[0-9]{1,6}[smh]?$"},
            ]
        }
    ),
]
"""Seconds; 0 is none."""

Auto = Annotated[
    Literal["off", "default-branch", "pull-requests", "all"],
    BeforeValidator(_auto),
    WithJsonSchema({"enum": ["off", False, "default-branch", "pull-requests", "all"]}),
]
"""Where failed checks start runs."""

FlakyRepair = Annotated[
    Literal["off", "ask", "push"],
    BeforeValidator(_auto),
    WithJsonSchema({"enum": ["off", False, "ask", "push"]}),
]
"""Whether flaky tests are repaired, and whether a person is asked before a test changes."""

Switch = Annotated[
    Literal["off", "on"],
    BeforeValidator(_switch),
    WithJsonSchema({"enum": ["off", False, "on", True]}),
]
"""Something that is on or off."""

Proved = Annotated[
    Literal["off", "fixes", "all", "labelled"],
    BeforeValidator(_auto),
    WithJsonSchema({"enum": ["off", False, "fixes", "all", "labelled"]}),
]
"""Which pull requests are proved."""

ProofRows = Annotated[
    tuple[RowKind, ...],
    BeforeValidator(_listed),
    Field(min_length=1),
    AfterValidator(_distinct),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": [row.value for row in RowKind]},
                {
                    "type": "array",
                    "minItems": 1,
                    "items": {"enum": [row.value for row in RowKind]},
                },
            ]
        }
    ),
]
"""Rows of a proof card."""

Dollars = Annotated[
    Decimal,
    PlainValidator(_dollars),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": MAX_BUDGET_USD}),
]

JsonSchema = dict[str, Any]
