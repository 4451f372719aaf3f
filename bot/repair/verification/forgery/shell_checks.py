"""Have a check that is a script fail on purpose: by its end, and by what it compares with. Pure.

A check without named tests is a command that fails, and then passes. A program that it calls or
sources can see to that by itself: with a trap, with functions in the place of `exit` or `diff`. So
the check is changed: it ends with a failure, or expects another value. If it passes even so, its
passing says nothing.
"""

from __future__ import annotations

import posixpath
import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.code.syntax import language_of
from bot.repair.harness.driver.variations import vary
from bot.repair.workspace.programs import Trace

MOST_VARIANTS = 6
"""Changed values that are tried, one after the other, until one makes the command fail."""

LEAST = 2
"""Changed values from which it can be said that none does."""

_MOST_FILES = 10
_SHELLS = frozenset({b"sh", b"bash", b"dash", b"ksh", b"zsh"})
_SHELL_NAMES = (".sh", ".bash", ".bats", ".ksh", ".zsh")
_RECIPES = re.compile(r"(?:.*/)?(?:GNUm|M|m)akefile|.*\.mk")
_COMPARING = frozenset({"diff", "cmp", "comm"})
_END = re.compile(rb"^([ \t]*)exit(?:[ \t]+0)?[ \t]*(?:#.*)?$", re.MULTILINE)
_STATUS = 97
_COMPARED = re.compile(
    rb"""(?:\s(?:=|==|-eq)\s+|\bgrep\s+(?:-\w+\s+)*|\b(?:diff|cmp)\s.*?<<<\s*)(?P<value>"[^"$`\\\n]+"|'[^'\n]+'|[\w.:+-]+)"""
)
_SEED = "20"


def check_files(trace: Trace, changed: Collection[str]) -> tuple[str, ...]:
    """Return the files that a command read and a patch doesn't change, programs of other languages aside."""
    found = dict.fromkeys(
        read.path
        for read in trace.reads
        if read.path not in changed and language_of(read.path) is None
    )
    return tuple(found)[: _MOST_FILES * 4]


def failing_ends(files: Mapping[str, bytes], word: str) -> dict[str, bytes]:
    """Return the scripts so that each fails where it would end well, and says a word before.

    Args:
        files: That the command read.
        word: Tells that the end was reached.
    """
    end = b"echo %s; exit %d" % (word.encode(), _STATUS)
    scripts = [path for path, data in files.items() if _is_script(path, data)][:_MOST_FILES]
    return {
        path: _END.sub(lambda found: found[1] + end, files[path]) + b"\n" + end + b"\n"
        for path in scripts
    }


def other_values(files: Mapping[str, bytes], trace: Trace) -> Iterator[tuple[str, bytes]]:
    """Yield files in which one value that the check compares with is another one."""
    compared = _compared_files(trace)
    for path, data in files.items():
        if path in compared:
            yield path, data + b"\nanother line\n"
        elif _is_script(path, data) or _RECIPES.fullmatch(path):
            for found in _COMPARED.finditer(data):
                if other := _other(found["value"].decode("utf-8", "replace")):
                    first, end = found.span("value")
                    yield path, data[:first] + other.encode() + data[end:]


def _is_script(path: str, data: bytes) -> bool:
    if path.endswith(_SHELL_NAMES):
        return True
    first = data.partition(b"\n")[0]
    named = {word.rpartition(b"/")[2] for word in first.removeprefix(b"#!").split()}
    return first.startswith(b"#!") and not named.isdisjoint(_SHELLS)


def _compared_files(trace: Trace) -> set[str]:
    """Return the files that programs which compare files have opened."""
    return {
        read.path
        for read in trace.reads
        if read.by is not None and posixpath.basename(trace.programs[read.by].file) in _COMPARING
    }


def _other(value: str) -> str:
    quote = value[0] if value[0] in "'\"" else ""
    bare = value.strip("'\"")
    chance = random.Random(f"{_SEED}:{value}")  # noqa: S311 - no secret hangs on it
    if re.fullmatch(r"-?\d+", bare):
        return f"{quote}{int(bare) + 1 + chance.randrange(9)}{quote}"
    other = vary(bare, chance)
    special = {"'": "'\n", '"': '"$`\\\n'}.get(quote)
    if special is not None and other != bare and not set(special) & set(other):
        return f"{quote}{other}{quote}"
    return f"{quote}{bare}x{quote}"


def spread(variants: Sequence[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Return some of the variants, from all over the files; the last ones too."""
    step = max(1, -(-len(variants) // MOST_VARIANTS))
    return list(variants[::-1][::step])[:MOST_VARIANTS]
