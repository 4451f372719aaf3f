"""Formatters that only check: black, ruff format, isort, prettier, rustfmt, gofmt."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.ci.failures.base import Reading, tool_failure
from bot.reporting.reasons import job_target


@dataclass(frozen=True, slots=True)
class _Format:
    """A tool's line about a file that is not as it would write it."""

    tool: str
    line: re.Pattern[str]
    why: Callable[[str, str], str] = job_target.file_not_formatted


_FORMATS = (
    _Format("black", re.compile(r"^would reformat (?P<file>\S.*)$", re.MULTILINE)),
    _Format(
        "black",
        re.compile(r"^error: cannot (?:parse|format):? (?P<file>[^:\n]+):.*$", re.MULTILINE),
        job_target.file_not_parsed,
    ),
    _Format("ruff-format", re.compile(r"^Would reformat: (?P<file>\S.*)$", re.MULTILINE)),
    _Format(
        "ruff",
        re.compile(r"^error: Failed to parse (?P<file>[^:\n]+):(?P<line>\d+):.*$", re.MULTILINE),
        job_target.file_not_parsed,
    ),
    _Format(
        "isort",
        re.compile(r"^ERROR: (?P<file>\S.*) Imports are incorrectly sorted.*$", re.MULTILINE),
        job_target.imports_not_sorted,
    ),
    _Format(
        "rustfmt", re.compile(r"^Diff in (?P<file>[^\n:]+?)(?::| at line )\d+:$", re.MULTILINE)
    ),
    _Format("gofmt", re.compile(r"^diff (?:-u )?(?P<file>\S+\.go)\.orig \S+$", re.MULTILINE)),
)
_PRETTIER = re.compile(r"^\[warn\] (?P<file>\S.*\.\w+)$", re.MULTILINE)
_PRETTIER_OURS = re.compile(r"^\[warn\] Code style issues", re.MULTILINE)
_RUFF_DIFF_OURS = re.compile(r"^\d+ files? would be reformatted", re.MULTILINE)
_RUFF_DIFF = re.compile(r"^--- (?P<file>\S+\.pyi?)$", re.MULTILINE)
_LIST = re.compile(r"^(?P<file>(?!\S*\.{3})\S+\.\w+)$", re.MULTILINE)


def parse(text: str) -> Reading | None:
    """Return one failure per file, in order."""
    found: dict[str, tuple[int, re.Match[str], _Format]] = {}
    for form in _formats(text):
        for match in form.line.finditer(text):
            key = f"{match['file']} {form.tool}"
            found.setdefault(key, (match.start(), match, form))
    if not found:
        return None
    ordered = sorted(found.values(), key=lambda entry: entry[0])
    failing = tuple(
        tool_failure(
            match["file"],
            int(match.groupdict().get("line") or 0),
            form.tool,
            form.why(form.tool, match["file"].rpartition("/")[2]),
            match[0],
        )
        for _, match, form in ordered
    )
    return Reading(failing, start=ordered[0][0])


def _formats(text: str) -> tuple[_Format, ...]:
    """Return the formats to look for; bare lists of files count only when nothing else is there."""
    extra: tuple[_Format, ...] = ()
    if _PRETTIER_OURS.search(text):
        extra += (_Format("prettier", _PRETTIER),)
    if _RUFF_DIFF_OURS.search(text):
        extra += (_Format("ruff-format", _RUFF_DIFF),)
    lines = text.strip().split("\n")
    if all(_LIST.match(line) for line in lines):
        tool = "gofmt" if lines[0].endswith(".go") else "listed"
        extra += (_Format(tool, _LIST),)
    return (*_FORMATS, *extra)
