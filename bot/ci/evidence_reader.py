"""Make evidence of what GitHub sent: log, reports, annotations, facts about the job."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.ci.evidence import RUNNER_STEPS, UNNAMED, CheckAnnotation, JobEvidence, StepFacts
from bot.ci.failures import registry
from bot.ci.failures.base import Reading, failure
from bot.ci.failures.work_tree import relative_paths
from bot.ci.joblog.infrastructure import OutsideCause, may_be_flaky, recognise
from bot.ci.joblog.job_log import Line, StepLog, failing_section, image, read_lines, sections
from bot.limited_process import Allowance, TooMuch, run_limited
from bot.model import Failure
from bot.reporting.reasons import job_target, outside_causes

BUDGET = 12_000
"""Characters of an excerpt."""

_BEFORE = 0.25
"""Share of the budget for what stands before the first error."""


def excerpt(output: str, failing: Sequence[Failure], *, budget: int = BUDGET) -> str:
    """Return at most about `budget` characters that contain the first real error.

    Args:
        output: Of the step, plain.
        failing: What was read from it, the first one being the first real error.
        budget: In characters.
    """
    text = output.strip("\n")
    if len(text) <= budget:
        return text
    place = _place(text, failing)
    start = max(0, min(place - int(budget * _BEFORE), len(text) - budget))
    start = text.rfind("\n", 0, start) + 1
    end = start + budget
    cut = text.rfind("\n", place, end)
    end = cut if cut > place and end < len(text) else min(end, len(text))
    head = f"{job_target.characters_left_out(start)}\n" if start else ""
    left = len(text) - end
    tail = f"\n{job_target.characters_left_out(left)}" if left else ""
    return f"{head}{text[start:end]}{tail}"


def _place(text: str, failing: Sequence[Failure]) -> int:
    """Return where the first real error stands; the end when it can't be found."""
    for failed in failing:
        wanted = (_first_line(failed.detail), failed.message, failed.test.rpartition("::")[2])
        for words in wanted:
            at = text.find(words) if words.strip() else -1
            if at >= 0:
                return at
    return len(text)


def _first_line(text: str) -> str:
    lines = [line for line in text.split("\n") if line.strip()]
    return lines[0] if lines else ""


TOOLS = frozenset(
    {
        *("autoflake", "autopep8", "bandit", "black", "codespell", "docformatter", "flake8"),
        *("isort", "mypy", "pycodestyle", "pydocstyle", "pyflakes", "pylint", "pyright", "ruff"),
        *("pyproject-fmt", "pyupgrade", "yapf", "yamllint"),
    }
)
"""Python tools that other packages don't depend on, so that their version is free to choose."""

_PIP = re.compile(r"^\s*Successfully installed (?P<packages>\S.*)$")
_PIP_PACKAGE = re.compile(r"(?<!\S)(?P<name>\S+?)-(?P<version>\d\S*)")
_UV = re.compile(r"^\s*\+ (?P<name>[\w.-]+)==(?P<version>\d[\w.+!-]*)")
_POETRY = re.compile(r"^\s*[-•] Installing (?P<name>[\w.-]+) \((?P<version>\d[\w.+!-]*)\)")


def tool_versions(lines: Iterable[str]) -> tuple[str, ...]:
    """Return what pip, uv or Poetry installed of these tools, as `name==version`, by name.

    Args:
        lines: Of a job's log, without its stamps.
    """
    found: dict[str, str] = {}
    for line in lines:
        for name, version in _installed(line):
            if name in TOOLS:
                found[name] = f"{name}=={version}"
    return tuple(found[name] for name in sorted(found))


def _installed(line: str) -> Iterator[tuple[str, str]]:
    if told := _PIP.match(line):
        for package in _PIP_PACKAGE.finditer(told["packages"]):
            yield package["name"].lower().replace("_", "-"), package["version"]
    elif told := _UV.match(line) or _POETRY.match(line):
        yield told["name"].lower().replace("_", "-"), told["version"]


# What actions/checkout prints (src/main.ts, src/git-auth-helper.ts, `git init`), whatever its `path`.
_BEGINS = re.compile(r"^Syncing repository: (?P<repository>\S+)$")
_FOLDERS = (
    re.compile(r"config --global --add safe\.directory (?P<folder>\S.*)$"),
    re.compile(r"^Initialized empty Git repository in (?P<folder>\S.*)[\\/]\.git[\\/]?$"),
    re.compile(r"^Deleting the contents of '(?P<folder>[^']+)'$"),
)


def work_trees(lines: Sequence[Line], repository: str = "") -> tuple[str, ...]:
    """Return the folders of the machine into which the repository was checked out.

    Args:
        lines: Of the log.
        repository: As `owner/name`; without it, the first one that was checked out counts.
    """
    found: dict[str, None] = {}
    wanted, current = repository.lower(), ""
    for line in lines:
        if begins := _BEGINS.match(line.text):
            current = begins["repository"].lower()
            wanted = wanted or current
        elif current == wanted and current:
            matches = (pattern.search(line.text) for pattern in _FOLDERS)
            found.update({match["folder"].strip(): None for match in matches if match})
    return tuple(found)


MOST_FAILURES = 200
"""Failures of one check that are kept; the report shows fewer."""

READING = Allowance(seconds=60, memory=2 * 2**30)
"""For log and reports of one check."""

_CANCELLED = re.compile(r"The operation was canceled", re.IGNORECASE)
"""What the runner says of a step that was stopped; what its tests said before counts more."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What was got from GitHub for one check, unread.

    Attributes:
        log: The job's log, or None.
        reports: JUnit files out of its artifacts.
        summary: What a check of another App says of itself: title, summary and text.
        repository: Whose check it is, as `owner/name`, or "".
    """

    log: str | None = None
    reports: tuple[bytes, ...] = ()
    summary: str = ""
    repository: str = ""


def understand(bare: JobEvidence, collected: Collected) -> JobEvidence:
    """Return the evidence with what log, reports and annotations say.

    Args:
        bare: With the facts and remarks that GitHub's API gave.
        collected: The texts that came with it.
    """
    known = _of_log(bare, collected) if collected.log else _without_log(bare, collected)
    failing = known.failing or tuple(_of_remark(remark) for remark in _telling(bare.remarks))
    text = "\n".join([known.excerpt, *(each.message for each in failing[:20])])
    return replace(known, failing=failing[:MOST_FAILURES], may_be_flaky=may_be_flaky(text))


async def understand_apart(
    bare: JobEvidence, collected: Collected, *, allowance: Allowance = READING
) -> JobEvidence:
    """Return what `understand` does, read in a process apart; what takes too much says nothing."""
    try:
        return await run_limited(understand, bare, collected, allowance=allowance)
    except TooMuch as error:
        unread = replace(bare, missing=(*bare.missing, job_target.log_not_read(str(error))))
        return understand(unread, Collected(repository=collected.repository))


def _of_log(bare: JobEvidence, collected: Collected) -> JobEvidence:
    lines = read_lines(collected.log or "")
    bare = replace(bare, versions=tool_versions(line.text for line in lines))
    step = bare.failed_step
    section = _section(sections(lines), step)
    if section is None:
        missing = job_target.NO_FAILED_STEP_IN_LOG
        return replace(
            _without_log(bare, collected), image=image(lines), missing=(*bare.missing, missing)
        )
    output = relative_paths(section.output, work_trees(lines, collected.repository))
    reading = registry.read(output, command=UNNAMED)
    named = _names(reading)
    cause = _outside(bare, section.errors, output, named=named)
    # The reports are those of the whole run; this log is the job's own.
    guessed = reading.failing if named else _reported(collected.reports) or reading.failing
    return replace(
        bare,
        image=image(lines),
        title=section.title,
        script=section.script,
        failing=guessed,
        excerpt=excerpt(output, guessed),
        outside=cause.meaning,
        rerun_helps=cause.rerun,
    )


def _section(found: Sequence[StepLog], step: StepFacts | None) -> StepLog | None:
    if step is None or step.started is None or step.ended is None:
        return failing_section(found)
    # The API's times are whole seconds, and the runner writes its error when the step is over.
    margin = timedelta(seconds=1)
    return failing_section(found, started=step.started - margin, ended=step.ended + margin)


def _without_log(bare: JobEvidence, collected: Collected) -> JobEvidence:
    reported = _reported(collected.reports)
    said = collected.summary.strip()
    reading = registry.read(said, command=UNNAMED) if said else Reading()
    failing = reported or (reading.failing if _names(reading) else ())
    cause = _outside(bare, (), said, named=bool(failing))
    return replace(
        bare,
        failing=failing,
        excerpt=excerpt(said, failing),
        outside=cause.meaning,
        rerun_helps=cause.rerun,
    )


def _names(reading: Reading) -> bool:
    """Whether a runner or tool named a failure, instead of one guessed from the output."""
    return any(each.test != UNNAMED for each in reading.failing)


def _outside(bare: JobEvidence, errors: Sequence[str], output: str, *, named: bool) -> OutsideCause:
    """Return what outside of the code made the job fail; a cause without words when nothing did."""
    step = bare.failed_step
    said = [*errors, *(remark.message for remark in bare.remarks)]
    cause = recognise(said, output, named=named)
    if cause is not None:
        return cause
    if step is not None and step.name in RUNNER_STEPS:
        return OutsideCause(outside_causes.runner_step_failed(step.name), rerun=True)
    if bare.check.conclusion == "startup_failure":
        return OutsideCause(outside_causes.WORKFLOW_NOT_STARTED)
    if bare.check.conclusion == "timed_out" and not named:
        return OutsideCause(outside_causes.JOB_TIMED_OUT)
    if not named and any(_CANCELLED.search(text) for text in said):
        return OutsideCause(outside_causes.CANCELLED, rerun=True)
    return OutsideCause("")


def _reported(reports: Sequence[bytes]) -> tuple[Failure, ...]:
    if not reports:
        return ()
    reading = registry.read("", reports=tuple(reports), command="")
    return tuple(each for each in reading.failing if each.test)


def _telling(remarks: Sequence[CheckAnnotation]) -> list[CheckAnnotation]:
    """Return the annotations that say what failed; GitHub's own has no file of the repository."""
    return [remark for remark in remarks if remark.level == "failure" and remark.path != ".github"]


def _of_remark(remark: CheckAnnotation) -> Failure:
    place = f"{remark.path}:{remark.line}" if remark.line else remark.path
    return failure(
        f"{place}: annotation",
        remark.message,
        file=remark.path,
        line=remark.line,
        detail=remark.message,
    )
