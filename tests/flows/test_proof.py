"""Patches that seem to work and are not believed: the stories of the verifier."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.model import Verdict
from tests.flows.world import CONFIG, FILES, WHY, bash, open_world
from tests.flows.world import attempts as script


async def _verdict(
    root: Path, files: dict[str, str | bytes], *steps: str
) -> tuple[Verdict | None, str]:
    """Return how a run ends whose one attempt runs these commands, and what people are told."""
    played = script([*(bash(step) for step in steps), WHY])
    async with open_world(root, played, files=FILES | files) as world:
        await world.comment("/fix --attempts 1")
        await world.settled()
        return (await world.run()).verdict, world.said()[-1]


async def test_a_patch_of_what_the_setup_made_is_not_believed(tmp_path: Path) -> None:
    """It passes on the prepared tree, but nobody could apply it to the commit."""
    setup = CONFIG.replace("'true'", "echo made > made.txt")
    verdict, said = await _verdict(
        tmp_path,
        {".github/fixpoint.yml": setup},
        "echo right > app.txt; echo changed > made.txt",
    )
    assert verdict is Verdict.GAVE_UP
    assert "does not apply to the commit itself" in said


@pytest.mark.exhaustive
async def test_a_patch_that_clashes_with_the_prepared_tree_is_an_attempt(tmp_path: Path) -> None:
    """What a changed ignore file brings to light stands there already; the run goes on."""
    setup = CONFIG.replace("'true'", "mkdir build; echo made > build/out")
    verdict, said = await _verdict(
        tmp_path,
        {".github/fixpoint.yml": setup, ".gitignore": "build/\n"},
        "echo right > app.txt; rm .gitignore",
    )
    assert verdict is Verdict.GAVE_UP
    assert "already exists" in said


async def test_a_file_name_that_the_api_cannot_take_becomes_a_comment(tmp_path: Path) -> None:
    """Names of files are bytes, those of GitHub's API are text: the patch is not lost."""
    verdict, said = await _verdict(
        tmp_path, {"b\udce9d": "old\n"}, "echo right | tee app.txt $(printf 'b\\351d')"
    )
    assert verdict is Verdict.FIXED
    assert "because it is not UTF-8. The patch is posted here instead." in said
