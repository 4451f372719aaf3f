"""What is remembered of a repository as JSON: for the API, and for `fixpoint memory --json`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.model.memory import Lesson, TriedRepair
from bot.model.quarantine import Quarantine, same_id
from bot.model.seen_tests import RememberedTest
from bot.reporting.json_report import cost_value
from bot.reporting.quarantine import names_of


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True)


class QuarantinePart(_Told):
    """For how long a flaky test may fail."""

    until: datetime = Field(description="UTC.")
    issue: int | None = Field(description="Number; null before there is one.")
    pull_request: int | None = Field(
        description="That marks the test; null without one, as where there is no safe edit."
    )
    mark: str = Field(description="With which it is marked; empty text for none.")


class RememberedTestPart(_Told):
    """A test that was seen failing, and how it ended on the commits that were looked at."""

    test: str = Field(description="Its id, as a runner or tool names it.")
    failed: int = Field(description="On how many commits it failed.")
    commits: tuple[bool, ...] = Field(
        description="For each commit on which it was seen, the oldest first, whether it failed."
    )
    pull_requests: tuple[int, ...] = Field(description="On which it failed.")
    branches: tuple[str, ...] = Field(description="Likewise.")
    checks: tuple[str, ...] = Field(
        description="Where it failed: checks of GitHub; empty text for a sandbox."
    )
    first_failed: datetime = Field(description="UTC.")
    last_failed: datetime = Field(description="UTC.")
    message: str = Field(description="Of the last failure; untrusted text.")
    owner: str = Field(
        description="Who CODEOWNERS names for its file, else who wrote most of it; empty text where "
        "nobody is known."
    )
    quarantine: QuarantinePart | None = Field(description="Null for a test that is in none.")


class LessonPart(_Told):
    """What a reviewer said that may hold for all work."""

    id: str = Field(description="8 hex digits.")
    state: Literal["proposed", "confirmed"] = Field(description="Only confirmed ones are used.")
    text: str = Field(description="What was said.")
    author: str = Field(description="Login of who said it.")
    confirmed_by: str | None = Field(description="Login of who confirmed it; null before that.")
    url: str = Field(description="Where it was said; may be empty.")
    made_at: datetime = Field(description="UTC.")


class RemarkPart(_Told):
    """What somebody with write access said of a pull request."""

    kind: Literal["changes_requested", "closed"] = Field(description="On what occasion.")
    by: str = Field(description="Login.")
    text: str = Field(description="Markdown, cut if it is long.")


class TriedPart(_Told):
    """An attempt of an earlier run."""

    id: str = Field(description="The run's id and the attempt's number.")
    run: str = Field(description="Id of the run.")
    made_at: datetime = Field(description="UTC.")
    outcome: Literal["rejected", "verified", "merged", "superseded", "closed", "reverted"] = Field(
        description="What became of it."
    )
    reason: str = Field(description="Why it was rejected; empty otherwise.")
    pull_request: int | None = Field(description="That has it; null without one.")
    url: str = Field(description="Of that pull request, or of the commit; may be empty.")
    message: str = Field(description="Of the failure, without numbers, times and places.")
    exception: str = Field(description="Or a linter's rule; may be empty.")
    frames: tuple[str, ...] = Field(description="Innermost first, of the repository alone.")
    step: str = Field(description="The failing command, or check and step.")
    tool: str = Field(description="What ran in it.")
    proposer: str = Field(description="Who proposed the patch.")
    summary: str = Field(description="What was done and why, in the proposer's words.")
    model: str | None = Field(description="That wrote it; null without one.")
    cost_usd: float | None = Field(description="US dollars; null when a price is unknown.")
    files: tuple[str, ...] = Field(description="That the patch changes.")
    remarks: tuple[RemarkPart, ...] = Field(
        default=(), description="What people said of its pull request, oldest first."
    )


class TriedWithPatch(TriedPart):
    """The same, with what was tried."""

    patch: str = Field(description="As `git apply` takes it; empty where it is not kept.")


class MemoryPart(_Told):
    """What is remembered of a repository."""

    lessons: tuple[LessonPart, ...] = Field(description="Oldest first.")
    attempts: tuple[TriedPart, ...] = Field(description="Newest first, at most `limit`.")
    tests: tuple[RememberedTestPart, ...] = Field(
        description="Tests that were seen failing, at most `limit`: what failed on most commits first."
    )


class ForgottenPart(_Told):
    """What is remembered no longer."""

    lessons: int = Field(description="How many lessons that were.")
    attempts: int = Field(description="How many attempts.")
    tests: int = Field(description="Of how many tests.")


def memory_part(
    lessons: Sequence[Lesson],
    entries: Sequence[TriedRepair],
    tests: Sequence[RememberedTest],
    quarantined: Sequence[Quarantine],
) -> MemoryPart:
    """Return what is remembered of a repository."""
    return MemoryPart(
        lessons=tuple(map(lesson_part, lessons)),
        attempts=tuple(map(tried_part, entries)),
        tests=tuple(test_part(test, quarantined) for test in tests),
    )


def test_part(test: RememberedTest, quarantined: Sequence[Quarantine]) -> RememberedTestPart:
    """Return a test, with its quarantine if it is in one."""
    own = same_id(test.test)
    kept = next((each for each in quarantined if same_id(each.test) == own), None)
    return RememberedTestPart(
        test=test.test,
        failed=test.failed,
        commits=test.commits,
        pull_requests=test.pulls,
        branches=test.branches,
        checks=test.checks,
        first_failed=test.first_failed,
        last_failed=test.last_failed,
        message=test.message,
        owner=test.owner or (names_of(kept.owner) if kept is not None else ""),
        quarantine=None if kept is None else _quarantine_part(kept),
    )


def _quarantine_part(kept: Quarantine) -> QuarantinePart:
    return QuarantinePart(
        until=kept.until,
        issue=kept.issue,
        pull_request=kept.pull,
        mark=kept.kind.value if kept.kind is not None else "",
    )


def lesson_part(lesson: Lesson) -> LessonPart:
    """Return a lesson."""
    return LessonPart(
        id=lesson.id,
        state=lesson.state.value,
        text=lesson.text,
        author=lesson.author,
        confirmed_by=lesson.confirmed_by or None,
        url=lesson.url,
        made_at=lesson.made_at,
    )


def tried_part(entry: TriedRepair) -> TriedPart:
    """Return an attempt."""
    signature = entry.signature
    return TriedPart(
        id=entry.id,
        run=entry.run_id,
        made_at=entry.made_at,
        outcome=entry.became.value,
        reason=entry.reason,
        pull_request=entry.pull_request,
        url=entry.url,
        message=signature.message,
        exception=signature.exception,
        frames=signature.frames,
        step=signature.step,
        tool=signature.tool,
        proposer=entry.proposer,
        summary=entry.summary,
        model=entry.model,
        cost_usd=cost_value(entry.cost_usd),
        files=entry.patch.files,
        remarks=tuple(
            RemarkPart(kind=remark.kind.value, by=remark.by, text=remark.text)
            for remark in entry.remarks
        ),
    )


def tried_with_patch(entry: TriedRepair) -> TriedWithPatch:
    """Return an attempt that was read with its patch."""
    return TriedWithPatch(**dict(tried_part(entry)), patch=entry.patch.text)
