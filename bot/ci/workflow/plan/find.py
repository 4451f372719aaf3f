"""Find the job and the leg that a check's name belongs to."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from bot.ci.workflow.expressions import as_text, expressions_in
from bot.ci.workflow.plan.jobs import JobLeg
from bot.ci.workflow.plan.matrix import Leg

_SYSTEM = re.compile(r"(?P<name>ubuntu|macos|windows)(?:-(?P<version>[\w.-]+))?$", re.IGNORECASE)
"""Labels of GitHub's runners."""

_EVENT = re.compile(r" \((?:push|pull_request|pull_request_target|schedule|workflow_dispatch)\)$")


def find_check(
    jobs: Iterable[JobLeg], check: str, *, workflow: str | None = None
) -> tuple[JobLeg, ...]:
    """Return the jobs whose check has this name; several when the name does not tell them apart.

    Args:
        jobs: All jobs of the commit.
        check: A check run's name (`test (3.12)`), or as pages show it (`CI / test (3.12) (push)`).
        workflow: The workflow's name or path, when it is known.
    """
    among = [job for job in jobs if workflow is None or _is_workflow(job, workflow)]
    for wanted in dict.fromkeys((check, _EVENT.sub("", check))):
        for matches in (_exactly, _of_workflow, _likely, _partly):
            found = tuple(job for job in among if matches(job, wanted))
            if found:
                return tuple(_with_values(job, wanted) for job in found)
    return ()


def _with_values(job: JobLeg, check: str) -> JobLeg:
    """Return a job whose matrix was not known with the values that its check's name shows."""
    if not job.unknown or job.leg.values:
        return job
    values = _in_name(job.job.name or "", check) or _in_parentheses(job, check)
    return replace(job, leg=Leg(values), names=(check,)) if values else job


def _in_name(name: str, check: str) -> dict[str, str]:
    """Return the values that stand in a check's name where the workflow has `${{ matrix.KEY }}`.

    Of several ways to divide the name, each value takes the most that those behind it leave. So
    they are found from the last to the first, without ever trying two ways.
    """
    keys = expressions_in(name)
    texts = _around(name, len(keys))
    if not keys or not check.endswith(texts[-1]):
        return {}
    values: dict[str, str] = {}
    end = len(check) - len(texts[-1])
    for n in reversed(range(len(keys))):
        find = check.rfind if n else check.find
        is_value = keys[n].startswith("matrix.")
        place = find(texts[n], 0, max(0, end - is_value))
        start = place + len(texts[n])
        if place < 0 or end - start < is_value:
            return {}
        if is_value:
            values[keys[n].removeprefix("matrix.")] = check[start:end]
        end = place
    return values


def _around(name: str, expressions: int) -> list[str]:
    """Return the texts before, between and behind a name's expressions."""
    texts: list[str] = []
    rest = name
    for _ in range(expressions):
        before, _, behind = rest.partition("${{")
        texts.append(before)
        rest = behind.partition("}}")[2]
    return [*texts, rest]


def _in_parentheses(job: JobLeg, check: str) -> dict[str, str]:
    """Return the values that GitHub shows behind a plain name, in the order of the matrix."""
    matrix = job.job.matrix
    keys = [key for key in matrix if key not in {"include", "exclude"}] if _is_map(matrix) else []
    shown = re.search(r"\((?P<values>[^()]*)\)$", check)
    values = shown["values"].split(", ") if shown else []
    return dict(zip(keys, values, strict=True)) if len(keys) == len(values) else {}


def _is_map(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_workflow(job: JobLeg, workflow: str) -> bool:
    path = job.entry
    names = {path, path.rpartition("/")[2], path.rpartition("/")[2].rpartition(".")[0]}
    return workflow in names or (workflow == job.workflow.name and job.entry == job.workflow.path)


def _exactly(job: JobLeg, check: str) -> bool:
    return job.names[0] == check


def _of_workflow(job: JobLeg, check: str) -> bool:
    return f"{job.workflow.name} / {job.names[0]}" == check


def _likely(job: JobLeg, check: str) -> bool:
    return check in job.names


def _partly(job: JobLeg, check: str) -> bool:
    """Whether the name fits one of which a part was not known."""
    return any(
        "*" in name and fnmatchcase(check, name.replace("[", "[[]").replace("?", "[?]"))
        for name in job.names
    )


def select(
    jobs: Iterable[JobLeg], *, job: str | None = None, matrix: Mapping[str, str] | None = None
) -> tuple[JobLeg, ...]:
    """Return the jobs that a person means.

    Args:
        jobs: To choose from.
        job: A job's id, or a check's name.
        matrix: Values that its leg must have, as text.
    """
    found = tuple(jobs)
    if job is not None:
        found = tuple(each for each in found if each.job.id == job) or find_check(found, job)
    wanted = matrix or {}
    return tuple(_given(each, wanted) for each in found if _has(each, wanted))


def _given(job: JobLeg, wanted: Mapping[str, str]) -> JobLeg:
    open_matrix = job.unknown and not job.leg.values and wanted
    return replace(job, leg=Leg(dict(wanted))) if open_matrix else job


def _has(job: JobLeg, matrix: Mapping[str, str]) -> bool:
    values = job.leg.values
    if job.unknown and not values:
        return True
    return all(key in values and as_text(values[key]) == value for key, value in matrix.items())


def that_runs_here(legs: Sequence[JobLeg]) -> JobLeg | None:
    """Return the leg for the newest Ubuntu among legs that differ in nothing but their system.

    None where they differ in more, or none of them is for Ubuntu: then a person has to choose.
    """
    if len({(leg.entry, leg.job.id, _apart_from_system(leg)) for leg in legs}) != 1:
        return None
    fitting = [leg for leg in legs if _ubuntu(leg)]
    return max(fitting, key=lambda leg: max(_ubuntu(leg)), default=None)


def _apart_from_system(leg: JobLeg) -> frozenset[tuple[str, str]]:
    """Return the values of a leg other than systems."""
    texts = {key: as_text(value) for key, value in leg.leg.values.items()}
    return frozenset((key, text) for key, text in texts.items() if not _SYSTEM.match(text))


def _ubuntu(leg: JobLeg) -> list[tuple[bool, tuple[int, ...]]]:
    """Return how well each of a leg's Ubuntus fits: Intel before Arm, then the newest."""
    found = (_SYSTEM.match(as_text(value)) for value in leg.leg.values.values())
    return [
        ("arm" not in match.string, _version(match["version"] or ""))
        for match in found
        if match is not None and match["name"].lower() == "ubuntu"
    ]


def _version(text: str) -> tuple[int, ...]:
    """Return a version to compare; `latest` and no version at all are what GitHub keeps newest."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", text))
    return numbers or (sys.maxsize,)
