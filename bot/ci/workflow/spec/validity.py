"""Say why GitHub refuses a workflow or an action. What it takes stands in `github_rules.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any

from bot.ci.workflow.expressions import (
    ExpressionError,
    as_expression,
    as_text,
    expressions_in,
    parse,
)
from bot.ci.workflow.expressions.syntax import FunctionCall, Literal, Name, walk
from bot.config.yaml_document import Document
from bot.reporting.reasons import workflow_refusals

_MOST_TOLD = 10

_PLACED_FUNCTIONS = frozenset({"always", "cancelled", "failure", "success", "hashfiles"})
"""Functions that may not stand everywhere."""

_CRON = (
    (0, 59, ()),
    (0, 23, ()),
    (1, 31, ()),
    (1, 12, ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")),
    (0, 6, ("sun", "mon", "tue", "wed", "thu", "fri", "sat")),
)
"""Minute, hour, day, month and weekday: the least and the greatest number, and names for them."""

_TOKEN = re.compile(r"'[^']*'|@?[\w+-]+|[\[\]{}|]")

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a value may be.

    Attributes:
        options: Kinds of scalars and names, as in the file.
        items: Of a list, where it may be one.
        values: Of a mapping with any keys, where it may be one.
        available: Contexts and functions; None where those of the place around it are.
    """

    options: tuple[str, ...]
    items: _Shape | None = None
    values: _Shape | None = None
    available: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class _Keys:
    """A mapping: its own keys, those that have to be there, and shapes of other keys and values."""

    own: Mapping[str, _Shape]
    required: tuple[str, ...] = ()
    others: tuple[tuple[_Shape, _Shape], ...] = ()


_ANY = _Shape(("any",))
_WITH_ANY_KEYS = _Keys({}, others=((_ANY, _ANY),))


@cache
def _rules() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("github_rules.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def _shape(text: str) -> _Shape:
    """Read a shape as the file writes it; a name from `[shapes]` is what it stands for."""
    tokens = _TOKEN.findall(text)
    shape = _read_shape(tokens)
    if tokens:
        raise ValueError(text)
    return shape


def _read_shape(tokens: list[str]) -> _Shape:
    options: list[str] = []
    items = values = available = None
    while tokens and tokens[0] not in {"]", "}"}:
        word = tokens.pop(0)
        if word == "[":
            items = _read_shape(tokens)
            tokens.pop(0)
        elif word == "{":
            values = _read_shape(tokens)
            tokens.pop(0)
        elif word.startswith("@"):
            available = frozenset(_rules()["availability"][word[1:]].split())
        elif word in _rules()["shapes"]:
            alias = _shape(_rules()["shapes"][word])
            options += alias.options
            items, values = items or alias.items, values or alias.values
        elif word != "|":
            options.append(word)
    return _Shape(tuple(options), items, values, available)


@cache
def _keys(name: str) -> _Keys:
    table = _rules()["keys"][name]
    return _Keys(
        {key.removesuffix("!"): _shape(text) for key, text in table.items() if key[0] != "~"},
        tuple(key[:-1] for key in table if key.endswith("!")),
        tuple((_shape(key[1:]), _shape(text)) for key, text in table.items() if key[0] == "~"),
    )


def refusals(document: Document, kind: str) -> list[tuple[int, str]]:
    """Return the lines at which GitHub refuses a `workflow` or `action`, and why; else nothing."""
    check = _Check()
    check.value((), document.value, _Shape((kind,)), frozenset())
    if not check.found and kind == "workflow":
        check.jobs(document.value["jobs"])
    elif not check.found:
        check.steps(("runs", "steps"), document.value["runs"].get("steps") or ())
    return sorted((document.line(path, of_key=True), text) for path, text in check.found)


@dataclass
class _Check:
    """Compares values with shapes, and keeps what doesn't fit, with its place."""

    found: list[tuple[Path, str]] = field(default_factory=list)

    def _refuse(self, path: Path, text: str) -> None:
        if len(self.found) < _MOST_TOLD:
            self.found.append((path, text))

    def value(self, path: Path, value: Any, shape: _Shape, available: frozenset[str]) -> None:
        """Check a value and all that is in it.

        Args:
            path: Where it stands.
            value: Of the document.
            shape: What it may be.
            available: What the place around it offers to expressions.
        """
        if shape.available is not None:
            available = shape.available
        constant = _constant(value)
        scalar = value if constant is None else constant
        if isinstance(value, Mapping):
            self._mapping(path, value, shape, available)
        elif isinstance(value, list):
            items = _ANY if "any" in shape.options else shape.items
            if items is None:
                self._unexpected(path, workflow_refusals.A_LIST, shape)
                return
            for n, item in enumerate(value):
                self.value((*path, n), item, items, available)
        elif isinstance(value, str) and "${{" in value and constant is None:
            self._expressions(path, value, available)
        elif not any(_fits(scalar, option) for option in shape.options):
            self._unexpected(path, f"`{as_text(scalar)[:60]}`", shape)
        elif "condition" in shape.options:
            self._expression(path, as_text(value) or "success()", available)

    def _mapping(
        self, path: Path, value: Mapping[str, Any], shape: _Shape, available: frozenset[str]
    ) -> None:
        if "any" in shape.options:
            candidates = [_WITH_ANY_KEYS]
        elif shape.values is not None:
            candidates = [_Keys({}, others=((_shape("text+"), shape.values),))]
        else:
            candidates = [_keys(each) for each in shape.options if each in _rules()["keys"]]
        if not candidates:
            self._unexpected(path, workflow_refusals.A_MAPPING, shape)
            return
        seen: set[str] = set()
        for key, item in value.items():
            place = (*path, key)
            if "${{" in key:
                literal = set(_rules()["literal_keys"]).intersection(shape.options)
                offered = frozenset[str]() if literal else available
                self._expressions(place, key, offered, as_key=True)
                self.value(place, item, shape.values or _ANY, available)
            elif key.upper() in seen:
                self._refuse(place, workflow_refusals.repeated_key(key[:60]))
            else:
                seen.add(key.upper())
                known = [keys for keys in candidates if key in keys.own]
                fitting = [keys for keys in known if _may_be(item, keys.own[key])]
                candidates = fitting or known or candidates
                self._entry(place, item, candidates, available)
        if any("${{" in key for key in value):
            return
        missing = [each for keys in candidates for each in keys.required if each not in value]
        if len(candidates) > 1 or missing:
            one_of = [missing] if len(candidates) > 1 else [[each] for each in missing]
            for names in one_of:
                self._refuse(path, workflow_refusals.missing_key(names))

    def _entry(
        self, path: Path, item: Any, candidates: Sequence[_Keys], available: frozenset[str]
    ) -> None:
        key = str(path[-1])
        shapes = [keys.own[key] for keys in candidates if key in keys.own] or [
            shape
            for of_key, shape in candidates[0].others
            if any(_fits(key, each) for each in of_key.options)
        ]
        if not shapes:
            self._refuse(path, workflow_refusals.unknown_key(key[:60]))
            return
        options = dict.fromkeys(option for shape in shapes for option in shape.options)
        self.value(path, item, replace(shapes[0], options=tuple(options)), available)

    def _unexpected(self, path: Path, value: str, shape: _Shape) -> None:
        name = next((step for step in reversed(path) if isinstance(step, str)), "")
        self._refuse(path, workflow_refusals.unexpected_value(name, value, list(_expected(shape))))

    def _expressions(
        self, path: Path, text: str, available: frozenset[str], *, as_key: bool = False
    ) -> None:
        """Check the expressions of a text; `insert` is one for a key that takes in a mapping."""
        if not available:
            self._refuse(path, workflow_refusals.NO_EXPRESSION_HERE)
            return
        try:
            as_expression(text)
        except ExpressionError as error:
            self._refuse(path, str(error))
        for expression in expressions_in(text):
            if not (as_key and expression == "insert"):
                self._expression(path, expression, available)

    def _expression(self, path: Path, text: str, available: frozenset[str]) -> None:
        try:
            tree = parse(text)
        except ExpressionError as error:
            self._refuse(path, str(error))
            return
        for node in walk(tree):
            if isinstance(node, Name) and node.name not in available:
                self._refuse(
                    path,
                    workflow_refusals.no_context_here(
                        node.name, sorted(available - _PLACED_FUNCTIONS)
                    ),
                )
            elif isinstance(node, FunctionCall) and node.function in _PLACED_FUNCTIONS - available:
                self._refuse(path, workflow_refusals.no_function_here(node.function))

    def jobs(self, jobs: Mapping[str, Any]) -> None:
        """Check what jobs say of each other, and steps of a job."""
        needs = {id_.lower(): _needed(job) for id_, job in jobs.items()}
        ready = {id_ for id_, needed in needs.items() if not needed}
        if not ready:
            self._refuse(("jobs",), workflow_refusals.NO_FIRST_JOB)
            return
        while more := {id_ for id_, needed in needs.items() if needed <= ready} - ready:
            ready |= more
        for id_, job in jobs.items():
            for needed in sorted(needs[id_.lower()] - ready):
                worded = (
                    workflow_refusals.needs_in_circle
                    if needed in needs
                    else workflow_refusals.needs_unknown_job
                )
                self._refuse(("jobs", id_, "needs"), worded(id_, needed[:60]))
            self.steps(("jobs", id_, "steps"), job.get("steps") or ())

    def steps(self, path: Path, steps: Sequence[Any]) -> None:
        """Check what steps of a job or an action say of each other."""
        ids: set[str] = set()
        for place, step_id in _step_ids(path, steps):
            if step_id in ids:
                self._refuse(place, workflow_refusals.repeated_id(step_id))
            ids.add(step_id)


def _constant(value: Any) -> str | None:
    """Return the text that an expression is nothing but: it may stand where no other may."""
    if not isinstance(value, str) or not value.startswith("${{ '"):
        return None
    try:
        tree = parse(as_expression(value))
    except ExpressionError:
        return None
    return str(tree.value) if isinstance(tree, Literal) else None


def _needed(job: Mapping[str, Any]) -> set[str]:
    needs = job.get("needs") or []
    return {as_text(need).lower() for need in (needs if isinstance(needs, list) else [needs])}


def _step_ids(path: Path, steps: Sequence[Any]) -> Iterator[tuple[Path, str]]:
    for n, step in enumerate(steps):
        if "id" in step:
            yield (*path, n, "id"), as_text(step["id"]).lower()
        yield from _step_ids((*path, n, "parallel"), step.get("parallel") or ())


def _may_be(value: Any, shape: _Shape) -> bool:
    """Whether nothing that a value is at first sight keeps it from having a shape."""
    if isinstance(value, Mapping | list) or (isinstance(value, str) and "${{" in value):
        return True
    return any(_fits(value, option) for option in shape.options)


def _fits(value: Any, option: str) -> bool:  # noqa: PLR0911 - one return for each kind
    match option:
        case "any" | "text" | "condition":
            return True
        case "text+":
            return as_text(value) != ""
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "cron":
            fields = as_text(value).split()
            return len(fields) == len(_CRON) and all(
                map(_fits_cron, fields, *zip(*_CRON, strict=True))
            )
        case _:
            return option[0] == "'" and re.fullmatch(option[1:-1], as_text(value)) is not None


def _fits_cron(text: str, least: int, greatest: int, names: Sequence[str]) -> bool:
    """Whether each part between commas is a number, a range or `*`, with or without a step."""

    def number(word: str) -> int:
        if word.lower() in names:
            return names.index(word.lower()) + least
        return int(word) if re.fullmatch("[0-9]{1,2}", word) else -1

    for part in text.split(","):
        span, slash, step = part.partition("/")
        first, dash, last = span.partition("-")
        fits = span == "*" or least <= number(first) <= number(last if dash else first) <= greatest
        if not fits or (slash and not max(1, least) <= number(step) <= greatest):
            return False
    return True


def _expected(shape: _Shape) -> Iterator[str]:
    """Yield what people call the kinds of a shape."""
    kinds = {
        "number": workflow_refusals.A_NUMBER,
        "boolean": workflow_refusals.A_BOOLEAN,
        "cron": workflow_refusals.A_SCHEDULE,
    }
    for option in shape.options:
        if option in _rules()["keys"]:
            yield workflow_refusals.A_MAPPING
        elif option[0] == "'" and "(" not in (words := option.strip("'").removeprefix("(?i)")):
            yield from (f"`{word}`" for word in words.split("|")[:6])
        elif option != "null":
            yield kinds.get(option, workflow_refusals.A_STRING)
    if shape.items is not None:
        yield workflow_refusals.A_LIST
    if shape.values is not None:
        yield workflow_refusals.A_MAPPING
