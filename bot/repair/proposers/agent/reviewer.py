"""Ask a model, in a fresh context, whether a written test shows the reported problem."""

from __future__ import annotations

from collections.abc import Sequence

import prompts
from bot.llm.base import Ask, Model, StopReason
from bot.model import Observation, Patch, Problem, Specification
from bot.model.answers import json_objects
from bot.model.money.reservations import Money
from bot.model.untrusted import quoted, reveal_hidden
from bot.repair.proposers.agent.prompt_data import (
    comments,
    failure,
    instructions,
    patch_as_data,
    report,
    specification_as_data,
)
from bot.repair.proposers.agent.single_question import answered
from bot.repair.test_proof import WrittenTestReview
from bot.repair.workspace.redaction import Scrub
from bot.reporting.reasons import agent

_MAX_TOKENS = 4_000
_REASON_CHARACTERS = 300
_MOST_TESTS = 40
_TESTS_CHARACTERS = 6_000


class ModelReviewer:
    """Reviews written tests, independently of whoever wrote them."""

    def __init__(self, model: Model, *, name: str | None = None, scrub: Scrub = str) -> None:
        self._model = model
        self._name = name
        self._scrub = scrub

    async def shows_problem(
        self,
        problem: Problem,
        observation: Observation,
        patch: Patch,
        specification: Specification | None,
        money: Money,
    ) -> WrittenTestReview:
        """Return the answer; anything but a clear yes is a no. See `ProofReviewer`."""
        asked = self._scrub(question(problem, observation, patch, specification))
        ask = Ask(max_tokens=_MAX_TOKENS, model=self._name)
        turn = await answered(self._model, money, prompts.render("review_system"), asked, ask)
        said = turn.text if turn.stop is StopReason.END else ""
        points = len(specification.points) if specification is not None else 0
        shows, reason, shown_by = read_review(said, _listed(observation), points)
        return WrittenTestReview(shows, reason or agent.NO_CLEAR_ANSWER, turn.usage, shown_by)


def question(
    problem: Problem,
    observation: Observation,
    patch: Patch,
    specification: Specification | None = None,
) -> str:
    """Return what the reviewer is asked."""
    tests = "\n".join(f"{n}. {test}" for n, test in enumerate(_listed(observation), 1))
    return prompts.render(
        "review_task",
        instructions=instructions(problem),
        report=report(problem),
        comments=comments(problem.comments),
        specification=specification_as_data(specification),
        test_patch=patch_as_data("the test", patch),
        failure=failure("output of the test", observation),
        tests=quoted("failing tests", reveal_hidden(tests), limit=_TESTS_CHARACTERS),
    )


def read_review(
    text: str, tests: Sequence[str] = (), points: int = 0
) -> tuple[bool, str, tuple[tuple[str, ...], ...]]:
    """Return the answer of the last JSON object that has one; unclear is False.

    Args:
        text: What the reviewer wrote.
        tests: Ids of the failing tests, as they were numbered.
        points: Of the specification.

    Returns:
        The answer, its reason, and the tests that show each point.
    """
    for candidate in json_objects(text):
        answer = candidate.get("shows_problem")
        if isinstance(answer, bool):
            reason = candidate.get("reason")
            line = " ".join(reason.split()) if isinstance(reason, str) else ""
            shown_by = _shown_by(candidate.get("points"), tests, points)
            return answer, line[:_REASON_CHARACTERS], shown_by
    return False, "", ()


def _shown_by(value: object, tests: Sequence[str], points: int) -> tuple[tuple[str, ...], ...]:
    if not points or not isinstance(value, list) or len(value) != points:
        return ()
    return tuple(_chosen(item, tests) for item in value)


def _chosen(value: object, tests: Sequence[str]) -> tuple[str, ...]:
    numbers = value if isinstance(value, list) else [value]
    return tuple(tests[n - 1] for n in numbers if type(n) is int and 0 < n <= len(tests))


def _listed(observation: Observation) -> tuple[str, ...]:
    return tuple(item.test for item in observation.failing[:_MOST_TESTS])
