"""The comment at the end of a run: one honest report for each verdict."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import assert_never

from bot.model import Failure, Observation, Report, RequestKind, Verdict
from bot.reporting import balances, flaky, what_changed
from bot.reporting.answer_instructions import APPROVE, FIX, RETRY, AnswerBy, about, ask
from bot.reporting.attempt_list import attempts_section, course, notes_of
from bot.reporting.evidence import (
    changed_files,
    commands,
    commit,
    diffstat,
    ended,
    failing_tests,
    failure_output,
    findings,
    named,
    output,
    tried,
)
from bot.reporting.failed_checks import differences, failed_checks, logs
from bot.reporting.failure_reason import reason
from bot.reporting.figures import count, duration, money
from bot.reporting.markdown import Section, bullets, code, details, essential, fence, fit
from bot.reporting.proof import observation_of, proof
from bot.reporting.prose import line, prose
from bot.reporting.reasons import assurance as how_sure
from bot.reporting.reasons import revert
from bot.reporting.reasons import verification as reasons
from bot.reporting.specification import section
from bot.reporting.verdict_text import headline

_RERUN = "Re-run the failed jobs on GitHub, unless that has begun: they may well pass."
_NAME_THE_COMMAND = '`/fix --test "COMMAND"`'


def next_step(  # noqa: C901, PLR0911, PLR0912 - one case per verdict
    report: Report, *, question: str = "", by: AnswerBy = AnswerBy.COMMENT
) -> str:
    """Return the next thing for a person, as Markdown of one or two sentences.

    Args:
        report: Of the run.
        question: Id of the one whose approval lets a run continue whose budget is used up, or "".
        by: How people answer it.
    """
    match report.verdict:
        case Verdict.FIXED:
            return "Review the patch."
        case Verdict.SUGGESTED:
            return _decide(report)
        case Verdict.IMPROVED:
            return f"The patch below is a partial fix. {_look(report)}"
        case Verdict.FLAKY:
            return _mend_flaky(report)
        case Verdict.RED_ON_BASE:
            return f"Fix the base branch first. {_look(report)}"
        case Verdict.NOT_REPRODUCED:
            return _how_to_reproduce(report, by)
        case Verdict.INFRASTRUCTURE:
            return _RERUN if report.rerun_may_help else _how_to_set_up(report, by)
        case Verdict.GAVE_UP:
            return _say_more() if report.kind is RequestKind.CHANGE else _look(report)
        case Verdict.BUDGET_SPENT:
            return f"{_look(report)} {_how_to_continue(by, question)}"
        case Verdict.STOPPED:
            return f"To start a new run, {ask(RETRY, by)}."
        case Verdict.REFUSED:
            return f"Fix the problem described above, then {ask(RETRY, by)}."
        case Verdict.EXPLAINED:
            if report.flaky is not None:
                return _mend_flaky(report) if report.flaky.tests else "Nothing."
            button = f"press *{FIX.label}*" if by is AnswerBy.BUTTON else "comment `/fix`"
            return f"To have it fixed, {button}."
        case _:
            assert_never(report.verdict)


def _decide(report: Report) -> str:
    attempt = report.suggested_attempt
    assurance = attempt.proposal.assurance if attempt is not None else None
    deciding = line(assurance.deciding, limit=600) if assurance is not None else ""
    if report.reverts:
        authors = list(dict.fromkeys(each.event.author for each in report.reverts))
        deciding = line(revert.for_its_author([name for name in authors if name]))
    if attempt is not None and attempt.verification and attempt.verification.unconfirmed:
        deciding = "A test that runs the changed place would decide."
    return f"Check the suggested patch below before you use it. {deciding}".rstrip()


def _look(report: Report) -> str:
    failure, observation = _first_failure(report), observation_of(report)
    if failure is not None:
        said = reason(failure)
        why = f": {code(said, limit=240)}" if said else ""
        return f"Look at {named(failure)}{why}."
    if observation is not None:
        return f"Run {code(observation.command)} and check its output."
    return "Check the server's log for this run."


def _say_more() -> str:
    return "If something has to change, say what in a comment with `/fix <instructions>`."


def _first_failure(report: Report) -> Failure | None:
    """Return the first failure that names a place, else the first."""
    observation = observation_of(report)
    failing = observation.failing if observation is not None else ()
    return next((failure for failure in failing if failure.file), failing[0] if failing else None)


def _how_to_continue(by: AnswerBy, question: str) -> str:
    if question:
        return f"To extend the budget and continue, {ask(about(APPROVE, question), by)}."
    return (
        "To continue, raise the limit that was reached (`budget_usd`, `timeout` or `caps` in "
        f"`.github/fixpoint.yml`), then {ask(RETRY, by)}."
    )


def _how_to_reproduce(report: Report, by: AnswerBy) -> str:
    if by is AnswerBy.BUTTON:
        return f"Open an issue and comment {_NAME_THE_COMMAND} there with the failing command."
    if report.commands is None:
        return f"Comment {_NAME_THE_COMMAND} with the failing command."
    return (
        f"Comment {_NAME_THE_COMMAND} with the failing command, "
        f"or add a test that fails at {commit(report.head)}."
    )


def _how_to_set_up(report: Report, by: AnswerBy) -> str:
    reproduction = report.reproduction
    printed = reproduction.setup_output.split("\n") if reproduction is not None else []
    last = next((line for line in reversed(printed) if line.strip()), "")
    if not last:
        return f"Fix the problem described above, then {ask(RETRY, by)}."
    return (
        f"The setup output ended with {code(last, limit=240)}. "
        f"Correct `setup` in `.github/fixpoint.yml`, then {ask(RETRY, by)}."
    )


_TITLES = MappingProxyType(
    {Verdict.SUGGESTED: "Suggested patch", Verdict.IMPROVED: "Best partial patch"}
)


def _mend_flaky(report: Report) -> str:
    if report.flaky is not None and any(test.causes for test in report.flaky.tests):
        return "Mend what decides: the command below shows the failure every time."
    return f"Fix the flaky test first: passing once would prove nothing. {_look(report)}"


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
    changed = what_changed.section(report.what_changed).forms[0]
    where = f"{_done(report)} in {url}"
    if report.draft:
        what = "Taking back what broke it is suggested" if report.reverts else "Partly fixed"
        where = f"{what} in {url}, a draft"
    more = () if in_pull_request else (findings(report.to_check), changed, course(report))
    text = "\n\n".join(filter(None, [where, proof(report), *more, after]))
    return f"{text}\n\n{mark}\n"


def _done(report: Report) -> str:
    """Return what was done; *fixed* is what leaves nothing to judge."""
    if report.left_open:
        return f"A patch that passes and leaves {count(len(report.left_open), 'point')} to judge is"
    return "Changed" if report.kind is RequestKind.CHANGE else "Fixed"


def not_fixed(
    report: Report,
    mark: str,
    *,
    question: str = "",
    by: AnswerBy = AnswerBy.COMMENT,
    after: str = "",
) -> str:
    """Return the report of a run that ends without an accepted patch, at most 65,536 characters.

    It says why, what was observed and tried, what the best patch is, and what to do next.

    Args:
        report: Of the run.
        mark: The hidden marker.
        question: Id of the one whose approval would let it continue, or "".
        by: How people answer it.
        after: What else there is to say: an offer, or what happened since then.
    """
    sections = [
        essential(f"**{headline(report.verdict)}.** {line(report.reason)}".rstrip()),
        essential(f"**Next:** {next_step(report, question=question, by=by)}"),
        essential(after),
        Section((section(report),), rank=5),
        what_changed.section(report.what_changed),
        flaky.section(report.flaky),
        _reproduction(report),
        commands(report.commands),
        *_tried(report),
        *_partial_patch(report),
        balances.section(report.balances),
        Section((_footer(report),), rank=4),
        essential(f"{mark}\n"),
    ]
    return fit(sections)


def explanation(report: Report, mark: str, *, by: AnswerBy = AnswerBy.COMMENT) -> str:
    """Return the answer to `/fix explain` or `/fix flaky`: what was found out; or why nothing was.

    Args:
        report: Of a run that only explains.
        mark: The hidden marker.
        by: How people answer it.
    """
    if report.verdict is not Verdict.EXPLAINED:
        return not_fixed(report, mark, by=by)
    found = what_changed.section(report.what_changed)
    if report.flaky is not None:
        found = flaky.section(report.flaky)
    lead = Section((f"**{headline(report.verdict)}.** {line(report.reason)}",), rank=9)
    sections = [
        found if found.forms[0] else lead,
        essential(f"**Next:** {next_step(report, by=by)}"),
        _reproduction(report),
        commands(report.commands),
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
    if attempt.proposal.reverts:
        return prose(attempt.proposal.summary)
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
