"""Why a run on GitHub can't start, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.answering import RETRY, AnswerBy, ask
from bot.reporting.example import example
from bot.reporting.figures import count


@example("acme/app", AnswerBy.COMMENT)
@example("acme/app", AnswerBy.BUTTON)
def archived(repository: str, by: AnswerBy) -> str:
    """The repository takes no changes."""
    return f"{repository} is archived. Unarchive it, then {ask(RETRY, by)}."


@example("ann")
def description_changed(by: str) -> str:
    """What somebody asked for is what stood there then."""
    return (
        f"{by} edited the description after this run was asked for, so it was not read. "
        "Comment `/fix` again to have it read."
    )


@example()
def pull_request_closed() -> str:
    """Nobody works on it."""
    return (
        "This pull request is closed. Reopen it, then comment `/fix retry`; "
        "or open an issue and comment `/fix` there."
    )


@example(1, AnswerBy.COMMENT)
@example(20, AnswerBy.BUTTON)
def hourly_limit(most: int, by: AnswerBy) -> str:
    """The repository had its runs of this hour."""
    return (
        f"This repository has reached its limit of {count(most, 'run')} per hour. "
        f"Wait up to an hour, then {ask(RETRY, by)}."
    )


@example("2c64ae4", "7d1f0b2")
def outdated(failed_at: str, head: str) -> str:
    """The commit whose checks failed is no longer the head of its branch."""
    return f"The checks failed at {failed_at}, but the branch is now at {head}."


@example(["lint: failure", "test (3.12): timed_out"])
def checks_failed(checks: Sequence[str]) -> str:
    """The problem of a commit that nobody wrote about."""
    return "\n".join(("These checks failed on the commit:", "", *(f"- {one}" for one in checks)))


@example("Line 3: `atempts` is not a key; did you mean `attempts`?")
def config_invalid(*problems: str) -> str:
    """The repo config has problems, each in a sentence."""
    return " ".join(("The repo config is invalid.", *problems))


@example("https://github.com/acme/app.git", "fatal: unable to access")
def not_fetched(url: str, why: str) -> str:
    """Git could not fetch the commit."""
    return f"Could not fetch {url}: {why}"


@example("https://github.com/acme/app.git", "refs/heads/main", "git ls-remote failed")
def ref_not_found(url: str, ref: str, why: str) -> str:
    """Git could not resolve a branch."""
    return f"Could not find {ref} in {url}: {why}"
