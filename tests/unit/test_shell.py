"""Shell commands and Makefiles, taken apart without being run."""

from __future__ import annotations

import pytest

from bot.ecosystems.commands import makefile
from bot.ecosystems.commands.shell import simple_commands
from bot.ecosystems.invocations import invocations


def no_files(path: str) -> str | None:
    """A work tree without configuration."""
    return dict[str, str]().get(path)


@pytest.mark.parametrize(
    ("script", "commands"),
    [
        ("a b && c || d; e", ["a b", "c", "d", "e"]),
        ("A=1 B='x y' run --it", ["A=1 B='x y' run --it"]),
        ("a > out 2>&1 < in | b", ["a", "b"]),
        ("a \\\n  --long # comment\nb", ["a --long", "b"]),
        ("if a; then b; fi", ["a", "b"]),
        ('echo "a; b"', ["echo 'a; b'"]),
        ('test -z "$(gofmt -l .)"', ["gofmt -l .", "test -z '$(gofmt -l .)'"]),
        ("echo 'open", []),
        ("echo 'open\nfor lines'", []),
        ("A='x,\ny' run it\nmore", ["A='x,\ny' run it", "more"]),
        ("A='open\nrun it", []),
        ("", []),
        ("#only a comment", []),
    ],
)
def test_simple_commands(script: str, commands: list[str]) -> None:
    """Operators separate, redirections and comments go, quotes hold together."""
    assert [str(command) for command in simple_commands(script)] == commands


def test_makefile() -> None:
    """Prerequisites, recipes and variables as make sees them."""
    text = (
        "TOOL ?= python -m\nFLAGS := -q\nFLAGS += -x\n.PHONY: test\n"
        "test: build | dirs\n\t@$(TOOL) pytest ${FLAGS} $(MISSING)\n\t-echo $$HOME\n"
        "build: ; cc a.c\n"
    )
    found = makefile.targets(text)
    assert list(found) == ["test", "build"]
    assert found["test"].needs == ("build", "dirs")
    assert found["test"].recipe == ("python -m pytest -q -x ", "echo $HOME")
    assert found["build"].recipe == ("cc a.c",)


def test_a_makefile_that_calls_itself_ends() -> None:
    """Endless recursion through make or scripts is cut, not followed."""
    files = {"Makefile": "a: b\n\tmake a\nb: a\n\tblack .\n"}

    def read(path: str) -> str | None:
        return files.get(path)

    assert "black" in {step.tool for step in invocations("make a", read)}


def test_prefixes_and_folders_are_kept() -> None:
    """A tool keeps its runner, its folder and its settings when it becomes another command."""
    [step] = invocations("cd web && CI=1 npx --yes prettier -c .", no_files)
    assert (step.tool, step.folder, step.prefix) == ("prettier", "web", ("npx", "--yes"))
    assert step.command("prettier", "--write") == "cd web && CI=1 npx --yes prettier --write"


@pytest.mark.parametrize("program", [".venv/bin/black", "/usr/bin/black", "black"])
def test_a_programs_folder_is_not_its_name(program: str) -> None:
    """`.venv/bin/black` is black, and stays where it is."""
    [step] = invocations(f"{program} .", no_files)
    assert (step.tool, step.command()) == ("black", f"{program} .")
