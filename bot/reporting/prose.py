"""Show Markdown that a stranger or a model wrote, keeping its shape and nothing that acts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from bot.model.untrusted import clip, strip_hidden
from bot.reporting.markdown import code, escape, fence, indent, joined, quote

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

_Piece = tuple[bool, str]
"""Whether it is plain text that still needs escaping, and the text."""


def prose(text: str, *, limit: int = 4_000) -> str:
    """Return the Markdown written anew from its parsed form, about `limit` characters at most.

    Paragraphs, lists, quotes, emphasis and code stay. Headings become bold lines, links and
    images their text with the address as code, HTML becomes code; mentions and references to
    issues become code as well, so that none of it notifies anybody or closes anything.
    """
    from markdown_it.tree import SyntaxTreeNode

    tokens = _parser().parse(clip(strip_hidden(text).strip(), limit))
    return _blocks(SyntaxTreeNode(tokens), "\n\n")


def line(text: str, *, limit: int = 400) -> str:
    """Return the Markdown as one line: code and emphasis stay, all else becomes plain."""
    from markdown_it.tree import SyntaxTreeNode

    folded = " ".join(strip_hidden(text).split())
    if len(folded) > limit:
        folded = f"{folded[: limit - 1].rstrip()}…"
    root = SyntaxTreeNode(_parser().parseInline(folded))
    return "".join(_inline(node) for node in root.children)


def opening(text: str, *, limit: int = 400) -> str:
    """Return the first paragraph of the Markdown as one line."""
    from markdown_it.tree import SyntaxTreeNode

    root = SyntaxTreeNode(_parser().parse(strip_hidden(text).strip()[: 4 * limit]))
    first = next((node for node in root.walk() if node.type == "paragraph"), None)
    return line(first.children[0].content, limit=limit) if first is not None else ""


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _blocks(node: SyntaxTreeNode, separator: str) -> str:
    return separator.join(filter(None, (_block(child) for child in node.children)))


def _block(node: SyntaxTreeNode) -> str:  # noqa: PLR0911 - one case per kind
    match node.type:
        case "paragraph":
            return _inline(node.children[0])
        case "heading":
            title = _inline(node.children[0]).replace("\n", " ")
            return f"**{title}**" if title else ""
        case "bullet_list":
            return _items(node, "- ")
        case "ordered_list":
            return _items(node, "1. ")
        case "blockquote":
            return quote(_blocks(node, "\n\n"))
        case "fence" | "code_block" | "html_block":
            return fence(node.content)
        case _:
            return ""


def _items(node: SyntaxTreeNode, bullet: str) -> str:
    items = (_blocks(item, "\n\n" if _is_loose(item) else "\n") for item in node.children)
    return "\n".join(f"{bullet}{indent(item, len(bullet))}" for item in items)


def _is_loose(item: SyntaxTreeNode) -> bool:
    return any(child.type == "paragraph" and not child.hidden for child in item.children)


def _inline(node: SyntaxTreeNode) -> str:
    """Write an inline node; neighbouring texts are escaped as one, so they can't join into a link."""
    written = ""
    for is_text, pieces in groupby(_pieces(node), key=lambda piece: piece[0]):
        texts = [text for _, text in pieces]
        if is_text:
            starts_line = not written or written.endswith("\n")
            texts = [escape("".join(texts), starts_line=starts_line)]
        written = joined((written, *texts))
    return "\n".join(part.strip() for part in written.split("\n")).strip()


def _pieces(node: SyntaxTreeNode) -> Iterator[_Piece]:
    for child in node.children:
        match child.type:
            case "text" | "text_special":
                yield True, child.content
            case "softbreak" | "hardbreak":
                yield False, "\n"
            case "code_inline" | "html_inline":
                yield False, code(child.content)
            case "em" | "strong":
                yield child.markup.startswith("_"), child.markup  # `__init__` is rather a name
                yield from _pieces(child)
                yield child.markup.startswith("_"), child.markup
            case "image":
                yield True, f"{child.content} "
                yield False, code(str(child.attrs.get("src", "")))
            case _:
                yield from _pieces(child)
                if child.type == "link":
                    yield True, " "
                    yield False, code(str(child.attrs.get("href", "")))
