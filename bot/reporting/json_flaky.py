"""What decides how flaky tests end, as a part of a report's JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.model.flaky import FlakyFindings
from bot.reporting.json_evidence import RunsPart


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LeftStatePart(_Part):
    """Something that a test leaves behind."""

    kind: str = Field(description="Such as `environment variable`, `module attribute` or `files`.")
    name: str = Field(description="Which one; empty where there is one only.")
    before: str = Field(description="What it was; untrusted text.")
    after: str = Field(description="What it is then; untrusted text.")
    file: str = Field(description="That changed it last; empty if that was not seen.")
    line: int = Field(description="Of it, from 1; 0 likewise.")


class LineOriginPart(_Part):
    """The commit that last changed the line behind a cause."""

    file: str = Field(description="Of the line.")
    line: int = Field(description="Its number, from 1.")
    commit: str = Field(description="Its hash.")
    author: str = Field(description="Who made it; untrusted text.")
    date: str = Field(description="Its day, as ISO 8601.")


class FlakyCausePart(_Part):
    """What makes a test fail, or pass."""

    flaky_class: Literal[
        "victim",
        "brittle",
        "non-idempotent",
        "seed-dependent",
        "time-dependent",
        "environment-dependent",
        "concurrency-dependent",
        "network-dependent",
        "resource-dependent",
    ] = Field(description="Of what kind.")
    others: tuple[str, ...] = Field(description="Polluters or state-setters that decide together.")
    also: tuple[str, ...] = Field(description="Others, each of which does the same.")
    changed: str = Field(description="What was changed, as the shell has it; else empty.")
    command: str = Field(description="Shows the failure every time.")
    red: RunsPart = Field(description="Runs of it.")
    contrast: str = Field(description="The command with which the test passes.")
    green: RunsPart = Field(description="Runs of that.")
    state: tuple[LeftStatePart, ...] = Field(description="What was put back, and turned it.")
    seen: tuple[LeftStatePart, ...] = Field(description="What else was seen to stay behind.")
    message: str = Field(description="Of the failure; untrusted text.")
    file: str = Field(description="Where the test fails; empty if unknown.")
    line: int = Field(description="Of it; 0 if unknown.")
    origin: LineOriginPart | None = Field(
        description="Of the line that changes the state, or else of the line where the test fails; "
        "null if the history does not tell."
    )


class FlakyTestPart(_Part):
    """A test, and what decides how it ends."""

    test: str = Field(description="Its id.")
    alone: RunsPart = Field(description="Runs of it alone.")
    causes: tuple[FlakyCausePart, ...] = Field(description="Each shown by its command.")
    unproven: tuple[FlakyCausePart, ...] = Field(description="Those that no command shows.")


class FlakyPart(_Part):
    """Tests that both fail and pass, as `fixpoint flaky --json` prints them."""

    tests: tuple[FlakyTestPart, ...] = Field(description="Those that both fail and pass.")
    unconfirmed: tuple[FlakyTestPart, ...] = Field(description="Those with unproven causes only.")
    looked_at: int = Field(description="How many tests were asked about.")
    suite: int = Field(description="How many there are.")
    steady_red: tuple[str, ...] = Field(description="Ids of tests that failed in every run.")
    ruled_out: tuple[str, ...] = Field(description="What made no difference.")
    untried: tuple[str, ...] = Field(description="What could not be tried, one sentence each.")
    executions: int = Field(description="Tests that were run in all.")
    seconds: float = Field(description="Time that it took.")


def flaky_part(found: FlakyFindings | None) -> dict[str, Any] | None:
    """Return findings as `FlakyPart` has them; None where nobody looked."""
    return asdict(found) if found is not None else None
