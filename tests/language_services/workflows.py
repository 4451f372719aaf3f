"""What our reader makes of a workflow or an action, in the form in which `workflows.mjs` tells GitHub's."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from pathlib import PurePosixPath
from typing import Any

from bot.ci.workflow.expressions import ExpressionError, as_expression, as_text
from bot.ci.workflow.expressions.conditions import whole_condition
from bot.ci.workflow.spec.document import WorkflowUnreadable, read_action, read_workflow
from bot.ci.workflow.spec.specification import JobSpec, StepSpec
from tests.language_services import ask

_BLOCK = re.compile(r"format\('\{0\}', (?P<inside>.*)\)(?P<end>\)?)$")
_TAG = re.compile(r"!![a-z]+ ")
_NUMBER = re.compile(r"[-+]?[0-9][0-9.]*([eE][-+]?[0-9]+)?")
_TEXT = re.compile(r"'((?:[^']|'')*)'")


NAMED = (
    ("a block's line end in a schedule", r"Invalid cron expression"),
    ("filters and inputs of events", r"on: .*"),
    ("no image", r"Container image cannot be empty"),
    (
        "a mapping that is an expression",
        r"Unexpected type 'BasicExpressionToken'.*|.*at least one job.*",
    ),
    ("keys that are newer than it", r"Unexpected value 'cache-mode'"),
    ("keys that are null", r"Unexpected value 'null'"),
    (
        "YAML itself",
        r"(?s).*(reading object|Comments must be|closing \"quote|same column|map keys).*",
    ),
)
"""Why GitHub's library refuses what ours takes, as docs/failed-jobs.md has it, and its messages.

`on: ` stands before what is wrong with events.
"""

_PLACE = re.compile(r"\(Line: (?P<line>\d+), Col: \d+\): ")
_TOP = re.compile(r"['\"]?(?P<key>[a-z-]+)['\"]?:")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A place of a file that the two readers take for something else.

    Attributes:
        file: Its name.
        place: `jobs.test.needs`, or `valid`.
        named: Why it is meant to be so; empty where it is a fault.
    """

    file: str
    place: str
    ours: Any
    theirs: Any
    named: str = ""


def compared(files: Mapping[str, str]) -> list[Disagreement]:
    """Return where our reader and GitHub's differ in files, by their names.

    Raises:
        NotInstalled: GitHub's can't be had here.
    """
    # The library ends a block at the end of a file with a line end that isn't there.
    files = {name: text if text.endswith("\n") else f"{text}\n" for name, text in files.items()}
    question = [
        {"name": name, "text": text, "action": is_action(name)} for name, text in files.items()
    ]
    answers = ask("workflows.mjs", question)
    return [
        each
        for (name, text), theirs in zip(files.items(), answers, strict=True)
        for each in (_action_differences if is_action(name) else _differences)(name, text, theirs)
    ]


def is_action(name: str) -> bool:
    """Whether a file is an action's by its name."""
    return PurePosixPath(name).name in {"action.yml", "action.yaml"}


def _action_differences(name: str, text: str, theirs: dict[str, Any]) -> Iterator[Disagreement]:
    try:
        spec = read_action("action.yml", text)
        refused: Sequence[str] = spec.problems
    except WorkflowUnreadable as error:
        refused = (str(error),)
    if refused or theirs["errors"]:
        if not (refused and theirs["errors"]):
            named = _checked_later(refused) or _of_pre_and_post(text, theirs["errors"])
            yield Disagreement(name, "valid", list(refused), theirs["errors"], named)
        return
    ours = {
        "using": spec.using,
        "inputs": _texts({key: item.get("default") for key, item in spec.inputs.items()}) or {},
        "outputs": {key: _value(item) for key, item in spec.outputs.items()},
    }
    for key, value in ours.items():
        if not _alike(value, _plain(theirs[key])):
            yield Disagreement(name, key, value, theirs[key])
    steps = [{**_step(step), "id": step.id} for step in spec.steps]
    yield from _step_differences("runs", name, steps, list(_flat(theirs["steps"])))


def _checked_later(refused: Sequence[str]) -> str:
    """Return why the library takes an action that the runner, which has the last word, doesn't."""
    later = (
        r"no `runs.using`",
        r"`using` can't be",
        r"`(main|image|steps)` is missing",
        r"`id` can't be",
        r"two steps",
    )
    known = refused and all(any(re.search(form, each) for form in later) for each in refused)
    return "what the runner checks behind the library's form" if known else ""


def _of_pre_and_post(text: str, refused: Sequence[str]) -> str:
    """Return why the library refuses an action that the runner takes."""
    places = [_PLACE.search(each) for each in refused]
    lines = [text.splitlines()[int(place["line"]) - 1] if place else "" for place in places]
    known = lines and all(re.match(r"\s*(pre|post)-if:", line) for line in lines)
    return "functions and contexts in pre-if and post-if" if known else ""


def _differences(name: str, text: str, theirs: dict[str, Any]) -> Iterator[Disagreement]:
    ours = _ours(text)
    refused = [bool(each["errors"]) for each in (ours, theirs)]
    if any(refused):
        if refused[0] != refused[1]:
            named = "" if refused[0] else _named(text, theirs["errors"])
            yield Disagreement(name, "valid", ours["errors"], theirs["errors"], named)
        return
    if _TAG.search(text):
        return
    for key in ("events", "name", "env"):
        value = _plain(theirs[key])
        if key == "events" and not isinstance(value, dict):
            value = dict.fromkeys(value if isinstance(value, list) else [value])
        if not _alike(ours[key], value):
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
            elif not _alike(found, value):
                yield Disagreement(name, f"jobs.{id_}.{key}", found, value)


def _step_differences(
    job: str, name: str, ours: Sequence[dict[str, Any]], theirs: Sequence[dict[str, Any]]
) -> Iterator[Disagreement]:
    if len(ours) != len(theirs):
        yield Disagreement(name, f"{job}.steps", len(ours), len(theirs))
        return
    for n, (item, other) in enumerate(zip(ours, theirs, strict=True), 1):
        for key, value in other.items():
            if (key, value) != ("id", None) and not _alike(item.get(key), value):
                yield Disagreement(name, f"{job}.steps.{n}.{key}", item.get(key), value)


def _named(text: str, errors: Sequence[str]) -> str:
    """Return the reasons for which the library may refuse a file, none if one error has none."""
    reasons = []
    for error in errors:
        message = _placed(text, error)
        reasons.append(next((why for why, form in NAMED if re.fullmatch(form, message)), ""))
    return ", ".join(dict.fromkeys(reasons)) if all(reasons) else ""


def _placed(text: str, error: str) -> str:
    """Return a message without its place, with the top key that it is about where that is `on`."""
    place = _PLACE.search(error)
    if place is None:
        return error
    above = text.splitlines()[: int(place["line"])]
    key = next((top["key"] for line in reversed(above) if (top := _TOP.match(line))), "")
    message = error[place.end() :]
    cron = message.startswith("Invalid cron")
    return f"on: {message}" if key == "on" and not cron else message.partition(".")[0]


def _alike(ours: Any, theirs: Any) -> bool:
    """Whether two values are the same but for an empty text, and the digits behind the 15th."""
    if ours in (theirs, _unblocked(theirs)):
        return True
    if isinstance(ours, str) and isinstance(theirs, str):
        numbers = [_NUMBER.fullmatch(each) for each in (ours, theirs)]
        return all(numbers) and _digits(ours) == _digits(theirs)
    if isinstance(ours, float) and isinstance(theirs, str):
        return as_text(ours) == theirs
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return ours.keys() == theirs.keys() and all(_alike(ours[key], theirs[key]) for key in ours)
    return not ours and not theirs


def _digits(number: str) -> Decimal:
    return Context(14).create_decimal(number)


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
        "uses": _value(job.uses) or None,
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
        return {_whole_key(key): _value(item) for key, item in value.items()} or None
    if value is None:
        return None
    if isinstance(value, list):
        return [_value(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": as_text(value)}
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _whole_key(key: str) -> str:
    return f"${{{{ {as_expression(key)} }}}}" if "${{" in key else key


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
        if any(step["kind"] == "parallel" for step in job["steps"]):
            # The library gives them names that others have, too.
            found["steps"] = [{**step, "id": None} for step in found["steps"]]
    return found


def _flat(steps: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the steps, those that run in parallel one after the other."""
    for step in steps:
        if step["kind"] == "parallel":
            yield from _flat(step["parallel"])
            continue
        kind = step["kind"] if step["kind"] in {"run", "uses"} else "other"
        known = {key: _plain(step.get(key)) for key in ("name", "if", "env", "run", "uses")}
        known["continue-on-error"] = _plain(step.get("continue-on-error")) or None
        yield {"kind": kind, "id": step["id"], **known} if kind != "other" else {"kind": kind}
