"""Why GitHub refuses a workflow or an action, each behind `FILE, line N: GitHub refuses this ...: `."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example

A_LIST = "a list"
A_MAPPING = "a mapping"
A_NUMBER = "a number"
A_SCHEDULE = "a schedule such as `30 5 * * 1`"
A_STRING = "a string"
A_BOOLEAN = "`true` or `false`"


@example("runn")
def unknown_key(key: str) -> str:
    return f"`{key}` is not a valid key here."


@example("NAME")
def repeated_key(key: str) -> str:
    return f"`{key}` is defined twice; upper and lower case are the same here."


@example(["runs-on"])
@example(["run", "uses"])
def missing_key(names: Sequence[str]) -> str:
    said = ", ".join(f"`{name}`" for name in names)
    return f"{said} is missing." if len(names) == 1 else f"one of {said} is missing."


@example("timeout-minutes", "`two`", [A_NUMBER])
@example("steps", A_MAPPING, [A_LIST])
def unexpected_value(name: str, value: str, expected: Sequence[str]) -> str:
    return f"`{name}` can't be {value}; it should be {' or '.join(dict.fromkeys(expected))}."


NO_EXPRESSION_HERE = "expressions can't be used here."


@example("env", ["github", "inputs", "vars"])
def no_context_here(name: str, available: Sequence[str]) -> str:
    return f"`{name}` can't be used here; available: {', '.join(available)}."


@example("success")
def no_function_here(name: str) -> str:
    return f"the function `{name}` can't be used here."


NO_FIRST_JOB = "every job needs another one, so none can start."


@example("deploy", "tests")
def needs_unknown_job(job: str, needed: str) -> str:
    return f"`{job}` needs `{needed}`, and there is no such job."


@example("deploy", "test")
def needs_in_circle(job: str, needed: str) -> str:
    return f"`{job}` needs `{needed}`, which needs `{job}` or a job that never starts."


@example("build")
def repeated_id(id_: str) -> str:
    return f"two steps have the id `{id_}`."
