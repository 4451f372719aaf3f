"""The bash that runs in a job's sandbox: each file of it is read without complaint."""

from __future__ import annotations

import subprocess
from importlib.resources import files

import pytest

from bot.ci.workflow.inside import source
from bot.ci.workflow.runner import runner_shell
from bot.ci.workflow.runner.remote import Remote
from bot.ci.workflow.runner.shims import shims


@pytest.mark.parametrize("name", sorted(shims()))
def test_programs_are_bash(name: str) -> None:
    """A stand-in for a program has no syntax error, whatever was put in its place holders."""
    body = shims()[name]
    assert "@INSTALLERS@" not in body
    subprocess.run(("bash", "-n"), input=body.encode(), check=True)


def test_what_every_step_begins_with_is_bash() -> None:
    """The functions and the beginning of a step, as they are written into a sandbox."""
    origin = Remote("acme/app", ("main",), unshallow=False)
    text = runner_shell.initialise({"A": "b"}, {}, "{}", python="3.12", origin=origin)
    subprocess.run(("bash", "-n"), input=text.encode(), check=True)


def test_a_value_that_no_file_names_is_an_error() -> None:
    """A place holder that was renamed does not stay in the text unseen."""
    with pytest.raises(KeyError):
        source("step.sh", NOTHING="x")


def test_every_program_has_a_file() -> None:
    """No file is left over that no step gets."""
    folder = files("bot.ci.workflow.inside") / "programs"
    assert {f"{name}.sh" for name in shims()} == {entry.name for entry in folder.iterdir()}
