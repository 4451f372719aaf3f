"""Leave out of a comment the mail that it answers: nobody asks for what others wrote before. Pure.

Mail programs put it below what their user wrote. Above it stand fields such as "From:" and "Sent:", a
line such as "-----Original Message-----", or a sentence that says who wrote when. With `>` before
each line it is a quote, which whoever reads Markdown leaves out; then only that sentence is removed
here, since people answer below quotes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from bot.intake.command_word import COMMAND

_ADDRESS = re.compile(r"[<\[](?:mailto:)?[^\s<>@\[\]]{1,64}@[^\s<>@\[\]]{1,255}[>\]]")
_DATE = re.compile(r"\d:\d\d|\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d\d")
_TIME = re.compile(r"\d:\d\d")
_FIELD = re.compile(r"(?P<name>[^\W\d_]{1,15})(?:\*\*)?[ \xa0]?[:\uff1a](?:\*\*)?\s+(?P<text>\S.*)")
_FIELDS = frozenset({"from", "sent", "date", "to", "cc", "subject"})
_FEWEST_FIELDS = 2
_LONGEST_HEAD, _LONGEST_SENTENCE = 8, 3
"""Lines above the mail that is answered."""

_MARKUP = " \t*_\xa0"
_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})")
_QUOTE = re.compile(r" {0,3}>")
_COMMAND = re.compile(COMMAND, re.IGNORECASE)


def without_answered_mail(text: str) -> str:
    """Return a comment as its author wrote it; blocks of code are never taken for mail."""
    lines = re.sub(r"\r\n?", "\n", text).split("\n")
    prose = _prose(lines)
    for at, line in enumerate(prose):
        if _is_head_of_mail(prose[at : at + _LONGEST_HEAD]):
            return "\n".join(lines[:at])
        if not line.endswith(":"):
            continue
        behind = next((n for n in range(at + 1, len(lines)) if lines[n].strip()), None)
        is_quoted = behind is not None and _QUOTE.match(lines[behind]) is not None
        begin = _says_who_wrote(prose, at, is_quoted=is_quoted)
        if begin is not None and is_quoted:
            lines[begin : at + 1] = [""] * (at + 1 - begin)
        elif begin is not None and (behind is None or prose[behind]):
            return "\n".join(lines[:begin])
    return "\n".join(lines)


def _prose(lines: Sequence[str]) -> list[str]:
    """Return lines without marks of emphasis around them, "" for those of quotes and of code."""
    prose, fence = list[str](), ""
    for line in lines:
        found = _FENCE.match(line)
        is_code = bool(fence) or line.startswith(("    ", "\t")) or found is not None
        if found is not None and not fence:
            fence = found["fence"]
        elif found is not None and line.strip().startswith(fence):
            fence = ""
        prose.append("" if is_code or _QUOTE.match(line) else line.strip(_MARKUP))
    return prose


def _is_head_of_mail(lines: Sequence[str]) -> bool:
    """Whether lines begin with fields of a mail: whom it is from, then when or to whom it was sent.

    In other languages than English, an address and a date tell.
    """
    if lines[0].startswith("--") and lines[0].strip("- ").lower() == "original message":
        return True
    found = list(takewhile(bool, map(_FIELD.fullmatch, lines)))
    fields = [(match["name"].lower(), match["text"]) for match in found if match is not None]
    if len(fields) < _FEWEST_FIELDS:
        return False
    (first, whom), *others = fields
    known = _FIELDS.intersection(name for name, _ in fields)
    if first == "from":
        return len(known) > _FEWEST_FIELDS or (len(known) > 1 and "@" in whom)
    return _ADDRESS.search(whom) is not None and any(_DATE.search(text) for _, text in others)


def _says_who_wrote(lines: Sequence[str], end: int, *, is_quoted: bool) -> int | None:
    """Return where a sentence such as "On Monday, Ada <ada@example.com> wrote:" begins; None for none.

    Before a quote, less of it is enough.
    """
    for begin in range(end, max(end - _LONGEST_SENTENCE, -1), -1):
        if not lines[begin] or _COMMAND.match(lines[begin]):
            break
        sentence = " ".join(lines[begin : end + 1])
        is_english = lines[begin].startswith("On ") and sentence.endswith("wrote:")
        if _DATE.search(lines[begin]) and (is_english or _ADDRESS.search(sentence)):
            return begin
    line = lines[end]
    said = line.endswith("wrote:") or "@" in line or _TIME.search(line)
    return end if is_quoted and said else None
