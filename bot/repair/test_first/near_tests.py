"""Choose the tests of a project that new ones should look like. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from bot.code.syntax import language_of
from bot.repair.goal.issue_words import IssueWords
from bot.repair.guards import is_test_file

MOST_READ = 80
"""Test files that are read to choose from."""

_SHOWN = 2
_LINES = 80
_LONGEST = 200_000
_PART = re.compile(r"[a-z]{3,}")
_NO_WORDS = frozenset({"test", "tests", "spec", "specs", "testing", "unit", "src", "lib"})


def candidates(paths: Sequence[str], words: IssueWords) -> tuple[str, ...]:
    """Return the test programs that are worth reading, those first whose paths say most.

    Args:
        paths: Of the work tree.
        words: Of the problem.
    """
    named = _parts(" ".join((*words.identifiers, *words.words)))
    tests = [path for path in paths if is_test_file(path) and _is_program(path)]
    ranked = sorted(tests, key=lambda path: (-len(_parts(path) & named), len(path), path))
    return tuple(ranked[:MOST_READ])


def nearest(files: Mapping[str, bytes], words: IssueWords) -> dict[str, str]:
    """Return the beginnings of the files that name most of what the problem names, by path.

    Args:
        files: In the order in which their paths recommend them.
        words: Of the problem.
    """
    ranked = []
    for place, (path, data) in enumerate(files.items()):
        if not data.strip() or len(data) > _LONGEST:
            continue
        text = data.decode("utf-8", "replace")
        names = sum(name in text for name in words.identifiers)
        ranked.append((-names, place, path, text))
    return {path: _beginning(text) for _, _, path, text in sorted(ranked)[:_SHOWN]}


def _beginning(text: str) -> str:
    return "\n".join(text.splitlines()[:_LINES])


def _parts(text: str) -> frozenset[str]:
    return frozenset(_PART.findall(text.lower())) - _NO_WORDS


def _is_program(path: str) -> bool:
    named = PurePosixPath(path).name not in {"conftest.py", "__init__.py"}
    return named and language_of(path) is not None
