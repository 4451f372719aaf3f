"""Read the `/fix` commands out of a comment.

A command is a line of a paragraph or list item that begins with `/fix`. Code, quotes, tables,
headings and HTML comments hold none. What follows, to the end of the paragraph or to the next
command, belongs to it:

    /fix                                 start a run
    /fix keep the API, --attempts 3      start a run with instructions and options
    /fix help | status | stop            only when that is the whole line
    /fix approve | reject [ID]           the same; the id is of a question
    /fix retry [options]                 start the last run again
    /fix auto on | off                   switch automatic runs of a pull request
    /fix memory | remember | forget ID   show, keep or forget what is remembered
    /fix remember: TEXT                  keep a lesson

`--` begins an option wherever it begins a word, except inside `code`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from bot.config.options import BadOption, split_options
from bot.intake.command_word import WORD
from bot.model.questions import ID_LENGTH
from bot.model.request import Options
from bot.reporting.reasons import commanding

MAX_BODY = 65_536
"""Characters; GitHub takes no longer comment."""


@dataclass(frozen=True, slots=True)
class Fix:
    """Start a run."""

    instructions: str = ""
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class Retry:
    """Start the last run of the thread again; options replace those that it had."""

    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class Help:
    """Say what can be asked."""


@dataclass(frozen=True, slots=True)
class Status:
    """Say where the run is."""


@dataclass(frozen=True, slots=True)
class Stop:
    """End the run that is active."""


@dataclass(frozen=True, slots=True)
class Auto:
    """Say whether failed checks of the pull request start runs automatically."""

    on: bool


@dataclass(frozen=True, slots=True)
class Approve:
    """Let the run continue that asked the question of that id; without one, the only open one."""

    question: str = ""


@dataclass(frozen=True, slots=True)
class Reject:
    """End the run that asked; see `Approve`."""

    question: str = ""


@dataclass(frozen=True, slots=True)
class ShowMemory:
    """Say what is remembered of the repository."""


@dataclass(frozen=True, slots=True)
class Remember:
    """Keep a lesson: this text, or without one what was proposed in the pull request."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Forget:
    """Forget lessons, and what runs tried, by their ids; without any, all of it."""

    ids: tuple[str, ...] = ()


MemoryCommand = ShowMemory | Remember | Forget


@dataclass(frozen=True, slots=True)
class BadCommand:
    """A command that nobody can follow; `problem` is one sentence for its author."""

    problem: str


_AT_A_LINES_BEGINNING = re.compile(
    rf"(?:\A|[\r\n])(?:[^\S\r\n]|[->*+.)\d])*{WORD}(?:\s|\Z)", re.IGNORECASE
)
"""Behind nothing but white space and what marks lists."""

Command = Fix | Retry | Help | Status | Stop | Approve | Reject | Auto | MemoryCommand | BadCommand


def may_hold_command(body: str) -> bool:
    """Whether it is worth it to read a comment as Markdown, which `parse` does; costs nothing."""
    return _AT_A_LINES_BEGINNING.search(body[:MAX_BODY]) is not None


def parse(body: str) -> tuple[Command, ...]:
    """Return the commands of a comment in their order. Never raises.

    Reading Markdown takes quadratic time, a second and more for 65,000 brackets: to be done in a
    process apart.
    """
    if not may_hold_command(body):
        return ()
    return tuple(
        _command(text) for paragraph in _paragraphs(body[:MAX_BODY]) for text in _texts(paragraph)
    )


def new_commands(old_body: str, new_body: str) -> tuple[Command, ...]:
    """Return the commands of an edited comment that it did not hold before.

    Moving, quoting or rewording what stands around a command asks for nothing.
    """
    before = Counter(parse(old_body))
    found = []
    for command in parse(new_body):
        if before[command]:
            before[command] -= 1
        else:
            found.append(command)
    return tuple(found)


def chosen(commands: Sequence[Command]) -> Command | None:
    """Return the one command that a comment is answered for: its first, but `stop` before all."""
    stops = [command for command in commands if isinstance(command, Stop)]
    return next(iter([*stops, *commands]), None)


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
    if state.linkLevel or state.src[start:end].lower() != WORD:
        return False
    if state.src[state.src.rfind("\n", 0, start) + 1 : start].strip():
        return False
    if end < state.posMax and not state.src[end].isspace():
        return False
    if not silent:
        state.push("fix", "", 0).meta = {"start": start, "end": end}
    state.pos = end
    return True


_NO_COMMANDS_IN = ("blockquote", "table")


def _paragraphs(body: str) -> Iterator[Token]:
    """Yield the inline content of the paragraphs and list items that hold a command."""
    parser = _parser()
    references: dict[str, Any] = {}
    for paragraph in _inline_content(parser.parse(body, references)):
        if WORD in paragraph.content.lower():
            paragraph.children = []
            parser.inline.parse(paragraph.content, parser, references, paragraph.children)
            yield paragraph


def _inline_content(tokens: Sequence[Token]) -> list[Token]:
    found = []
    excluded = 0
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type.removesuffix("_open").removesuffix("_close") in _NO_COMMANDS_IN:
            excluded += token.nesting
        # A heading with `=` or `-` as its markup is a paragraph that stands on a line of dashes,
        # such as the one above an e-mail's signature.
        text = before is not None and (
            before.type == "paragraph_open"
            or (before.type == "heading_open" and before.markup in "=-")
        )
        if token.type == "inline" and text and not excluded:
            found.append(token)
    return found


def _texts(paragraph: Token) -> list[str]:
    """Return what follows each command of a paragraph."""
    marks = [token.meta for token in paragraph.children or () if token.type == "fix"]
    ends = [*(mark["start"] for mark in marks[1:]), len(paragraph.content)]
    return [
        _without_comments(paragraph.content[mark["end"] : end])
        for mark, end in zip(marks, ends, strict=False)
    ]


def _without_comments(text: str) -> str:
    """Remove HTML comments: nobody sees them, so nobody asked for what they say."""
    visible, *parts = text.split("<!--")
    hidden_until = (part.partition("-->") for part in parts)
    return visible + "".join(shown for _, _, shown in hidden_until)


_WITHOUT_OPTIONS: Mapping[str, Command] = MappingProxyType(
    {
        "help": Help(),
        "status": Status(),
        "stop": Stop(),
        "auto on": Auto(on=True),
        "auto off": Auto(on=False),
        "auto": BadCommand(commanding.on_or_off()),
        "memory": ShowMemory(),
        "remember": Remember(),
        "forget": BadCommand(commanding.forget_what()),
        "approve": Approve(),
        "reject": Reject(),
    }
)


_REMEMBER = re.compile(r"\s*remember\s*:(?P<text>.*)", re.IGNORECASE | re.DOTALL)
_FORGET = re.compile(r"forget (?P<what>.+)")
_ANSWER = re.compile(
    rf"(?P<word>approve|reject)[ #`]+(?P<id>[0-9a-f]{{{ID_LENGTH}}}|(?=[a-f]*[0-9])[0-9a-f]{{3,}})`?"
)
"""One with what looks like an id, of whatever length, is no instruction."""
_MEMORY_ID = re.compile(r"[0-9a-f]{8}|[0-9a-f]{12}(?:-[0-9]{1,4})?")
"""Of a lesson, a run, or an attempt of a run."""
_LIKE_AN_ID = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{6,}(?:-[0-9]*)?")


def _command(text: str) -> Command:
    if (remembered := _REMEMBER.fullmatch(text)) is not None:  # whose text may hold anything
        return Remember(" ".join(remembered["text"].split()))
    try:
        rest, options = split_options(text)
    except BadOption as error:
        return BadCommand(str(error))
    line = " ".join(rest.partition("\n")[0].lower().split()).rstrip(".!")
    if line == "retry":
        return Retry(options)
    known = _without_options(line)
    if known is None:
        return Fix(rest, options)
    if options != Options():
        return BadCommand(commanding.no_options(line))
    return known


def _without_options(line: str) -> Command | None:
    answered = _ANSWER.fullmatch(line)
    if answered is not None:
        answer = Approve if answered["word"] == "approve" else Reject
        return answer(answered["id"])
    forgotten = _FORGET.fullmatch(line)
    return _forget(forgotten["what"]) if forgotten else _WITHOUT_OPTIONS.get(line)


def _forget(what: str) -> Command | None:
    """Return what to forget; None for an instruction: several words, none of which looks like an ID."""
    ids = tuple(dict.fromkeys(word for word in re.split(r"[\s,`]+|\band\b", what) if word))
    if ids in {("all",), ("everything",)}:
        return Forget()
    if ids and all(map(_MEMORY_ID.fullmatch, ids)):
        return Forget(ids)
    looks_like_ids = len(ids) == 1 or any(map(_LIKE_AN_ID.fullmatch, ids))
    return BadCommand(commanding.forget_what()) if looks_like_ids else None
