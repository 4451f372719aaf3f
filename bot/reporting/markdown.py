"""Compose GitHub Markdown from our words and text of strangers, and fit it into a comment."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.model.untrusted import clip, reveal_hidden, strip_hidden
from bot.reporting.marker import without_markers

LIMIT = 65_536
"""Most characters that GitHub takes in the body of a comment, issue or pull request."""

_BACKTICKS = re.compile(r"`+")
_ACTIVE = re.compile(r"[\\`*_\[\]<>&|~@#:$]|(?<=www)\.", re.IGNORECASE)
_REFERENCE = re.compile(
    r"""
      (?:https?|ftp|mailto|xmpp):\S+          # what GitHub links by itself
    | www\.\S+
    | (?:(?<![\w.+-])[\w.+-]+)?@[A-Za-z0-9][\w./-]*            # people, teams, addresses, decorators
    | (?:(?<![\w.-])[\w.-]+/[\w.-]+)?\#\d+               # issues, of this repository and others
    | GH-\d+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ENDS_A_SENTENCE = ".,;:!?)]}>'\"*_`"
_SPECIAL = re.compile(r"[\\`*\[\]~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|\$(?!\d)|[<>&|]")
_BLOCK_START = re.compile(r"^([-+=#])|^(\d{1,9})([.)])")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "|": "&#124;"}


def escape(text: str, *, starts_line: bool = True) -> str:
    """Return one line of plain text that shows as it is: nothing in it formats, links or notifies.

    Mentions, links and references to issues become code, which GitHub leaves alone.

    Args:
        text: Of a stranger. White space is folded to single spaces.
        starts_line: Whether it could be taken for the start of a list, heading or the like.
    """
    folded = re.sub(r"\s+", " ", strip_hidden(text))
    position = 0
    parts: list[str] = []
    for match in _REFERENCE.finditer(folded):
        reference = match[0].rstrip(_ENDS_A_SENTENCE)
        if not re.search(r"[@#:]\w|[@#:]//|\w[.-]\w", reference):
            continue
        parts += [_literal(folded[position : match.start()]), code(reference)]
        position = match.start() + len(reference)
    parts.append(_literal(folded[position:]))
    escaped = joined(parts)
    return _BLOCK_START.sub(_defuse_block_start, escaped) if starts_line else escaped


def joined(parts: Iterable[str]) -> str:
    """Return inline Markdown put together; a space keeps two code spans from becoming one."""
    whole = ""
    for part in parts:
        whole += f" {part}" if whole.endswith("`") and part.startswith("`") else part
    return whole


def code(text: str, limit: int = 160) -> str:
    """Return text of a stranger as a code span on one line, in tables too; hidden parts shown."""
    shown = without_markers(" ".join(reveal_hidden(text).split()))
    if len(shown) > limit:
        shown = f"{shown[: limit - 1]}…"
    if "|" in shown:  # a pipe in a span splits a table's cell
        return f"<code>{_ACTIVE.sub(_numeric_entity, shown)}</code>"
    if not shown:
        return "(empty)"
    fence = "`" * (_longest_run(shown) + 1)
    pad = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def fence(text: str, language: str = "", *, limit: int = 6_000) -> str:
    """Return text of a stranger as a code block, cut to head and tail, hidden parts shown."""
    return raw_fence(without_markers(clip(reveal_hidden(text).strip("\n"), limit)), language)


def raw_fence(text: str, language: str = "") -> str:
    """Return text as a code block whose fence is longer than any in it; the text is unchanged."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def details(summary: str, body: str) -> str:
    """Return a folded block. `summary` is plain text of ours, `body` Markdown."""
    summary = html.escape(summary, quote=False)
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells are Markdown made by `escape`, `code` or ourselves."""
    lines = [_row(header), _row(["---"] * len(header)), *(_row(row) for row in rows)]
    return "\n".join(lines)


def bullets(items: Iterable[str]) -> str:
    """Return a list; the further lines of an item are indented below its first."""
    return "\n".join(f"- {indent(item, 2)}" for item in items)


def quote(markdown: str) -> str:
    """Return Markdown as a quotation."""
    return "\n".join(f"> {text}".rstrip() for text in markdown.split("\n"))


def indent(text: str, width: int) -> str:
    """Return the text with all lines but the first indented."""
    return text.replace("\n", "\n" + " " * width)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a comment that can be said at different lengths.

    Attributes:
        forms: From the longest to the shortest.
        rank: Sections of a lower rank are shortened first.
        essential: Whether the shortest form must stay; otherwise the section can go altogether.
    """

    forms: tuple[str, ...]
    rank: int = 0
    essential: bool = False

    @property
    def ladder(self) -> tuple[str, ...]:
        """All forms, silence included where that is possible."""
        return self.forms if self.essential else (*self.forms, "")


def essential(*forms: str) -> Section:
    """Return a section of which at least the last form stays, shortened after all others."""
    return Section(forms, rank=9, essential=True)


def fit(sections: Sequence[Section], limit: int = LIMIT) -> str:
    """Return the sections as one text of at most `limit` characters.

    Whole until it is too long; then the section of the lowest rank (the last of equals) takes its
    next shorter form, and so on. The essential forms together must fit.
    """
    chosen = [0] * len(sections)
    while len(text := _text(sections, chosen)) > limit:
        open_ones = [i for i, s in enumerate(sections) if chosen[i] + 1 < len(s.ladder)]
        if not open_ones:
            return text[:limit]
        chosen[min(open_ones, key=lambda i: (sections[i].rank, -i))] += 1
    return text


def _text(sections: Sequence[Section], chosen: Sequence[int]) -> str:
    texts = (section.ladder[form] for section, form in zip(sections, chosen, strict=True))
    return "\n\n".join(text for text in texts if text)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(' '.join(cell.split()) for cell in cells)} |"


def _literal(text: str) -> str:
    return _SPECIAL.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), text)


def _defuse_block_start(match: re.Match[str]) -> str:
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def _numeric_entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)
