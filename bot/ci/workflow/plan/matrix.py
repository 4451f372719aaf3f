"""Expand a matrix into its legs, and name the jobs as GitHub names their checks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from bot.ci.workflow.expressions import (
    ExpressionContext,
    Unknown,
    Value,
    as_text,
    has_expression,
    render,
    render_text,
)
from bot.ci.workflow.expressions.functions import equal
from bot.ci.workflow.expressions.values import folded, member
from bot.ci.workflow.spec.specification import JobSpec, Raw

MOST_LEGS = 256
LONGEST_NAME = 100
"""Limits of GitHub: more legs are refused, longer names end with `...`."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One combination of a matrix.

    Attributes:
        values: What `matrix` holds; empty for a job without one.
        shown: The values that make the job's name differ, in order.
        added: What `include` added to the combination; it is not in the name.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    shown: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Legs:
    """All legs of a job, and why there may be others.

    Attributes:
        unknown: Names of what only GitHub's run knew of the matrix.
    """

    legs: tuple[Leg, ...]
    unknown: tuple[str, ...] = ()


def expand(matrix: Raw, scope: ExpressionContext) -> Legs:
    """Return the legs of `strategy.matrix`; a job without one has a single leg.

    Raises:
        ExpressionError: An expression in it is invalid.
    """
    rendered = render(matrix, scope)
    if isinstance(rendered, Unknown):
        return Legs((Leg(),), rendered.names)
    if not isinstance(rendered, Mapping) or not rendered:
        return Legs((Leg(),))
    unknown = [name for value in rendered.values() for name in _unknown_names(value)]
    vectors = {
        key: value
        for key, value in rendered.items()
        if key not in {"include", "exclude"} and isinstance(value, list) and value
    }
    legs = _included(
        vectors,
        [leg for leg in _product(vectors) if not _excluded(leg, _mappings(rendered, "exclude"))],
        _mappings(rendered, "include"),
    )
    legs = legs[:MOST_LEGS]
    return Legs(tuple(legs) or (Leg(),), tuple(dict.fromkeys(unknown)))


def _unknown_names(value: Value) -> Iterator[str]:
    if isinstance(value, Unknown):
        yield from value.names
    elif isinstance(value, list):
        for item in value:
            yield from _unknown_names(item)
    elif isinstance(value, Mapping):
        yield from _unknown_names(list(value.values()))


def _mappings(rendered: Mapping[str, Value], key: str) -> list[Mapping[str, Value]]:
    found = rendered.get(key)
    return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list) else []


def _product(vectors: Mapping[str, list[Value]]) -> Iterator[Mapping[str, Value]]:
    if not vectors:
        return
    every = itertools.islice(itertools.product(*vectors.values()), 100 * MOST_LEGS)
    for combination in every:
        yield dict(zip(vectors, combination, strict=True))


def _excluded(leg: Mapping[str, Value], excludes: list[Mapping[str, Value]]) -> bool:
    return any(exclude and _matches(leg, exclude) for exclude in excludes)


def _matches(value: Value, wanted: Value) -> bool:
    """Whether a value has everything that is wanted; it may have more, and what is missing is null.

    As `MatrixFilter` of actions/runner compares them.
    """
    if isinstance(wanted, Mapping):
        return all(_matches(member(value, key), item) for key, item in wanted.items())
    if isinstance(wanted, list):
        return all(_matches(member(value, n), item) for n, item in enumerate(wanted))
    return equal(value, wanted)


def _included(
    vectors: Iterable[str],
    product: list[Mapping[str, Value]],
    includes: list[Mapping[str, Value]],
) -> list[Leg]:
    """Add each include to the combinations whose own values it leaves alone, or as a new one."""
    own = {folded(key) for key in vectors}
    extra: list[dict[str, Value]] = [{} for _ in product]
    alone: list[Mapping[str, Value]] = []
    for include in includes:
        wanted = {key: item for key, item in include.items() if folded(key) in own}
        more = {key: item for key, item in include.items() if key not in wanted}
        fitting = [n for n, leg in enumerate(product) if _matches(leg, wanted)]
        for n in fitting:
            extra[n].update(more)
        if not fitting:
            alone.append({**wanted, **more})
    legs = [
        Leg({**leg, **more}, tuple(_leaves(leg)), tuple(_leaves(more)))
        for leg, more in zip(product, extra, strict=True)
    ]
    return legs + [Leg(include, tuple(_leaves(include))) for include in alone]


def _leaves(value: Value) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif not (isinstance(value, float) and math.isnan(value)) and (text := as_text(value)):
        yield text


def job_names(job: JobSpec, leg: Leg, scope: ExpressionContext) -> tuple[str, ...]:
    """Return the names that the check of a job's leg may have, the likeliest first.

    A name without an expression gets the leg's values behind it in parentheses.

    Args:
        job: The job.
        leg: One of its legs.
        scope: What the name's expressions can see, the matrix included.
    """
    if job.name and has_expression(job.name):
        rendered = render_text(job.name, scope, missing=lambda _: "*")
        return (_cut(rendered.text),)
    name = job.name or job.id
    plain = _with(name, leg.shown)
    return tuple(dict.fromkeys((plain, _with(name, (*leg.shown, *leg.added)))))


def _with(name: str, values: tuple[str, ...]) -> str:
    return _cut(f"{name} ({', '.join(values)})" if values else name)


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."
