"""The comment at the end of a run: one honest report for each verdict."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from bot.model import Observation, Report, RequestKind, Verdict
from bot.reporting import balances
from bot.reporting.answering import AnswerBy
from bot.reporting.course import attempts_section, course, notes_of
from bot.reporting.evidence import (
    changed_files,
    commands,
    commit,
    diffstat,
    ended,
    failing_tests,
    failure_output,
    findings,
    output,
    tried,
)
from bot.reporting.failed_checks import differences, failed_checks, logs
from bot.reporting.figures import count, duration, money
from bot.reporting.markdown import Section, bullets, code, details, essential, fence, fit
from bot.reporting.next_step import next_step
from bot.reporting.proof import observation_of, proof
from bot.reporting.prose import line
from bot.reporting.reasons import assurance as how_sure
from bot.reporting.reasons import verification as reasons
from bot.reporting.specification import section
from bot.reporting.verdict_text import headline

_TITLES = MappingProxyType(
    {Verdict.SUGGESTED: "Suggested patch", Verdict.IMPROVED: "Best partial patch"}
)


def fixed(
    report: Report, url: str, mark: str, *, after: str = "", in_pull_request: bool = True
) -> str:
    """Return the comment of a repaired problem, or of one that is repaired in part: where the repair is, and its proof.

    Args:
        report: Of the run.
        url: Of the pull request, or of the commit on the branch itself.
        mark: The hidden marker.
        after: What the project's own checks said since then.
        in_pull_request: Whether the repair has a pull request of its own, which tells the attempts.
    """
    where = f"Partly fixed in {url}, a draft" if report.draft else f"{_done(report)} in {url}"
    more = () if in_pull_request else (findings(report.to_check), course(report))
    text = "\n\n".join(filter(None, [where, proof(report), *more, after]))
    return f"{text}\n\n{mark}\n"


def _done(report: Report) -> str:
    return "Changed" if report.kind is RequestKind.CHANGE else "Fixed"


def not_fixed(
    report: Report, mark: str, *, question: str = "", by: AnswerBy = AnswerBy.COMMENT
) -> str:
    """Return the report of a run that ends without an accepted patch, at most 65,536 characters.

    It says why, what was observed and tried, what the best patch is, and what to do next.

    Args:
        report: Of the run.
        mark: The hidden marker.
        question: Id of the one whose approval would let it continue, or "".
        by: How people answer it.
    """
    sections = [
        essential(f"**{headline(report.verdict)}.** {line(report.reason)}".rstrip()),
        essential(f"**Next:** {next_step(report, question=question, by=by)}"),
        Section((section(report),), rank=5),
        _reproduction(report),
        commands(report.commands),
        *_tried(report),
        *_partial_patch(report),
        balances.section(report.balances),
        Section((_footer(report),), rank=4),
        essential(f"{mark}\n"),
    ]
    return fit(sections)


def _reproduction(report: Report) -> Section:
    reproduction, observation = report.reproduction, observation_of(report)
    if reproduction is None:
        return Section(("",))
    parts = [f"### Reproduction\n\n{_seen(report, observation)}"]
    if reproduction.jobs:
        parts.append(failed_checks(reproduction.jobs))
    if observation is not None and observation.failing:
        parts.append(failing_tests(observation.failing, most=20))
    said = [output("End of the setup output", reproduction.setup_output)]
    if observation is not None:
        said.append(failure_output(observation))
    said += [logs(reproduction.jobs), differences(reproduction.jobs)]
    full = "\n\n".join(filter(None, [*parts, *said]))
    return Section((full, "\n\n".join(parts), parts[0]), rank=3)


def _seen(report: Report, observation: Observation | None) -> str:
    reproduction = report.reproduction
    if reproduction is not None and observation is None and not reproduction.setup_output:
        return f"No command was run at {commit(report.head)}."
    if observation is None or reproduction is None:
        return f"The setup failed at {commit(report.head)}, so no tests were run."
    codes = reproduction.runs or (observation.exit_code,)
    runs = f"; exit codes of {len(codes)} runs: {', '.join(map(str, codes))}"
    return (
        f"{code(observation.command)} at {commit(report.head)}: {ended(observation)}"
        f"{runs if len(codes) > 1 else ''}."
    )


def _tried(report: Report) -> Iterator[Section]:
    if not report.attempts:
        return
    yield attempts_section(report)
    told = "\n\n".join(tried(attempt) for attempt in report.attempts)
    yield Section((details("Details of each attempt", told),), rank=1)


def _partial_patch(report: Report) -> Iterator[Section]:
    if not report.patch:
        return
    told = (
        f"### {_TITLES.get(report.verdict, 'Last patch')}\n\n"
        f"{diffstat(report.patch)}: {changed_files(report.patch)}. {_worth(report)}"
    )
    forms = (
        f"{told}\n\n{details('Show the patch', fence(report.patch.text, 'diff', limit=limit))}"
        for limit in (30_000, 10_000)
    )
    yield Section((*forms, told), rank=2)


def _worth(report: Report) -> str:
    """Return what is to be thought of a patch that was not accepted."""
    attempt = report.suggested_attempt
    if attempt is None or attempt.verification is None:
        return "This patch was not accepted; do not merge it as is."
    assurance, verification = attempt.proposal.assurance, attempt.verification
    said = [how_sure.unconfirmed(guess) for guess in verification.unconfirmed]
    if assurance is not None:
        said += [how_sure.likely(assurance.probability, assurance.required), *assurance.doubts]
    if verification.mutants is not None:
        said.append(reasons.caught(verification.mutants))
    listed = bullets(line(each, limit=600) for each in said)
    return f"Everything that was run passes with it, but it may be wrong:\n\n{listed}"


def _footer(report: Report) -> str:
    spent = f"{count(report.usage.tokens, 'token')}, {money(report.usage.cost_usd)}"
    figures = f"Run {code(report.run_id)}: {duration(report.seconds)}, {spent}."
    notes = notes_of(report)
    return f"### Notes\n\n{bullets([*notes, figures])}" if notes else figures
