"""A repair that was made again on its new base: the comment in its pull request, the description."""

from __future__ import annotations

import re

from bot.model import Report
from bot.model.request import ConflictingRepair
from bot.reporting.attempt_list import course
from bot.reporting.evidence import changed_files, commit, diffstat
from bot.reporting.example import example
from bot.reporting.markdown import code
from bot.reporting.marker import marker, signed
from bot.reporting.proof import cause, proof
from bot.reporting.prose import line

_LONGEST = 65_536
"""Characters of a description that GitHub takes."""

_ENDS = re.compile(r"<!-- fixpoint:run=[0-9a-f]{1,20} kind=redone(?P<end>-end)? -->\n*")
"""Where the section about the last time begins and ends."""

_MARK = marker("pull-12", "conflict")
_BASE = "7d1f0b2c64ae4e0d3a9a52c0b4a0d0e8f4c1a5b7"


def redone(report: Report, repair: ConflictingRepair, url: str, mark: str, after: str = "") -> str:
    """Return the comment of a pull request that merges again.

    Args:
        report: Of the run.
        repair: What was made again.
        url: Of the commit on the branch.
        mark: The hidden marker.
        after: What the project's own checks said since then.
    """
    text = (
        f"This pull request conflicted with {code(repair.base_branch)}, so the fix was redone on "
        f"{commit(report.head)}: {url}"
    )
    return signed(
        "\n\n".join(filter(None, (text, cause(report), proof(report), course(report), after))),
        mark,
    )


@example("main", "The branch also has commits by `ada`.", _MARK)
def left(base_branch: str, reason: str, mark: str) -> str:
    """Say that a conflict is left to people, because of the branch or of what a fix may cost."""
    text = f"This pull request conflicts with {code(base_branch)}. Fixpoint leaves that to you."
    return signed(f"{text} {line(reason)}", mark)


@example("main", _BASE, "Every proposer was tried.", _MARK, gone=False)
@example("main", _BASE, "The failing command passes.", _MARK, gone=True)
def not_redone(base_branch: str, base: str, reason: str, mark: str, *, gone: bool) -> str:
    """Say that a repair could not be made again on its new base, where nothing was changed.

    Args:
        base_branch: Branch that the pull request merges into.
        base: Its commit.
        reason: Why, as a sentence.
        mark: The hidden marker.
        gone: Whether there is nothing to repair any more.
    """
    text = f"This pull request conflicts with {code(base_branch)} at {commit(base)}"
    if gone:
        said = f"{text}, where the failure no longer occurs, so it may not be needed any more."
    else:
        said = f"{text}, and Fixpoint could not redo the fix there."
    return signed(f"{said} {line(reason)}", mark)


def described(report: Report, repair: ConflictingRepair, url: str, before: str) -> str | None:
    """Return a description that says first what was made again; None where there is no room.

    The rest stays as it is, with what people wrote into it; what was said of an earlier time goes.

    Args:
        report: Of the run.
        repair: What was made again.
        url: Of the commit on the branch.
        before: The description so far.
    """
    changed, base = f"{diffstat(report.patch)}: {changed_files(report.patch)}", repair.base_branch
    why = f"{code(base)} moved on and conflicted with this fix, so it was redone on"
    parts = [
        f"### Redone on {code(base)}",
        f"{why} {commit(report.head)}: {url}",
        cause(report),
        f"Changed now: {changed}.",
        f"**Proof:** {proof(report)}",
        "The description below is of the first version.",
    ]
    first, last = marker(report.run_id, "redone"), marker(report.run_id, "redone-end")
    section = "\n\n".join((first, *filter(None, parts), last))
    text = f"{section}\n\n{_without_section(before)}"
    return text if len(text) <= _LONGEST else None


def merge_message(report: Report, repair: ConflictingRepair, said: str) -> str:
    """Return the message of the commit that merges the base and holds the repair.

    Args:
        report: Of the run.
        repair: What was made again.
        said: What the commit of any repair says.
    """
    return f"Merge {repair.base_branch} and redo the fix on {report.head[:12]}\n\n{said}"


def _without_section(text: str) -> str:
    """Return a description without what was said of an earlier time."""
    found = list(_ENDS.finditer(text))
    first = next((mark for mark in found if not mark["end"]), None)
    last = next((mark for mark in reversed(found) if mark["end"]), None)
    if first is None or last is None or last.start() < first.start():
        return text
    return text[: first.start()] + text[last.end() :]
