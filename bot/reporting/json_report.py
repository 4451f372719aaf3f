"""The stable contract of `fixpoint fix --json`: one object, described in docs/json-output.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal, assert_never

from pydantic import BaseModel, ConfigDict, Field

from bot.model import (
    Acceptance,
    Attempt,
    Commands,
    GuardFinding,
    Report,
    Reproduction,
)
from bot.model.culprit import WhatChanged
from bot.model.plan import PlanStep
from bot.redaction import TOKENS_ALONE, Redactor
from bot.reporting.json_evidence import (
    AssurancePart,
    MutantsPart,
    ProgramPart,
    RoutePart,
    SpecificationPart,
    WhatChangedPart,
    assurance_part,
    mutants_part,
    program_part,
    route_part,
    specification_part,
)
from bot.reporting.json_flaky import FlakyPart, flaky_part
from bot.reporting.json_proof import ProofPart, card_part
from bot.reporting.outcome import outcome
from bot.reporting.own_card import card_of
from bot.reporting.reasons import assurance
from bot.reporting.suggested_config import suggested_config
from bot.reporting.what_changed import json_value

VerdictName = Literal[
    "fixed",
    "suggested",
    "improved",
    "flaky",
    "red_on_base",
    "not_reproduced",
    "infrastructure",
    "gave_up",
    "budget_spent",
    "stopped",
    "refused",
    "explained",
]
OtherKindName = Literal["environment", "unstable", "old", "unrelated"]
CauseName = Literal["real", "flaky", "red_on_base", "not_reproduced", "infrastructure"]
SeverityName = Literal["reject", "needs_a_person", "note"]
Cost = float | None
AcceptedValue = bool | Literal["after_approval"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class OtherFailurePart(_Part):
    """A test that fails and that no patch has to fix."""

    test: str = Field(description="Id of the test.")
    kind: OtherKindName = Field(description="Why no patch has to fix it.")
    cause: str = Field(description="The same for people: the end of a sentence about the test.")


class ReproductionPart(_Part):
    """The failing command on the original commit."""

    command: str | None = Field(description="As typed in a shell; null when the setup failed.")
    exit_code: int | None = Field(
        description="Exit code of its first execution; 124 when it timed out; null when it did not run."
    )
    failing: tuple[str, ...] = Field(
        description="Ids of the failures, as the test runner names and orders them."
    )
    cause: CauseName = Field(description="Result of the reproduction.")
    runs: tuple[int, ...] = Field(description="Exit codes of every execution.")
    test_patch: str | None = Field(
        description="Diff with the test that was written because nothing failed; otherwise null."
    )
    setup_output: str = Field(
        description="End of the setup output when the setup failed, otherwise empty; untrusted text."
    )
    others: tuple[OtherFailurePart, ...] = Field(
        description="Tests that fail too, and that no patch has to fix."
    )
    undecided: bool = Field(
        description="Whether nothing tells which of several failures the problem is about."
    )


class FindingPart(_Part):
    """Something in a patch that a maintainer should know."""

    rule: str = Field(description="Name of the guard rule.")
    severity: SeverityName = Field(description="`reject` fails the attempt.")
    message: str = Field(description="One sentence.")
    file: str | None = Field(description="Path in the repository.")
    line: int | None = Field(description="Line number, from 1.")


class PlanPart(_Part):
    """One step of the plan that a model made."""

    step: str = Field(description="What it wanted to do.")
    check: str = Field(description="How it wanted to know that it is done; may be empty.")
    status: Literal["todo", "doing", "done"] = Field(description="How far it came.")


class AttemptPart(_Part):
    """One attempt and its verification."""

    n: int = Field(ge=1, description="Number of the attempt, from 1.")
    proposer: str = Field(description="`mechanical`, `search`, `agent`, `test-first`.")
    model: str | None = Field(
        description="The model that wrote the patch, as its provider names it; null without a model."
    )
    patch: str = Field(
        description="The diff, as `git apply` takes it; empty when nothing was changed."
    )
    exit_code: int | None = Field(
        description="Exit code of the failing command with the patch; null when it was not run."
    )
    failing_before: tuple[str, ...] = Field(description="Ids that failed before the attempt.")
    failing_after: tuple[str, ...] | None = Field(
        description="Ids that fail with its patch; null when it was not run."
    )
    guard_findings: tuple[FindingPart, ...] = Field(description="Guard findings about the patch.")
    tokens: int = Field(description="Tokens of all its model calls, including cached ones.")
    cost_usd: Cost = Field(description="US dollars; null when a price is unknown.")
    seconds: float = Field(description="Wall time in seconds, including verification.")
    summary: str = Field(
        description="What was done and why, as described by the proposer; untrusted text."
    )
    accepted: AcceptedValue = Field(
        description="Whether the patch was accepted; `after_approval` when a person has to look at it first."
    )
    outcome: str = Field(description="How the attempt ended, in a few words.")
    ended: str = Field(description="Why the attempt ended early; otherwise empty.")
    unconfirmed: tuple[str, ...] = Field(
        default=(), description="Guesses that no test runs, one sentence each: only suggested."
    )
    programs: tuple[ProgramPart, ...] = Field(
        description="Programs that the failing command started, if *mechanical* traced it."
    )
    mutants: MutantsPart | None = Field(
        description="What the tests notice of small faults in the changed lines; null when that is unknown."
    )
    wrong_fixes: MutantsPart | None = Field(
        description="What the tests that were written first make of wrong fixes; null when that is unknown."
    )
    assurance: AssurancePart | None = Field(
        description="How sure a search is of its patch; null for other proposers."
    )
    route: RoutePart | None = Field(
        default=None, description="How it asked a model; null if it asked none."
    )
    used: tuple[str, ...] = Field(
        default=(), description="What its model used, in a few words each: tools, plan, notes, map."
    )
    plan: tuple[PlanPart, ...] = Field(default=(), description="Its model's plan, in order.")


class CommandsPart(_Part):
    """How the repository is set up and tested."""

    setup: tuple[str, ...] = Field(description="Shell commands, in order.")
    test: str = Field(description="The command for the full test suite.")
    failing: str = Field(description="The failing command.")
    explanation: tuple[str, ...] = Field(
        description="How each command was detected, one sentence each."
    )
    config: str = Field(
        default="",
        description="Lines for `.github/fixpoint.yml`, where the setup lacked something at first.",
    )


class FixOutput(_Part):
    """What `fixpoint fix --json` prints. A new key does not raise `schema_version`."""

    schema_version: Literal[2] = Field(
        description="Raised when a key changes its meaning or is removed."
    )
    run_id: str = Field(description="Id of the run, as in the logs.")
    verdict: VerdictName = Field(
        description="How the run ended. The exit code is 1 unless it is `fixed`; then it is 0, or 3 when a person has to look at the patch first."
    )
    reason: str = Field(description="Why the run ended like this, in one sentence.")
    head: str = Field(description="The commit that was fixed, 40 hex digits.")
    commands: CommandsPart | None = Field(
        description="How the repository is set up and tested; null when that is unknown."
    )
    reproduction: ReproductionPart | None = Field(
        description="What failed before any change; null when the run ended earlier."
    )
    attempts: tuple[AttemptPart, ...] = Field(description="All attempts, in order.")
    patch: str = Field(
        description="The accepted diff; without one, the suggested diff, the best partial one, the last one, else empty."
    )
    seconds: float = Field(description="Wall time of the whole run, in seconds.")
    command_seconds: float = Field(
        description="Seconds of it spent on commands in the sandbox: setup, tests, and a model's commands."
    )
    cost_usd: Cost = Field(description="US dollars of the whole run; null when a price is unknown.")
    tokens: int = Field(description="Tokens of the whole run.")
    notes: tuple[str, ...] = Field(
        description="Other things a person should know, one sentence each."
    )
    kind: Literal["bug", "feature", "change"] = Field(
        description="What was asked for: `feature` for a request to add something, `change` for one that no test shows."
    )
    specification: SpecificationPart | None = Field(
        description="What is asked, as points, where no test showed it; otherwise null."
    )
    what_changed: WhatChangedPart | None = Field(
        default=None,
        description="The commit or the release that broke the tests; null where nobody looked.",
    )
    flaky: FlakyPart | None = Field(
        default=None,
        description="What decides how tests end that both fail and pass; null where nobody looked.",
    )
    proof: ProofPart | None = Field(
        default=None,
        description="What is shown of `patch`, and what is not; null where it was not run.",
    )


def to_json(report: Report, redactor: Redactor = TOKENS_ALONE) -> dict[str, Any]:
    """Return the report as JSON values, with the keys of `FixOutput`.

    Texts lose planted secrets and everything that has a token's shape. Patches lose planted
    secrets only: a diff of which more is replaced no longer applies.
    """
    report = redactor.frozen(report)
    card = card_of(report)
    values = {
        "schema_version": 2,
        "run_id": report.run_id,
        "verdict": name_value(report.verdict),
        "reason": report.reason,
        "head": report.head,
        "commands": commands_part(report.commands),
        "reproduction": reproduction_part(report.reproduction, redactor),
        "attempts": tuple(attempt_part(attempt, redactor) for attempt in report.attempts),
        "patch": redactor.planted(report.patch.text),
        "seconds": round(report.seconds, 3),
        "command_seconds": round(report.command_seconds, 3),
        "cost_usd": cost_value(report.usage.cost_usd),
        "tokens": report.usage.tokens,
        "notes": report.notes,
        "kind": report.kind.value,
        "specification": specification_part(report.specification),
        "what_changed": what_changed_part(report.what_changed, redactor),
        "flaky": flaky_part(report.flaky),
        "proof": card_part(card) if card is not None else None,
    }
    return FixOutput.model_validate(values).model_dump(mode="json")


def schema_text() -> str:
    """Return the JSON Schema of the output: the text of docs/fix-output.schema.json."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **FixOutput.model_json_schema(mode="serialization"),
        "title": "fixpoint fix --json",
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def what_changed_part(found: WhatChanged | None, redactor: Redactor) -> dict[str, Any] | None:
    """Return what changed as `WhatChangedPart` has it; None where nothing was looked at."""
    return json_value(redactor.frozen(found)) if found is not None and found.is_answer else None


def commands_part(commands: Commands | None) -> dict[str, Any] | None:
    """Return commands as `CommandsPart` has them."""
    if commands is None:
        return None
    return {
        "setup": commands.setup,
        "test": commands.test,
        "failing": commands.failing,
        "explanation": commands.explanation,
        "config": suggested_config(commands),
    }


def reproduction_part(
    reproduction: Reproduction | None, redactor: Redactor
) -> dict[str, Any] | None:
    """Return a redacted reproduction as `ReproductionPart` has it."""
    if reproduction is None:
        return None
    observation, test_patch = reproduction.observation, reproduction.test_patch
    failing = observation.failing if observation is not None else ()
    return {
        "command": observation.command if observation is not None else None,
        "exit_code": observation.exit_code if observation is not None else None,
        "failing": tuple(failure.test for failure in failing),
        "cause": name_value(reproduction.cause),
        "runs": reproduction.runs,
        "test_patch": redactor.planted(test_patch.text) if test_patch is not None else None,
        "setup_output": reproduction.setup_output,
        "others": tuple(
            {
                "test": other_failure.test,
                "kind": name_value(other_failure.kind),
                "cause": other_failure.cause,
            }
            for other_failure in reproduction.others
        ),
        "undecided": reproduction.undecided,
    }


def attempt_part(attempt: Attempt, redactor: Redactor) -> dict[str, Any]:
    """Return a redacted attempt as `AttemptPart` has it."""
    proposal, verification = attempt.proposal, attempt.verification
    target = verification.target if verification is not None else None
    found = verification.findings if verification is not None else ()
    after = attempt.failing_after
    guesses = verification.unconfirmed if verification is not None else ()
    return {
        "n": attempt.n,
        "proposer": attempt.proposer,
        "model": proposal.model,
        "patch": redactor.planted(proposal.patch.text),
        "exit_code": target.exit_code if target is not None else None,
        "failing_before": attempt.failing_before,
        "failing_after": after,
        "guard_findings": tuple(finding_part(finding) for finding in found),
        "tokens": proposal.usage.tokens,
        "cost_usd": cost_value(proposal.usage.cost_usd),
        "seconds": round(attempt.seconds, 3),
        "summary": proposal.summary,
        "accepted": accepted_value(attempt.acceptance),
        "outcome": outcome(attempt),
        "ended": proposal.ended,
        "unconfirmed": tuple(map(assurance.unconfirmed, guesses)),
        "programs": tuple(program_part(program) for program in proposal.programs),
        "mutants": mutants_part(verification.mutants) if verification is not None else None,
        "wrong_fixes": mutants_part(verification.wrong_fixes) if verification is not None else None,
        "assurance": assurance_part(proposal.assurance),
        "route": route_part(attempt.route),
        "used": proposal.used,
        "plan": plan_part(proposal.plan),
    }


def plan_part(plan: Sequence[PlanStep]) -> tuple[dict[str, str], ...]:
    """Return the steps of a plan."""
    return tuple(
        {"step": step.text, "check": step.check, "status": step.state.value} for step in plan
    )


def accepted_value(acceptance: Acceptance) -> AcceptedValue:
    """Return the value of `accepted`: a reader that asks for `true` never gets what a person must see."""
    match acceptance:
        case Acceptance.YES:
            return True
        case Acceptance.AFTER_APPROVAL:
            return "after_approval"
        case Acceptance.NO:
            return False
        case _:
            assert_never(acceptance)


def finding_part(finding: GuardFinding) -> dict[str, Any]:
    """Return a finding as `FindingPart` has it."""
    return {
        "rule": finding.rule,
        "severity": name_value(finding.severity),
        "message": finding.message,
        "file": finding.file,
        "line": finding.line,
    }


def name_value(value: StrEnum) -> str:
    """Return one of our words as programs read it."""
    return value.replace(" ", "_")


def cost_value(amount: Decimal | None) -> Cost:
    """Return an amount of dollars; None where a price is unknown."""
    return float(amount) if amount is not None else None
