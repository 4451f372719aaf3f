"""The pull request: what failed, what was changed, and the proof, in the order a maintainer reads."""

from __future__ import annotations

from collections.abc import Iterator

from bot.model import Report, Reproduction, RequestKind, Verification
from bot.reporting import what_changed
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
from bot.reporting.failure_reason import reason
from bot.reporting.figures import count, duration, failures, money
from bot.reporting.markdown import Section, bullets, code, details, essential, fit, quote, table
from bot.reporting.own_card import card, card_of, evidence
from bot.reporting.proof import attempt_of, change, observation_of, proof
from bot.reporting.prose import line, prose
from bot.reporting.pull_template import TemplateAnswers, filled
from bot.reporting.series import series
from bot.reporting.specification import section

_TITLE_LENGTH = 100
_MOST_WORDS = 150
"""Above the fold: what a maintainer reads of a change of a few lines before the change itself."""

_FOLDED = "Evidence, attempts and notes"
_STEERING = "To have it done differently, comment `/fix` with what to change."


def title(report: Report, style: TitleStyle = TitleStyle.PLAIN) -> str:
    """Return what was repaired, as one plain line of at most 100 characters."""
    return subject(report, _TITLE_LENGTH, style)


def body(report: Report, mark: str, page: str | None = None, template: str = "") -> str:
    """Return the story of the repair as Markdown of at most 65,536 characters.

    What failed, the cause, the change and the proof stand in the first lines, with the proof card
    below them, all in about 150 words; the rest is folded.

    Args:
        report: Of a run with a patch.
        mark: The hidden marker, last line of the body.
        page: Address of the run's page, if there is one.
        template: Of the repository for pull requests; "" for none.
    """
    sections = [
        essential(*_above(report, template)),
        essential(f"<details>\n<summary>{_FOLDED}</summary>"),
        Section((section(report),), rank=7),
        what_changed.section(report.what_changed),
        _wrong(report),
        Section(_changed(report), rank=6),
        Section((_evidence(report),), rank=8),
        commands(report.commands),
        *_guard_sections(report),
        *_attempt_sections(report),
        Section((_notes(report),), rank=4),
        essential("</details>"),
        Section((_footer(report, page),), rank=5),
        essential(f"{mark}\n"),
    ]
    return fit(sections)


def _above(report: Report, template: str) -> Iterator[str]:
    """Yield what stands above the fold, from the first form of few enough words to the shortest."""
    forms = [
        "\n\n".join(
            filter(
                None, [_lead(report, limit, template), card(report, brief=brief), _check(report)]
            )
        )
        for limit, brief in ((400, False), (400, True), (160, True))
    ]
    few = (n for n, form in enumerate(forms) if _words(form) <= _MOST_WORDS)
    yield from forms[next(few, len(forms) - 1) :]
    yield _lead(report, 160, "")


def _check(report: Report) -> str:
    """Return what a person has to look at and no row of the card says."""
    found = card_of(report)
    told = {fact.text for row in found.rows for fact in row.facts} if found is not None else set()
    left = [each for each in report.to_check if line(each.message) not in told]
    return f"**Please check**\n\n{findings(left)}" if left else ""


def _words(text: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in text.split())


def _lead(report: Report, limit: int, template: str) -> str:
    """Return failure, cause, change and proof: in the repository's template, or in our own lines."""
    said = _answers(report, limit)
    if template and (text := filled(template, said)) is not None:
        return text
    return "\n\n".join(filter(None, [said.why, said.change, said.proof, said.issue]))


def _answers(report: Report, limit: int) -> TemplateAnswers:
    told = [f"**{name}:** {said}" for name, said in story(report, limit)]
    why, *change, proven = told
    number, attempt = report.problem.number, attempt_of(report)
    closes = (
        report.patch_accepted and not report.problem.is_pull_request and not report.issue_unread
    )
    verified = attempt.verification if attempt is not None else None
    suite = verified.suite if verified is not None and not verified.uncompared else None
    return TemplateAnswers(
        change="\n\n".join(change),
        why=why,
        proof=proven,
        issue="" if number is None else f"{'Fixes' if closes else 'For'} #{number}",
        is_feature=report.kind is RequestKind.FEATURE,
        adds_tests=report.reproduction is not None and report.reproduction.test_patch is not None,
        suite_passes=suite is not None and suite.ok and not suite.others,
    )


def story(report: Report, limit: int = 400) -> list[tuple[str, str]]:
    """Return failure, cause, change and proof as lines of Markdown, each behind its name.

    Args:
        report: Of a run.
        limit: Characters of what the proposer says of its change.
    """
    failed = ("Failed", _failed(report, limit))
    if report.kind is RequestKind.FEATURE:
        failed = ("Added", line(feature(report)))
    broke = what_changed.cause(report.what_changed)
    said = change(report, limit)
    return [
        failed,
        *([("Cause", f"{broke[:1].upper()}{broke[1:]}")] if broke else []),
        *([("Change" if broke else "Cause and change", said)] if said else []),
        ("Proof", proof(report)),
    ]


def _failed(report: Report, limit: int) -> str:
    observation = observation_of(report)
    if observation is None:
        return f"no command was run at {commit(report.head)}."
    seen = f"{code(observation.command)} at {commit(report.head)}"
    if not observation.named:
        return f"{seen}, {ended(observation)}."
    tests = series([code(failure.test) for failure in observation.named], most=1)
    said = reason(observation.named[0]) if len(observation.named) == 1 else ""
    why = f": {code(said, limit=limit // 3)}" if said else ""
    return f"{seen}, {failures(each.test for each in observation.named)}: {tests}{why}."


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


def _evidence(report: Report) -> str:
    """Return how the patch was verified, and every fact of its card."""
    told = f"### How it was verified\n\n{bullets(_verified(report))}"
    return "\n\n".join(filter(None, [told, evidence(report)]))


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


def _notes(report: Report) -> str:
    notes = notes_of(report)
    return f"### Notes\n\n{bullets(notes)}" if notes else ""


def _footer(report: Report, page: str | None) -> str:
    run = code(report.run_id)
    shown = run if page is None else f"[{run}]({page})"
    spent = f"{duration(report.seconds)}, {money(report.usage.cost_usd)}"
    return f"Run {shown}: {spent}. {_STEERING}"
