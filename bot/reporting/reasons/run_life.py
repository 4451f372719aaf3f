"""Why a run can't start, waits, was continued or interrupted, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model.untrusted import clip
from bot.model.waiting_time import QueuePosition
from bot.reporting.answer_instructions import RETRY, AnswerBy, ask
from bot.reporting.example import example
from bot.reporting.figures import about, count
from bot.reporting.series import series


@example("acme/app", AnswerBy.COMMENT)
@example("acme/app", AnswerBy.BUTTON)
def archived_before(repository: str, by: AnswerBy) -> str:
    return f"{repository} is archived. Unarchive it, then {ask(RETRY, by)}."


@example("ann")
def description_changed(by: str) -> str:
    return (
        f"{by} edited the description after this run was asked for, so it was not read. "
        "Comment `/fix` again to have it read."
    )


PULL_REQUEST_CLOSED = (
    "This pull request is closed. Reopen it, then comment `/fix retry`; "
    "or open an issue and comment `/fix` there."
)


@example(1, AnswerBy.COMMENT)
@example(20, AnswerBy.BUTTON)
def hourly_limit(most: int, by: AnswerBy) -> str:
    return (
        f"This repository has reached its limit of {count(most, 'run')} per hour. "
        f"Wait up to an hour, then {ask(RETRY, by)}."
    )


@example("2c64ae4", "7d1f0b2")
def outdated(failed_at: str, head: str) -> str:
    return f"The checks failed at {failed_at}, but the branch is now at {head}."


@example(["lint: failure", "test (3.12): timed_out"])
def checks_failed(checks: Sequence[str]) -> str:
    return "\n".join(
        ("These checks failed on the commit:", "", *(f"- {check}" for check in checks))
    )


@example("Line 3: `atempts` is not a key; did you mean `attempts`?")
def config_invalid(*problems: str) -> str:
    return " ".join(("The repo config is invalid.", *problems))


@example("https://github.com/acme/app.git", "fatal: unable to access")
def not_fetched(url: str, why: str) -> str:
    return f"Could not fetch {url}: {why}"


@example("https://github.com/acme/app.git", "refs/heads/main", "git ls-remote failed")
def ref_not_found(url: str, ref: str, why: str) -> str:
    return f"Could not find {ref} in {url}: {why}"


@example(QueuePosition(4, 700.0))
@example(QueuePosition(1, 20.0))
@example(QueuePosition(30, 9000.0))
@example(QueuePosition(2, None))
def standing(at: QueuePosition) -> str:
    """All places are taken."""
    ahead = at.place - 1
    first = (
        "This run is next" if ahead == 0 else f"{count(ahead, 'run')} will start before this one"
    )
    if at.seconds is None:
        return f"Queued. {first}."
    return f"Queued, about {about(at.seconds)}. {first}."


CHECKS_PUT_OFF = "The queue is full. A run will start by itself once it is shorter."


@example("ann", "3fa9c1d20b7e")
def budget_extended(by: str, run_id: str) -> str:
    return f"{by} approved more budget; continuing run {run_id}."


@example(3)
def interrupted(times: int) -> str:
    return f"Interrupted {count(times, 'time')} without progress."


WITHDRAWN = "Stopped while it was in the queue."
BUG = "A bug in Fixpoint ended this run."
SERVER_CHANGED = (
    "The server's settings or version changed during the run, so Fixpoint can't continue it."
)
STORED_BY_ANOTHER_VERSION = (
    "An earlier version of Fixpoint started this run, and this version can't continue it."
)


@example("acme/app")
def archived(repository: str) -> str:
    return f"{repository} is archived, so nothing can be published there."


@example("acme")
def suspended(account: str) -> str:
    return f"The App's installation on {account} is suspended."


@example("acme")
def uninstalled(account: str) -> str:
    return f"The App is no longer installed on {account}."


@example("acme/app")
def inaccessible(repository: str) -> str:
    return f"{repository} was deleted, or the App can no longer access it."


OUTPUT_LEFT_OUT = "This run printed a lot, so its further output isn't kept."


_WORDS = 1_000
"""Characters of a model's words."""


@example(attempts=1)
@example(attempts=3)
def attempts_used(attempts: int) -> str:
    return (
        "The one attempt of the budget is used."
        if attempts == 1
        else f"All {attempts} attempts of the budget are used."
    )


@example(2)
def attempts_in_vain(attempts: int) -> str:
    return f"{attempts} attempts in a row changed nothing, so no other one is made."


@example("`total` is the name that the other functions have, so I left it.")
@example("")
def changes_nothing(words: str) -> str:
    """Somebody asked for a change that no test shows, and the model made none."""
    said = clip(" ".join(words.split()), _WORDS)
    return f"The model changed nothing. It says: {said}" if said else "The model changed nothing."


NOBODY_ELSE_TO_ASK = "No patch passed, and no other proposer is configured."
SUGGESTED = (
    "A patch passes the failing command and breaks nothing that the tests see, but the tests "
    "say too little to be confident that it is right."
)
REVERT_SUGGESTED = (
    "A patch passes the failing command and breaks nothing that the tests see, but it takes back "
    "what somebody wanted."
)
NO_PROPOSER = "No proposer is configured."


@example(["mechanical", "search"])
@example(["mechanical"], ["search"])
@example([], ["search"])
def nothing_to_change(looked: Sequence[str], not_looked: Sequence[str] = ()) -> str:
    """The proposers that need no model left no patch, and there is no model.

    Args:
        looked: Those that found nothing.
        not_looked: Those that can't look: not in this language, or not with this test runner.
    """
    said = [f"{series(looked)} found nothing to change"] if looked else []
    if not_looked:
        said.append(
            f"{series(not_looked)} only repairs Python programs with pytest or unittest, and JavaScript "
            "and TypeScript programs with a test runner that it knows"
        )
    return f"{', '.join(said)}, and no model is configured."


@example(["mechanical"])
@example(["mechanical", "search"])
def instructions_unread(asked: Sequence[str]) -> str:
    """Somebody said how to repair it, and no model was asked."""
    do = "does" if len(asked) == 1 else "do"
    return (
        f"The instructions were not read: only a model reads them, and {' and '.join(asked)} {do} not "
        "ask one."
    )


@example(["mechanical"])
@example(["mechanical", "search"])
def issue_unread(asked: Sequence[str]) -> str:
    """What failed is mended, and nothing shows that the issue is about that."""
    repairs = "repairs" if len(asked) == 1 else "repair"
    return (
        f"Nobody read the issue: {series(asked)} only {repairs} what fails, so anything else that it "
        "asks for was not done."
    )


@example()
@example(uncompared="The full test suite `make test` has no test that passes without the patch.")
@example(others=1)
@example(others=3)
@example(others=1, problems=2)
@example(tested=False)
@example(others=1, mended=2)
@example(mended=1)
def fixed(
    uncompared: str = "",
    others: int = 0,
    mended: int = 0,
    *,
    problems: int = 0,
    tested: bool = True,
) -> str:
    """A patch is accepted.

    Args:
        uncompared: Why the full test suite shows nothing, as a sentence.
        others: Tests that failed without the patch, and still do: it did not have to mend them.
        mended: Such tests that pass with it.
        problems: What linters or compilers reported without the patch, and still do.
        tested: Whether a test ran with the patch, and not only a linter or a compiler.
    """
    left = others + problems
    passes = "What had to be fixed passes" if left or mended else "The failing command passes"
    if uncompared or tested:
        broke = f". {uncompared}" if uncompared else ", and nothing else that ran broke."
    else:
        broke = ". No test was run, so nothing shows what else the patch changes."
    said = f"{passes} with the patch{broke}"
    if mended:
        tests = (
            "1 test that was set aside passes"
            if mended == 1
            else f"{mended} tests that were set aside pass"
        )
        said = f"{said} {tests} now, too."
    if not left:
        return said
    besides = []
    if others:
        besides.append("1 other test fails" if others == 1 else f"{others} other tests fail")
    if problems:
        besides.append(
            "1 other problem stays" if problems == 1 else f"{problems} other problems stay"
        )
    its = "its" if left == 1 else "their"
    return f"{said} {' and '.join(besides)} for reasons of {its} own; see the notes."
