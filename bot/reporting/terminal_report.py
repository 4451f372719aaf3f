"""Print the report of a run for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bot.model import Attempt, GuardFinding, Observation, Report, Severity
from bot.model.untrusted import reveal_hidden
from bot.reporting import flaky
from bot.reporting.attempt_list import what_models_did
from bot.reporting.example import example
from bot.reporting.failure_reason import reason
from bot.reporting.figures import count, duration, money
from bot.reporting.outcome import before_after, outcome
from bot.reporting.plain import WIDEST, print_table, printable
from bot.reporting.proof import observation_of
from bot.reporting.proof_card import plain
from bot.reporting.reasons import verification as reasons
from bot.reporting.reasons.setup_repair import CONFIG_OFFERED
from bot.reporting.specification import plain_lines
from bot.reporting.suggested_config import suggested_config
from bot.reporting.what_changed import as_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_MOST_TESTS = 10
_MOST_SETUP_LINES = 20
_MOST_SUMMARY_LINES = 40
_MOST_PATCH_LINES = 400
"""On a terminal."""


def print_report(report: Report, console: Console, destination: str = "") -> None:
    """Print verdict, reproduction, attempts, patch, and where the patch went.

    Args:
        report: Of a finished run.
        console: Where to print; plain text when it is no terminal.
        destination: One sentence that says where the patch went, or nothing.
    """
    say = _Speaker(console)
    say.line("")
    say.line(
        f"{_capital(report.verdict)}. {report.reason}",
        "bold green" if report.patch_accepted else "bold",
    )
    observation = observation_of(report)
    if observation is not None:
        _print_reproduction(observation, say)
    elif report.reproduction is not None:
        _print_setup(report.reproduction.setup_output, say)
    _print_what_changed(report, say)
    for text in flaky.as_text(report.flaky).splitlines() if report.flaky is not None else ():
        say.line(text)
    for text in plain_lines(report.specification) if report.specification is not None else ():
        say.line(text)
    if report.attempts:
        say.line("")
        print_table(_attempts(report.attempts), console)
        for said in what_models_did(report.attempts):
            say.line(said)
    _print_still_failing(report, say)
    _print_summary(report, say)
    if report.patch:
        _print_patch(report, console)
    _print_to_check(report, say)
    for note in report.notes:
        say.line(f"Note: {note}")
    _print_config(report, say)
    if destination:
        say.line(destination)
    attempts = count(len(report.attempts), "attempt")
    tokens = count(report.usage.tokens, "token")
    cost = money(report.usage.cost_usd)
    say.line(f"{attempts}, {duration(report.seconds)}, {tokens}, {cost}", "dim")


class _Speaker:
    """Prints lines that may hold untrusted text."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def line(self, text: str, style: str = "") -> None:
        """Print one line; nothing in it is markup or a control sequence."""
        limit = 1_000 if self._console.is_terminal else WIDEST
        self._console.print(
            printable(text, limit), style=style, markup=False, highlight=False, soft_wrap=True
        )


def _print_reproduction(observation: Observation, say: _Speaker) -> None:
    say.line(f"Failing command: {observation.command} (exit code {observation.exit_code})")
    for failure in observation.failing[:_MOST_TESTS]:
        said = reason(failure)
        why = f": {said}" if said else ""
        say.line(f"- {failure.test}{why}")
    if len(observation.failing) > _MOST_TESTS:
        say.line(f"- and {count(len(observation.failing) - _MOST_TESTS, 'more test')}")


def _print_still_failing(report: Report, say: _Speaker) -> None:
    """Name what the last patch that was run leaves failing, where none was accepted."""
    if report.patch_accepted:
        return
    tried = [each for each in report.attempts if each.verification and each.verification.target]
    target = tried[-1].verification.target if tried and tried[-1].verification else None
    if target is None or not target.failing:
        return
    say.line(f"Still failing with attempt {tried[-1].n}:")
    for failure in target.failing[:_MOST_TESTS]:
        said = reason(failure)
        why = f": {said}" if said else ""
        say.line(f"- {failure.test}{why}")
    if len(target.failing) > _MOST_TESTS:
        say.line(f"- and {len(target.failing) - _MOST_TESTS} more")


def _print_what_changed(report: Report, say: _Speaker) -> None:
    found = report.what_changed
    if found is not None and found.is_answer:
        say.line("What changed:", "bold")
        for text in as_text(found).splitlines():
            say.line(text)


def _print_setup(printed: str, say: _Speaker) -> None:
    """Print the end of what a failed setup said."""
    for text in printed.rstrip().splitlines()[-_MOST_SETUP_LINES:]:
        say.line(f"| {text}")


def _print_config(report: Report, say: _Speaker) -> None:
    """Print the config with which the next run has nothing to find out."""
    if lines := suggested_config(report.commands):
        say.line(CONFIG_OFFERED)
        for text in lines.splitlines():
            say.line(text)


def _attempts(attempts: tuple[Attempt, ...]) -> Table:
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE, pad_edge=False)
    for title in ("#", "Proposer", "Failing", "Patch", "Cost", "Time", "Outcome"):
        table.add_column(title, justify="right" if title in {"Cost", "Time"} else "left")
    for attempt in attempts:
        table.add_row(*(Text(cell) for cell in _row(attempt)))
    return table


def _row(attempt: Attempt) -> tuple[str, ...]:
    patch = attempt.proposal.patch
    return (
        str(attempt.n),
        printable(attempt.proposal.model or attempt.proposer, 40),
        before_after(attempt),
        f"+{patch.added} -{patch.removed}" if patch else "none",
        money(attempt.proposal.usage.cost_usd),
        duration(attempt.seconds),
        outcome(attempt),
    )


def _print_summary(report: Report, say: _Speaker) -> None:
    """Print why the accepted patch is right, in its proposer's words."""
    attempt = report.accepted_attempt or report.suggested_attempt
    for text in (
        attempt.proposal.summary.strip().splitlines()[:_MOST_SUMMARY_LINES] if attempt else ()
    ):
        say.line(text)
    verification = attempt.verification if attempt else None
    if verification is not None and verification.mutants is not None:
        say.line(reasons.caught(verification.mutants))
    if verification is not None and verification.wrong_fixes is not None:
        say.line(reasons.wrong_fixes_caught(verification.wrong_fixes))


def _print_to_check(report: Report, say: _Speaker) -> None:
    """Print what a person has to look at before the patch is used."""
    lines = finding_lines(report.to_check)
    known = {finding.message for finding in report.to_check}
    lines += [f"- {plain(fact.text)}" for fact in report.left_open if fact.text not in known]
    if lines:
        say.line(before_use(len(lines)), "bold")
    for text in lines:
        say.line(text)


def _print_patch(report: Report, console: Console) -> None:
    lines = reveal_hidden(report.patch.text).splitlines()
    title = "The patch:" if report.patch_accepted else "The patch so far (not accepted):"
    if report.suggested_attempt is not None:
        title = "The suggested patch (check it before you use it):"
    console.print(f"\n{title}", markup=False, highlight=False)
    most = _MOST_PATCH_LINES if console.is_terminal else len(lines)
    shown = "\n".join(lines[:most])
    if console.is_terminal:
        from rich.syntax import Syntax

        console.print(Syntax(shown, "diff", background_color="default", word_wrap=True))
    else:  # a line that is broken to fit would no longer apply
        console.print(shown, markup=False, highlight=False, soft_wrap=True)
    if len(lines) > most:
        left = count(len(lines) - most, "more line")
        console.print(f"and {left}", markup=False, highlight=False)
    console.print()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_WEIGHT = {
    Severity.REJECT: "Rejected",
    Severity.NEEDS_PERSON: "Please check",
    Severity.NOTE: "Note",
}


@example(1)
@example(2)
def before_use(points: int) -> str:
    """Say that a person has to look before the patch is used."""
    return (
        f"A person has to check {count(points, 'point')} before this patch is used, "
        "so the exit code is 3."
    )


def finding_lines(findings: Iterable[GuardFinding]) -> list[str]:
    """Return a line for each finding, the gravest first; what it quotes is not made printable."""
    order = list(Severity)
    return [
        _line(guard_finding)
        for guard_finding in sorted(findings, key=lambda finding: order.index(finding.severity))
    ]


def _line(finding: GuardFinding) -> str:
    place = ""
    if finding.file is not None:
        place = f" {finding.file}:{finding.line}" if finding.line else f" {finding.file}"
    return f"{_WEIGHT[finding.severity]} [{finding.rule}]{place}: {finding.message}"
