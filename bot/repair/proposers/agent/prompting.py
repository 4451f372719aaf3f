"""Turn a task into the words that open a conversation; everything from outside becomes data."""

from __future__ import annotations

import re
import textwrap

import prompts
from bot.model import (
    Attempt,
    Comment,
    FailedJob,
    Kind,
    Observation,
    OtherFailure,
    Patch,
    Point,
    Problem,
    Severity,
    Specification,
    Verification,
)
from bot.model.route import Approach
from bot.model.untrusted import quoted, quoted_markdown, strip_hidden
from bot.repair.proposers.agent.observations import describe
from bot.repair.proposers.agent.remembered import remembered
from bot.repair.proposers.base import Task
from bot.reporting.reasons import assurance as how_sure

_REPORT_CHARACTERS = 24_000
_COMMENT_CHARACTERS = 4_000
_COMMENTS = 20
_INSTRUCTION_CHARACTERS = 4_000
_FAILURE_CHARACTERS = 20_000
_GUIDANCE_CHARACTERS = 12_000
_DIFF_CHARACTERS = 10_000
_SUMMARY_CHARACTERS = 2_000
_FINDINGS_CHARACTERS = 4_000
_MAP_CHARACTERS = 80_000
_EVIDENCE_CHARACTERS = 8_000
_CLUE_CHARACTERS = 6_000
_LOG_CHARACTERS = 12_000
_CHECKS = 4
_EARLIER = 4
_SPECIFICATION_CHARACTERS = 8_000
_NEAR_TEST_CHARACTERS = 3_000
_WRONG_FIX_CHARACTERS = 4_000
_OTHERS = 30
_NOT_IN_A_LOGIN = re.compile(r"[^A-Za-z0-9_.\[\]-]")


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
            prompts.render("earlier", attempt=_earlier(attempt, observation), first=not n)
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
        feature=task.specification is not None and task.specification.kind is Kind.FEATURE,
        failing_command=textwrap.indent(strip_hidden(task.commands.failing), "    "),
        written_test=patch_as_data("the written test", task.reproduction.test_patch),
        checks=_checks(task.reproduction.jobs),
        others=_others(task.reproduction.others),
        **remembered(task.recalled),
        clues=quoted("search", task.clues, limit=_CLUE_CHARACTERS) if task.clues else "",
    )


def _others(others: tuple[OtherFailure, ...]) -> str:
    """Return the failures that are not to be repaired, as data, or empty."""
    listed = [f"- {one.test}: {one.cause}" for one in others[:_OTHERS]]
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


def instructions(problem: Problem) -> str:
    """Return what the person wrote who asked, who may be followed."""
    return strip_hidden(problem.instructions)[:_INSTRUCTION_CHARACTERS].strip()


def specification_as_data(specification: Specification | None) -> str:
    """Return a specification as data, its points numbered, or empty."""
    if specification is None:
        return ""
    points = (_point(n, point) for n, point in enumerate(specification.points, 1))
    text = "\n\n".join([specification.title, *points])
    return quoted("specification", text, limit=_SPECIFICATION_CHARACTERS)


def _point(n: int, point: Point) -> str:
    parts = [f"{n}. Expected: {point.expected}"]
    parts += [f"   Happens now: {point.happens}"] if point.happens else []
    parts += [f"   How to see it: {point.see}"] if point.see else []
    return "\n".join(parts)


def near_test(path: str, text: str) -> str:
    """Return the beginning of a test file of the project as data."""
    return quoted(f"tests in {path}", text, limit=_NEAR_TEST_CHARACTERS)


def _wrong_fix(n: int, diff: str) -> str:
    return quoted(f"wrong fix {n}", diff, limit=_WRONG_FIX_CHARACTERS)


def report(problem: Problem) -> str:
    """Return title and body as data, or empty when nobody wrote anything."""
    if not (problem.title or problem.body):
        return ""
    kind = "pull request" if problem.is_pull_request else "issue"
    text = f"{problem.title}\n\n{problem.body}"
    return quoted_markdown(kind, text, limit=_REPORT_CHARACTERS)


def comments(thread: tuple[Comment, ...]) -> list[str]:
    """Return the newest comments as data, oldest first."""
    return [
        quoted_markdown(_comment_label(comment), comment.body, limit=_COMMENT_CHARACTERS)
        for comment in thread[-_COMMENTS:]
    ]


def failure(label: str, observation: Observation | None) -> str:
    """Return what a command showed as data."""
    if observation is None:
        return "Its output is not known."
    return quoted(label, describe(observation), limit=_FAILURE_CHARACTERS)


def patch_as_data(label: str, patch: Patch | None) -> str:
    """Return a patch as data, or empty when there is none."""
    return quoted(label, patch.text, limit=_DIFF_CHARACTERS) if patch else ""


def _comment_label(comment: Comment) -> str:
    author = _NOT_IN_A_LOGIN.sub("", comment.author) or "somebody"
    return f"comment by {author}{', a maintainer' if comment.trusted else ''}"


def _guidance(text: str) -> str:
    return quoted("guidance", text, limit=_GUIDANCE_CHARACTERS) if text.strip() else ""


def _map(text: str) -> str:
    return quoted("map", text, limit=_MAP_CHARACTERS) if text else ""


def _earlier(attempt: Attempt, before: Observation | None) -> dict[str, object]:
    """Return the variables of one rejected attempt in `earlier.j2`."""
    proposal = attempt.proposal
    return {
        "n": attempt.n,
        "proposer": attempt.proposer,
        "patch": patch_as_data(f"patch of attempt {attempt.n}", proposal.patch),
        "summary": quoted("its own summary", proposal.summary, limit=_SUMMARY_CHARACTERS)
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
    reasons = [f"It ended early: {_line(attempt.proposal.ended)}"] if attempt.proposal.ended else []
    verification = attempt.verification
    if verification is None:
        reasons.append(
            "It was not verified." if attempt.proposal.patch else "There was no change to verify."
        )
        return reasons
    if attempt.doubtful and attempt.proposal.assurance is not None:
        reasons.append(_line(how_sure.hint(attempt.proposal.assurance)))
    if verification.problem:
        reasons.append(f"It could not be accepted: {_line(verification.problem)}")
    if verification.target is not None and not verification.target.ok:
        reasons.append("The failing command still fails with it in a clean sandbox; see below.")
    if verification.new_failures:
        count = len(verification.new_failures)
        others = "1 other test fail" if count == 1 else f"{count} other tests fail"
        reasons.append(f"It makes {others}; see below.")
    reasons.extend(
        ("" if finding.severity is Severity.REJECT else "Besides: ") + _line(finding.message)
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


def _inline(command: str) -> str:
    return f"`{_line(command)}`"


def _line(text: str) -> str:
    return " ".join(strip_hidden(text).split())
