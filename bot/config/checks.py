"""The section `checks` of the repo config: which failed checks start a run, and what it may do."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from bot.config.section import ConfigSection
from bot.config.values import Auto, Duration, Label, Pause, Texts

SETTLE_SECONDS = 30.0
PATIENCE_SECONDS = 1800.0
MOST_OPEN = 3
AT_ONCE = 1
MOST_RUNS = 10


class ChecksSection(ConfigSection):
    """Which failed checks start runs automatically, and where their fixes go."""

    auto: Auto = Field(
        "off",
        description="Where failed checks start runs automatically: off, default-branch, pull-requests or all.",
    )
    names: Texts = Field(
        (), description="Globs of check names; if set, only matching checks start runs."
    )
    ignore: Texts = Field((), description="Globs of check names that never start runs.")
    label: Label | None = Field(
        None, description="Label that enables this for one pull request, whatever `auto` says."
    )
    push: Literal["pull-request", "branch"] = Field(
        "pull-request",
        description="Where the fix for a pull request goes: a pull request into its branch, or a "
        "commit on the branch itself.",
    )
    settle: Pause = Field(
        SETTLE_SECONDS,
        description="How long to wait after the first failure for others to join the run: seconds, or with a unit.",
    )
    patience: Duration = Field(
        PATIENCE_SECONDS,
        description="How long to wait for checks of the commit that are still running.",
    )
    most_open: StrictInt = Field(
        MOST_OPEN,
        ge=1,
        le=50,
        description="Number of open Fixpoint pull requests at which failed checks stop starting runs.",
    )
    at_once: StrictInt = Field(
        AT_ONCE,
        ge=1,
        le=20,
        description="Maximum number of concurrent runs for failed checks and conflicts in this "
        "repository.",
    )
    most_runs: StrictInt = Field(
        MOST_RUNS,
        ge=1,
        le=1000,
        description="Number of runs that failed checks of one pull request may start until a person "
        "asks for one.",
    )
    rerun_flaky: StrictBool = Field(
        default=False,
        description="Whether to rerun failed jobs on GitHub when their failure is flaky, or comes from a "
        "runner, network or registry that may work again; the App needs `actions: write`.",
    )
    red_on_base: StrictBool = Field(
        default=False,
        description="Whether to repair failures of a pull request that also occur on its base branch.",
    )
    drafts: StrictBool = Field(
        default=False, description="Whether draft pull requests are included."
    )
    bots: Literal[True, False, "updates"] = Field(
        default=False,
        description="Whether pull requests from bots are included; `updates`: those of bots that update "
        "packages (Dependabot, Renovate) start runs, whatever `auto` says, and those of others don't.",
    )
    forks: StrictBool = Field(
        default=False,
        description="Whether pull requests from forks are included; their fixes are posted as comments.",
    )

    merge_groups: StrictBool = Field(
        default=False,
        description="Whether failed checks of merge groups are looked into, to say on each pull request "
        "of the group which of them is the cause.",
    )

    @property
    def default_branch(self) -> bool:
        """Whether failed checks of the default branch start runs."""
        return self.auto in {"default-branch", "all"}

    @property
    def pull_requests(self) -> bool:
        """Whether failed checks of every pull request start runs."""
        return self.auto in {"pull-requests", "all"}

    @property
    def updates(self) -> bool:
        """Whether failed checks of pull requests that update packages start runs."""
        return self.bots == "updates"

    @property
    def enabled(self) -> bool:
        """Whether failed checks may start a run anywhere without anybody asking for it there."""
        return self.auto != "off" or self.label is not None or self.updates

    def counts(self, name: str) -> bool:
        """Return whether a check of that name may start a run."""
        wanted = not self.names or any(fnmatchcase(name, glob) for glob in self.names)
        return wanted and not any(fnmatchcase(name, glob) for glob in self.ignore)
