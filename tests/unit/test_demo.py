"""The parts of the demo that need no network: its projects, what it reads, what it passes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.settings.environment import load_local_settings
from demo.reading import as_seen, plain, progress
from demo.serving import DemoFailed, serve
from demo.stories import PROJECTS, STORIES
from demo.surroundings import model_name, server_environment
from tests.fakes.github import GitHubServer, GitHubState

CHECKS = ("lint", "style", "generated", "test")
REPAIRS = ("python tools/generate.py", "ruff check --fix .", "ruff format .")


def run(command: str, folder: Path) -> int:
    """Run a shell command with this environment's tools and return its exit status."""
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, check=False
    )
    return done.returncode


@pytest.mark.slow
def test_the_first_project_is_broken_and_its_own_tools_mend_it(tmp_path: Path) -> None:
    """Each of its checks fails; what the project itself configures makes them all pass."""
    project = shutil.copytree(PROJECTS / "measures", tmp_path / "measures")
    assert [run(f"make {check}", project) for check in CHECKS] == [2, 2, 2, 2]
    for repair in REPAIRS:
        run(repair, project)
    assert run("make check", project) == 0


@pytest.mark.slow
async def test_a_server_that_does_not_start_is_explained(tmp_path: Path) -> None:
    """The demo fails with the end of the server's log."""
    with pytest.raises(DemoFailed, match="GITHUB_APP_ID must be a valid integer"):
        async with serve(
            {"PATH": os.environ["PATH"], "GITHUB_APP_ID": "x"}, tmp_path / "server.log"
        ):
            pass


def test_every_story_has_its_project() -> None:
    """A story has the files of a folder of the checkout, and nothing that tools left there."""
    for story in STORIES:
        assert "pyproject.toml" in story.files()
        assert not [path for path in story.files() if "cache" in path]


def test_hidden_parts_stay_hidden() -> None:
    """A person sees neither markers nor what is folded, only that something is."""
    body = "a\n\n<details>\n<summary>More</summary>\n\nlong\n\n</details>\n\n<!-- mark -->\n"
    assert as_seen(body) == "a\n\n▸ More (folded)"


def test_escapes_are_for_markdown_only() -> None:
    """Plain text shows what GitHub would show."""
    assert plain(r"\*a\_b &lt;c> <code>x &#124; y</code>") == "*a_b <c> `x | y`"


def test_progress_is_what_changed() -> None:
    """Steps that are done or in progress are told, steps to come are not."""
    comment = (
        "Working.\n\n- [x] Check out\n- [ ] Set up: in progress\n- [ ] Repair: `x`\n"
        "  - Attempt 1: accepted\n- [ ] Publish\n\n3 s\n\n- a note\n"
    )
    assert list(progress(comment)) == [
        "✓ Check out",
        "… Set up",
        "… Repair: `x`",
        "  Attempt 1: accepted",
        "  a note",
    ]


async def test_the_server_gets_the_model_and_nothing_else_of_the_person(tmp_path: Path) -> None:
    """A Fixpoint that the person has configured for real stays out of the demo."""
    mine = {
        "ANTHROPIC_API_KEY": "key",
        "DATABASE_URL": "postgresql://me@production/fixpoint",
        "E2B_API_KEY": "key",
        "NO_PROXY": "intranet",
        "HOME": "/home/me",
    }
    async with GitHubServer(GitHubState(tmp_path / "github")) as github:
        given = server_environment(mine, github, tmp_path / "data")
        assert given["GITHUB_API_URL"] == github.api_url
    assert (given["ANTHROPIC_API_KEY"], given["HOME"]) == ("key", "/home/me")
    assert given["NO_PROXY"] == "127.0.0.1,localhost,intranet"
    assert not {"DATABASE_URL", "E2B_API_KEY"} & given.keys()


def test_which_model_joins() -> None:
    """The model is named as the server would choose it."""
    chosen = [
        model_name(load_local_settings(environ))
        for environ in (
            {},
            {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_MODEL": "a"},
            {"OPENAI_BASE_URL": "http://localhost/v1", "OPENAI_MODEL": "b"},
            {"OPENAI_MODEL": "without a server"},
        )
    ]
    assert chosen == [None, "a", "b", None]
