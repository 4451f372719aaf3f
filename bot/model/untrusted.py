"""Make untrusted text safe to show to a model: nothing hidden, bounded, and marked as data."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator

_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TERMINAL_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])"
)
"""CSI and OSC sequences and two-character escapes (ECMA-48, section 5)."""
_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0\u034f")
"""Characters that count as letters or marks but are invisible (Hangul fillers and the like)."""
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
"""Variation selectors: able to carry a byte each behind any visible character."""
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Controls, format characters (zero-width, bidi, tags), lone surrogates, private use."""
_CODE_BLOCKS = frozenset({"fence", "code_block"})
_NOT_PLAIN = re.compile(r"[^\n\t -~]")
_OPENING = re.compile(r'<(?P<tag>data-[0-9a-f]{24}) label="(?P<label>[^"\n]*)">\n')
_LINE_END = re.compile(r"\r\n?")


def clip(text: str, limit: int) -> str:
    """Return at most about `limit` characters: head and tail, and between them what is missing.

    The cuts fall on line ends where one is near.
    """
    if len(text) <= limit:
        return text
    half = limit // 2
    head, tail = _whole_lines(text[:half], text[len(text) - half :])
    omitted = len(text) - len(head) - len(tail)
    return f"{head}\n… {omitted:,} characters omitted …\n{tail}"


def strip_hidden(text: str) -> str:
    """Return the text without characters that a reader can't see."""
    return _replace_hidden(text, lambda _: "")


def strip_comments(markdown: str) -> str:
    """Return Markdown without its HTML comments; those in code blocks are shown, so they stay.

    A comment without an end hides all that follows it (CommonMark 0.31, section 4.6).
    """
    if "<!--" not in markdown:
        return markdown
    from markdown_it import MarkdownIt

    lines = markdown.split("\n")
    kept: list[str] = []
    position = 0
    # Blocks take linear time; what stands in a paragraph takes quadratic time and tells nothing.
    for token in MarkdownIt("commonmark").disable("inline").parse(markdown):
        if token.type in _CODE_BLOCKS and token.map is not None:
            start, end = token.map
            kept.append(_HTML_COMMENT.sub("", "\n".join(lines[position:start])))
            kept.extend(lines[start:end])
            position = end
    kept.append(_HTML_COMMENT.sub("", "\n".join(lines[position:])))
    return "\n".join(kept)


def reveal_hidden(text: str) -> str:
    """Return the text with each unseen character spelled out, as `<U+200B>`.

    For output of tools and content of files: there a hidden character may be what is wrong, so it
    is shown instead of dropped. Terminal escapes are dropped.
    """
    return _replace_hidden(text, lambda char: f"<U+{ord(char):04X}>")


def quoted(label: str, text: str, *, limit: int) -> str:
    """Return the text as a marked block of data, hidden parts stripped, cut to about `limit`.

    The marker is derived from a hash of the content, so that no content can hold the marker that
    closes it, and the same content is always marked the same way.

    Args:
        label: What it is, in our words.
        text: Whatever somebody wrote.
        limit: Most characters to keep; head and tail remain.
    """
    content = clip(strip_hidden(text).strip(), limit)
    tag = _tag(content)
    return f'<{tag} label="{label}">\n{content}\n</{tag}>'


def quoted_markdown(label: str, text: str, *, limit: int) -> str:
    """Return Markdown that somebody wrote as a marked block of data, without HTML comments."""
    return quoted(label, strip_comments(strip_hidden(text)), limit=limit)


def quoted_sizes(text: str, labels: tuple[str, ...] = ("",)) -> list[int]:
    """Return how many characters each marked block of data has whose label begins like one of these."""
    blocks = _blocks(text)
    return [end - start for opening, start, end in blocks if opening["label"].startswith(labels)]


def requoted(text: str, limit: int, labels: tuple[str, ...] = ("",)) -> str:
    """Return a text with the marked blocks that have such labels cut to about `limit` characters each."""
    kept, position = [], 0
    for opening, start, end in _blocks(text):
        if end - start > limit and opening["label"].startswith(labels):
            tag = f"</{opening['tag']}>"
            shorter = quoted(opening["label"], text[start:end], limit=limit)
            kept += [text[position : opening.start()], shorter]
            position = end + len("\n") + len(tag)
    return "".join([*kept, text[position:]])


def _blocks(text: str) -> Iterator[tuple[re.Match[str], int, int]]:
    """Yield the opening tag of each block, and where its content begins and ends."""
    position = 0
    while (opening := _OPENING.search(text, position)) is not None:
        end = text.find(f"\n</{opening['tag']}>", opening.end())
        position = opening.end() if end < 0 else end
        if end >= 0:
            yield opening, opening.end(), end


def _tag(content: str) -> str:
    digest = hashlib.sha256(content.encode()).hexdigest()
    while digest[:24] in content:
        digest = hashlib.sha256(digest.encode()).hexdigest()
    return f"data-{digest[:24]}"


def _replace_hidden(text: str, replacement: Callable[[str], str]) -> str:
    shown = _LINE_END.sub("\n", _TERMINAL_ESCAPE.sub("", text))
    return _NOT_PLAIN.sub(
        lambda match: replacement(match[0]) if _is_hidden(match[0]) else match[0], shown
    )


def _whole_lines(head: str, tail: str) -> tuple[str, str]:
    """Move both cuts to line ends, unless that would cost more than a quarter of a side."""
    end = head.rfind("\n")
    if end >= len(head) * 3 // 4:
        head = head[:end]
    start = tail.find("\n")
    if 0 <= start <= len(tail) // 4:
        tail = tail[start + 1 :]
    return head, tail


def _is_hidden(char: str) -> bool:
    return (
        unicodedata.category(char) in _UNSEEN_CATEGORIES
        or char in _INVISIBLE_LETTERS
        or any(ord(char) in selectors for selectors in _SELECTORS)
    )
