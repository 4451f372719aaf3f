"""What a check run shows, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Annotation:
    """A remark of a check run on lines of a file; `level` is `notice`, `warning` or `failure`."""

    path: str
    start_line: int
    end_line: int
    level: str
    message: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class CheckAction:
    """A button of a check run. GitHub allows a label of 20 and a description of 40 characters."""

    identifier: str
    label: str
    description: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """A check run as it should be now.

    Attributes:
        name: Shown on the commit; the same for every run of Fixpoint.
        head_sha: Commit (hex) that it is about.
        external_id: The run's id; creating the same one twice gives one check run.
        status: `queued`, `in_progress` or `completed`.
        conclusion: `success`, `failure`, `neutral`, `cancelled`, `skipped`, `timed_out` or
            `action_required`; given exactly when `completed`.
        title: One line.
        summary: Markdown, at most 65535 characters.
        text: More Markdown, likewise; may be empty.
        annotations: Added to those that are there; any number.
        actions: Up to three buttons.
        details_url: Where `Details` leads, or None for GitHub's own page.
    """

    name: str
    head_sha: str
    external_id: str
    status: str
    title: str
    summary: str
    conclusion: str | None = None
    text: str = ""
    annotations: tuple[Annotation, ...] = ()
    actions: tuple[CheckAction, ...] = ()
    details_url: str | None = None
