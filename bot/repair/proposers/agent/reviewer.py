"""Ask a model, in a fresh context, whether a written test shows the reported problem."""

from __future__ import annotations

import prompts
from bot.llm.base import Ask, Conversation, Message, Model, StopReason, Text
from bot.model import Observation, Patch, Problem, Usage
from bot.model.money.reservations import Money
from bot.repair.proposers.agent.answers import json_objects
from bot.repair.proposers.agent.budgeted import paid
from bot.repair.proposers.agent.prompting import comments, failure, patch_as_data, report
from bot.repair.workspace.scrubbing import Scrub
from bot.reporting.reasons import agent

_MAX_TOKENS = 4_000
_REASON_CHARACTERS = 300


class ModelReviewer:
    """Reviews written tests, independently of whoever wrote them."""

    def __init__(self, model: Model, *, name: str | None = None, scrub: Scrub = str) -> None:
        self._model = model
        self._name = name
        self._scrub = scrub

    async def shows_problem(
        self, problem: Problem, observation: Observation, patch: Patch, money: Money
    ) -> tuple[bool, str, Usage]:
        """Return the answer, its reason in one sentence, and what it cost to ask.

        Anything but a clear yes is a no.

        Args:
            problem: What people reported.
            observation: The test on the untouched tree: how it fails.
            patch: The test.
            money: What the question is paid from.

        Raises:
            BudgetExhausted: When that does not cover it.
            ProviderError: When no model answers.
        """
        conversation = Conversation(
            system=prompts.render("review_system"),
            messages=(
                Message("user", (Text(self._scrub(question(problem, observation, patch))),)),
            ),
        )
        ask = Ask(max_tokens=_MAX_TOKENS, model=self._name)
        turn, _ = await paid(self._model, money, conversation, [ask])
        shows, reason = read_review(turn.text) if turn.stop is StopReason.END else (False, "")
        return shows, reason or agent.no_clear_answer(), turn.usage


def question(problem: Problem, observation: Observation, patch: Patch) -> str:
    """Return what the reviewer is asked."""
    return prompts.render(
        "review_task",
        report=report(problem),
        comments=comments(problem.comments),
        test_patch=patch_as_data("the test", patch),
        failure=failure("output of the test", observation),
    )


def read_review(text: str) -> tuple[bool, str]:
    """Return answer and reason from the last JSON object that has an answer; unclear is False."""
    for candidate in json_objects(text):
        answer = candidate.get("shows_problem")
        if isinstance(answer, bool):
            reason = candidate.get("reason")
            line = " ".join(reason.split()) if isinstance(reason, str) else ""
            return answer, line[:_REASON_CHARACTERS]
    return False, ""
