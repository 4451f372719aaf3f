"""The patch as a comment, where no branch can be pushed."""

from __future__ import annotations

import base64
import gzip
import textwrap

from bot.model import Patch, Report
from bot.model.untrusted import reveal_hidden
from bot.reporting import what_changed
from bot.reporting.answer_instructions import RETRY, AnswerBy, ask
from bot.reporting.attempt_list import course
from bot.reporting.evidence import changed_files, commit, diffstat
from bot.reporting.markdown import Section, details, essential, fence, fit, raw_fence
from bot.reporting.marker import without_markers
from bot.reporting.proof import story
from bot.reporting.prose import line

_SUGGESTED = (
    "The suggestions below are the complete patch: add all of them to one batch and commit it."
)

_MOST_PATCH = 60_000
"""Characters of a patch beyond which a comment (65,536) has no room left for its explanation."""


def patch_comment(
    report: Report,
    reason: str,
    mark: str,
    *,
    suggested: bool = False,
    by: AnswerBy = AnswerBy.COMMENT,
) -> str:
    """Return a comment from which an accepted patch can be applied byte by byte.

    Args:
        report: Of a run whose patch is believed.
        reason: Why there is no pull request, as a sentence.
        mark: The hidden marker, last line of the comment.
        suggested: Whether it is the head of a review that suggests the patch's changes.
        by: How people answer it.
    """
    where = _SUGGESTED if suggested else "The patch is posted here instead."
    lead = f"**Fixed, but not pushed.** {line(reason)} {where}"
    size = f"{diffstat(report.patch)}: {changed_files(report.patch)}"
    sections = [
        essential(lead),
        Section((story(report),), rank=8),
        what_changed.section(report.what_changed),
        Section((size,), rank=7),
        *_patch(report.patch, report.head, by),
        Section((course(report),), rank=2),
        essential(f"{mark}\n"),
    ]
    return fit(sections)


def _patch(patch: Patch, head: str, by: AnswerBy) -> tuple[Section, ...]:
    if _survives_as_text(patch):
        how = (
            f"To apply it, check out {commit(head)}, save this as `fixpoint.patch` in the repository "
            "root, and run `git apply fixpoint.patch`:"
        )
        block = details("Show the patch", raw_fence(patch.text.removesuffix("\n"), "diff"))
        return (Section((f"{how}\n\n{block}",), rank=8),)
    shown = Section((details("Show the patch", fence(patch.text, "diff", limit=12_000)),), rank=1)
    packed = textwrap.fill(base64.b64encode(gzip.compress(patch.data, mtime=0)).decode(), 76)
    if len(packed) > _MOST_PATCH:
        return (essential(_too_large(patch, by)), shown)
    how = (
        "This patch can't be posted as plain text. To apply it, check out "
        f"{commit(head)}, save the encoded patch as `fixpoint.b64` in the repository root, and run "
        "`base64 -d fixpoint.b64 | gunzip | git apply`:"
    )
    return (
        Section((f"{how}\n\n{details('Show the encoded patch', raw_fence(packed))}",), 8),
        shown,
    )


def _too_large(patch: Patch, by: AnswerBy) -> str:
    return (
        f"The patch ({len(patch.data):,} bytes) is too large for a comment. "
        f"Grant Fixpoint write access to this repository, then {ask(RETRY, by)}."
    )


def _survives_as_text(patch: Patch) -> bool:
    """Whether the patch comes out of a code block of a comment as it went in."""
    text = patch.text
    return (
        len(text) <= _MOST_PATCH
        and text.encode() == patch.data
        and text == text.rstrip("\n") + "\n"  # copying loses the blank line behind binary patches
        and reveal_hidden(text) == text
        and without_markers(text) == text
    )
