"""Turn a task into the words that open a conversation; everything from outside becomes data."""

from __future__ import annotations

import textwrap

import prompts
from bot.model import (
    Attempt,
    FailedJob,
    Observation,
    OtherFailure,
    RequestKind,
    Severity,
    Verification,
)
from bot.model.culprit import EventLead, RunCounts
from bot.model.flaky import FlakyGoal, FlakyTest
from bot.model.memory import Lesson, Recalled, Remark, TriedRepair
from bot.model.route import Approach
from bot.model.untrusted import quoted, strip_hidden
from bot.repair.proposers.agent.observations import describe
from bot.repair.proposers.agent.prompt_data import (
    comments,
    failure,
    in_line,
    instructions,
    near_test,
    patch_as_data,
    report,
    specification_as_data,
)
from bot.repair.proposers.base import Task
from bot.reporting.flaky import test_lines
from bot.reporting.reasons import assurance as how_sure
from bot.reporting.reasons import memory, revert
from bot.reporting.what_changed import culprit_lines

_EARLIER_ATTEMPTS_SUMMARY_CHARACTERS = 2_000
_FINDINGS_CHARACTERS = 4_000
_EVIDENCE_CHARACTERS = 8_000


def variables_of(attempt: Attempt, before: Observation | None) -> dict[str, object]:
    """Return the variables of one rejected attempt in `earlier.j2`.

    Args:
        attempt: What was tried.
        before: The failing command without it.
    """
    proposal = attempt.proposal
    return {
        "n": attempt.n,
        "proposer": attempt.proposer,
        "patch": patch_as_data(f"patch of attempt {attempt.n}", proposal.patch),
        "summary": quoted(
            "its own summary", proposal.summary, limit=_EARLIER_ATTEMPTS_SUMMARY_CHARACTERS
        )
        if proposal.summary
        else "",
        "findings": quoted("its notes", proposal.findings, limit=_FINDINGS_CHARACTERS)
        if proposal.findings
        else "",
        "reasons": _reasons(attempt),
        "failure": _evidence(attempt.verification, before),
    }


def _reasons(attempt: Attempt) -> list[str]:
    """Return why the attempt was rejected, each as one sentence."""
    reasons = (
        [f"It ended early: {in_line(attempt.proposal.ended)}"] if attempt.proposal.ended else []
    )
    verification = attempt.verification
    if verification is None:
        reasons.append(
            "It was not verified." if attempt.proposal.patch else "There was no change to verify."
        )
        return reasons
    if attempt.doubtful and attempt.proposal.assurance is not None:
        reasons.append(in_line(how_sure.hint(attempt.proposal.assurance)))
    if attempt.proposal.reverts:
        reasons.append(revert.ONLY_TAKES_BACK)
    reasons += [in_line(how_sure.unconfirmed(guess)) for guess in verification.unconfirmed]
    if verification.problem:
        reasons.append(f"It could not be accepted: {in_line(verification.problem)}")
    if verification.target is not None and not verification.target.ok:
        reasons.append("The failing command still fails with it in a clean sandbox; see below.")
    if verification.new_failures:
        count = len(verification.new_failures)
        others = "1 other test fail" if count == 1 else f"{count} other tests fail"
        reasons.append(f"It makes {others}; see below.")
    reasons.extend(
        ("" if finding.severity is Severity.REJECT else "Besides: ") + in_line(finding.message)
        for finding in verification.findings
    )
    return reasons


def _evidence(verification: Verification | None, before: Observation | None) -> str:
    if verification is None:
        return ""
    shown = verification.target
    if shown is not None and shown.ok:
        shown = verification.suite if verification.new_failures else None
    if shown is None:
        return ""
    text = describe(shown, before)
    if verification.new_failures:
        names = "\n".join(f"- {new.test}" for new in verification.new_failures)
        text = f"Newly failing:\n{names}\n\n{text}"
    return quoted("test output with its patch", text, limit=_EVIDENCE_CHARACTERS)


_PATCH_CHARACTERS = 3_000
_SUMMARY_CHARACTERS = 800
_FAILURE_CHARACTERS = 800
_REASON_CHARACTERS = 300
_LESSON_CHARACTERS = 500
_REMARK_CHARACTERS = 500
_REMARKS = 3
_ALL_CHARACTERS = 12_000
"""Of all earlier attempts together; what goes beyond is left out, the least like it first."""

_LESSONS = 20


def remembered(recalled: Recalled) -> dict[str, object]:
    """Return the variables of `_memory.j2`."""
    shown: list[dict[str, str]] = []
    size = 0
    for entry in recalled.similar.entries:
        one = _attempt(entry)
        size += sum(map(len, one.values()))
        if size > _ALL_CHARACTERS:
            break
        shown.append(one)
    return {
        "remembered": shown,
        "shared": any(item["place"] for item in shown),
        "lessons": [_lesson(lesson) for lesson in recalled.lessons[-_LESSONS:]],
    }


def _attempt(entry: TriedRepair) -> dict[str, str]:
    signature = entry.signature
    failure = "\n".join(
        filter(None, (signature.message, *signature.frames, f"in {signature.step}"))
    )
    summary, patch, reason = entry.summary.strip(), entry.patch, strip_hidden(entry.reason)
    return {
        "run": entry.run_id,
        "place": "" if entry.origin is None else f" in {entry.origin.full_name}",
        "became": memory.became(entry),
        "failure": quoted("its failure", failure, limit=_FAILURE_CHARACTERS),
        "patch": quoted("its patch", patch.text, limit=_PATCH_CHARACTERS) if patch else "",
        "summary": quoted("its own summary", summary, limit=_SUMMARY_CHARACTERS) if summary else "",
        "remarks": "\n\n".join(map(_remark, entry.remarks[-_REMARKS:])),
        "reason": " ".join(reason.split())[:_REASON_CHARACTERS],
    }


def _remark(remark: Remark) -> str:
    label = f"{memory.occasion(remark.kind)}, by {remark.by}".replace('"', "")
    return quoted(label, strip_hidden(remark.text), limit=_REMARK_CHARACTERS)


def _lesson(lesson: Lesson) -> str:
    label = f"said by {lesson.author}, {lesson.url}".replace('"', "")
    return quoted(label, lesson.text, limit=_LESSON_CHARACTERS)


_GUIDANCE_CHARACTERS = 12_000
_MAP_CHARACTERS = 80_000
_CLUE_CHARACTERS = 6_000
_LOG_CHARACTERS = 12_000
_CHECKS = 4
_EARLIER = 4
_WRONG_FIX_CHARACTERS = 4_000
_OTHERS = 30
_EVENT_CHARACTERS = 12_000


def system_prompt(task: Task) -> str:
    """Return the rules: the same for every task of a kind, so that providers can cache them."""
    return prompts.render("write_test_system" if task.write_test else "repair_system")


def opening(task: Task) -> tuple[str, ...]:
    """Return the parts of the first message: the task, then each attempt that was made before.

    The task is the same in all attempts, and earlier attempts stay what they were: what a provider
    cached for one attempt is the beginning of the next one.
    """
    observation = task.reproduction.observation
    earlier = task.earlier[-_EARLIER:]
    return (
        _task(task),
        *(
            prompts.render("earlier", attempt=variables_of(attempt, observation), first=not n)
            for n, attempt in enumerate(earlier)
        ),
        *_approach(task),
    )


def _approach(task: Task) -> tuple[str, ...]:
    """Return where the model is told to begin; nothing where that is left to it."""
    if task.route.approach is Approach.OPEN:
        return ()
    return (prompts.render("approach", approach=task.route.approach.value),)


def _task(task: Task) -> str:
    """Return the problem, what fails, the repository."""
    observation = task.reproduction.observation
    common = {
        "instructions": instructions(task.problem),
        "specification": specification_as_data(task.specification),
        "report": report(task.problem),
        "comments": comments(task.problem.comments),
        "failure": failure("test output", observation),
        "test_command": _inline(task.commands.test),
        "setup_commands": ", ".join(map(_inline, task.commands.setup)),
        "protected": ", ".join(map(_inline, task.protected)),
        "requested": ", ".join(_inline(glob.removeprefix("**/")) for glob in task.requested),
        "guidance": _guidance(task.guidance),
        "map": _map(task.repository_map),
        "turns": task.limits.turns,
        "command_seconds": f"{task.limits.command_seconds:g}",
    }
    if task.write_test:
        return prompts.render(
            "write_test_task",
            **common,
            near_tests=[near_test(path, text) for path, text in task.near_tests.items()],
            written_test=patch_as_data("your tests so far", task.reproduction.test_patch),
            wrong_fixes=[_wrong_fix(n, diff) for n, diff in enumerate(task.wrong_fixes, 1)],
        )
    return prompts.render(
        "repair_task",
        **common,
        feature=task.specification is not None and task.specification.kind is RequestKind.FEATURE,
        change=task.reproduction.observation is not None and task.reproduction.observation.ok,
        failing_command=textwrap.indent(strip_hidden(task.commands.failing), "    "),
        written_test=patch_as_data("the written test", task.reproduction.test_patch),
        checks=_checks(task.reproduction.jobs),
        event=_event(task.lead),
        flaky=_flaky(task.flaky),
        others=_others(task.reproduction.others),
        **remembered(task.recalled),
        clues=quoted("search", task.clues, limit=_CLUE_CHARACTERS) if task.clues else "",
    )


def _event(lead: EventLead | None) -> str:
    """Return what changed since the tests passed, as data; empty where nothing was found."""
    if lead is None or not lead.found.culprits:
        return ""
    told = "\n".join(text for each in lead.found.culprits for text in culprit_lines(each))
    text = f"{told}\n\n{lead.diff}" if lead.diff else told
    return quoted("what changed", text, limit=_EVENT_CHARACTERS)


def _flaky(goal: FlakyGoal | None) -> str:
    """Return a flaky test with what was measured to decide how it ends, as data; empty without one."""
    if goal is None:
        return ""
    test = FlakyTest(goal.test, RunCounts(), (goal.cause, *goal.more))
    return quoted("flaky test", "\n".join(test_lines(test)), limit=_CLUE_CHARACTERS)


def _others(others: tuple[OtherFailure, ...]) -> str:
    """Return the failures that are not to be repaired, as data, or empty."""
    listed = [
        f"- {other_failure.test}: {other_failure.cause}" for other_failure in others[:_OTHERS]
    ]
    return quoted("other failures", "\n".join(listed), limit=_CLUE_CHARACTERS) if listed else ""


def _checks(jobs: tuple[FailedJob, ...]) -> list[str]:
    """Return the failed checks with what their steps printed at GitHub, as data."""
    shown = [job for job in jobs if job.command][:_CHECKS]
    share = _LOG_CHARACTERS // max(1, len(shown))
    return [quoted("check", _check(job), limit=share) for job in shown]


def _check(job: FailedJob) -> str:
    lines = [f"Check: {job.check}", f"Step: {job.step}", f"Command: {job.command}"]
    if job.failing:
        first = job.failing[0]
        lines.append(f"First error: {first.test}: {first.message}")
    return "\n".join([*lines, "", job.excerpt]).rstrip()


def _wrong_fix(n: int, diff: str) -> str:
    return quoted(f"wrong fix {n}", diff, limit=_WRONG_FIX_CHARACTERS)


def _guidance(text: str) -> str:
    return quoted("guidance", text, limit=_GUIDANCE_CHARACTERS) if text.strip() else ""


def _map(text: str) -> str:
    return quoted("map", text, limit=_MAP_CHARACTERS) if text else ""


def _inline(command: str) -> str:
    return f"`{in_line(command)}`"
