"""The evidence of a run as Markdown: what failed, what was tried, what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from bot.model import Attempt, Commands, Failure, GuardFinding, Observation, Patch, Severity
from bot.reporting.example import example
from bot.reporting.failure_reason import reason
from bot.reporting.figures import count, duration, failures, money
from bot.reporting.markdown import Section, bullets, code, details, escape, fence, quote, table
from bot.reporting.outcome import before_after, outcome
from bot.reporting.prose import line, prose
from bot.reporting.reasons.setup_repair import CONFIG_OFFERED
from bot.reporting.series import series
from bot.reporting.suggested_config import suggested_config

_MOST_DETAILED = 5
_MOST_FINDINGS = 20
_SHORT_COMMAND = 48


@example("2c64ae48e2b1984a16cf25d215c9f9d21146426d")
def commit(sha: str) -> str:
    """Return a commit as people write it: its first seven digits, as code."""
    return code(sha[:7])


def named(failure: Failure) -> str:
    """Return a failing test with its place: `` `test_x` at `a.py:3` ``."""
    if not failure.file:
        return code(failure.test)
    place = f"{failure.file}:{failure.line}" if failure.line else failure.file
    if failure.test.startswith(place):  # errors of compilers and linters are named by place
        return code(failure.test)
    return f"{code(failure.test)} at {code(place)}"


def failing_tests(failures: Sequence[Failure], *, most: int, messages: bool = True) -> str:
    """Return a list of at most `most` failing tests, each with its place and its reason."""
    shown = [_failing_test(failure, messages=messages) for failure in failures[:most]]
    if len(failures) > most:
        shown.append(f"and {count(len(failures) - most, 'more test')}")
    return bullets(shown)


def failure_output(observation: Observation, *, limit: int = 6_000) -> str:
    """Return what the runner said of the failures, folded; its output when it said nothing."""
    told = [failure for failure in observation.failing if failure.detail.strip()]
    if not told:
        return output("Command output", observation.output, limit=limit)
    shown = told[:_MOST_DETAILED]
    share = limit // len(shown)
    blocks = [f"{code(failure.test)}\n\n{fence(failure.detail, limit=share)}" for failure in shown]
    title = "Test runner output"
    if len(observation.failing) > len(shown):
        title += f" (first {len(shown)} of {count(len(observation.failing), 'failure')})"
    return details(title, "\n\n".join(blocks))


def output(title: str, text: str, *, limit: int = 6_000) -> str:
    """Return output of a command, folded; nothing when it printed nothing."""
    return details(title, fence(text, limit=limit)) if text.strip() else ""


def ended(observation: Observation) -> str:
    """Return how a command ended: `exit code 1, 2 failing tests`."""
    if observation.timed_out:
        return f"timed out after {duration(observation.seconds)}"
    parts = [f"exit code {observation.exit_code}"]
    if observation.named:
        parts.append(failures(each.test for each in observation.named))
    elif observation.ok and observation.counts is not None:
        parts.append(f"{count(observation.counts.passed, 'test')} passed")
    return ", ".join(parts)


def diffstat(patch: Patch) -> str:
    """Return the size of a patch: `2 files, +5 -1`."""
    if not patch:
        return "none"
    return f"{count(len(patch.files), 'file')}, +{patch.added} -{patch.removed}"


def changed_files(patch: Patch, *, most: int = 10) -> str:
    """Return the files of a patch as code, on one line."""
    return series([*map(code, patch.files)], most=most) if patch.files else ""


def proposer(attempt: Attempt) -> str:
    """Return who made the attempt: the model when there was one, else the proposer."""
    name = escape(attempt.proposer)
    return f"{name}, {code(attempt.proposal.model)}" if attempt.proposal.model else name


def attempts_table(attempts: Sequence[Attempt], command: str) -> str:
    """Return one row for each attempt.

    Args:
        attempts: In order.
        command: The failing command, for attempts whose patch was not run.
    """
    header = ("#", "Proposer", "Command", "Failing", "Patch", "Tokens", "Cost", "Time", "Outcome")
    return table(header, (_attempt_row(attempt, command) for attempt in attempts))


def tried(attempt: Attempt) -> str:
    """Return what an attempt did, in its proposer's words, and what still failed."""
    parts = [f"**Attempt {attempt.n}** ({proposer(attempt)}): {escape(outcome(attempt))}."]
    if attempt.proposal.summary.strip():
        parts.append(quote(prose(attempt.proposal.summary, limit=1_200)))
    if attempt.proposal.findings and not attempt.accepted:
        parts.append(f"It noted:\n\n{quote(prose(attempt.proposal.findings, limit=1_200))}")
    verification = attempt.verification
    if verification is not None and verification.target is not None:
        left = verification.target.failing or verification.new_failures
        if left:
            parts.append(f"Still failing:\n\n{failing_tests(left, most=5)}")
    return "\n\n".join(parts)


def commands(found: Commands | None) -> Section:
    """Return how the repository is set up and tested, and how that was found out."""
    if found is None:
        return Section(("",))
    given = fence("\n".join((*found.setup, found.failing)), "sh")
    why = bullets(line(sentence) for sentence in found.explanation)
    told = "\n\n".join(filter(None, (given, why, _config(found))))
    return Section((details("Setup and test commands", told),), rank=1)


def _config(found: Commands) -> str:
    """Return the config with which the next run has nothing to find out."""
    lines = suggested_config(found)
    return f"{CONFIG_OFFERED}\n\n{fence(lines, 'yaml')}" if lines else ""


def findings(found: Sequence[GuardFinding]) -> str:
    """Return what the guards found, the gravest first, at most 20."""
    order = list(Severity)
    ranked = sorted(found, key=lambda finding: order.index(finding.severity))
    return bullets(_finding(finding) for finding in ranked[:_MOST_FINDINGS])


def _failing_test(failure: Failure, *, messages: bool) -> str:
    if not messages:
        return code(failure.test)
    said = reason(failure)
    why = code(said, limit=240) if said else ""
    return f"{named(failure)}: {why}" if why else named(failure)


def _attempt_row(attempt: Attempt, command: str) -> tuple[str, ...]:
    target = attempt.verification.target if attempt.verification is not None else None
    usage = attempt.proposal.usage
    return (
        str(attempt.n),
        proposer(attempt),
        code(target.command if target is not None else command, limit=_SHORT_COMMAND),
        before_after(attempt),
        diffstat(attempt.proposal.patch),
        f"{usage.tokens:,}",
        money(usage.cost_usd),
        duration(attempt.seconds),
        escape(outcome(attempt)),
    )


def _finding(finding: GuardFinding) -> str:
    place = ""
    if finding.file and finding.file not in finding.message:
        place = f" ({code(f'{finding.file}:{finding.line}' if finding.line else finding.file)})"
    return f"{_weight(finding.severity)}: {line(finding.message)}{place}"


def _weight(severity: Severity) -> str:
    match severity:
        case Severity.REJECT:
            return "Rejected"
        case Severity.NEEDS_PERSON:
            return "Please check"
        case Severity.NOTE:
            return "Note"
        case _:
            assert_never(severity)
