"""Read what a job's outputs will be where its steps write them down as they are."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from bot.ci.workflow.expressions import Partly, Value
from bot.ci.workflow.spec.specification import JobSpec, Raw

_OF_STEP = re.compile(r"\$\{\{\s*steps\.(?P<step>[\w-]+)\.outputs\.(?P<name>[\w-]+)\s*\}\}")
_WRITTEN = re.compile(r"(?P<echo>echo .*[^\s>])\s*>>?\s*[\"']?\$\{?GITHUB_OUTPUT\}?[\"']?")
_TOLD = re.compile(r"(?P<echo>echo [\"']?::set-output .*)")
_COMMAND = re.compile(r"::set-output name=(?P<name>[\w-]+)::(?P<value>.*)")
"""The workflow command that `GITHUB_OUTPUT` has replaced."""

_CHANGES = frozenset("$`")
"""With one of these the shell writes something else than the script says."""


def outputs_of(job: JobSpec, ran: Mapping[str, str]) -> Value:
    """Return a job's outputs; of those that did not come when it ran, what a step writes as it is.

    Args:
        job: The job.
        ran: Its outputs, if it was run here.
    """
    known = {name: value for name, text in job.outputs.items() for value in _known(job, text)}
    return Partly(f"needs.{job.id}.outputs", {**known, **ran})


def _known(job: JobSpec, template: Raw) -> Iterator[str]:
    if not isinstance(template, str):
        return
    if "${{" not in template:
        yield template
    if found := _OF_STEP.fullmatch(template.strip()):
        scripts = [step.run or "" for step in job.steps if step.id == found["step"]]
        written = [value for script in scripts for value in _values(script, found["name"])]
        if len(written) == 1 and written[0] is not None:
            yield written[0]


def _values(script: str, name: str) -> Iterator[str | None]:
    """Yield what a script writes for an output, once for each time; None for what is not plain."""
    for line in script.splitlines():
        found = _WRITTEN.fullmatch(line.strip()) or _TOLD.fullmatch(line.strip())
        if found is None:
            if "GITHUB_OUTPUT" in line:  # a block, a heredoc or a program that writes there
                yield None
            continue
        outputs = _assigned(found["echo"])
        if outputs is None or name in outputs:
            yield None if outputs is None else outputs[name]


def _assigned(echo: str) -> Mapping[str, str] | None:
    """Return the output that an `echo` writes; None where the shell changes its words."""
    try:
        words = shlex.split(echo)
    except ValueError:
        return None
    if _CHANGES & set(echo) or len(words) != 2:  # noqa: PLR2004 - echo and one word
        return None
    command = _COMMAND.fullmatch(words[1])
    name, _, value = words[1].partition("=")
    return {command["name"]: command["value"]} if command else {name: value}
