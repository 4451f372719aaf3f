"""Untrusted text as HTML that shows it and does nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup

from bot.model.untrusted import clip, reveal_hidden, strip_hidden
from bot.reporting.series import series
from bot.storage.runs import RunRecord

_ESCAPE = re.compile(
    r"\x1b\[([0-9;]{0,40})m|\x1b\[[0-?]{0,40}[ -/]{0,8}[@-~]|\x1b\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)?|\x1b."
)
_COLOURS = {str(30 + n): f"c{n}" for n in range(8)} | {str(90 + n): f"c{n} b" for n in range(8)}
_STYLES = {"1": "b", "2": "d", "3": "i", "4": "u"}


def terminal(text: str) -> Markup:
    """Return what a program printed with its colours; other escape sequences are left out."""
    return Markup("").join(_pieces("\n".join(map(_last_written, text.split("\n")))))


def _last_written(line: str) -> str:
    """Return what is left to see of a line that the program wrote over, as progress bars do."""
    return line.rstrip("\r").rpartition("\r")[2]


def _pieces(text: str) -> Iterator[Markup]:
    style: set[str] = set()
    position = 0
    for found in _ESCAPE.finditer(text):
        yield _span(text[position : found.start()], style)
        position = found.end()
        if found[1] is not None:
            style = _after(style, found[1].split(";"))
    yield _span(text[position:], style)


def _after(style: set[str], codes: list[str]) -> set[str]:
    """Return the style behind an SGR sequence: ECMA-48, section 8.3.117."""
    new = set(style)
    for code in codes:
        if code in {"", "0"}:
            new.clear()
        elif code in _COLOURS:
            new = {item for item in new if not item.startswith("c")} | {_COLOURS[code]}
        elif code == "39":
            new = {item for item in new if not item.startswith("c")}
        elif code in _STYLES:
            new.add(_STYLES[code])
        elif code in {"38", "48"}:
            break  # colours beyond the sixteen are not shown
    return new


def _span(text: str, style: set[str]) -> Markup:
    shown = reveal_hidden(text)
    if not style or not shown:
        return Markup.escape(shown)
    return Markup('<span class="{}">{}</span>').format(" ".join(sorted(style)), shown)


def prose(text: str) -> Markup:
    """Return one of our sentences, with what stands between backticks as code."""
    parts = reveal_hidden(text).split("`")
    if len(parts) % 2 == 0:
        return Markup.escape("`".join(parts))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else Markup.escape(part)
        for place, part in enumerate(parts)
    )


def marked(text: str) -> Markup:
    """Return a line of our Markdown as HTML; nothing in it leads anywhere."""
    from markdown_it import MarkdownIt

    plain = MarkdownIt("zero").enable(["escape", "entity", "backticks", "emphasis"])
    return Markup(plain.renderInline(reveal_hidden(text)))  # noqa: S704 - HTML is off in "zero"


def patch_lines(patch: str) -> Markup:
    """Return a patch with its lines coloured, and not their words.

    Each span holds the end of its line: they are shown as blocks.
    """
    return Markup("").join(
        Markup('<span class="{}">{}\n</span>').format(line_kind(line), reveal_hidden(line))
        for line in patch.removesuffix("\n").split("\n")
    )


def line_kind(line: str) -> str:
    """Return the class of a line of a patch."""
    if line.startswith(_HEADS):
        return "file"
    return {"@": "hunk", "+": "add", "-": "del"}.get(line[:1], "same")


_HEADS = (
    "diff ", "index ", "--- ", "+++ ", "new file", "deleted file", "similarity ", "rename ",
    "old mode", "new mode",
)  # fmt: skip


_TITLE = 200
"""Characters of what a run is called."""


def called(run: RunRecord) -> str:
    """Return what people know a run by: its issue's title, the failed checks, or what was asked."""
    failed = run.request.original.failed
    checks = [check.name for check in failed.checks] if failed is not None else []
    asked = run.request.instructions.strip().partition("\n")[0]
    named = run.title or (f"Failed: {series(checks, most=2)}" if checks else asked)
    return clip(strip_hidden(named).strip(), _TITLE) or f"Run {run.id}"
