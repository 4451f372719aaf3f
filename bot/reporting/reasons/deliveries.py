"""What a webhook led to: notes for the database."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.series import series

_RUN = "3fa9c1d20b7e"


@example()
def nothing_to_do() -> str:
    """The event asks for nothing."""
    return "Nothing to do."


@example("The issue_comment webhook could not be read: comment.id: Field required.")
def malformed(why: str) -> str:
    """Its payload could not be read."""
    return f"Malformed. {why}"


@example("own comment")
def ignored(reason: str) -> str:
    """The comment asks for nothing."""
    return f"Ignored: {reason}."


@example()
def renamed() -> str:
    """A repository has another name or owner."""
    return "The repository's new name was noted."


@example()
def heard_already() -> str:
    """The comment was found on GitHub before its webhook came."""
    return "Found on GitHub before this delivery arrived."


@example()
def review_waits() -> str:
    """A run works on the pull request, and the review is taken up when it is over."""
    return "Waits until the run on this pull request is over."


@example("3fa9c1d2")
def lesson_proposed(lesson: str) -> str:
    """A review comment may hold for all work to come."""
    return f"Proposed lesson {lesson}."


@example(12)
def repair_merged(number: int) -> str:
    """A pull request with a repair was merged."""
    return f"Remembered: the fix in #{number} was merged."


@example(12)
def repair_closed(number: int) -> str:
    """A pull request with a repair was closed without being merged."""
    return f"Remembered: the fix in #{number} was closed without being merged."


@example(12)
def repair_reopened(number: int) -> str:
    """A pull request with a repair that was closed is open again."""
    return f"Remembered: the fix in #{number} is open again."


@example()
def repair_reverted() -> str:
    """A repair that was merged was reverted."""
    return "Remembered: a merged fix was reverted."


@example(_RUN)
def started(run_id: str) -> str:
    """A run was started."""
    return f"Started run {run_id}."


@example("help")
def replied(kind: str) -> str:
    """A person got an answer."""
    return f"Replied: {kind}."


@example("bad command")
def refused(why: str) -> str:
    """A person was refused something."""
    return f"Refused: {why}."


@example(_RUN)
def stopping(run_id: str) -> str:
    """A run was asked to stop."""
    return f"Stopping run {run_id}."


@example()
def nothing_to_stop() -> str:
    """No run is active."""
    return "There is no run to stop."


@example()
def nothing_waits() -> str:
    """No run waits for approval."""
    return "Nothing is waiting for approval."


@example(on=True)
@example(on=False)
def switched(*, on: bool) -> str:
    """A person switched automatic runs of a pull request."""
    return f"Turned automatic runs {'on' if on else 'off'}."


@example()
def another_question() -> str:
    """A button belongs to a question that is no longer open."""
    return "Refused: the button belongs to another question."


@example("approved", _RUN)
@example("rejected", _RUN)
def answered(answer: str, run_id: str) -> str:
    """A person answered a run."""
    return f"Run {run_id} was {answer}."


@example()
def own_check() -> str:
    """Fixpoint's own check run."""
    return "Ignored: the check run is Fixpoint's own."


@example()
def foreign_check() -> str:
    """A button of another App."""
    return "Ignored: the check run belongs to another App."


@example("2c64ae4")
def failure_noted(commit: str) -> str:
    """A check failed."""
    return f"Recorded the failed check of {commit}."


@example()
def label_noted() -> str:
    """A pull request got a label."""
    return "Recorded the label."


@example("ann")
def may_not_ask(person: str) -> str:
    """Too low a role for runs."""
    return f"Refused: {person} may not start runs."


@example("ann")
def may_not_approve(person: str) -> str:
    """Too low a role for approvals."""
    return f"Refused: {person} may not approve."


@example("ann")
def may_not_extend(person: str) -> str:
    """Too low a role for more budget."""
    return f"Refused: {person} may not extend the budget."


@example("explode")
def unknown_button(button: str) -> str:
    """No button of ours."""
    return f"Ignored: unknown button {button}."


@example("ann", "2c64ae4")
def asked(person: str, commit: str) -> str:
    """A person pressed a button."""
    return f"{person} asked for a run on {commit}."


@example()
def no_run_affected() -> str:
    """A push or a closed pull request concerns no run."""
    return "No active run is affected."


@example([_RUN])
@example([_RUN, "9b1c0d3e7f24"])
def superseded(run_ids: Sequence[str]) -> str:
    """Runs on outdated commits were ended."""
    noun = "run" if len(run_ids) == 1 else "runs"
    return f"Ended superseded {noun} {series(run_ids)}."


@example("main", 1)
@example("main", 3)
def base_moved(branch: str, pull_requests: int) -> str:
    """A branch was pushed to that pull requests of ours merge into."""
    return f"{branch} moved; {count(pull_requests, 'pull request')} will be looked at."
