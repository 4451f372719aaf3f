"""The pull request: what failed, what was changed, and the proof, in the order a maintainer reads."""

from __future__ import annotations

from collections.abc import Iterator

from bot.model import Report, Reproduction, RequestKind, Verification
from bot.reporting import balances, what_changed
from bot.reporting.attempt_list import attempts_section, notes_of
from bot.reporting.commit_text import TitleStyle, feature, subject
from bot.reporting.evidence import (
    changed_files,
    commands,
    commit,
    diffstat,
    ended,
    failing_tests,
    failure_output,
    findings,
    proposer,
    tried,
)
from bot.reporting.failed_checks import differences, failed_checks
from bot.reporting.figures import count, duration, money
from bot.reporting.markdown import Section, bullets, code, details, essential, fit, quote, table
from bot.reporting.own_card import card, evidence
from bot.reporting.proof import attempt_of, cause, observation_of, proof
from bot.reporting.prose import line, prose
from bot.reporting.reasons import verification as reasons
from bot.reporting.series import series
from bot.reporting.specification import section

_TITLE_LENGTH = 100
_FOLDED = "What failed, what was tried, and how it was verified"
_STEERING = bullets(
    (
        "`/fix <what to do differently>` starts a new run with your instructions.",
        "`/fix retry` starts a new run with the same instructions.",
        "`/fix stop` stops the active run.",
    )
)


def title(report: Report, style: TitleStyle = TitleStyle.PLAIN) -> str:
    """Return what was repaired, as one plain line of at most 100 characters."""
    return subject(report, _TITLE_LENGTH, style)


def body(report: Report, mark: str, page: str | None = None) -> str:
    """Return the story of the repair as Markdown of at most 65,536 characters.

    What failed, the cause and the proof stand in the first lines, with the proof card below them;
    the rest is folded.

    Args:
        report: Of a run with a patch.
        mark: The hidden marker, last line of the body.
        page: Address of the run's page, if there is one.
    """
    sections = [
        essential(_headline(report), _headline(report, brief=True)),
        Section((section(report),), rank=7),
        what_changed.section(report.what_changed),
        Section((card(report),), rank=9),
        essential(f"<details>\n<summary>{_FOLDED}</summary>"),
        Section((evidence(report),), rank=8),
        _wrong(report),
        Section(_changed(report), rank=6),
        Section((f"### How it was verified\n\n{bullets(_verified(report))}",), rank=8),
        commands(report.commands),
        *_guard_sections(report),
        *_attempt_sections(report),
        balances.section(report.balances),
        essential("</details>"),
        Section((_footer(report, page),), rank=4),
        Section((f"Comment here:\n\n{_STEERING}",), rank=5),
        essential(f"{mark}\n"),
    ]
    return fit(sections)


def _headline(report: Report, *, brief: bool = False) -> str:
    limit = 160 if brief else 400
    lines = [f"**Failed:** {_failed(report)}"]
    if report.kind is RequestKind.FEATURE:
        lines = [f"**Added:** {line(feature(report))}"]
    lines.append(f"{cause(report, limit=limit)}**Proof:** {proof(report)}")
    number = report.problem.number
    if number is not None:
        closes = report.patch_accepted and not report.problem.is_pull_request
        lines.append(f"{'Fixes' if closes else 'For'} #{number}")
    return "\n\n".join(lines)


def _failed(report: Report) -> str:
    observation = observation_of(report)
    if observation is None:
        return f"no command was run at {commit(report.head)}."
    text = f"{code(observation.command)} at {commit(report.head)}, {ended(observation)}"
    if observation.named:
        text += f": {series([code(failure.test) for failure in observation.named], most=1)}"
    return f"{text}."


def _wrong(report: Report) -> Section:
    heading = f"### What was {'missing' if report.kind is RequestKind.FEATURE else 'wrong'}"
    observation = observation_of(report)
    if observation is None or report.reproduction is None:
        return Section(("",))
    reason = line(report.reproduction.reason)
    if not observation.failing:
        listed = ("", "")
    else:
        listed = (
            failing_tests(observation.failing, most=20),
            failing_tests(observation.failing, most=5, messages=False),
        )
    jobs = report.reproduction.jobs
    checks = failed_checks(jobs)
    full, short = ([heading, reason, checks, part] for part in listed)
    said, differs = failure_output(observation), differences(jobs)
    forms = (
        [*full, said, differs],
        [*full, failure_output(observation, limit=2_000), differs],
        full,
        short,
        [heading, reason],
    )
    return Section(tuple("\n\n".join(filter(None, form)) for form in forms), rank=3)


def _changed(report: Report) -> tuple[str, ...]:
    attempt = attempt_of(report)
    if not report.patch:
        return ("",)
    size = f"{diffstat(report.patch)}: {changed_files(report.patch)}"
    heading = "### What was changed and why"
    if attempt is None or not attempt.proposal.summary.strip():
        return (f"{heading}\n\n{size}",)
    told = (prose(attempt.proposal.summary, limit=limit) for limit in (4_000, 1_000))
    if attempt.proposal.model is None:  # then these are words of ours
        return tuple(f"{heading}\n\n{size}\n\n{words}" for words in told)
    who = f"As described by {proposer(attempt)}:"
    return tuple(f"{heading}\n\n{size}\n\n{who}\n\n{quote(words)}" for words in told)


def _verified(report: Report) -> list[str]:
    attempt, reproduction = attempt_of(report), report.reproduction
    if reproduction is None or attempt is None or attempt.verification is None:
        return ["The patch was not verified."]
    return [*_proof_before(report, reproduction), *_proof_after(attempt.verification, reproduction)]


def _proof_before(report: Report, reproduction: Reproduction) -> Iterator[str]:
    observation = reproduction.observation
    if observation is None:
        return
    runs = reproduction.runs or (observation.exit_code,)
    red = sum(exit_code != 0 for exit_code in runs)
    codes = "exit code" if len(runs) == 1 else "exit codes"
    yield (
        f"Original commit {commit(report.head)}: {code(observation.command)} failed in "
        f"{red} of {count(len(runs), 'run')}, {codes} {', '.join(map(str, runs))}."
    )
    if reproduction.test_patch is not None:
        yield (
            "Nothing failed at first, so Fixpoint wrote a failing test: "
            f"{changed_files(reproduction.test_patch)}. It is part of this patch."
        )


def _proof_after(verification: Verification, reproduction: Reproduction) -> Iterator[str]:
    target, suite, baseline = verification.target, verification.suite, reproduction.baseline
    if target is not None:
        yield (
            f"With the patch, in a fresh sandbox: {code(target.command)}, {ended(target)}, "
            f"{duration(target.seconds)}{_repeated(verification)}."
        )
    yield from map(line, verification.remarks)
    if verification.mutants is not None:
        yield line(reasons.caught(verification.mutants), limit=600)
    if verification.wrong_fixes is not None:
        yield line(reasons.wrong_fixes_caught(verification.wrong_fixes), limit=600)
    said = line(verification.uncompared)
    if suite is None:
        if said:
            yield said
        return
    text = f"Full test suite with the patch: {code(suite.command)}, {ended(suite)}"
    if baseline is not None:
        text += f"; without it: {ended(baseline)}"
    fresh = len(verification.new_failures)
    news = said or (f"{count(fresh, 'new failure')}." if fresh else "No new failures.")
    yield f"{text}. {news} {line(suite.order)}".rstrip()


def _repeated(verification: Verification) -> str:
    """Return how often the failing command passed, when it was run more than once."""
    if len(verification.runs) <= 1:
        return ""
    passed = sum(not exit_code for exit_code in verification.runs)
    return f"; {passed} of {count(len(verification.runs), 'run')} passed"


def _guard_sections(report: Report) -> Iterator[Section]:
    reproduction, attempt = report.reproduction, attempt_of(report)
    verification = attempt.verification if attempt is not None else None
    if verification is None:
        return
    if reproduction is not None and reproduction.test_patch is not None:
        yield Section((_test_first(reproduction, verification),), rank=7)
    parts = []
    if verification.changed_tests:
        names = ", ".join(code(name) for name in verification.changed_tests[:20])
        parts.append(f"Test files changed by this patch: {names}.")
    if verification.new_failures:
        parts.append(f"New failures:\n\n{failing_tests(verification.new_failures, most=10)}")
    if verification.findings:
        parts.append(f"Guard findings:\n\n{findings(verification.findings)}")
    if parts:
        yield Section(("\n\n".join(["### Please review", *parts]),), rank=7)


def _test_first(reproduction: Reproduction, verification: Verification) -> str:
    rows = [
        (tree, code(run.command), ended(run))
        for tree, run in (
            ("Original commit with the new test", reproduction.observation),
            ("The same with the fix", verification.target),
        )
        if run is not None
    ]
    return f"### The new test\n\n{table(('Tree', 'Command', 'Result'), rows)}"


def _attempt_sections(report: Report) -> Iterator[Section]:
    if not report.attempts:
        return
    yield attempts_section(report)
    failed = [attempt for attempt in report.attempts if not attempt.accepted]
    if failed:
        title_text = f"Details of {count(len(failed), 'other attempt')}"
        yield Section((details(title_text, "\n\n".join(map(tried, failed))),), rank=1)


def _footer(report: Report, page: str | None) -> str:
    notes = notes_of(report)
    spent = f"{count(report.usage.tokens, 'token')}, {money(report.usage.cost_usd)}"
    run = code(report.run_id)
    shown = run if page is None else f"[{run}]({page})"
    figures = f"Run {shown}: {duration(report.seconds)}, {spent}."
    return f"### Notes\n\n{bullets([*notes, figures])}" if notes else figures
