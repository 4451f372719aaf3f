"""Every reply to a command: one function each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.model import Verdict
from bot.reporting.figures import count
from bot.reporting.markdown import bullets, code
from bot.reporting.marker import signed
from bot.reporting.progress_comment import checklist
from bot.reporting.progress_view import ProgressView
from bot.reporting.prose import line

COMMANDS = (
    ("/fix", "reproduce the failure, repair it, prove the repair, open a pull request"),
    ("/fix <instructions>", "the same, with something to keep in mind"),
    ("/fix status", "say how far the run is"),
    ("/fix stop", "stop the run and report what it found"),
    ("/fix approve", "publish a patch that waits for a person"),
    ("/fix reject", "end a run that waits for a person"),
    ("/fix retry", "start again, with what was asked for before"),
    ("/fix auto on", "start by itself whenever checks of this pull request fail"),
    ("/fix auto off", "never start by itself on this pull request"),
    ("/fix help", "show this list"),
)
"""What can be said to Fixpoint, and what it does then."""

OPTIONS = (
    ("--attempts N", "how many patches may be tried"),
    ("--budget-usd X", "the most that model calls may cost, in US dollars"),
    ("--timeout TIME", "the most time that the run may take, such as `900` or `15m`"),
    ('--test "COMMAND"', "the command that fails"),
    ("--model NAME", "the model to ask"),
    ("--effort low|medium|high", "how hard the model thinks"),
    ("--draft", "open the pull request as a draft"),
    ("--no-draft", "open it ready for review"),
)
"""What can be set behind `/fix` and `/fix retry`."""


def queued(mark: str) -> str:
    """Say that a run is accepted."""
    return signed(
        "Fixpoint will work on this now. Progress appears in this comment. To stop it, comment "
        "`/fix stop`.",
        mark,
    )


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


def status(view: ProgressView, now: datetime, mark: str) -> str:
    """Say how far a run is."""
    return signed(f"Run {code(view.run_id)}:\n\n{checklist(view, now)}", mark)


def nothing_running(mark: str) -> str:
    """Say that there is no run to stop or to show."""
    return signed("No run is under way here. To start one, comment `/fix`.", mark)


def auto_switched(on: bool, mark: str) -> str:  # noqa: FBT001 - the one thing it tells
    """Say what becomes of failed checks of the pull request from now on."""
    if on:
        text = (
            "From now on, failed checks of this pull request start a run. "
            "To switch that off, comment `/fix auto off`."
        )
    else:
        text = (
            "From now on, failed checks of this pull request start nothing. "
            "`/fix` works as before; a run that is under way goes on until `/fix stop`."
        )
    return signed(text, mark)


def last_run(verdict: Verdict, reason: str, pr_url: str | None, mark: str) -> str:
    """Say how the last run ended, where none is under way."""
    text = f"No run is under way here. The last one's verdict: {verdict}. {_sentence(reason)}"
    if pr_url is not None:
        text += f" Its pull request: {pr_url}"
    return signed(f"{text} To start again, comment `/fix retry`.", mark)


def stopping(mark: str) -> str:
    """Say that the run is being stopped."""
    return signed(
        "Stopping. The command or model call in progress ends first; a report follows.", mark
    )


def already_running(url: str, mark: str) -> str:
    """Say that a run is under way, with the address of its progress comment."""
    text = (
        f"A run is under way here: {url}\n\nTo start over, comment `/fix stop`, then `/fix retry`."
    )
    return signed(text, mark)


def not_allowed(mark: str) -> str:
    """Say that this person may not start runs."""
    return signed("Only people with write access to this repository can use Fixpoint.", mark)


def config_invalid(path: str, problems: Sequence[str], mark: str) -> str:
    """List what is wrong with the repo config; each problem names its line."""
    text = (
        f"{code(path)} has {count(len(problems), 'problem')}, so nothing was started:\n\n"
        f"{bullets(line(problem) for problem in problems)}\n\n"
        "Correct the file, then comment `/fix retry`. "
        "`fixpoint config check` finds these problems on your machine."
    )
    return signed(text, mark)


def bad_command(problem: str, mark: str) -> str:
    """Say what could not be understood, and where the commands are listed."""
    return signed(f"{_sentence(problem)} `/fix help` lists the commands and options.", mark)


def could_not_start(reason: str, mark: str) -> str:
    """Say why no run was started; the reason says what to do."""
    return signed(f"This run could not start. {_sentence(reason)} Then comment `/fix retry`.", mark)


def moved_on(reason: str, mark: str) -> str:
    """Say that nothing is done for a commit that people have left behind."""
    return signed(
        f"{_sentence(reason)} Nothing is published for a commit that is not the newest.", mark
    )


def crashed(run_id: str, times: int, mark: str) -> str:
    """Say that a run was given up because it kept ending its server."""
    text = (
        f"Run {code(run_id)} was interrupted {count(times, 'time')} without getting further, "
        "so it was given up. "
        f"The server's log has the cause under {code(f'run_id={run_id}')}; "
        "when it is removed, comment `/fix retry`."
    )
    return signed(text, mark)


def broke(run_id: str, reason: str | None, mark: str) -> str:
    """Say that a run ended without a report; `reason` says why unless that is a bug of ours."""
    why = f"Run {code(run_id)} ended early"
    if reason is None:
        text = f"{why} because of an error in Fixpoint itself; its report is lost."
    else:
        text = f"{why}. {_sentence(reason)}"
    text += (
        f" The server's log has more under {code(f'run_id={run_id}')}. "
        "To start again, comment `/fix retry`."
    )
    return signed(text, mark)


def ended_early(mark: str) -> str:
    """Stand in the progress comment's place when a comment of its own says how the run ended."""
    return signed("This run ended early: a comment below says why.", mark)


def _definitions(entries: Sequence[tuple[str, str]]) -> str:
    return bullets(f"{code(name)}: {meaning}" for name, meaning in entries)


def _sentence(text: str) -> str:
    """Return text as Markdown that ends like a sentence."""
    text = text.strip()
    return line(text if text.endswith((".", "!", "?")) else f"{text}.")
