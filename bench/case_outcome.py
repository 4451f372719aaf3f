"""Judge what `fixpoint fix` made of a case."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bench.case import Case, run_git

Mode = Literal["keyless", "scripted"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run over one case.

    Attributes:
        case: Its id.
        mode: Without a model, or with the scripted one.
        seconds: Wall time of the process.
        faults: What is not as it must be, one sentence each.
        verdict: Of the report; empty when there was none.
        attempts: How many there were.
        failing_right: The reproduction lists exactly the tests that the repair turns green.
        only_source: The patch touches source files of the project's repair and nothing else.
        same_effect: With the patch, these files are those of the project's repair.
        command_seconds: Of the wall time, commands in the sandbox: setup and tests.
    """

    case: str
    mode: Mode
    seconds: float
    faults: tuple[str, ...]
    verdict: str = ""
    attempts: int = 0
    failing_right: bool = False
    only_source: bool = False
    same_effect: bool = False
    command_seconds: float = 0.0

    @property
    def harness_seconds(self) -> float:
        """Everything but the sandboxed commands: start-up, git, copies, isolation, the model."""
        return self.seconds - self.command_seconds


def judge(
    case: Case,
    mode: Mode,
    folder: Path,
    *,
    exit_code: int,
    report: dict[str, Any] | None,
    said: str,
    seconds: float,
) -> Outcome:
    """Return the outcome of a run.

    Args:
        case: What was run.
        mode: How.
        folder: The work tree that was repaired.
        exit_code: Of the process.
        report: What it printed on stdout; None when that was no report.
        said: What it printed on stderr.
        seconds: Its wall time.
    """
    if report is None:
        last_words = said.strip().rpartition("\n")[2]
        fault = f"exit code {exit_code} without a report: {last_words}"
        return Outcome(case.id, mode, seconds, (fault,))
    files = _patched_files(folder, report["patch"])
    faults = (
        *_faults_of_reproduction(case, report),
        *_faults_of_verdict(case, mode, report, exit_code),
        *_faults_of_patch(case, mode, folder, report, files),
    )
    return Outcome(
        case=case.id,
        mode=mode,
        seconds=seconds,
        faults=faults,
        verdict=report["verdict"],
        attempts=len(report["attempts"]),
        failing_right=_failing(report) == case.fail_to_pass,
        only_source=bool(files) and files <= set(case.source_files),
        same_effect=bool(files) and _has_same_effect(case, folder, report["patch"]),
        command_seconds=report["command_seconds"],
    )


def _failing(report: dict[str, Any]) -> frozenset[str]:
    reproduction = report["reproduction"]
    return frozenset(reproduction["failing"]) if reproduction else frozenset()


def _faults_of_reproduction(case: Case, report: dict[str, Any]) -> Iterator[str]:
    failing = _failing(report)
    if missing := sorted(case.fail_to_pass - failing):
        yield f"not listed as failing: {', '.join(missing)}"
    if extra := sorted(failing - case.fail_to_pass):
        yield f"listed as failing, wrongly: {', '.join(extra)}"


def _faults_of_verdict(
    case: Case, mode: Mode, report: dict[str, Any], exit_code: int
) -> Iterator[str]:
    verdict, reason = report["verdict"], report["reason"]
    if (verdict == "fixed") != (exit_code in {0, 3}):  # 3: once a person has looked
        yield f"exit code {exit_code} with the verdict {verdict}"
    if mode == "keyless":
        if verdict != "gave_up":
            yield f"{verdict}, though nothing keyless helps: {reason}"
        return
    if verdict != "fixed":
        output = report["reproduction"]["setup_output"] if report["reproduction"] else ""
        yield f"{verdict}: {reason} {output[-500:]}".strip()
    if len(report["attempts"]) != 2:
        yield f"{len(report['attempts'])} attempts instead of 2"
    for attempt in report["attempts"][1:]:
        if set(attempt["failing_before"]) != case.fail_to_pass:
            yield f"attempt {attempt['n']} starts from other failures"


def _faults_of_patch(
    case: Case, mode: Mode, folder: Path, report: dict[str, Any], files: frozenset[str]
) -> Iterator[str]:
    if run_git(folder, "diff", "--name-only") or run_git(folder, "ls-files", "-o", "--directory"):
        yield "the repository was touched"
    if mode == "keyless":
        if report["patch"]:
            yield f"a patch of {', '.join(sorted(files))}"
        return
    if strange := sorted(files - set(case.source_files)):
        yield f"the patch touches {', '.join(strange)}"
    if not _has_same_effect(case, folder, report["patch"]):
        yield "the patch is not the project's repair"


def _patched_files(folder: Path, patch: str) -> frozenset[str]:
    if not patch:
        return frozenset()
    listed = run_git(folder, "apply", "--numstat", "-z", "-", stdin=patch)
    return frozenset(entry.split("\t", 2)[2] for entry in listed.split("\0") if entry)


def _has_same_effect(case: Case, folder: Path, patch: str) -> bool:
    """Apply the patch to the index alone and compare it with the project's repair."""
    if not patch:
        return False
    before = run_git(folder, "write-tree").strip()
    try:
        run_git(folder, "apply", "--cached", "-", stdin=patch)
        return not run_git(
            folder, "diff", "--cached", "--name-only", case.fix_commit, "--", *case.source_files
        )
    except subprocess.CalledProcessError:
        return False
    finally:
        run_git(folder, "read-tree", before)
