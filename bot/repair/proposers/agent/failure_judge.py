"""Ask a model which of several failures a report is about."""

from __future__ import annotations

import prompts
from bot.llm.base import Ask, Model, StopReason
from bot.model import Failure, Observation, Problem
from bot.model.answers import json_objects
from bot.model.money.reservations import Money
from bot.model.request import MOST_INSTRUCTIONS
from bot.model.untrusted import clip, quoted, reveal_hidden, strip_hidden
from bot.repair.goal.failure_reader import FailureJudgement
from bot.repair.proposers.agent.prompt_data import comments, report
from bot.repair.proposers.agent.single_question import answered
from bot.repair.workspace.redaction import Scrub

_MAX_TOKENS = 4_000
_MOST_FAILURES = 60
_FAILURES_CHARACTERS = 30_000
_DETAIL_CHARACTERS = 1_200


class ModelFailureJudge:
    """Reads a report and the failures, in a conversation of its own."""

    def __init__(self, model: Model, *, name: str | None = None, scrub: Scrub = str) -> None:
        self._model = model
        self._name = name
        self._scrub = scrub

    async def choose(
        self, problem: Problem, observation: Observation, money: Money
    ) -> FailureJudgement:
        """Return the choice; see `FailureJudge`."""
        asked = self._scrub(question(problem, observation))
        ask = Ask(max_tokens=_MAX_TOKENS, model=self._name)
        turn = await answered(self._model, money, prompts.render("sort_system"), asked, ask)
        shown = observation.failing[:_MOST_FAILURES]
        tests = read_choice(turn.text, shown) if turn.stop is StopReason.END else None
        return FailureJudgement(tests, turn.usage)


def question(problem: Problem, observation: Observation) -> str:
    """Return what the model is asked."""
    told = "\n\n".join(
        _numbered(n, failure)
        for n, failure in enumerate(observation.failing[:_MOST_FAILURES], start=1)
    )
    return prompts.render(
        "sort_task",
        instructions=strip_hidden(problem.instructions)[:MOST_INSTRUCTIONS].strip(),
        report=report(problem),
        comments=comments(problem.comments),
        failures=quoted("failing tests", told, limit=_FAILURES_CHARACTERS),
    )


def read_choice(text: str, shown: tuple[Failure, ...]) -> frozenset[str] | None:
    """Return the tests of the last JSON object that has numbers of them; None when unclear."""
    for candidate in json_objects(text):
        numbers = candidate.get("about")
        if isinstance(numbers, list) and all(type(n) is int for n in numbers):
            return frozenset(shown[n - 1].test for n in numbers if 0 < n <= len(shown))
    return None


def _numbered(n: int, failure: Failure) -> str:
    account = failure.detail.strip() or failure.message
    return clip(
        reveal_hidden(f"{n}. {failure.test}\n{failure.message}\n{account}"), _DETAIL_CHARACTERS
    )
