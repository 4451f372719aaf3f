"""Count what the values of a plan hold: a few lines of a workflow can ask for any amount."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.ci.workflow.expressions.syntax import ExpressionError
from bot.ci.workflow.expressions.values import Value
from bot.errors import FixpointError

LARGEST = 2**20
"""Characters of one value. GitHub's limit is ten times that (`MaxResultSize` in actions/runner,
src/Sdk/DTPipelines/Pipelines/ObjectTemplating/PipelineTemplateEvaluator.cs)."""

DEEPEST = 50
"""Values inside values; GitHub's own limit (`MaxDepth` there)."""

_OVERHEAD = 16
"""Characters that a value counts for besides those of its text."""

MOST = 16 * 2**20
"""Characters of all values together that one plan, or one listing of jobs, works with."""


class PlanTooLarge(FixpointError):
    """The values of a plan add up to more than `MOST`, or its steps do."""

    def __init__(self) -> None:
        super().__init__(f"Its jobs, steps and values add up to more than {MOST // 2**20} MiB.")

    def __reduce__(self) -> tuple[type[PlanTooLarge], tuple[()]]:
        return type(self), ()


class Meter:
    """What is left for one plan."""

    def __init__(self) -> None:
        self._left = MOST

    def take(self, characters: int) -> None:
        """Count something that was made or looked through.

        Raises:
            PlanTooLarge: It is more than what is left.
        """
        self._left -= characters
        if self._left < 0:
            raise PlanTooLarge


class Tally:
    """The characters of one value that is being made."""

    def __init__(self) -> None:
        self._size = 0

    def add(self, text: str) -> str:
        """Return the text, which becomes a part of the value.

        Raises:
            ExpressionError: The value is too large with it.
        """
        self._size += len(text)
        if self._size > LARGEST:
            raise _too_large()
        return text


def size(value: Value) -> int:
    """Return how many characters a value has, everything inside it included.

    Raises:
        ExpressionError: More than `LARGEST`, or it is nested deeper than `DEEPEST`.
    """
    found = 0
    for piece in _pieces(value, 0):
        found += piece
        if found > LARGEST:
            raise _too_large()
    return found


def _pieces(value: Value, depth: int) -> Iterator[int]:
    """Yield the size of each part; a value that stands in several places counts in each."""
    if depth > DEEPEST:
        raise ExpressionError(f"A value is nested more than {DEEPEST} times.")
    if isinstance(value, str):
        yield len(value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield len(key)
            yield from _pieces(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _pieces(item, depth + 1)
    yield _OVERHEAD


def _too_large() -> ExpressionError:
    return ExpressionError(f"A value has more than {LARGEST} characters.")
