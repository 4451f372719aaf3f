"""Read a job's log: plain lines with their times, the steps in it, and the one that failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from bot.ci.failures.console import plain

_STAMP = re.compile(r"^\ufeff?(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z ?")
_COMMAND = re.compile(r"^##\[(?P<kind>\w+)(?!\w)[^\]]*\](?P<text>.*)$")
_RUN = "Run "
_EXIT = re.compile(r"Process completed with exit code (?P<code>\d+)")
# actions/runner, ProcessHandler and ScriptHandler; actions/toolkit, exec.
_OWN_ERROR = re.compile(
    r"^(?:Process completed with exit code \d+|The operation was canceled|The process '.+' failed with"
    r" exit code \d+|The runner has received a shutdown signal)"
)
_SCRIPT_END = re.compile(r"^shell: \S")
_IMAGE = re.compile(r"^(?:Image|Included Software): ?(?P<name>[a-z]+-[\w.-]+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log.

    Attributes:
        text: Without time stamp, colours and the mark of a workflow command.
        kind: `group`, `endgroup`, `error`, `warning`, `command`, ...; "" for output.
        at: When it was printed, UTC, to the second; None where the log does not say.
    """

    text: str
    kind: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class StepLog:
    """What one step printed.

    Attributes:
        title: What stands behind `Run`: the first line of its script, or its action.
        script: Its whole script as the runner shows it; "" for an action.
        lines: Its output, the runner's own errors included.
    """

    title: str
    script: str
    lines: tuple[Line, ...]

    @property
    def output(self) -> str:
        """What it printed, without the runner's own lines."""
        return "\n".join(line.text for line in self.lines if _is_printed(line))

    @property
    def errors(self) -> tuple[str, ...]:
        """The runner's errors in it (`##[error]`)."""
        return tuple(line.text for line in self.lines if line.kind == "error")

    @property
    def exit_code(self) -> int | None:
        """With what its script ended, where the runner says so."""
        found = [match for text in self.errors if (match := _EXIT.search(text))]
        return int(found[-1]["code"]) if found else None


def read_lines(log: str) -> tuple[Line, ...]:
    """Return the lines of a job's log; time stamps, ANSI sequences and marks are taken off."""
    found: list[Line] = []
    at: datetime | None = None
    for raw in log.replace("\r\n", "\n").removesuffix("\n").split("\n"):
        stamp = _STAMP.match(raw)
        if stamp:
            at = datetime.fromisoformat(f"{stamp['time']}+00:00")
        text = plain(raw[stamp.end() :] if stamp else raw)
        command = _COMMAND.match(text)
        if command:
            found.append(Line(command["text"], command["kind"], at))
        else:
            found.append(Line(text, "", at))
    return tuple(found)


def sections(lines: Sequence[Line]) -> tuple[StepLog, ...]:
    """Return the steps of a log in order; what comes before the first one is a step without title."""
    starts = [n for n, line in enumerate(lines) if line.kind == "group" and _is_run(line)]
    bounds = [0, *starts, len(lines)]
    parts = [lines[a:b] for a, b in pairwise(bounds) if a < b]
    return tuple(_section(part) for part in parts)


def failing_section(
    found: Sequence[StepLog], *, started: datetime | None = None, ended: datetime | None = None
) -> StepLog | None:
    """Return the step that failed: the first with an error in the time of the failed step.

    Args:
        found: Of the log.
        started: When the failed step began, where that is known.
        ended: When it ended.
    """
    broken = [section for section in found if section.errors]
    for section in broken:
        times = [line.at for line in section.lines if line.kind == "error" and line.at]
        if started and ended and any(started <= time <= ended for time in times):
            return section
    exited = [section for section in broken if section.exit_code is not None]
    return next(iter(exited or broken), None)


def image(lines: Sequence[Line]) -> str:
    """Return the runner's image (`ubuntu-24.04`) that the log names, or empty."""
    text = "\n".join(line.text.strip() for line in lines[:200])
    found = _IMAGE.search(text)
    return found["name"] if found else ""


def _is_printed(line: Line) -> bool:
    """Whether a step printed a line; what a problem matcher finds in it gets the mark of an error."""
    marked = line.kind in {"error", "warning", "notice"} and not _OWN_ERROR.search(line.text)
    return line.kind in {"", "group"} or marked


def _is_run(line: Line) -> bool:
    return line.text.startswith(_RUN)


def _section(lines: Sequence[Line]) -> StepLog:
    first = lines[0]
    if first.kind != "group" or not _is_run(first):
        return StepLog("", "", tuple(lines))
    title = first.text.removeprefix(_RUN)
    end = next((n for n, line in enumerate(lines) if line.kind == "endgroup"), 0)
    header = [line.text for line in lines[1:end]]
    script = "\n".join(_script(header))
    return StepLog(title, script, tuple(lines[end + 1 :]))


def _script(header: Sequence[str]) -> Iterator[str]:
    """Yield the script's lines: those above `shell:`; an action's header (`with:`) has none."""
    end = next((n for n, text in enumerate(header) if _SCRIPT_END.match(text)), None)
    if end is not None:
        yield from header[:end]
