"""A template with holes in the place of a text, and every way to fill it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

MOST_FILLINGS = 3_000
"""Of one template: a minute's work, for tests that are quick."""
_LISTED = 8
_TEXT_CHARACTERS = 600
_TESTS = 3


@dataclass(frozen=True, slots=True)
class TryEdits:
    """Try what a template becomes with each filling of its holes.

    Attributes:
        path: File to edit, absolute.
        old: The text that the template replaces; it occurs once.
        template: The new text, with holes such as `{{op}}`.
        holes: What each hole may become, by its name.
    """

    path: str
    old: str
    template: str
    holes: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Filling:
    """One way to fill the holes: what each becomes, and the text that this makes."""

    values: tuple[tuple[str, str], ...]
    text: str


@dataclass(frozen=True, slots=True)
class TemplateOutcome:
    """How a filling did.

    Attributes:
        filling: Which.
        mended: Failing tests that pass with it.
        passes: Whether all of them do, and no other test that runs the code fails.
        broken: A passing test that fails with it, if any was seen.
    """

    filling: Filling
    mended: tuple[str, ...]
    passes: bool
    broken: tuple[str, ...] = ()


def hole(name: str) -> str:
    """Return how a hole is written."""
    return "{{" + name + "}}"


def problem_with(edits: TryEdits) -> str:
    """Return why a template can't be tried, or ""."""
    unused = [name for name, _ in edits.holes if hole(name) not in edits.template]
    if not edits.holes:
        return "holes is empty: give each hole of the template its values."
    if unused:
        return f"The template has no {hole(unused[0])}."
    if "{{" in _filled(edits.template, [(name, "") for name, _ in edits.holes]):
        return "The template has a hole that holes gives no values for."
    if count(edits) > MOST_FILLINGS:
        return f"There are {count(edits):,} fillings; at most {MOST_FILLINGS:,} are tried."
    return ""


def count(edits: TryEdits) -> int:
    """Return how many fillings there are."""
    found = 1
    for _, values in edits.holes:
        found *= len(values)
    return found


def fillings(edits: TryEdits) -> tuple[Filling, ...]:
    """Return every filling that makes another text, in the order of the values."""
    names = [name for name, _ in edits.holes]
    found: dict[str, Filling] = {}
    for chosen in islice(product(*(values for _, values in edits.holes)), MOST_FILLINGS):
        values = tuple(zip(names, chosen, strict=True))
        text = _filled(edits.template, values)
        if text != edits.old:
            found.setdefault(text, Filling(values, text))
    return tuple(found.values())


def _filled(template: str, values: Sequence[tuple[str, str]]) -> str:
    for name, value in values:
        template = template.replace(hole(name), value)
    return template


def described(
    outcomes: Sequence[TemplateOutcome], tried: Mapping[str, int], failing: int, seconds: float
) -> str:
    """Return the result as the model reads it.

    Args:
        outcomes: Of the fillings that mend something, the best first.
        tried: How many fillings ended in each way.
        failing: Tests that fail without any.
        seconds: That it took.
    """
    total = sum(tried.values())
    ways = ", ".join(f"{number} {status}" for status, number in sorted(tried.items()))
    lines = [f"Tried {total:,} fillings in {seconds:.0f} s ({ways})."]
    passing = [outcome for outcome in outcomes if outcome.passes]
    if passing:
        lines.append(
            f"{len(passing)} make every failing test pass and break no test that runs the code. "
            "Nothing was changed: choose the one that is right for all inputs, and make the edit."
        )
        lines += [_shown(outcome, failing) for outcome in passing[:_LISTED]]
    else:
        lines.append("None makes every failing test pass without breaking another.")
    closest = [outcome for outcome in outcomes if not outcome.passes][
        : _LISTED - min(len(passing), _LISTED // 2)
    ]
    if closest and not passing:
        lines += ["The closest:", *(_shown(outcome, failing) for outcome in closest)]
    return "\n".join(lines)


def _shown(outcome: TemplateOutcome, failing: int) -> str:
    values = ", ".join(f"{name} = `{value}`" for name, value in outcome.filling.values)
    text = outcome.filling.text
    shown = text if len(text) <= _TEXT_CHARACTERS else f"{text[:_TEXT_CHARACTERS]}…"
    how = "" if outcome.passes else f" mends {len(outcome.mended)} of {failing}"
    how += f", breaks {', '.join(outcome.broken[:_TESTS])}" if outcome.broken else ""
    return f"- {values}:{how}\n{shown}"
