"""What the API takes and gives, as docs/api.md and the OpenAPI document describe it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.model.events import KeptEvent
from bot.model.given_test import GivenTest
from bot.model.money.accounts import Balance
from bot.model.questions import Question
from bot.model.waiting_time import QueuePosition
from bot.reporting.balances import as_object
from bot.reporting.json_report import AttemptPart, VerdictName, cost_value, name_value
from bot.storage.run_figures import RepositoryFigures
from bot.storage.runs import RunRecord
from bot.web.given_cases import LONGEST_TEST, MOST_CASES, cases_test, file_test
from bot.web.run_control import ADDRESS, LONGEST_PROMPT, RunParameters

RepositoryName = Annotated[
    str,
    Field(
        max_length=300,
        description="`owner/name` or the repository's address; the App must be installed there.",
        # not checked here: what is refused later has a better sentence
        json_schema_extra={"pattern": ADDRESS, "examples": ["acme/app"]},
    ),
]

RunStatusName = Literal["queued", "running", "waiting", "done"]


class _Given(BaseModel):
    # strict: nothing is taken for something else, as "3" for 3
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class NewTestFile(_Given):
    """A new test, which has to fail now and to pass in the end."""

    path: str = Field("", max_length=300, description="In the repository; nothing is there yet.")
    content: str = Field(max_length=LONGEST_TEST, description="Its text.")


class NewTestCase(_Given):
    """One call of a Python function, and what it has to return."""

    input: str = Field(max_length=5_000, description="Arguments as in a call: `1, 'a'`.")
    expected: str = Field(
        max_length=5_000, description="A Python expression, or `raises ValueError`."
    )


class _Question(_Given):
    prompt: str = Field(
        "",
        max_length=LONGEST_PROMPT,
        description="What is wrong, in words.",
        examples=["Totals are off by one cent."],
    )
    test: str | None = Field(None, max_length=10_000, description="The failing command.")
    budget_usd: Decimal | None = Field(
        None, gt=0, le=10_000, description="Maximum cost of model calls in dollars."
    )
    test_file: NewTestFile | None = Field(None, description="A test that shows what is wrong.")
    function: str = Field(
        "", max_length=300, description="Python function of `cases`, such as `shop.cart.total`."
    )
    cases: tuple[NewTestCase, ...] = Field(
        (), max_length=MOST_CASES, description="Instead of `test_file`: calls of `function`."
    )

    def given_test(self) -> GivenTest | None:
        """Return the test that is given, as a file.

        Raises:
            ApiProblem: When it can't be one.
        """
        if self.test_file is not None:
            return file_test(self.test_file.path, self.test_file.content)
        if self.function or self.cases:
            cases = [(new_test_case.input, new_test_case.expected) for new_test_case in self.cases]
            return cases_test(self.function, cases)
        return None


class NewRun(_Question):
    """What to fix: at least a `prompt`, a `number`, a `test`, a `test_file` or `cases`."""

    repository: RepositoryName
    number: int | None = Field(
        None, ge=1, le=2**31 - 1, description="Issue or pull request that it is about."
    )

    def parameters(self, key: str) -> RunParameters:
        """Return it as a question that `key` names."""
        return RunParameters(
            self.repository,
            self.prompt,
            self.number,
            self.test,
            self.budget_usd,
            self.given_test(),
            key,
        )


class NewSession(_Given):
    """Where several prompts are to follow each other, on one branch."""

    repository: RepositoryName
    title: str = Field("", max_length=200, description="What people call it.")


class NewPrompt(_Question):
    """What to do next: at least a `prompt`, a `test`, a `test_file` or `cases`."""

    def parameters(self, repository: str, key: str) -> RunParameters:
        """Return it as a question about a repository, which `key` names."""
        return RunParameters(
            repository,
            self.prompt,
            None,
            self.test,
            self.budget_usd,
            self.given_test(),
            key,
        )


class CodeRequest(_Given):
    """What to do in a repository."""

    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True)

    repoUrl: str = Field(  # noqa: N815 - the clients' name
        min_length=1,
        max_length=300,
        description="Address of the repository.",
        examples=["https://github.com/acme/app"],
    )
    prompt: str = Field(
        min_length=1,
        max_length=LONGEST_PROMPT,
        description="What to do.",
        examples=["Totals are off by one cent."],
    )


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True)


class Answer(_Given):
    """Which question is answered."""

    question: str = Field(
        max_length=40,
        description="Its `id`, as `questions` of the run and its texts show it.",
        examples=["4f2a1b"],
    )


class QuestionPart(_Told):
    """What a run asks a person."""

    id: str = Field(description="6 hex digits; what an answer names.")
    about: str = Field(description="What it asks for, in words.")
    asked_at: datetime | None = Field(description="UTC; null where an older version asked.")
    until: datetime = Field(description="UTC; without an answer by then, it is over.")


class RunPart(_Told):
    """One run."""

    id: str = Field(description="12 hex digits.")
    repository: str = Field(description="`owner/name`.")
    number: int | None = Field(description="Issue or pull request; null without one.")
    status: RunStatusName = Field(description="Where the run is.")
    verdict: VerdictName | None = Field(description="How it ended; null before that.")
    reason: str = Field(description="Why it ended like this, in one sentence.")
    head: str | None = Field(description="The commit; null until it is known.")
    pull_request_url: str | None = Field(description="What it published; null if nothing.")
    cost_usd: float | None = Field(description="US dollars; null when a price is unknown.")
    tokens: int = Field(description="Tokens of all model calls.")
    queue_place: int | None = Field(
        None, description="Place in the queue, from 1; null for a run that doesn't wait there."
    )
    queue_seconds: float | None = Field(
        None, description="Until it starts, estimated; null while no run has ended yet."
    )
    started_by: str | None = Field(
        description="Who asked for it: a login, `key NAME`; null when failed checks did."
    )
    session: str | None = Field(description="Session that it is a part of; null without one.")
    questions: tuple[QuestionPart, ...] | None = Field(
        None, description="Those that are open; null in lists and webhooks."
    )
    created_at: datetime = Field(description="UTC.")
    updated_at: datetime = Field(description="UTC.")


class RunPage(_Told):
    """Some of the runs, the youngest first."""

    runs: tuple[RunPart, ...] = Field(description="At most `limit`.")
    total: int = Field(description="How many there are on all pages.")
    next: str | None = Field(description="Path of the next page; null on the last.")


class StartedPart(_Told):
    """A run that was started."""

    id: str = Field(description="Of the run.")
    url: str = Field(description="Path of the run in this API.")
    events: str = Field(description="Path of its events, as a stream.")


class AttemptPage(_Told):
    """The attempts of a run, in order."""

    attempts: tuple[AttemptPart, ...] = Field(description="Those that ended so far.")


class ArtifactPart(_Told):
    """Something that a run left."""

    name: Literal["report.json", "patch.diff", "logs.txt", "events.json"] = Field(
        description="What to call it as a file."
    )
    media_type: str = Field(description="Of its content.")
    url: str = Field(description="Its path in this API.")


class ArtifactPage(_Told):
    """What a run left so far."""

    artifacts: tuple[ArtifactPart, ...] = Field(description="Those that are there.")


class SessionPart(_Told):
    """Several prompts on one branch, each of which goes on from the last."""

    id: str = Field(description="12 hex digits.")
    repository: str = Field(description="`owner/name`.")
    title: str = Field(description="What people call it; may be empty.")
    url: str = Field(description="Path of the session in this API.")
    pull_request_url: str | None = Field(description="Of its branch; null until there is one.")
    started_by: str = Field(description="Who created it.")
    created_at: datetime = Field(description="UTC.")
    runs: tuple[RunPart, ...] = Field(description="One for each prompt, in order.")


class SessionPage(_Told):
    """Some of the sessions, the youngest first."""

    sessions: tuple[SessionPart, ...] = Field(description="At most `limit`.")
    total: int = Field(description="How many there are on all pages.")
    next: str | None = Field(description="Path of the next page; null on the last.")


class AccountPart(_Told):
    """An account that model calls are charged to; money is decimal text."""

    scope: Literal["server", "installation", "repository", "thread", "run"] = Field(
        description="What kind of account."
    )
    name: str = Field(description="Which one of that kind; empty for the server.")
    day: str | None = Field(description="UTC; null for what is not counted by days.")
    spent_usd: str | None = Field(description="Settled; null when a price is unknown.")
    reserved_usd: str | None = Field(description="For calls in progress.")
    left_usd: str | None = Field(description="What may still be reserved; null without a cap.")
    cap_usd: str | None = Field(description="Null without one.")
    tokens: int = Field(description="Spent and reserved.")
    sandbox_seconds: float = Field(description="Of commands in sandboxes.")
    calls_of_unknown_price: int = Field(description="Which `spent_usd` lacks.")


class BudgetPart(_Told):
    """Accounts of the ledger, as `fixpoint budget --json` prints them."""

    accounts: tuple[AccountPart, ...] = Field(description="The widest first.")


class EventPart(_Told):
    """One thing that happened."""

    number: int = Field(description="Counts from 1; what `Last-Event-ID` takes.")
    type: str = Field(description="What kind of thing.")
    at: datetime = Field(description="UTC.")
    data: dict[str, Any] = Field(description="Depends on the type; texts are untrusted.")


class EventPage(_Told):
    """Some of the events, in order."""

    events: tuple[EventPart, ...] = Field(description="At most 500.")


class RepositoryPart(_Told):
    """How a repository's runs of the last 30 days went."""

    repository: str = Field(description="`owner/name`, in lower case.")
    runs: int = Field(description="That ended.")
    fixed: int = Field(description="Of them, those that ended fixed: the fix was verified.")
    merged: int = Field(description="Of those fixed, whose fix was merged and kept.")
    closed: int = Field(description="Of those fixed, whose pull request was closed unmerged.")
    reverted: int = Field(description="Of those fixed, whose fix was merged and later reverted.")
    flaky: int = Field(description="Of them, those that found a flaky failure.")
    median_seconds: float | None = Field(description="From acceptance to end, of those fixed.")
    cost_usd: float | None = Field(description="Of all of them; null when a price is unknown.")


class RepositoryPage(_Told):
    """All repositories with runs in the last 30 days."""

    repositories: tuple[RepositoryPart, ...] = Field(description="The busiest first.")


def run_part(
    run: RunRecord,
    at: QueuePosition | None = None,
    questions: Iterable[Question] | None = None,
) -> RunPart:
    """Return a run as the API shows it, with its position if it waits for its place."""
    asked = None if questions is None else tuple(map(_question_part, questions))
    values = {
        "id": run.id,
        "repository": run.repo.full_name,
        "number": run.request.number,
        "status": run.status.value,
        "verdict": None if run.verdict is None else name_value(run.verdict),
        "reason": run.reason,
        "head": run.head,
        "pull_request_url": run.pull_request_url,
        "cost_usd": cost_value(run.cost_usd),
        "tokens": run.tokens,
        "queue_place": None if at is None else at.place,
        "queue_seconds": None if at is None else at.seconds,
        "started_by": run.request.asked_by or run.request.actor or None,
        "session": run.request.session,
        "questions": asked,
        "created_at": run.created_at,
        "updated_at": run.updated_at,
    }
    return RunPart.model_validate(values)


def _question_part(question: Question) -> QuestionPart:
    return QuestionPart(
        id=question.id,
        about=question.about,
        asked_at=question.asked_at,
        until=question.until,
    )


def event_part(event: KeptEvent) -> EventPart:
    """Return an event as the API shows it."""
    return EventPart(number=event.number, type=event.type.value, at=event.at, data=dict(event.data))


def repository_part(repository_figures: RepositoryFigures) -> RepositoryPart:
    """Return a repository as the API shows it."""
    return RepositoryPart(
        repository=repository_figures.repository,
        runs=repository_figures.runs,
        fixed=repository_figures.fixed,
        merged=repository_figures.merged,
        closed=repository_figures.closed,
        reverted=repository_figures.reverted,
        flaky=repository_figures.flaky,
        median_seconds=repository_figures.median_seconds,
        cost_usd=cost_value(repository_figures.cost_usd),
    )


def account_part(balance: Balance) -> AccountPart:
    """Return an account as the API shows it."""
    return AccountPart.model_validate(as_object(balance))
