"""Ask a model what a problem asks for, as a few points that tests can show."""

from __future__ import annotations

from collections.abc import Mapping

import prompts
from bot.llm.base import Ask, Model, StopReason
from bot.model import Point, Problem, RequestKind, Specification
from bot.model.answers import json_objects
from bot.model.money.reservations import Money
from bot.model.specification import kind_of
from bot.repair.proposers.agent.prompt_data import comments, instructions, report
from bot.repair.proposers.agent.single_question import answered
from bot.repair.test_proof import Drafted
from bot.repair.workspace.redaction import Scrub

MOST_POINTS = 6
_MAX_TOKENS = 4_000
_TITLE_CHARACTERS = 120
_PART_CHARACTERS = 400


class ModelSpecifier:
    """Writes specifications, in one call of its own."""

    def __init__(self, model: Model, *, name: str | None = None, scrub: Scrub = str) -> None:
        self._model = model
        self._name = name
        self._scrub = scrub

    async def specify(self, problem: Problem, money: Money) -> Drafted:
        """Return the specification; see `SpecificationAuthor`."""
        kind = kind_of(problem.instructions)
        asked = self._scrub(question(problem, kind))
        ask = Ask(max_tokens=_MAX_TOKENS, model=self._name)
        turn = await answered(self._model, money, prompts.render("specify_system"), asked, ask)
        said = turn.text if turn.stop is StopReason.END else ""
        specification, missing = read_specification(said, kind, turn.model)
        return Drafted(specification, missing, turn.usage)


def question(problem: Problem, kind: RequestKind) -> str:
    """Return what the model is asked."""
    return prompts.render(
        "specify_task",
        feature=kind is RequestKind.FEATURE,
        instructions=instructions(problem),
        report=report(problem),
        comments=comments(problem.comments),
    )


def read_specification(
    text: str, kind: RequestKind, model: str
) -> tuple[Specification | None, str]:
    """Return the last JSON object that is a specification, or else what it says is missing."""
    for candidate in json_objects(text):
        points = candidate.get("points")
        if not isinstance(points, list):
            continue
        read = tuple(filter(None, map(_point, points[:MOST_POINTS])))
        if read:
            title = _line(candidate.get("title"), _TITLE_CHARACTERS) or read[0].expected
            return Specification(title, read, kind, model), ""
        return None, _line(candidate.get("missing"), _PART_CHARACTERS)
    return None, ""


def _point(value: object) -> Point | None:
    if not isinstance(value, Mapping):
        return None
    expected, happens, see = (
        _line(value.get(name), _PART_CHARACTERS) for name in ("expected", "happens", "see")
    )
    return Point(expected, happens, see) if expected else None


def _line(value: object, limit: int) -> str:
    return " ".join(value.split())[:limit] if isinstance(value, str) else ""
