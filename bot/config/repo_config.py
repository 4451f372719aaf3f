"""Read `.github/fixpoint.yml`, and say on which line it is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal

from pydantic import (
    Field,
    GetJsonSchemaHandler,
    StrictBool,
    StrictInt,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema, ErrorDetails

from bot.config.checks import ChecksSection
from bot.config.memory import MemorySection
from bot.config.options import MAX_ATTEMPTS
from bot.config.problems import describe, own_problems
from bot.config.proof import ProofSection
from bot.config.section import ConfigSection
from bot.config.tools import ToolsSection
from bot.config.values import (
    BranchPattern,
    BranchPrefix,
    Dollars,
    Duration,
    FlakyRepair,
    Glob,
    Guards,
    JsonSchema,
    Label,
    Network,
    Pause,
    Probability,
    Proposers,
    RestoredGlob,
    Spec,
    Switch,
    Text,
    Texts,
)
from bot.config.yaml_document import ConfigProblem, Document, Unreadable, read
from bot.errors import RepoConfigError
from bot.model import Limits, SearchLimits
from bot.model.culprit import SECONDS
from bot.model.guard_rules import PatchRules
from bot.model.money.caps import Caps
from bot.model.proposers import PROPOSERS
from bot.model.quarantine import DAYS
from bot.model.request import Effort, Options
from bot.model.risk import Confidence, Tolerance
from bot.model.specification import Specify
from bot.reporting.reasons import config_problems

PATH = ".github/fixpoint.yml"

MAX_PROBLEMS = 25
"""A person mends no more at once, and a comment has to hold them."""

MAX_WORKERS = 64

MAX_CANDIDATES = 8

MAX_EDITS = 100_000

MAX_DAYS = 365

_COMMANDS = 3
"""How often a run executes the failing command at least: one that took longer than this part of
the run's time, or never ends, would leave nothing for the repair."""

_LIMITS = Limits()
_SEARCH = SearchLimits()
_BUDGET = _LIMITS.cost_usd or Decimal(2)


class Titles(StrEnum):
    """How titles of commits and pull requests begin."""

    AUTO = "auto"
    PLAIN = "plain"
    CONVENTIONAL = "conventional"


class SandboxSection(ConfigSection):
    """The sandbox in which commands run."""

    image: Text | None = Field(None, description="Docker image of the sandbox.")
    template: Text | None = Field(None, description="E2B template of the sandbox.")


class PathsSection(ConfigSection):
    """Which files patches may change, as globs in gitignore syntax."""

    allowed: tuple[Glob, ...] = Field(
        (), description="If set, patches may change only matching files."
    )
    protected: tuple[Glob, ...] = Field((), description="Patches may not change matching files.")
    restored: tuple[RestoredGlob, ...] = Field(
        (),
        description="Additional files to restore before a patch is verified; `!` excludes files.",
    )


class Role(StrEnum):
    """The minimum role that may ask for runs."""

    WRITE = "write"
    MAINTAIN = "maintain"
    ADMIN = "admin"


class WhoSection(ConfigSection):
    """Who may start, stop and retry runs. Write access is always required."""

    permission: Role = Field(Role.WRITE, description="Minimum role in the repository.")
    users: tuple[Text, ...] = Field((), description="Logins of people who need only write access.")
    approve: Role = Field(
        Role.MAINTAIN, description="Minimum role for approving what waits for a person."
    )


class ApprovalSection(ConfigSection):
    """How much a patch may delete without approval."""

    deleted_files: StrictInt = Field(
        Tolerance().deleted_files, ge=0, description="Number of files that a patch may delete."
    )
    deleted_lines: StrictInt = Field(
        Tolerance().deleted_lines,
        ge=0,
        description="Number of lines that a patch may delete, minus the lines it adds.",
    )
    reverted_lines: StrictInt = Field(
        Tolerance().reverted_lines,
        ge=0,
        description="Number of lines of somebody's commit that a patch may take back.",
    )

    @property
    def tolerance(self) -> Tolerance:
        """The section in the words of a run."""
        return Tolerance(self.deleted_files, self.deleted_lines, self.reverted_lines)


class MechanicalSection(ConfigSection):
    """What the mechanical proposer may do."""

    snapshots: StrictBool = Field(
        default=False, description="Whether it may rewrite test snapshots."
    )


class SearchSection(ConfigSection):
    """Limits of the search for a repair without a model."""

    edits: StrictInt = Field(
        _SEARCH.edits,
        ge=1,
        le=MAX_EDITS,
        description="Number of edits that one search tries.",
    )
    seconds: Duration = Field(
        _SEARCH.seconds,
        description="Outer time limit of one search on a machine that does nothing else: seconds, or with a unit, such as 2m.",
    )
    workers: StrictInt | None = Field(
        _SEARCH.workers,
        ge=1,
        le=MAX_WORKERS,
        description="Number of edits tested in parallel; one per processor if unset.",
    )

    confidence: Probability = Field(
        _SEARCH.confidence,
        description="Estimated probability of being right from which a patch of the search is "
        "published; below it, the patch is only suggested in the report.",
    )

    @property
    def limits(self) -> SearchLimits:
        """The section in the words of a run."""
        return SearchLimits(self.seconds, self.workers, self.confidence, self.edits)


class FlakySection(ConfigSection):
    """What is done about flaky tests."""

    repair: FlakyRepair = Field(
        "ask",
        description="Whether a flaky test is repaired where it is known what decides: ask (a person "
        "approves changes of tests), push (nobody is asked), or off.",
    )
    quarantine: Switch = Field(
        "off",
        description="Whether a test that was measured to be flaky, and that no verified repair mends, gets "
        "an issue and a pull request that marks it: on or off.",
    )
    days: StrictInt = Field(
        DAYS,
        ge=1,
        le=MAX_DAYS,
        description="Number of days after which a pull request takes the mark away.",
    )


class ExplainSection(ConfigSection):
    """How long a run looks for what changed. `explain: false` turns it off."""

    seconds: Pause = Field(
        SECONDS,
        description="Time limit for finding the commit or the release that broke the tests, besides "
        "`timeout`: seconds, or with a unit, such as 10m; 0 for not at all.",
    )

    @model_validator(mode="before")
    @classmethod
    def _off(cls, value: Any) -> Any:
        return {"seconds": 0} if value in (False, "off") else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchema:
        """Return the schema of the mapping, or of what turns it off."""
        return {"anyOf": [{"enum": [False, "off"]}, handler(core)]}


class CapsSection(ConfigSection):
    """Caps for the runs in this repository; the server's caps also apply."""

    thread_usd: Dollars | None = Field(
        None, description="Maximum cost of all runs on one issue or pull request, in dollars."
    )
    day_usd: Dollars | None = Field(
        None, description="Maximum daily cost of all runs in this repository, in dollars."
    )
    run_tokens: StrictInt | None = Field(
        None, ge=1, description="Maximum number of input and output tokens per run."
    )
    sandbox: Duration | None = Field(
        None,
        description="Maximum total time of all commands in one run: seconds, or with a unit, such as 15m or 1h.",
    )
    runs_per_hour: StrictInt | None = Field(
        None, ge=1, description="Maximum number of runs started per hour."
    )

    @property
    def within_repository(self) -> Caps:
        """The section in the words of the budget."""
        return Caps(
            thread_usd=self.thread_usd,
            repository_usd=self.day_usd,
            run_tokens=self.run_tokens,
            sandbox_seconds=self.sandbox,
            runs_per_hour=self.runs_per_hour,
        )


class RepoConfig(ConfigSection):
    """How Fixpoint works in this repository. Without this file, the defaults apply."""

    setup: Texts | None = Field(
        None,
        description="Commands that set up the environment, with access to the package registries; detected if unset.",
    )
    test: Text | None = Field(
        None, description="Command that runs the whole test suite; detected if unset."
    )
    sandbox: SandboxSection = Field(
        SandboxSection(), description="The sandbox in which commands run."
    )
    network: Network = Field(
        "off",
        description="What the setup can reach besides the package registries: nothing (off), the hosts listed under `allow`, or everything, even after the setup (on).",
    )
    model: Text | None = Field(
        None,
        description="Exact model name, as its provider spells it; the server's model if unset.",
    )
    effort: Effort | None = Field(
        None, description="Reasoning effort of the model; the model's default if unset."
    )
    attempts: StrictInt = Field(
        _LIMITS.attempts,
        ge=1,
        le=MAX_ATTEMPTS,
        description="Maximum number of candidate patches verified per run.",
    )
    budget_usd: Dollars = Field(
        _BUDGET,
        json_schema_extra={"default": float(_BUDGET)},
        description="Maximum cost of model calls per run, in dollars.",
    )
    caps: CapsSection = Field(
        CapsSection(),
        description="Caps for the runs in this repository; the server's caps also apply.",
    )
    timeout: Duration = Field(
        _LIMITS.seconds,
        description="Time limit of one run: seconds, or with a unit, such as 15m or 1h.",
    )
    paths: PathsSection = Field(PathsSection(), description="Which files patches may change.")
    guards: Guards = Field(
        default_factory=dict,
        description="Severity of findings, by guard rule: reject, needs-person or note.",
    )
    labels: tuple[Label, ...] = Field(("fixpoint",), description="Labels for pull requests.")
    branch_prefix: BranchPrefix = Field("fixpoint/", description="Prefix of branch names.")
    branch: BranchPattern | None = Field(
        None,
        description="Pattern of branch names, with {issue}, {slug} and {run} in it, instead of a prefix.",
    )
    titles: Titles = Field(
        Titles.AUTO,
        description="How titles of commits and pull requests begin: plain (Fix ...), conventional "
        "(fix: ...) or auto, as those of the last 50 commits do.",
    )
    template: StrictBool = Field(
        default=True,
        description="Whether pull requests fill in the repository's template for them.",
    )
    sign_off: Literal[True, False, "auto"] = Field(
        "auto",
        description="Whether commits end with `Signed-off-by`; with `auto`, where the repository has "
        "settings of a DCO check, or 8 of 10 of its last commits have one.",
    )
    review: StrictBool = Field(
        default=True,
        description="Whether the review of who asked for a fix is requested. GitHub itself requests "
        "those of code owners, for drafts once they are ready.",
    )
    assign: StrictBool = Field(
        default=True,
        description="Whether pull requests are assigned to who asked for the fix.",
    )
    push_to_forks: StrictBool = Field(
        default=False,
        description="Whether the repair of a fork's pull request is pushed to its branch, where its "
        "author allows edits by maintainers.",
    )
    confidence: Confidence = Field(
        Confidence.DRAFT,
        description="How far results may go: diagnose (a report), suggest (the patch in a comment "
        "or as suggested changes), draft (a draft pull request) or push (a pull request that is "
        "ready for review).",
    )
    approval: ApprovalSection = Field(
        ApprovalSection(),
        description="How much a patch may delete without approval.",
    )
    draft: StrictBool = Field(
        default=True, description="Whether pull requests are opened as drafts."
    )
    who: WhoSection = Field(WhoSection(), description="Who may start, stop and retry runs.")
    proposers: Proposers = Field(
        tuple(PROPOSERS),
        description="Proposers to ask for patches, in this order: what fixed the same failure before "
        "(memory), what keeps a flaky test from depending on what decides (flaky), the project's own tools (mechanical), what a release changed (adapt), a search for the edit that the tests ask for (search), what takes back the part of a commit that broke them (revert), a model (agent), a bound on a package (bound).",
    )
    routing: StrictBool = Field(
        default=True,
        description="Whether each attempt's model is chosen among the configured ones, by how hard "
        "the failure looks and how earlier attempts went; if false, every attempt asks the default "
        "model.",
    )
    candidates: StrictInt = Field(
        1,
        ge=1,
        le=MAX_CANDIDATES,
        description="Attempts of a model that are made side by side, each with its share of what is "
        "left of the budget; one of the patches that pass is taken. They count among `attempts`.",
    )
    recovery: StrictBool = Field(
        default=True,
        description="Whether a model that declines, repeats itself or gets no further is helped "
        "within its attempt: by a narrower instruction, another model, a fresh start; if false, "
        "the attempt ends.",
    )
    mechanical: MechanicalSection = Field(
        MechanicalSection(), description="What the mechanical proposer may do."
    )
    search: SearchSection = Field(
        SearchSection(), description="Limits of the search for a repair without a model."
    )
    explain: ExplainSection = Field(
        ExplainSection(),
        description="How long a run looks for the commit or the release that broke the tests.",
    )
    flaky: FlakySection = Field(FlakySection(), description="What is done about flaky tests.")
    tools: ToolsSection = Field(
        default_factory=ToolsSection,
        description="What the tools of the agent may do: allow, ask a person, or deny.",
    )
    reviews: Literal[True, False, "all"] = Field(
        default=True,
        description="Whether a review that requests changes of one of Fixpoint's pull requests, or a "
        "comment there that mentions it, starts a run on its branch; with `all`, so do other comments.",
    )
    conflicts: StrictBool = Field(
        default=True,
        description="Whether the fix of one of Fixpoint's pull requests is redone when the pull "
        "request conflicts with its base, with what is left of the fix's attempts and budget.",
    )
    memory: MemorySection = Field(
        MemorySection(), description="What is remembered of earlier runs in this repository."
    )

    spec: Spec = Field(
        Specify.ON,
        json_schema_extra={"default": "on"},
        description="Whether a model turns an issue without a failing test into a short "
        "specification before it writes tests for it: on, off, or approve (a person has to agree "
        "with it first).",
    )
    test_first: StrictBool = Field(
        default=True,
        description="Whether a model writes failing tests for an issue that no test shows; if "
        "false, the run ends where nothing fails.",
    )
    wrong_fixes: StrictBool = Field(
        default=True,
        description="Whether tests that Fixpoint wrote are also run on wrong fixes, made from the "
        "accepted one.",
    )

    checks: ChecksSection = Field(
        ChecksSection(),
        description="Which failed checks start runs automatically, and where their fixes go.",
    )
    proof: ProofSection = Field(
        ProofSection(),
        description="Which pull requests get a check run that says what was shown of them.",
    )

    @property
    def patch_rules(self) -> PatchRules:
        """What patches may do, in the words of a run."""
        guards = tuple((rule, strictness.severity) for rule, strictness in self.guards.items())
        return PatchRules(self.paths.allowed, self.paths.protected, self.paths.restored, guards)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that the setup reaches besides the package registries."""
        return self.network if isinstance(self.network, tuple) else ()

    def limits(self, options: Options) -> Limits:
        """Return the budget of a run; what its options say comes before the file."""
        seconds = options.timeout or self.timeout
        return Limits(
            attempts=options.attempts or self.attempts,
            cost_usd=self.budget_usd if options.budget_usd is None else options.budget_usd,
            seconds=seconds,
            command_seconds=min(_LIMITS.command_seconds, seconds / _COMMANDS),
        )


def parse(data: str | bytes, source: str = PATH) -> RepoConfig:
    """Return the config in a file's content; an empty file is a config of defaults.

    Args:
        data: The file's content.
        source: What problems call the file.

    Raises:
        RepoConfigError: With every problem: file, line, what is wrong and what would be right.
    """
    try:
        document = read(data)
    except Unreadable as error:
        raise RepoConfigError(_sentences(source, [error.problem])) from error
    problems = list(document.problems)
    config: RepoConfig | None = None
    try:
        config = _validated(document.value)
    except ValidationError as error:
        details = own_problems(error.errors(include_url=False))
        problems += [_problem(document, detail) for detail in details]
    if config is None or problems:
        raise RepoConfigError(_sentences(source, problems))
    return config


SCHEMA_PATH = "/fixpoint.schema.json"
"""Where every server shows the schema, to everybody."""

SCHEMA_ID = "urn:fixpoint:repo-config"
"""By which editors and catalogues tell it from others, wherever they fetched it."""


def json_schema() -> JsonSchema:
    """Return the JSON Schema of the file, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        **RepoConfig.model_json_schema(),
        "title": "Fixpoint repository configuration",
    }


def _validated(value: Any) -> RepoConfig:
    return RepoConfig() if value is None else RepoConfig.model_validate(value)


def _sentences(source: str, problems: Sequence[ConfigProblem]) -> tuple[str, ...]:
    shown = [f"{source}:{each.line}: {each.text}" for each in sorted(problems)[:MAX_PROBLEMS]]
    more = len(problems) - len(shown)
    return (*shown, config_problems.more_problems(source, more)) if more else tuple(shown)


def _problem(document: Document, detail: ErrorDetails) -> ConfigProblem:
    of_key = detail["type"] == "extra_forbidden"
    return ConfigProblem(document.line(detail["loc"], of_key=of_key), describe(RepoConfig, detail))
