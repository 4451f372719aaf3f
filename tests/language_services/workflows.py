"""What our reader of workflows makes of a file, in the form in which `workflows.mjs` tells GitHub's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.ci.workflow.conditions import whole_condition
from bot.ci.workflow.document import WorkflowUnreadable, read_workflow
from bot.ci.workflow.expressions import ExpressionError, as_expression, as_text
from bot.ci.workflow.specification import JobSpec, StepSpec
from tests.language_services import ask

_BLOCK = re.compile(r"format\('\{0\}', (?P<inside>.*)\)(?P<end>\)?)$")
_TEXT = re.compile(r"'((?:[^']|'')*)'")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A place of a file that the two readers take for something else.

    Attributes:
        file: Its name.
        place: `jobs.test.needs`, or `valid`.
    """

    file: str
    place: str
    ours: Any
    theirs: Any


def compared(files: Mapping[str, str]) -> list[Disagreement]:
    """Return where our reader and GitHub's differ in files, by their names.

    Raises:
        NotInstalled: GitHub's can't be had here.
    """
    answers = ask("workflows.mjs", [{"name": name, "text": files[name]} for name in files])
    return [
        each
        for (name, text), theirs in zip(files.items(), answers, strict=True)
        for each in _differences(name, text, theirs)
    ]


def _differences(name: str, text: str, theirs: dict[str, Any]) -> Iterator[Disagreement]:
    ours = _ours(text)
    refused = [bool(each["errors"]) for each in (ours, theirs)]
    if any(refused):
        if refused[0] != refused[1]:
            yield Disagreement(name, "valid", ours["errors"], theirs["errors"])
        return
    for key in ("events", "name", "env"):
        value = _plain(theirs[key])
        if key == "events" and not isinstance(value, dict):
            value = dict.fromkeys(value if isinstance(value, list) else [value])
        if ours[key] not in (value, _unblocked(value)):
            yield Disagreement(name, key, ours[key], value)
    yield from _job_differences(name, ours["jobs"], theirs["jobs"])


def _job_differences(
    name: str, ours: dict[str, Any], theirs: Sequence[dict[str, Any]]
) -> Iterator[Disagreement]:
    there = {job["id"]: _plain_job(job) for job in theirs}
    if list(ours) != list(there):
        yield Disagreement(name, "jobs", list(ours), list(there))
        return
    for id_, job in there.items():
        for key, value in job.items():
            found = ours[id_].get(key)
            if key == "steps":
                yield from _step_differences(f"jobs.{id_}", name, found, value)
            elif found != value and found != _unblocked(value):
                yield Disagreement(name, f"jobs.{id_}.{key}", found, value)


def _step_differences(
    job: str, name: str, ours: Sequence[dict[str, Any]], theirs: Sequence[dict[str, Any]]
) -> Iterator[Disagreement]:
    if len(ours) != len(theirs):
        yield Disagreement(name, f"{job}.steps", len(ours), len(theirs))
        return
    for n, (item, other) in enumerate(zip(ours, theirs, strict=True), 1):
        for key, value in other.items():
            if item.get(key) not in (value, _unblocked(value)):
                yield Disagreement(name, f"{job}.steps.{n}.{key}", item.get(key), value)


def _ours(text: str) -> dict[str, Any]:
    try:
        spec = read_workflow("w.yml", text)
        return {
            "errors": list(spec.problems),
            "name": None if spec.name == "w.yml" else _value(spec.name),
            "events": _value(spec.triggers),
            "env": _texts(spec.env),
            "jobs": {id_: _job(job) for id_, job in spec.jobs.items()},
        }
    except (WorkflowUnreadable, ExpressionError) as error:
        return {"errors": [str(error)]}


def _job(job: JobSpec) -> dict[str, Any]:
    strategy = {"matrix": job.matrix, "fail-fast": job.fail_fast, "max-parallel": job.max_parallel}
    return {
        "needs": list(job.needs),
        "name": _value(job.name or job.id),
        "if": {"expression": _spaced(whole_condition(job.condition))},
        "strategy": _value({key: item for key, item in strategy.items() if item is not None}),
        "outputs": _value(job.outputs),
        "env": _texts(job.env),
        "runs-on": _value(job.runs_on),
        "container": _container(job.container),
        "services": {name: _container(item) for name, item in job.services.items()} or None,
        "uses": job.uses or None,
        "with": _value(job.inputs),
        "steps": [_step(step) for step in job.steps],
    }


def _step(step: StepSpec) -> dict[str, Any]:
    return {
        "kind": "run" if step.run is not None else "uses" if step.uses else "other",
        "id": step.called,
        "name": _value(step.name or None),
        "if": {"expression": _spaced(whole_condition(step.condition))},
        "env": _texts(step.env),
        "run": _value(step.run),
        "uses": step.uses or None,
        "continue-on-error": _value(step.continue_on_error or None),
    }


def _value(value: Any) -> Any:
    """Return a value out of our YAML; empty mappings are none."""
    if isinstance(value, str) and "${{" in value:
        return _one(as_expression(value))
    if isinstance(value, Mapping):
        return {key: _value(item) for key, item in value.items()} or None
    if value is None:
        return None
    if isinstance(value, list):
        return [_value(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _container(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return _value(value)
    env = {"env": _texts(value["env"])} if isinstance(value.get("env"), Mapping) else {}
    ports = value.get("ports")
    texts = {"ports": [_value(as_text(port)) for port in ports]} if isinstance(ports, list) else {}
    return {**(_value(value) or {}), **env, **texts} or None


def _texts(values: Any) -> Any:
    """Return variables, whose values are texts whatever they look like."""
    texts = {key: item if isinstance(item, str) else as_text(item) for key, item in values.items()}
    return _value(texts)


def _one(expression: str) -> Any:
    """Return an expression, or the text that it is where it is nothing but one."""
    text = _TEXT.fullmatch(expression)
    return text[1].replace("''", "'") if text else {"expression": _spaced(expression)}


def _spaced(expression: str) -> str:
    """Return an expression without indentation: GitHub's library takes a block's from the file."""
    return (
        re.sub(r"\s+", " ", expression)
        .strip()
        .replace("format(' ", "format('")
        .replace(" ',", "',")
    )


def _unblocked(value: Any) -> Any:
    """Return GitHub's value of an expression in a block whose line end `-` takes away.

    Its library takes a block from the file, with the line end; the value has none.
    """
    if isinstance(value, Mapping):
        return {key: _unblocked(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_unblocked(item) for item in value]
    match = _BLOCK.search(value) if isinstance(value, str) else None
    return value[: match.start()] + match["inside"] + match["end"] if match else value


def _plain(value: Any) -> Any:
    """Return a value out of GitHub's reader."""
    if isinstance(value, dict) and "pairs" in value:
        return {_key(key): _plain(item) for key, item in value["pairs"]} or None
    if isinstance(value, dict) and "expression" in value:
        return {"expression": _spaced(value["expression"])}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _key(key: Any) -> str:
    if not isinstance(key, dict):
        return str(key)
    return f"${{{{ {key.get('expression', 'insert')} }}}}"


def _plain_job(job: dict[str, Any]) -> dict[str, Any]:
    found = {key: _plain(value) for key, value in job.items() if key not in {"id", "steps"}}
    found["needs"] = job["needs"]
    if "steps" in job:
        found["steps"] = list(_flat(job["steps"]))
    return found


def _flat(steps: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the steps, those that run in parallel one after the other."""
    for step in steps:
        if step["kind"] == "parallel":
            # The library gives them names that others have, too.
            yield from (
                {k: v for k, v in each.items() if k != "id"} for each in _flat(step["parallel"])
            )
            continue
        kind = step["kind"] if step["kind"] in {"run", "uses"} else "other"
        known = {key: _plain(step.get(key)) for key in ("name", "if", "env", "run", "uses")}
        known["continue-on-error"] = _plain(step.get("continue-on-error")) or None
        yield {"kind": kind, "id": step["id"], **known} if kind != "other" else {"kind": kind}
