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


class ChecksSection(ConfigSection):
    """Which failed checks start a run by themselves, and where its repair goes."""

    auto: Auto = Field(
        "off",
        description="Where failed checks start runs: off, default-branch, pull-requests or all.",
    )
    names: Texts = Field(
        (), description="Globs of check names; when there are any, other checks start nothing."
    )
    ignore: Texts = Field((), description="Globs of check names that start nothing.")
    label: Label | None = Field(
        None, description="Label that switches one pull request on, whatever auto says."
    )
    push: Literal["pull-request", "branch"] = Field(
        "pull-request",
        description="Where the repair of a pull request goes: a pull request into its branch, or a "
        "commit on the branch itself.",
    )
    settle: Pause = Field(
        SETTLE_SECONDS,
        description="How long after the first failure others may join it: seconds, or with a unit.",
    )
    patience: Duration = Field(
        PATIENCE_SECONDS,
        description="How long other checks of the commit that still run are waited for.",
    )
    most_open: StrictInt = Field(
        MOST_OPEN,
        ge=1,
        le=50,
        description="With so many of Fixpoint's pull requests open, failed checks start nothing.",
    )
    at_once: StrictInt = Field(
        AT_ONCE, ge=1, le=20, description="Runs of failed checks at a time in this repository."
    )
    rerun_flaky: StrictBool = Field(
        default=False,
        description="Whether GitHub runs the failed jobs of a flaky failure once more; the App "
        "needs `actions: write`.",
    )
    red_on_base: StrictBool = Field(
        default=False,
        description="Whether what fails on the base branch too is repaired on a pull request.",
    )
    drafts: StrictBool = Field(default=False, description="Whether draft pull requests count.")
    bots: StrictBool = Field(default=False, description="Whether pull requests of bots count.")
    forks: StrictBool = Field(
        default=False,
        description="Whether pull requests from forks count; their repair is a comment.",
    )

    @property
    def default_branch(self) -> bool:
        """Whether failed checks of the default branch start runs."""
        return self.auto in {"default-branch", "all"}

    @property
    def pull_requests(self) -> bool:
        """Whether failed checks of every pull request start runs."""
        return self.auto in {"pull-requests", "all"}

    def counts(self, name: str) -> bool:
        """Return whether a check of that name may start a run."""
        wanted = not self.names or any(fnmatchcase(name, glob) for glob in self.names)
        return wanted and not any(fnmatchcase(name, glob) for glob in self.ignore)
