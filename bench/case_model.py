"""A model that is wrong at first and then submits the project's own repair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path

from bench.case import Case, fixed_text, real_fix
from tests.fakes.model import Call, Request, Say, Step

_EDIT = "str_replace_based_edit_tool"
_WRITTEN_WHOLE = 20_000
"""Characters up to which a repaired file is written with the editor; longer ones are patched."""


class Mistake(Enum):
    """What the first attempt does wrong."""

    HARMLESS = "adds a comment"
    BREAKS_SYNTAX = "breaks the syntax"
    DELETES_TESTS = "deletes the failing tests"


def mistake_of(number: int) -> Mistake:
    """Return the mistake of the case of that number: they take turns."""
    return list(Mistake)[number % len(Mistake)]


def script(case: Case, folder: Path, mistake: Mistake) -> Callable[[Request], Step]:
    """Return what the model does: the mistake in the first conversation, the repair in the next.

    A conversation is known by its opening, so a request that is sent again gets the same answer.
    """
    conversations = (wrong(case, mistake), right(case, folder))
    begun: list[str] = []

    def play(request: Request) -> Step:
        if request.first not in begun:
            begun.append(request.first)
        steps = conversations[min(begun.index(request.first), 1)]
        return steps[min(request.turn, len(steps)) - 1]

    return play


def wrong(case: Case, mistake: Mistake) -> Sequence[Step]:
    """Return a conversation that submits a mistake."""
    file = case.source_files[0]
    match mistake:
        case Mistake.HARMLESS:
            act = _insert(file, "# This module is worth a second look.\n")
        case Mistake.BREAKS_SYNTAX:
            act = _insert(file, "def repaired(:\n")
        case Mistake.DELETES_TESTS:
            act = Call("bash", {"command": f"rm {' '.join(case.test_files)}"})
    return act, Say("That should do it.")


def _insert(file: str, text: str) -> Call:
    given = {"command": "insert", "path": file, "insert_line": 0, "insert_text": text}
    return Call(_EDIT, given)


def right(case: Case, folder: Path) -> Sequence[Step]:
    """Return a conversation that submits the repair of the project itself."""
    texts = {file: fixed_text(case, folder, file) for file in case.source_files}
    if max(map(len, texts.values())) <= _WRITTEN_WHOLE:
        acts = [
            Call(_EDIT, {"command": "create", "path": file, "file_text": text})
            for file, text in texts.items()
        ]
    else:
        patch = real_fix(case, folder)
        acts = [Call("bash", {"command": f"git apply - <<'END_OF_PATCH'\n{patch}END_OF_PATCH\n"})]
    return tuple(acts), Call("run_tests"), Say("The repair of the project itself.")
