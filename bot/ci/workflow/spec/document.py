"""Read workflow and action files: strict about what they are, tolerant about what they add."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from bot.ci.workflow.expressions import as_text, has_expression
from bot.ci.workflow.spec.referenced_workflows import in_same_repository
from bot.ci.workflow.spec.specification import (
    ActionSpec,
    Defaults,
    JobSpec,
    Raw,
    StepSpec,
    WorkflowSpec,
)
from bot.ci.workflow.spec.validity import refusals
from bot.config.yaml_document import Document, Unreadable, read
from bot.errors import FixpointError
from bot.reporting.reasons import job_steps

_MOST_BYTES = 1024 * 1024
_MOST_VALUES = 50_000
_MOST_DEPTH = 100

_KEPT = 32
"""Files that are kept as they were read: jobs call the same ones again and again."""

_LONGEST_NAME = 100
"""Of a step in `github.action`."""

_WAITING = ("wait", "wait-all", "cancel")
"""Keys of steps that do nothing but deal with others."""

Path = tuple[str | int, ...]


class WorkflowUnreadable(FixpointError):
    """The file is not a workflow; the text names file and line, and says what is wrong."""


@lru_cache(_KEPT)
def read_workflow(path: str, text: str) -> WorkflowSpec:
    """Return what a workflow file says.

    Raises:
        WorkflowUnreadable: When it is not YAML, or has no jobs.
    """
    reader = _Reader(path, _document(path, text))
    jobs = reader.mapping(("jobs",))
    if not jobs:
        raise WorkflowUnreadable(f"{path} has no `jobs`, so there is nothing to run.")
    name = reader.root.get("name")
    return WorkflowSpec(
        path=path,
        name=name if isinstance(name, str) and name else path,
        triggers=_triggers(reader.root.get("on")),
        env=reader.entries(("env",)),
        defaults=reader.defaults(()),
        jobs={id_: reader.job(id_) for id_, job in jobs.items() if isinstance(job, Mapping)},
        problems=_problems(path, reader.document, "workflow"),
    )


@lru_cache(_KEPT)
def read_action(path: str, text: str) -> ActionSpec:
    """Return what an `action.yml` says.

    Raises:
        WorkflowUnreadable: When it is not YAML, or has no `runs`.
    """
    reader = _Reader(path, _document(path, text))
    runs = reader.mapping(("runs",))
    if not isinstance(runs.get("using"), str):
        raise WorkflowUnreadable(f"{path} has no `runs.using`, so it is not an action.")
    outputs = reader.mapping(("outputs",))
    return ActionSpec(
        path=path,
        using=runs["using"].lower(),
        inputs=reader.mapping(("inputs",)),
        outputs={
            name: output.get("value") for name, output in outputs.items() if _is_mapping(output)
        },
        steps=reader.steps(("runs", "steps")),
        runs=runs,
        problems=_problems(path, reader.document, "action"),
    )


def _document(path: str, text: str) -> Document:
    try:
        document = read(
            text, most_bytes=_MOST_BYTES, most_values=_MOST_VALUES, most_depth=_MOST_DEPTH
        )
    except Unreadable as error:
        raise WorkflowUnreadable(
            f"{path}, line {error.problem.line}: {error.problem.text}"
        ) from error
    if not isinstance(document.value, Mapping):
        raise WorkflowUnreadable(f"{path} is not a workflow: it contains no mapping.")
    return document


def _problems(path: str, document: Document, kind: str) -> tuple[str, ...]:
    problems = [(problem.line, problem.text) for problem in document.problems]
    problems += [(line, job_steps.refused(kind, text)) for line, text in refusals(document, kind)]
    return tuple(job_steps.at_line(path, *problem) for problem in sorted(problems))


def _is_mapping(value: Raw) -> bool:
    return isinstance(value, Mapping)


def _triggers(on: Raw) -> dict[str, Raw]:
    if isinstance(on, str):
        return {on: None}
    if isinstance(on, list):
        return {event: None for event in on if isinstance(event, str)}
    return dict(on) if isinstance(on, Mapping) else {}


def _called(steps: Sequence[StepSpec]) -> Iterator[StepSpec]:
    """Yield steps with their names in `github.action`: `__run`, `__actions_checkout_2`."""
    seen = {step.id for step in steps if step.id}
    for step in steps:
        name = base = step.id or f"__{re.sub(r'[^A-Za-z0-9_-]', '_', _kind(step))}"[:_LONGEST_NAME]
        number = 1
        while not step.id and name in seen:
            number += 1
            name = f"{base}_{number}"
        seen.add(name)
        yield replace(step, called=name)


def _kind(step: StepSpec) -> str:
    """Return what GitHub calls a step without an id: by its action, or what it does."""
    if in_same_repository(step.uses) is not None:
        return "self"
    if step.uses.startswith("docker://"):
        return step.uses.removeprefix("docker://") or "run"
    place, _, ref = step.uses.partition("@")
    there = place.split("/")[:2]
    return "/".join(there) if ref and len(there) > 1 and all(there) else step.called or "run"


def _as_texts(value: Raw) -> Raw:
    """Return a value whose numbers and truth values are texts: a label may look like a version."""
    if isinstance(value, list):
        return [_as_texts(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _as_texts(item) for name, item in value.items()}
    return value if value is None else as_text(value)


@dataclass
class _Reader:
    """Takes typed values out of a document; what has another type is taken for absent."""

    path: str
    document: Document

    def __post_init__(self) -> None:
        self.root: Mapping[str, Raw] = self.document.value

    def at(self, path: Sequence[str | int]) -> Raw:
        value: Raw = self.root
        for step in path:
            if isinstance(value, Mapping):
                value = value.get(str(step))
            elif isinstance(value, list) and isinstance(step, int):
                value = value[step]
            else:
                return None
        return value

    def mapping(self, path: Path) -> Mapping[str, Raw]:
        """Return a mapping; where a whole one is an expression it can't be known: it is empty."""
        value = self.at(path)
        return value if isinstance(value, Mapping) else {}

    def entries(self, path: Path) -> Mapping[str, Raw]:
        """Return a mapping; a text that is an expression as what makes all of it."""
        value = self.at(path)
        return {"${{ insert }}": value} if has_expression(value) else self.mapping(path)

    def text(self, path: Path) -> str | None:
        value = self.at(path)
        if value is None or isinstance(value, list | Mapping):
            return None
        return as_text(value)

    def defaults(self, path: Path) -> Defaults:
        run = (*path, "defaults", "run")
        return Defaults(self.text((*run, "shell")), self.text((*run, "working-directory")))

    def job(self, id_: str) -> JobSpec:
        path: Path = ("jobs", id_)
        needs = self.at((*path, "needs"))
        return JobSpec(
            id=id_,
            line=self.document.line(path, of_key=True),
            name=self.text((*path, "name")),
            needs=tuple(needs) if isinstance(needs, list) else (needs,) if needs else (),
            condition=self.text((*path, "if")) or "",
            runs_on=_as_texts(self.at((*path, "runs-on"))),
            env=self.entries((*path, "env")),
            defaults=self.defaults(path),
            matrix=self.at((*path, "strategy", "matrix")),
            fail_fast=self.at((*path, "strategy", "fail-fast")),
            max_parallel=self.at((*path, "strategy", "max-parallel")),
            container=self.at((*path, "container")),
            services=self.mapping((*path, "services")),
            steps=self.steps((*path, "steps")),
            uses=self.text((*path, "uses")) or "",
            inputs=self.entries((*path, "with")),
            outputs=self.mapping((*path, "outputs")),
            continue_on_error=self.at((*path, "continue-on-error")),
            timeout_minutes=self.at((*path, "timeout-minutes")),
        )

    def steps(self, path: Path) -> tuple[StepSpec, ...]:
        steps = self.at(path)
        if not isinstance(steps, list):
            return ()
        places = (place for index in range(len(steps)) for place in self._places((*path, index)))
        found = [self._step(place, number) for number, place in enumerate(places, start=1)]
        return tuple(_called(found))

    def _places(self, path: Path) -> Iterator[Path]:
        """Yield where the steps of an entry stand: it is one, or several that run in parallel."""
        step = self.at(path)
        together = step.get("parallel") if isinstance(step, Mapping) else None
        if isinstance(together, list):
            for index in range(len(together)):
                yield from self._places((*path, "parallel", index))
        elif isinstance(step, Mapping):
            yield path

    def _step(self, path: Path, number: int) -> StepSpec:
        return StepSpec(
            number=number,
            line=self.document.line(path),
            id=self.text((*path, "id")) or "",
            name=self.text((*path, "name")) or "",
            condition=self.text((*path, "if")) or "",
            uses=self.text((*path, "uses")) or "",
            run=self.text((*path, "run")),
            inputs=self.entries((*path, "with")),
            env=self.entries((*path, "env")),
            called=next((key for key in _WAITING if key in self.at(path)), ""),
            shell=self.text((*path, "shell")),
            directory=self.text((*path, "working-directory")),
            continue_on_error=self.at((*path, "continue-on-error")),
            timeout_minutes=self.at((*path, "timeout-minutes")),
        )
