"""Find the `/fix` commands of a comment, and the text that belongs to each.

A command is a line of a paragraph or list item that begins with `/fix`. Code, quotes, tables,
headings and HTML comments hold none. The text behind it goes on to the next command or to the end
of the comment, through empty lines, lists, tables and blocks of code. Quotes, and what a mail
program adds (a signature, the mail that is answered), are left out, with the commands in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, takewhile, zip_longest
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from bot.intake.answered_mail import without_answered_mail
from bot.intake.command_word import COMMAND, MARKS, WORD


class Block(NamedTuple):
    """A part of the text behind a command: blocks of code, or what stands between them."""

    text: str
    is_code: bool = False


class CommandText(NamedTuple):
    """What stands behind one `/fix`: punctuation, the rest of its paragraph, and what follows that."""

    marks: str
    paragraph: str
    later: tuple[Block, ...] = ()


class _Line(NamedTuple):
    """A line of what stands behind a command, and its number in the comment.

    The number is negative for lines of paragraphs that hold commands.
    """

    text: str
    at: int = -1


@dataclass(frozen=True, slots=True)
class _Place:
    """A command in the content of a paragraph, and the lines that the paragraph takes."""

    paragraph: Token
    start: int
    end: int
    first_line: int
    next_line: int


@dataclass(frozen=True, slots=True)
class _Page:
    """The lines of a comment, and which of them are quotes, blocks of code, or rules and tags."""

    lines: Sequence[str]
    quoted: set[int] = field(default_factory=set)
    code: set[int] = field(default_factory=set)
    unsaid: set[int] = field(default_factory=set)


_COMMAND = re.compile(COMMAND, re.IGNORECASE)
_NO_COMMANDS_IN = ("blockquote", "table")
_CODE_BLOCKS = ("fence", "code_block")
_CLOSING_TAG = re.compile(r"</\w+>")
_SIGNATURES = ("--", "—")
"""Lines above those of mail programs (RFC 3676, section 4.3) and of GitHub's notifications."""
_ENDS_OF_MAIL = ("sent from my ", "get outlook for ")


def said_behind_commands(body: str) -> list[CommandText]:
    """Return what stands behind each command of a comment, in order.

    Reading Markdown takes quadratic time, a second and more for 65,000 brackets.
    """
    parser = _parser()
    body = without_answered_mail(body)
    references: dict[str, Any] = {}
    tokens = parser.parse(body, references)
    places = list(_places(tokens, parser, references))
    page = _page(body, tokens)
    return [_said(page, place, after) for place, after in zip_longest(places, places[1:])]


def _parser() -> MarkdownIt:
    """Return what reads blocks; the inline content of each is read where it is asked for."""
    parser = MarkdownIt("commonmark").enable("table").disable(["image", "entity", "inline"])
    parser.inline.ruler.before("text", "fix", _find_command)
    return parser


def _find_command(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
    """Inline rule: make a token of `/fix` at the beginning of a line.

    The parser asks only where no code span, link or HTML has taken the place, and `meta` keeps
    the position in the paragraph's own text, which tokens otherwise lose.
    """
    start, end = state.pos, state.pos + len(WORD)
    if state.linkLevel or _COMMAND.match(state.src, start) is None:
        return False
    if state.src[state.src.rfind("\n", 0, start) + 1 : start].strip():
        return False
    if not silent:
        state.push("fix", "", 0).meta = {"start": start, "end": end}
    state.pos = end
    return True


def _places(
    tokens: Sequence[Token], parser: MarkdownIt, references: dict[str, Any]
) -> Iterator[_Place]:
    """Yield the commands in the paragraphs and list items of a comment."""
    for paragraph in _inline_content(tokens):
        if WORD in paragraph.content.lower() and paragraph.map is not None:
            found: list[Token] = []
            parser.inline.parse(paragraph.content, parser, references, found)
            for token in found:
                if token.type == "fix":
                    yield _Place(paragraph, token.meta["start"], token.meta["end"], *paragraph.map)


def _inline_content(tokens: Sequence[Token]) -> list[Token]:
    found = []
    excluded = 0
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type.removesuffix("_open").removesuffix("_close") in _NO_COMMANDS_IN:
            excluded += token.nesting
        text = before is not None and (before.type == "paragraph_open" or _is_underlined(before))
        if token.type == "inline" and text and not excluded:
            found.append(token)
    return found


def _is_underlined(token: Token) -> bool:
    """Whether it begins a paragraph on a line of dashes, such as the one above a mail's signature."""
    return token.type == "heading_open" and token.markup in "=-"


def _page(body: str, tokens: Sequence[Token]) -> _Page:
    page = _Page(body.replace("\0", "\ufffd").split("\n"))
    quoted_until = 0
    for token in tokens:
        first, end = token.map or (0, 0)
        if token.type == "blockquote_open" and first >= quoted_until:  # not one inside another
            page.quoted.update(range(first, end))
            quoted_until = end
        elif token.type in _CODE_BLOCKS:
            page.code.update(range(first, end))
        elif _is_underlined(token):
            page.unsaid.add(end - 1)
        elif token.type == "hr" or (
            token.type == "html_block" and not _CLOSING_TAG.sub("", token.content).strip()
        ):
            page.unsaid.update(range(first, end))
    return page


def _said(page: _Page, place: _Place, after: _Place | None) -> CommandText:
    content = place.paragraph.content
    if after is not None and after.paragraph is place.paragraph:
        own, later = content[place.end : after.start], []
    else:
        end = len(page.lines) if after is None else after.first_line
        own = content[place.end :]
        later = [_Line(page.lines[at], at) for at in range(place.next_line, end)]
        before = "" if after is None else after.paragraph.content[: after.start].rstrip()
        later += [_Line(line) for line in before.split("\n") if before]
    text = own.lstrip(MARKS)
    paragraph = [_Line(line) for line in text.split("\n")]
    kept = list(takewhile(lambda line: not _ends_mail(line, page), [*paragraph, *later]))
    left_out = page.quoted | page.unsaid
    said = [None if line.at in left_out else line for line in kept]
    own_text, blocks = _text(said[: len(paragraph)]), _blocks(said[len(paragraph) :], page)
    return CommandText(own[: len(own) - len(text)], own_text, tuple(blocks))


def _ends_mail(line: _Line, page: _Page) -> bool:
    """Whether nothing that its author wrote follows in a mail."""
    text = line.text.strip()
    return line.at not in page.code and (
        text in _SIGNATURES or text.lower().startswith(_ENDS_OF_MAIL)
    )


def _blocks(lines: Iterable[_Line | None], page: _Page) -> Iterator[Block]:
    for is_code, group in groupby(lines, lambda line: line is not None and line.at in page.code):
        yield Block(_text(group, is_code=is_code), is_code)


def _text(lines: Iterable[_Line | None], *, is_code: bool = False) -> str:
    text = "\n".join(line.text for line in lines if line is not None)
    return text if is_code else _without_comments(text)


def _without_comments(text: str) -> str:
    """Remove HTML comments: nobody sees them, so nobody asked for what they say."""
    visible, *parts = text.split("<!--")
    hidden_until = (part.partition("-->") for part in parts)
    return visible + "".join(shown for _, _, shown in hidden_until)
