"""Read the `/fix` commands out of a comment.

`bot.intake.command_text` finds them, and the text that belongs to each:

    /fix                                 start a run
    /fix keep the API, --attempts 3      start a run with instructions and options
    /fix help | status | stop            only when that is the whole line
    /fix approve | reject [ID]           the same; the id is of a question
    /fix explain [options]               say what changed since the tests passed, and repair nothing
    /fix flaky [options]                 say which tests are flaky and why, and repair nothing
    /fix retry [options]                 start the last run again, with what follows on other lines
    /fix auto on | off                   switch automatic runs of a pull request
    /fix memory | remember | forget ID   show, keep or forget what is remembered
    /fix remember: TEXT                  keep a lesson

`--` begins an option wherever it begins a word, except inside `code`. Courtesies (`please`) around
a command change nothing. What follows on other lines belongs to `/fix`, `/fix retry` and
`/fix remember:`; behind the other commands it is said to the people of the thread.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType, NoneType

from bot.config.options import BadOption, split_options
from bot.intake.command_text import Block, CommandText, said_behind_commands
from bot.intake.command_word import COMMAND
from bot.model.questions import ID_LENGTH
from bot.model.request import MOST_INSTRUCTIONS, Options
from bot.reporting.reasons import fix_commands

MAX_BODY = 65_536
"""Characters; GitHub takes no longer comment."""


@dataclass(frozen=True, slots=True)
class Fix:
    """Start a run."""

    instructions: str = ""
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class Retry:
    """Start the last run of the thread again; options replace, instructions add to what it had."""

    options: Options = field(default_factory=Options)
    instructions: str = ""


@dataclass(frozen=True, slots=True)
class Explain:
    """Find out what changed since the tests passed, or which of them are flaky, and repair nothing."""

    options: Options = field(default_factory=Options)
    of_flaky: bool = False


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
    rf"(?:\A|[\r\n])(?:[^\S\r\n]|[->*+.)\d])*{COMMAND}", re.IGNORECASE
)
"""Behind nothing but white space and what marks lists."""

Command = (
    Fix
    | Retry
    | Explain
    | Help
    | Status
    | Stop
    | Approve
    | Reject
    | Auto
    | MemoryCommand
    | BadCommand
)


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
    return tuple(map(_command, said_behind_commands(body[:MAX_BODY])))


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


_WITHOUT_OPTIONS: Mapping[str, Command] = MappingProxyType(
    {
        "explain": Explain(),
        "flaky": Explain(of_flaky=True),
        "help": Help(),
        "status": Status(),
        "stop": Stop(),
        "auto on": Auto(on=True),
        "auto off": Auto(on=False),
        "auto": BadCommand(fix_commands.ON_OR_OFF),
        "memory": ShowMemory(),
        "remember": Remember(),
        "forget": BadCommand(fix_commands.FORGET_WHAT),
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


_COURTESIES = (
    *("please", "pls", "plz", "pretty", "kindly", "thanks", "thank", "you", "thx"),
    *("now", "it", "this"),
)
"""Words that change nothing before and behind a command."""
_AROUND_WORDS = ",.!?:;…–—()🙏👍🚀"  # noqa: RUF001 - what people write
_ASKED = (Help, Status, ShowMemory)
"""Commands that may be written as a question; one about another command is answered with the help."""


def _command(said: CommandText) -> Command:
    if (remembered := _REMEMBER.fullmatch(said.paragraph)) is not None:  # which may hold anything
        text = " ".join([remembered["text"], *(block.text for block in said.later)])
        return Remember(" ".join(text.split()))
    if "?" in said.marks:
        return Help()
    try:
        return _whole_line(said.paragraph.lstrip().partition("\n")[0]) or _run(said)
    except BadOption as error:
        return BadCommand(str(error))


def _whole_line(line: str) -> Command | None:
    """Return the command that takes no text, if that is all that the line says."""
    if len(line) > MOST_INSTRUCTIONS:
        return None
    try:
        [rest], options = split_options([line])
    except BadOption:  # perhaps its value goes on in the next line
        return None
    return _without_text(rest, options)


def _without_text(text: str, options: Options) -> Command | None:
    """Return the command that takes no text, if a text says nothing else."""
    asked = _plain(text)
    known = _without_options(asked)
    if isinstance(known, Explain):
        return replace(known, options=options)
    if known is not None and options != Options():
        return BadCommand(fix_commands.no_options(asked))
    is_question = text.endswith("?") and not isinstance(known, (*_ASKED, NoneType))
    return Help() if is_question else known


def _run(said: CommandText) -> Command:
    """Return the command that takes all of the text, and its options from anywhere outside code.

    Raises:
        BadOption: When one can't be read.
    """
    blocks = _blocks(said)
    characters = len("\n\n".join(block.text.strip() for block in blocks))
    if characters > MOST_INSTRUCTIONS:
        return BadCommand(fix_commands.too_long(characters, MOST_INSTRUCTIONS))
    prose, options = split_options([block.text for block in blocks if not block.is_code])
    texts = iter(prose)
    parts = (block.text if block.is_code else next(texts) for block in blocks)
    text = "\n\n".join(part for part in parts if part)
    if (known := _without_text(text, options)) is not None:
        return known
    first, _, more = text.partition("\n")
    is_retry = _plain(first) == "retry"
    instructions = (more if is_retry else text).strip("\n")
    if not _plain(instructions):
        instructions = ""
    return Retry(options, instructions) if is_retry else Fix(instructions, options)


def _blocks(said: CommandText) -> tuple[Block, ...]:
    """Return what a command takes; its own paragraph goes on in the lines below it."""
    if said.later and not said.later[0].is_code:
        first, *others = said.later
        return (Block(f"{said.paragraph}\n{first.text}"), *others)
    return (Block(said.paragraph), *said.later)


def _plain(text: str) -> str:
    """Return words in lower case without the punctuation and the courtesies around them."""
    words = [
        word for each in text.lower().split() if (word := each.strip(_AROUND_WORDS)).strip("-")
    ]
    while words and words[-1] in _COURTESIES:
        words.pop()
    while words and words[0] in _COURTESIES:
        words.pop(0)
    return " ".join(words)


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
    return BadCommand(fix_commands.FORGET_WHAT) if looks_like_ids else None
