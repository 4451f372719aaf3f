"""The work that is measured: a repository of three files, and a model that takes 51 turns to fix it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.fakes.model import Call, Request, Say, Step

TURNS = 51
"""Fifty commands and a last word: the length of a usual repair."""

MODEL = "scripted"

FAILING = "sh check.sh"

FILES = {
    "app.txt": "wrong\n",
    "check.sh": "grep -qx right app.txt && exit 0\necho 'FAILED check.sh::app'\nexit 1\n",
    ".github/fixpoint.yml": f"setup: 'true'\ntest: {FAILING}\n",
}
"""Set up by `true` and tested by one `grep`: what is left is the harness."""

TASK = "app.txt says wrong; make it say right."
_FIX = "echo right > app.txt"
_SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def make_repository(folder: Path) -> Path:
    """Write the files to `folder` and commit them."""
    return committed(folder, FILES)


def committed(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files to `folder`, commit them, and return it."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    for arguments in (("init", "--quiet"), ("add", "."), (*who, "commit", "--quiet", "-m", "all")):
        subprocess.run(("git", *arguments), cwd=folder, check=True)
    return folder


def script(request: Request) -> Step:
    """Say what the model says on this turn: commands that differ, the repair, the end."""
    if request.turn < TURNS - 1:
        return Call("bash", {"command": f"echo {request.turn}"})
    if request.turn == TURNS - 1:
        return Call("bash", {"command": _FIX})
    if request.tools == ("bash",):  # the peer ends with a command
        return Call("bash", {"command": _SUBMIT})
    return Say("The file said wrong. It says right now.")
