"""What a delivery led to, and why failed checks start no run, or none yet."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.series import series

_RUN = "3fa9c1d20b7e"


NOTHING_TO_DO = "Nothing to do."


@example("The issue_comment webhook could not be read: comment.id: Field required.")
def malformed(why: str) -> str:
    return f"Malformed. {why}"


@example("own comment")
def ignored(reason: str) -> str:
    return f"Ignored: {reason}."


INTRODUCED_BEFORE = "It was introduced there before."
CONFIGURED = "The repository has a repo config."
NO_TESTS_FOUND = "No tests were found in its files."


@example("acme/app", 7)
def introduced(repository: str, number: int) -> str:
    return f"Opened #{number} in {repository} to introduce Fixpoint."


@example("acme/app", INTRODUCED_BEFORE)
def not_introduced(repository: str, reason: str) -> str:
    return f"Nothing was opened in {repository}. {reason}"


RENAMED = "The repository's new name was noted."
HEARD_ALREADY = "Found on GitHub before this delivery arrived."
ANSWERED_ELSEWHERE = "Answered before by a server with another database, as GitHub shows."
REVIEW_WAITS = "Waits until the run on this pull request is over."


PULL_REQUEST_CLOSED = "The pull request is closed."
PROOFS_OFF = "Proofs are off for this repository."
AUTHOR_NOT_PROVED = "`proof.authors` in the repo config does not name the author."
NO_PROOF_LABEL = "The pull request has no label that asks for a proof."
DRAFT_NOT_PROVED = "Drafts are proved once they are ready for review."
NO_FIX_CLAIMED = "The pull request does not say that it fixes something, and does not change tests and source together."
PROVED_ALREADY = "This commit has its proof, or one is under way."


@example(_RUN)
def proof_started(proof_id: str) -> str:
    return f"Started proof {proof_id}."


@example((_RUN,))
def proofs_superseded(proof_ids: Sequence[str]) -> str:
    return f"Stopping superseded proofs: {series(list(proof_ids))}."


@example("The App may not write check runs.")
def not_proved(why: str) -> str:
    return f"Not proved: {why}"


@example("3fa9c1d2")
def lesson_proposed(lesson: str) -> str:
    return f"Proposed lesson {lesson}."


@example(12)
def repair_merged(number: int) -> str:
    return f"Remembered: the fix in #{number} was merged."


@example(12)
def repair_closed(number: int) -> str:
    return f"Remembered: the fix in #{number} was closed without being merged."


@example(12)
def repair_reopened(number: int) -> str:
    return f"Remembered: the fix in #{number} is open again."


REPAIR_REVERTED = "Remembered: a merged fix was reverted."


@example(_RUN)
def started(run_id: str) -> str:
    return f"Started run {run_id}."


@example("help")
def replied(kind: str) -> str:
    return f"Replied: {kind}."


@example("bad command")
def refused(why: str) -> str:
    return f"Refused: {why}."


@example(_RUN)
def stopping(run_id: str) -> str:
    return f"Stopping run {run_id}."


NOTHING_TO_STOP = "There is no run to stop."
NOTHING_WAITS = "Nothing is waiting for approval."


@example(on=True)
@example(on=False)
def switched(*, on: bool) -> str:
    return f"Turned automatic runs {'on' if on else 'off'}."


ANOTHER_QUESTION = "Refused: the button belongs to another question."


@example("approved", _RUN)
@example("rejected", _RUN)
def answered(answer: str, run_id: str) -> str:
    return f"Run {run_id} was {answer}."


OWN_CHECK = "Ignored: the check run is Fixpoint's own."
FOREIGN_CHECK = "Ignored: the check run belongs to another App."


@example("2c64ae4")
def failure_noted(commit: str) -> str:
    return f"Recorded the failed check of {commit}."


@example(7, "2c64ae4")
def entry_noted(number: int, commit: str) -> str:
    return f"Recorded the merge queue's commit {commit} with #{number}."


LABEL_NOTED = "Recorded the label."


@example("ann")
def may_not_ask(person: str) -> str:
    return f"Refused: {person} may not start runs."


@example("ann")
def may_not_approve(person: str) -> str:
    return f"Refused: {person} may not approve."


@example("ann")
def may_not_extend(person: str) -> str:
    return f"Refused: {person} may not extend the budget."


@example("explode")
def unknown_button(button: str) -> str:
    return f"Ignored: unknown button {button}."


@example("ann", "2c64ae4")
def asked(person: str, commit: str) -> str:
    return f"{person} asked for a run on {commit}."


NO_RUN_AFFECTED = "No active run is affected."


@example([_RUN])
@example([_RUN, "9b1c0d3e7f24"])
def superseded(run_ids: Sequence[str]) -> str:
    """Runs on outdated commits were ended."""
    noun = "run" if len(run_ids) == 1 else "runs"
    return f"Ended superseded {noun} {series(run_ids)}."


@example("main", 1)
@example("main", 3)
def base_moved(branch: str, pull_requests: int) -> str:
    return f"{branch} moved; {count(pull_requests, 'pull request')} will be looked at."


NOT_A_HEAD = "This commit is not the head of the default branch or of an open pull request."
NOT_ENABLED = "Automatic runs are not enabled in the repo config."
NOT_ENABLED_HERE = "Automatic runs are not enabled here."
SWITCHED_OFF = "Automatic runs are turned off for this pull request."
PUSHED_TO_OURS = "Someone else pushed to this pull request, which Fixpoint opened."
FROM_A_FORK = "The pull request comes from a fork."
BY_A_BOT = "The pull request was opened by a bot."
IS_A_DRAFT = "The pull request is a draft."
NOTHING_FAILED = "No check that Fixpoint watches has failed."
HAD_ITS_RUN = "Fixpoint has already run on this commit."
SAME_ON_BASE = "The same checks fail on the base branch."
SAME_BEFORE = "The same checks fail on an entry of the merge queue before this one."
TOO_MANY_OPEN = "Fixpoint already has as many open pull requests as the repo config allows."
TOO_MANY_RUNS = (
    "Failed checks have already started as many runs on this pull request as the repo config "
    "allows (`checks.most_runs`)."
)
ARCHIVED = "The repository is archived."
CONFIG_INVALID = "The repo config is invalid."


@example("Line 3: `atempts` is not a key; did you mean `attempts`?")
def config_invalid_because(problem: str) -> str:
    return f"The repo config is invalid. {problem}"


SETTLING = "Waiting for other checks of the commit."


@example(("lint", "test (3.12)"))
def still_running(checks: Sequence[str]) -> str:
    return f"Waiting for {series(checks)}."


ANOTHER_RUN_HERE = "Waiting for another run on this commit or pull request."
OTHER_RUNS = "Waiting for other runs on failed checks in this repository."


@example("The pull request is a draft.")
def skipped(reason: str) -> str:
    return f"No run started. {reason}"
