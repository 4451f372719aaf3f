"""A real bug fix of a public project: the commit before it, with the tests that the fix brought."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_INSTALLS = re.compile(r"(?:uv )?pip install .*")
_WORK_DIRECTORY = re.compile(r"-e w\b")


@dataclass(frozen=True, slots=True)
class Case:
    """One entry of the file of cases.

    Attributes:
        id: Unique.
        repo: `owner/name` on GitHub.
        parent: The commit that has the bug.
        fix_commit: The project's own repair.
        source_files: What the repair changes, tests aside.
        test_files: Tests of the repair; they fail on the parent.
        setup: Commands that install the project and what its tests need.
        test_command: Runs `test_files`.
        fail_to_pass: Ids of the tests that the repair turns green.
    """

    id: str
    repo: str
    parent: str
    fix_commit: str
    source_files: tuple[str, ...]
    test_files: tuple[str, ...]
    setup: tuple[str, ...]
    test_command: str
    fail_to_pass: frozenset[str]

    @property
    def options(self) -> tuple[str, ...]:
        """How it is set up and tested, as options of `fixpoint fix`."""
        setup = (word for command in self.setup for word in ("--setup", command))
        return "--test", self.test_command, *setup

    def mirror(self, mirrors: Path) -> Path:
        """Return the project's clone below `mirrors`."""
        return mirror_of(self.repo, mirrors)


def mirror_of(repo: str, mirrors: Path) -> Path:
    """Return a project's clone below `mirrors`: `owner+name`, or a clone called `repo` in it."""
    folder = mirrors / repo.replace("/", "+")
    return folder / "repo" if (folder / "repo").is_dir() else folder


def load_cases(file: Path) -> list[Case]:
    """Return the cases of a file, in its order."""
    return [
        Case(
            id=entry["id"],
            repo=entry["repo"],
            parent=entry["parent"],
            fix_commit=entry["fix_commit"],
            source_files=tuple(entry["source_files"]),
            test_files=tuple(entry["test_files"]),
            setup=tuple(_setup(entry["recipe"])),
            test_command=entry["test_command"],
            fail_to_pass=frozenset(entry["fail_to_pass"]),
        )
        for entry in json.loads(file.read_text("utf-8"))
    ]


def _setup(recipe: list[str]) -> list[str]:
    """Return the recipe's installations, as they are run inside the work tree `w`."""
    found = [line for line in recipe if _INSTALLS.fullmatch(line)]
    return [" ".join(_WORK_DIRECTORY.sub("-e .", line).split()) for line in found]


def check_out(case: Case, mirrors: Path, folder: Path) -> Path:
    """Make `folder` a work tree with the bug and with the tests that show it; return it.

    Raises:
        subprocess.CalledProcessError: When the clone lacks one of the commits.
    """
    mirror = case.mirror(mirrors)
    run_git(folder.parent, "clone", "--quiet", str(mirror), str(folder))
    run_git(folder, "checkout", "--quiet", case.parent)
    run_git(folder, "checkout", "--quiet", case.fix_commit, "--", *case.test_files)
    return folder


def installed(setup: Sequence[str], tree: Path, scratch: Path) -> dict[str, str]:
    """Return the variables of an environment that has a project, where a sandbox has it.

    Args:
        setup: The commands that install it, with `~` for `scratch`.
        tree: The project.
        scratch: Gets a `.venv`.

    Raises:
        subprocess.CalledProcessError: When a command fails.
    """
    place = scratch / ".venv"
    subprocess.run((sys.executable, "-m", "venv", str(place)), check=True)
    paths = (str(place / "bin"), os.environ["PATH"], str(Path(sys.executable).parent))
    variables = {**os.environ, "HOME": str(scratch), "PATH": os.pathsep.join(paths)}
    variables.pop("PYTHONPATH", None)
    for command in setup:
        subprocess.run(
            command, shell=True, cwd=tree, env=variables, check=True, capture_output=True
        )
    return variables


def real_fix(case: Case, folder: Path) -> str:
    """Return the project's own repair as a diff, without its tests, texts and other files."""
    between = (case.parent, case.fix_commit)
    return run_git(folder, "diff", "--binary", "--full-index", *between, "--", *case.source_files)


def fixed_text(case: Case, folder: Path, file: str) -> str:
    """Return a source file as the project's own repair left it."""
    return run_git(folder, "show", f"{case.fix_commit}:{file}")


def work_tree(
    repo: str, commit: str, mirrors: Path, folder: Path, added: Mapping[str, str]
) -> None:
    """Make a folder a work tree of a commit, and commit files to it on the same day.

    Args:
        repo: As owner and name.
        commit: Of it.
        mirrors: Where clones are.
        folder: Not there yet.
        added: Texts by path, such as the interpreter that is asked for.

    Raises:
        subprocess.CalledProcessError: When the clone lacks the commit.
    """
    mirror = mirror_of(repo, mirrors)
    run_git(folder.parent, "clone", "--quiet", "--no-checkout", str(mirror), str(folder))
    run_git(folder, "checkout", "--quiet", commit)
    for path, text in added.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    run_git(folder, "add", "--all")  # without files that the clone lacks because they are large
    run_git(folder, "add", "--force", *added)
    message = ("commit", "--quiet", "--allow-empty", "--message", "what the case asks for")
    run_git(folder, *_AUTHOR, *message, as_of=commit)


_AUTHOR = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")


def run_git(
    folder: Path, *arguments: str, stdin: str | None = None, as_of: str | None = None
) -> str:
    """Return what a git command in `folder` prints.

    A commit that it makes has the date of the commit `as_of`.
    """
    dated = {}
    if as_of is not None:
        date = run_git(folder, "show", "--no-patch", "--format=%cI", as_of).strip()
        dated = {
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
            "GIT_COMMITTER_DATE": date,
        }
    done = subprocess.run(
        ("git", *arguments),
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        input=stdin,
        env={**os.environ, **dated},
    )
    return done.stdout
