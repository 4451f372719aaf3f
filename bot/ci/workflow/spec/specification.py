"""What a workflow file says, before anything in it is evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Raw = Any
"""A value out of YAML: None, bool, int, float, str, list, dict. Texts may hold `${{ }}`."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """`defaults.run`."""

    shell: str | None = None
    directory: str | None = None


@dataclass(frozen=True, slots=True)
class StepSpec:
    """One entry of `steps`.

    Attributes:
        number: Its place in the job, from 1.
        line: Where it stands in the file, from 1.
        called: `github.action`: its id, or what GitHub makes of what it does.
        inputs: `with`.
        condition: `if`, or empty.
        directory: `working-directory`.
    """

    number: int
    line: int
    id: str = ""
    name: str = ""
    called: str = ""
    condition: str = ""
    uses: str = ""
    run: str | None = None
    inputs: Mapping[str, Raw] = field(default_factory=dict)
    env: Mapping[str, Raw] = field(default_factory=dict)
    shell: str | None = None
    directory: str | None = None
    continue_on_error: Raw = False
    timeout_minutes: Raw = None


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One entry of `jobs`.

    Attributes:
        id: Its key.
        line: Where it stands in the file, from 1.
        name: `name` as written, or None.
        runs_on: Labels; a group counts by its labels.
        uses: The reusable workflow that it calls, or empty.
        inputs: `with`, for that workflow.
        outputs: Templates by name.
    """

    id: str
    line: int
    name: str | None = None
    needs: tuple[str, ...] = ()
    condition: str = ""
    runs_on: Raw = None
    env: Mapping[str, Raw] = field(default_factory=dict)
    defaults: Defaults = field(default_factory=Defaults)
    matrix: Raw = None
    fail_fast: Raw = None
    max_parallel: Raw = None
    container: Raw = None
    services: Mapping[str, Raw] = field(default_factory=dict)
    steps: tuple[StepSpec, ...] = ()
    uses: str = ""
    inputs: Mapping[str, Raw] = field(default_factory=dict)
    outputs: Mapping[str, Raw] = field(default_factory=dict)
    continue_on_error: Raw = False
    timeout_minutes: Raw = None


@dataclass(frozen=True, slots=True)
class WorkflowSpec:
    """A workflow file.

    Attributes:
        path: Relative to the repository, such as `.github/workflows/ci.yml`.
        name: `name`, or its path where it has none, as GitHub shows it.
        triggers: `on` by event.
        problems: What GitHub would not accept here or in a workflow that calls it, as sentences
            that name file and line. It is for people: all that can be read is read anyway.
    """

    path: str
    name: str
    triggers: Mapping[str, Raw]
    env: Mapping[str, Raw]
    defaults: Defaults
    jobs: Mapping[str, JobSpec]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """An action of the repository.

    Attributes:
        path: Of its `action.yml`.
        inputs: `inputs` by name, each with its `default`.
        outputs: Templates by name.
        using: `composite`, `node20`, `docker`.
        steps: Of a composite action.
        runs: All of `runs`.
        problems: What GitHub would not accept, as those of a workflow.
    """

    path: str
    using: str
    inputs: Mapping[str, Raw] = field(default_factory=dict)
    outputs: Mapping[str, Raw] = field(default_factory=dict)
    steps: tuple[StepSpec, ...] = ()
    runs: Mapping[str, Raw] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
