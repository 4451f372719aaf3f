"""What the tests notice of mutants, and how sure a search is, in `fixpoint fix --json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.model import Assurance, MutantResults, Specification, StartedProgram
from bot.model.route import Route


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SurvivorPart(_Part):
    """A small fault in a changed line that no test notices."""

    file: str = Field(description="Path in the repository.")
    line: int = Field(description="Line number with the patch, from 1.")
    change: str = Field(description="What it does: the end of a sentence about the line.")


class MutantsPart(_Part):
    """The deciding tests, run on small faults in the changed lines."""

    caught: int = Field(description="Number of mutants with which a test fails.")
    total: int = Field(description="Number of mutants that were run.")
    survivors: tuple[SurvivorPart, ...] = Field(description="Those with which the tests pass.")


class WitnessesPart(_Part):
    """What the probability comes from."""

    mutants: int = Field(description="Small faults that were put into the changed lines.")
    caught: int = Field(description="Those that the tests notice.")
    rivals: int = Field(
        description="Other patches that pass as well, and that no input that was tried shows to behave the same."
    )
    share: float = Field(description="Of the weight of all plausible patches, that of this one.")
    passing: int = Field(description="Tests that run the changed place and passed before as well.")
    failing: int = Field(description="Tests that the patch fixes.")
    weight: float = Field(description="How typical the edit is, 0 to 1.")
    rank: int = Field(description="Edits that were likelier and did not pass.")
    lines: int = Field(description="Lines of the files that the failing tests run.")
    reached: int = Field(
        description="Other statements of the changed function that the failing tests ran before."
    )
    silenced: int = Field(description="Those of them that no test runs with the patch.")
    compared: int = Field(description="Inputs that the function answered without the patch.")
    shifted: int = Field(description="Those of them that it answers differently with the patch.")
    neighbours: int = Field(
        description="Other answers of small further changes of the patch, which pass as well."
    )
    turned: int = Field(description="Inputs of the tests whose answer the patch changes.")
    outcomes: int = Field(description="Different numbers and words in its answers to these.")


class AssurancePart(_Part):
    """How sure a search is of its patch."""

    probability: float = Field(description="Estimated probability that the patch is right.")
    required: float = Field(description="Below that, the patch is only suggested.")
    doubts: tuple[str, ...] = Field(description="What speaks against it, one sentence each.")
    deciding: str = Field(description="Which test would decide, as a sentence; may be empty.")
    witnesses: WitnessesPart = Field(description="What the probability comes from.")


class RunsPart(_Part):
    """How often tests failed and passed somewhere."""

    failed: int = Field(description="Runs that failed.")
    passed: int = Field(description="Runs that passed.")


class CulpritEventPart(_Part):
    """A commit, or a release of a package."""

    kind: Literal["commit", "release", "runtime"] = Field(description="What happened.")
    name: str = Field(description="The commit, 40 hex digits, or the package.")
    before: str = Field(description="The commit or the version before it; may be empty.")
    after: str = Field(description="The commit itself, or the new version; may be empty.")
    title: str = Field(description="Subject of the commit; untrusted text.")
    author: str = Field(description="Who wrote it; untrusted text.")
    date: str = Field(description="When, as ISO 8601; may be empty.")
    registry: str = Field(description="Of a package: `PyPI` or `npm`; empty for a commit.")


class LinesPart(_Part):
    """Lines of a file, as the commit left them."""

    file: str = Field(description="Path in the repository.")
    first: int = Field(description="First line, from 1.")
    last: int = Field(description="Last line.")


class BoundPart(_Part):
    """A requirement with which the tests pass: a bound that keeps a release out, or an extra of it."""

    requirement: str = Field(description="Such as `lxml<5.2` or `lxml[html_clean]`.")
    patch: str = Field(description="Where the project declares the package, as a diff.")
    runs: RunsPart = Field(description="Of the failing tests with that bound.")


class ApiChangePart(_Part):
    """What a release changed of that which the repository uses."""

    kind: Literal[
        "removed",
        "became a method",
        "became an attribute",
        "parameter removed",
        "parameter renamed",
        "parameter by keyword only",
        "default changed",
        "parameter required",
        "returns something else",
        "new extra",
    ] = Field(description="What became of it.")
    name: str = Field(description="Dotted, or the package of an extra.")
    before: str = Field(description="Its signature, default or annotation; may be empty.")
    after: str = Field(description="The same in the new version; may be empty.")
    parameter: str = Field(description="The one that changed, the extra, or empty.")
    position: int = Field(description="Of the parameter, from 0; -1 where it has none.")
    instead: tuple[str, ...] = Field(description="What may take its place, the likeliest first.")
    said: str = Field(description="What the package says of it; untrusted text.")
    uses: tuple[tuple[str, int], ...] = Field(description="File and line of each use.")
    is_shown: bool = Field(description="Whether the failure goes through one of these.")


class CulpritPart(_Part):
    """An event, and the failing tests that it explains."""

    event: CulpritEventPart = Field(description="What happened.")
    certainty: Literal["proven", "likely"] = Field(description="How sure that is.")
    tests: tuple[str, ...] = Field(description="Ids of the failing tests that it explains.")
    with_it: RunsPart = Field(description="With the event.")
    without_it: RunsPart = Field(description="Without it.")
    missing: str = Field(description="What a proof lacks, as a sentence; else empty.")
    lines: tuple[LinesPart, ...] = Field(description="The lines of the commit that decide.")
    bound: BoundPart | None = Field(description="What to require of a package; otherwise null.")
    api: tuple[ApiChangePart, ...] = Field(description="What a release changed for the code.")
    changelog: str = Field(description="The package's own line on that; untrusted text.")
    is_update: bool = Field(
        description="Whether the change that fails is an update which brings it."
    )
    is_known: bool = Field(description="Whether it broke another repository on the server before.")
    followed: tuple[tuple[str, str], ...] = Field(
        description="Names that other repositories of the owner replaced, each with what by."
    )


class StatePart(_Part):
    """A state that was looked at."""

    state: str = Field(description="A commit, a day, or versions.")
    order: int = Field(description="Its place, from 0 for the oldest.")
    runs: RunsPart = Field(description="Of the failing tests there.")
    skipped: str = Field(description="Why nothing could be run there; else empty.")


class WhatChangedPart(_Part):
    """The commit or the release that broke the tests, as `fixpoint explain --json` prints it."""

    culprits: tuple[CulpritPart, ...] = Field(description="Surest first; may be empty.")
    ruled_out: tuple[str, ...] = Field(description="What is not the cause, one sentence each.")
    points: tuple[StatePart, ...] = Field(description="The states that were looked at.")
    seconds: float = Field(description="Time that it took.")


class PointPart(_Part):
    """One thing that has to hold in the end."""

    expected: str = Field(description="What is expected; untrusted text, as all of it.")
    happens: str = Field(description="What happens before any change.")
    see: str = Field(description="How to see it.")
    tests: tuple[str, ...] = Field(description="Ids of the new tests that show it.")
    why_not: str = Field(description="Why no test shows it; otherwise empty.")


class SpecificationPart(_Part):
    """What an issue asks that no test showed, as a model read it."""

    title: str = Field(description="In one line.")
    points: tuple[PointPart, ...] = Field(description="What has to hold in the end.")
    model: str = Field(description="The model that wrote it.")


def specification_part(specification: Specification | None) -> dict[str, Any] | None:
    """Return a specification as `SpecificationPart` has it."""
    if specification is None:
        return None
    points = [asdict(point) for point in specification.points]
    return {"title": specification.title, "points": points, "model": specification.model}


def assurance_part(assurance: Assurance | None) -> dict[str, Any] | None:
    """Return how sure a search is as `AssurancePart` has it."""
    if assurance is None:
        return None
    return {
        "probability": round(assurance.probability, 3),
        "required": assurance.required,
        "doubts": assurance.doubts,
        "deciding": assurance.deciding,
        "witnesses": asdict(assurance.witnesses),
    }


def mutants_part(results: MutantResults | None) -> dict[str, Any] | None:
    """Return what the tests notice of mutants as `MutantsPart` has it."""
    if results is None:
        return None
    survivors = [{"file": o.file, "line": o.line, "change": o.says} for o in results.survivors]
    return {"caught": results.caught, "total": results.total, "survivors": survivors}


class ProgramPart(BaseModel):
    """A program that the failing command started, directly or through other programs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field(description="Its path in the sandbox.")
    arguments: tuple[str, ...] = Field(description="Its arguments, starting with its own name.")
    folder: str = Field(
        description="Where it ran: relative to the work tree, empty for its root; otherwise absolute."
    )
    by: int | None = Field(
        description="Index in this list of the program that started it; null for the first."
    )


def program_part(program: StartedProgram) -> dict[str, Any]:
    """Return a program as `ProgramPart` has it."""
    return {
        "file": program.file,
        "arguments": program.arguments,
        "folder": program.folder,
        "by": program.by,
    }


class RoutePart(BaseModel):
    """How an attempt asked a model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    strength: Literal["small", "default", "stronger"] = Field(
        description="Which of the configured models it asked."
    )
    reason: str = Field(description="Why this one; empty where there was nothing to choose.")
    temperature: float | None = Field(description="Temperature; null for the provider's default.")
    approach: Literal["open", "cause", "callers", "examples"] = Field(
        description="Where the model was told to begin; `open` leaves that to it."
    )
    batch: int = Field(
        ge=0, description="Number shared by attempts made side by side; 0 for one made alone."
    )


def route_part(route: Route | None) -> dict[str, Any] | None:
    """Return a route as `RoutePart` has it; None for an attempt that asked no model."""
    if route is None:
        return None
    return {
        "strength": route.strength.value,
        "reason": route.reason,
        "temperature": route.temperature,
        "approach": route.approach.value,
        "batch": route.batch,
    }
