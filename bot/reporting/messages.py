"""Every reply to a command: one function each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.model import Limits, Verdict
from bot.model.waiting_time import QueuePosition
from bot.reporting.answer_instructions import RETRY, AnswerBy, ask
from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import bullets, code
from bot.reporting.marker import marker, signed
from bot.reporting.progress_comment import checklist
from bot.reporting.progress_view import ProgressView
from bot.reporting.prose import line
from bot.reporting.reasons import run_life
from bot.reporting.verdict_text import headline

COMMANDS = (
    ("/fix", "reproduce the failure, fix it, verify the fix, and open a pull request"),
    ("/fix <instructions>", "the same, with instructions to follow"),
    ("/fix add <feature>", "write a specification and tests for a small feature, then build it"),
    (
        "/fix explain",
        "say since which commit or release the tests fail, and change nothing; takes `--test` and `--timeout`",
    ),
    (
        "/fix flaky",
        "say which tests both fail and pass, what decides, and the command that shows it, and try to repair the first of them; takes `--test`, which then runs the whole suite, and `--timeout`",
    ),
    ("/fix status", "show the progress of the run"),
    ("/fix stop", "stop the run and report its findings"),
    ("/fix approve", "approve what is waiting: a patch, a specification, a tool or more budget"),
    ("/fix reject", "end a run that is waiting for approval"),
    ("/fix retry", "start a new run with the same instructions"),
    ("/fix auto on", "start a run automatically whenever checks of this pull request fail"),
    ("/fix auto off", "never start a run automatically on this pull request"),
    ("/fix memory", "show what is remembered of earlier runs and reviews"),
    ("/fix remember", "keep what was proposed as a lesson in this pull request"),
    ("/fix remember: <text>", "keep this as a lesson for later runs"),
    ("/fix forget <ID or all>", "forget a lesson, what a run tried, or everything"),
    ("/fix help", "show this list"),
)
"""What can be said to Fixpoint, and what it does then."""

OPTIONS = (
    ("--attempts N", "maximum number of patches to try"),
    ("--budget-usd X", "maximum cost of model calls, in US dollars"),
    ("--timeout TIME", "time limit of the run, such as `900` or `15m`"),
    ('--test "COMMAND"', "the failing command"),
    ("--model NAME", "the model to use"),
    ("--effort low|medium|high", "how hard the model thinks"),
    ("--draft", "open the pull request as a draft"),
    ("--no-draft", "open the pull request ready for review"),
)
"""What can be set behind `/fix` and `/fix retry`."""

_MARK = marker("3fa9c1d20b7e", "example")
_RUN = "3fa9c1d20b7e"
_STARTED = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


@example(_MARK)
def queued(mark: str) -> str:
    """Say that a run is accepted."""
    return signed(
        "Fixpoint is starting. Progress will appear in this comment. To stop the run, comment "
        "`/fix stop`.",
        mark,
    )


@example(_MARK)
def withdrawn(mark: str) -> str:
    """Say that a run was stopped while it was in the queue."""
    return signed("Stopped while it was in the queue. Nothing was changed.", mark)


@example(QueuePosition(4, 700.0), _MARK)
@example(QueuePosition(1, None), _MARK)
def in_queue(at: QueuePosition, mark: str) -> str:
    """Say how long a run will wait for its place."""
    return signed(
        f"{run_life.standing(at)} Progress will appear in this comment. To leave the queue, comment "
        "`/fix stop`.",
        mark,
    )


@example(_MARK)
def help_text(
    mark: str,
    commands: Sequence[tuple[str, str]] = COMMANDS,
    options: Sequence[tuple[str, str]] = OPTIONS,
) -> str:
    """List the commands and the options."""
    text = (
        "Commands, each at the start of a line:\n\n"
        f"{_definitions(commands)}\n\n"
        "Options of `/fix` and `/fix retry`:\n\n"
        f"{_definitions(options)}\n\n"
        "Defaults come from `.github/fixpoint.yml`."
    )
    return signed(text, mark)


@example(ProgressView(_RUN, _STARTED, Limits()), _STARTED, _MARK)
def status(view: ProgressView, now: datetime, mark: str) -> str:
    """Say how far a run is."""
    return signed(f"Run {code(view.run_id)}:\n\n{checklist(view, now)}", mark)


@example(_MARK)
def nothing_running(mark: str) -> str:
    """Say that there is no run to stop or to show."""
    return signed("No run is active here. To start one, comment `/fix`.", mark)


@example(_MARK)
def stopped_since(mark: str) -> str:
    """Say that a `/fix` starts nothing because GitHub delivered a later `/fix stop` before it."""
    text = (
        "No run was started: a later `/fix stop` reached Fixpoint before this `/fix` did. "
        "To start one, comment `/fix` again."
    )
    return signed(text, mark)


@example(True, _MARK)  # noqa: FBT003 - the one thing it tells
@example(False, _MARK)  # noqa: FBT003 - the one thing it tells
def auto_switched(on: bool, mark: str) -> str:  # noqa: FBT001 - the one thing it tells
    """Say what becomes of failed checks of the pull request from now on."""
    if on:
        text = (
            "From now on, Fixpoint starts a run whenever checks of this pull request fail. "
            "To turn this off, comment `/fix auto off`."
        )
    else:
        text = (
            "From now on, failed checks of this pull request do not start a run. "
            "You can still comment `/fix`. A run that is already active continues until "
            "`/fix stop`."
        )
    return signed(text, mark)


@example(Verdict.GAVE_UP, "All 3 attempts of the budget are used.", None, _MARK)
@example(Verdict.FIXED, "Attempt 2 passed.", "https://github.com/acme/app/pull/8", _MARK)
def last_run(verdict: Verdict, reason: str, pr_url: str | None, mark: str) -> str:
    """Say how the last run ended, where none is active."""
    text = f"No run is active here. Last run: **{headline(verdict)}.** {_sentence(reason)}"
    if pr_url is not None:
        text += f" Pull request: {pr_url}"
    return signed(f"{text}\n\nTo start a new run, comment `/fix retry`.", mark)


@example(_MARK)
def stopping(mark: str) -> str:
    """Say that the run is being stopped."""
    return signed(
        "Stopping. The report will appear in the run's comment as soon as the current command or "
        "model call finishes.",
        mark,
    )


@example("https://github.com/acme/app/issues/7#issuecomment-1", _MARK)
def already_running(url: str, mark: str) -> str:
    """Say that a run is active, with the address of its progress comment."""
    text = (
        f"A run is already active here: {url}\n\n"
        "To start over, comment `/fix stop`, then `/fix retry`."
    )
    return signed(text, mark)


@example(_MARK)
def not_allowed(mark: str) -> str:
    """Say that this person may not start runs."""
    return signed("Only people with write access to this repository can use Fixpoint.", mark)


@example("maintain", _MARK)
def role_needed(role: str, mark: str) -> str:
    """Say to somebody with write access which role may start runs."""
    text = (
        f"Using Fixpoint requires the role {code(role)} or higher in this repository "
        "(`who.permission` in the repo config)."
    )
    return signed(text, mark)


@example(
    ".github/fixpoint.yml",
    ["Line 3: `atempts` is not a key; did you mean `attempts`?"],
    _MARK,
    AnswerBy.COMMENT,
)
@example(
    ".github/fixpoint.yml",
    ["Line 3: `atempts` is not a key; did you mean `attempts`?", "Line 9: `x` is not a key."],
    _MARK,
    AnswerBy.BUTTON,
)
def config_invalid(
    path: str, problems: Sequence[str], mark: str, by: AnswerBy = AnswerBy.COMMENT
) -> str:
    """List what is wrong with the repo config; each problem names its line."""
    text = (
        f"Fixpoint did not start because {code(path)} has {count(len(problems), 'problem')}:\n\n"
        f"{bullets(line(problem) for problem in problems)}\n\n"
        f"Fix the file, then {ask(RETRY, by)}. "
        "To check it on your machine, run `fixpoint config check`."
    )
    return signed(text, mark)


@example("`--atempts` is not an option; did you mean `--attempts`?", _MARK)
def bad_command(problem: str, mark: str) -> str:
    """Say what could not be understood, and where the commands are listed."""
    return signed(f"{_sentence(problem)} For all commands and options, comment `/fix help`.", mark)


@example("acme/app is archived. Unarchive it, then comment `/fix retry`.", _MARK)
def could_not_start(reason: str, mark: str) -> str:
    """Say why no run was started; the reason says what to do."""
    return signed(_sentence(reason), mark)


@example(
    "GitHub denied GET /repos/acme/app (Forbidden). Check the App's permissions.",
    _MARK,
    AnswerBy.COMMENT,
)
@example(
    "GitHub denied GET /repos/acme/app (Forbidden). Check the App's permissions.",
    _MARK,
    AnswerBy.BUTTON,
)
def no_access(reason: str, mark: str, by: AnswerBy = AnswerBy.COMMENT) -> str:
    """Say what GitHub does not allow Fixpoint, so that no run was started."""
    return signed(
        f"Fixpoint could not start. {_sentence(reason)} Once this is fixed, {ask(RETRY, by)}.", mark
    )


@example(7, "https://github.com/acme/shop/pull/7", _MARK)
def already_open(number: int, url: str, mark: str) -> str:
    """Say that an open pull request of ours makes the same change, or mends the same failure."""
    return signed(
        f"[#{number}]({url}) is open and already fixes this failure, so no second pull request was "
        "opened.",
        mark,
    )


@example("The checks failed at 2c64ae4, but the branch is now at 7d1f0b2.", _MARK)
def moved_on(reason: str, mark: str) -> str:
    """Say that nothing is published for a commit that is no longer current."""
    return signed(f"{_sentence(reason)} Nothing was published.", mark)


@example(_RUN, 3, _MARK, AnswerBy.COMMENT)
@example(_RUN, 3, _MARK, AnswerBy.BUTTON)
def crashed(run_id: str, times: int, mark: str, by: AnswerBy = AnswerBy.COMMENT) -> str:
    """Say that a run was given up because it kept ending its server."""
    text = (
        f"Fixpoint gave up on run {code(run_id)} after {count(times, 'interruption')} without "
        f"progress. The cause is in the server's log under {code(f'run_id={run_id}')}. "
        f"Once it is fixed, {ask(RETRY, by)}."
    )
    return signed(text, mark)


@example(_RUN, None, _MARK, AnswerBy.COMMENT)
@example(_RUN, "The database is closed because the server is shutting down.", _MARK)
@example(_RUN, None, _MARK, AnswerBy.BUTTON)
def broke(run_id: str, reason: str | None, mark: str, by: AnswerBy = AnswerBy.COMMENT) -> str:
    """Say that a run ended without a report; `reason` says why unless that is a bug of ours."""
    why = (
        f"Run {code(run_id)} failed without a report because of a bug in Fixpoint."
        if reason is None
        else f"Run {code(run_id)} ended early. {_sentence(reason)}"
    )
    text = (
        f"{why} Details are in the server's log under {code(f'run_id={run_id}')}. "
        f"To start a new run, {ask(RETRY, by)}."
    )
    return signed(text, mark)


@example(_MARK)
def ended_early(mark: str) -> str:
    """Stand above the reason, where a check run shows how the run ended."""
    return signed("This run ended early. The reason is given below.", mark)


def _definitions(entries: Sequence[tuple[str, str]]) -> str:
    return bullets(f"{code(name)}: {meaning}" for name, meaning in entries)


def _sentence(text: str) -> str:
    """Return text as Markdown that ends like a sentence."""
    text = text.strip()
    return line(text if text.endswith((".", "!", "?")) else f"{text}.")
