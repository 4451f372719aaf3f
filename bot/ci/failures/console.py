"""Make console output plain, and find its most telling line when no parser knows it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.ci.failures.base import Reading, failure, inside
from bot.reporting.reasons import job_target

LINE = 4000
"""Longest line that parsers see, so that hostile output can't make a pattern slow."""

# ECMA-48: CSI sequences, OSC up to BEL or ST, two-byte escapes, and the character-set switches
# (`ESC ( B`) that terminfo-based tools print.
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[()][0-9A-Za-z]|[@-Z\\^_])"
)
# Commands to GitHub's runner (`::error file=a.py,line=3::message`), of which a log shows the message.
# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
WORKFLOW_COMMAND = re.compile(r"^::(?:error|warning|notice|group)(?: [^\n]*?)?::", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last):"
_FRAME = re.compile(r'^[ \t]+File "(?P<file>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE)
TELLING = re.compile(
    r"\b(?:error|exception|fatal|panic(?:ked)?|failed|failure|not found|no such file|cannot|can't|could not"
    r"|undefined|unrecognized|mismatch|out of date|differs?)\b|\w(?:Error|Exception)\b",
    re.IGNORECASE,
)
# Lines that only repeat that something failed, or that nothing did.
NOISE = re.compile(
    r"^(?:make(?:\[\d+\])?: \*\*\*|\S+:\d+: recipe for target|npm (?:warn|error|ERR!)|error: Recipe|ERROR: InvocationError"
    r"|\S+: commands failed|warning\b|(?:ERROR: )?usage:)|\b0 (?:errors?|failed|failures?)\b",
    re.IGNORECASE,
)

# What a package manager says besides: worth more than the echo of a command.
_MANAGER = re.compile(
    r"npm (?:error|ERR!) (?!code |errno |A complete log|path |syscall )", re.IGNORECASE
)


def plain(output: str) -> str:
    """Return output without colours and cursor movements, lines ended by LF and cut to `LINE`.

    Of commands to GitHub's runner only the message stays, as in its log.
    """
    text = WORKFLOW_COMMAND.sub("", _ESCAPES.sub("", output).replace("\r\n", "\n"))
    return "\n".join(_visible(line)[:LINE] for line in text.split("\n"))


def _visible(line: str) -> str:
    """Return what a terminal shows of a line that was overwritten after carriage returns."""
    return line.rstrip("\r").rpartition("\r")[2]


@dataclass(frozen=True, slots=True)
class PythonError:
    """How a Python traceback ends: the exception's line and its innermost frame in the tree."""

    message: str
    file: str | None
    line: int
    account: str


def python_error(text: str) -> PythonError | None:
    """Return the first traceback of the text, or None when there is none."""
    start = text.find(_TRACEBACK)
    if start < 0:
        return None
    lines = text[start + len(_TRACEBACK) :].split("\n")[1:]
    last = next((n for n, line in enumerate(lines) if line[:1].strip()), None)
    if last is None:
        return None
    body = "\n".join(lines[:last])
    frames = [frame for frame in _FRAME.finditer(body) if inside(frame["file"])]
    return PythonError(
        message=lines[last],
        file=frames[-1]["file"] if frames else None,
        line=int(frames[-1]["line"]) if frames else 0,
        account=f"{_TRACEBACK}\n{body}\n{lines[last]}",
    )


def most_telling(text: str, command: str) -> Reading:
    """Return one failure, named after the command, with the first line that says why."""
    error = python_error(text)
    if error is None:
        found = failure(command, _telling_line(text), detail=text[-4000:])
    else:
        found = failure(
            command, error.message, file=error.file, line=error.line, detail=error.account
        )
    return Reading(failing=(found,))


def _telling_line(text: str) -> str:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    news = [line for line in lines if not NOISE.search(line)]
    telling = [line for line in news if TELLING.search(line)]
    telling += [line for line in lines if _MANAGER.match(line)]
    return (telling or news[::-1] or lines[::-1] or [job_target.NOTHING_PRINTED])[0]
