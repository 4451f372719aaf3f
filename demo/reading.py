"""GitHub's Markdown as a person sees it: hidden marks are gone, folded parts are folded."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_HIDDEN = re.compile(r"<!--.*?-->", re.DOTALL)
_FOLDED = re.compile(
    r"<details>\s*<summary>(?P<summary>.*?)</summary>.*?\n</details>(?=\n|$)", re.DOTALL
)
_CODE = re.compile(r"<code>(.*?)</code>")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_CHECKED = re.compile(r"- \[(?P<mark>[x ])\] (?P<text>.+)")


def as_seen(markdown: str) -> str:
    """Return Markdown without its hidden parts; of a folded part only the summary is left."""
    shown = _FOLDED.sub(lambda match: f"▸ {match['summary']} (folded)", markdown)
    return re.sub(r"\n{3,}", "\n\n", _HIDDEN.sub("", shown)).strip()


def plain(markdown: str) -> str:
    """Return Markdown as text for a terminal that draws none: without its escapes."""
    return html.unescape(_ESCAPED.sub(r"\1", _CODE.sub(r"`\1`", markdown)))


def progress(comment: str) -> Iterator[str]:
    """Yield what a progress comment says: what is done, what is in progress, what was noticed."""
    for line in plain(as_seen(comment)).splitlines():
        item = _CHECKED.fullmatch(line)
        if item is not None:
            text = item["text"].removesuffix(": in progress")
            if item["mark"] == "x":
                yield f"✓ {text}"
            elif text != item["text"] or ": " in text:
                yield f"… {text}"
        elif (bullet := line.strip()).startswith("- "):
            yield f"  {bullet.removeprefix('- ')}"
