"""Split a shell command into its simple commands, without running or expanding anything."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_SEPARATORS = frozenset({"&&", "||", ";", ";;", "|", "|&", "&", "(", ")", "{", "}", "\n"})
_KEYWORDS = frozenset({"if", "then", "else", "elif", "fi", "do", "done", "!", "time", "exec"})
_SUBSTITUTION = re.compile(r"\$\((?P<inner>[^()]+)\)")
_OPEN_VALUE = re.compile(r"(?:^|\s)[A-Za-z_]\w*=(?:'[^']*|\"[^\"]*)$")
_LONGEST_VALUE = 50
"""Lines; what is longer is no value but a quote that somebody forgot."""

_CONTINUED = re.compile(r"\\\n[ \t]*")


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One program with its arguments.

    Attributes:
        words: Program and arguments, quotes removed.
        assignments: `NAME=value` words before the program.
    """

    words: tuple[str, ...]
    assignments: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return it as a person would type it."""
        quoted = [name_value(word) for word in self.assignments]
        return " ".join([*quoted, joined(self.words)])


def is_assignment(word: str) -> bool:
    """Whether a word gives a variable its value, where it is in front of a program."""
    return _ASSIGNMENT.fullmatch(word) is not None


def joined(words: Iterable[str]) -> str:
    """Return words as a command line; a path in the home folder stays one."""
    return " ".join(
        f"~/{shlex.quote(word[2:])}"
        if word.startswith("~/") and len(word) > len("~/")
        else shlex.quote(word)
        for word in words
    )


def name_value(assignment: str) -> str:
    """Return an assignment quoted for the shell."""
    name, _, value = assignment.partition("=")
    return f"{name}={shlex.quote(value)}"


def within(folder: str, script: str) -> str:
    """Return a script that runs in a folder, "" for where it would run anyway."""
    if not folder:
        return script
    body = script if len(simple_commands(script)) == 1 else f"{{ {script}; }}"
    return f"cd {shlex.quote(folder)} && {body}"


def simple_commands(script: str) -> tuple[SimpleCommand, ...]:
    """Return the simple commands of a script, in order; none when its quotes don't close.

    Redirections are dropped; a command in a substitution comes before the one around it. Control
    flow is not understood: every branch counts as run.
    """
    try:
        lines = list(_lines(_CONTINUED.sub(" ", script)))
    except ValueError:
        return ()
    commands: list[SimpleCommand] = []
    for line in lines:
        words: list[str] = []
        for token in [*line, "\n"]:
            if token in _SEPARATORS:
                commands.extend(_simple(words))
                words = []
            else:
                words.append(token)
    return tuple(commands)


def _lines(script: str) -> Iterator[list[str]]:
    """Yield the words and operators of each line; a variable's value may go over several."""
    pending = list[str]()
    for line in script.split("\n"):
        pending.append(line)
        try:
            words = list(_tokens("\n".join(pending)))
        except ValueError:
            if len(pending) > _LONGEST_VALUE or not _OPEN_VALUE.search(pending[0]):
                raise
            continue
        yield words
        pending.clear()
    if pending:
        raise ValueError(pending[0])


def _tokens(line: str) -> Iterator[str]:
    """Yield words and operators of one line up to its comment, without redirections."""
    if line.lstrip().startswith("#"):
        return  # an apostrophe in it opens nothing
    lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    tokens = list(lexer)
    n = 0
    while n < len(tokens):
        token = tokens[n]
        if token.startswith("#"):
            return
        following = tokens[n + 1] if n + 1 < len(tokens) else ""
        if _redirects(token):
            n += 2
        elif token.isdigit() and _redirects(following):
            n += 1
        else:
            n += 1
            yield token


def _redirects(token: str) -> bool:
    return bool(token) and set(token) <= set("<>&|") and bool(set(token) & set("<>"))


def _simple(words: list[str]) -> Iterator[SimpleCommand]:
    while words and words[0] in _KEYWORDS:
        words = words[1:]
    count = 0
    while count < len(words) and is_assignment(words[count]):
        count += 1
    for word in words[count:]:
        for quoted in _SUBSTITUTION.finditer(word):
            yield from simple_commands(quoted["inner"])
    if words[count:]:
        yield SimpleCommand(tuple(words[count:]), tuple(words[:count]))
