"""Submodules are fetched under the rules of the repository itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.reporting.json_report import FixOutput
from bot.reporting.reasons import reproduction
from tests.fakes.github import Repository
from tests.flows.command_line import open_desk
from tests.flows.world import CONFIG, RIGHT, World, attempts, open_world

CHECK = """\
#!/bin/sh
# Fails unless app.txt says what the library in vendor/lib says.
[ "$(cat vendor/lib/word vendor/lib/deep/word)" = "right
more" ] && git submodule update --init --recursive && grep -qxf vendor/lib/word app.txt && exit 0
echo "FAILED checks.sh::app - app.txt says $(cat app.txt), the library $(cat vendor/lib/word)"
exit 1
"""

FILES: dict[str, str | bytes] = {
    "app.txt": "wrong\n",
    "check.sh": CHECK,
    ".github/fixpoint.yml": CONFIG,
}


def modules(**addresses: str) -> dict[str, str | bytes | None]:
    """Return a `.gitmodules` with submodules in `vendor`."""
    parts = (
        f'[submodule "{name}"]\n\tpath = vendor/{name}\n\turl = {address}\n'
        for name, address in addresses.items()
    )
    return {".gitmodules": "".join(parts)}


def library(
    world: World, full_name: str, word: str, *, private: bool = True
) -> tuple[Repository, str]:
    """Make a repository to be a submodule; return its commit, too."""
    made = world.state.add_repository(full_name, {"word": f"{word}\n"}, private=private)
    return made, made.git.resolve("main") or ""


@pytest.mark.exhaustive
async def test_a_private_submodule_of_the_same_owner_is_there(tmp_path: Path) -> None:
    """With those below it, and a remote that git inside the sandbox need not ask."""
    async with open_world(tmp_path, attempts(RIGHT), files=FILES) as world:
        lib, _ = library(world, "acme/lib", "right")
        _, more = library(world, "other/more", "more", private=False)
        deep = world.state.push(
            lib, "main", {".gitmodules": '[submodule "d"]\npath = deep\nurl = ../../other/more\n'}
        )
        deep = world.state.link(lib, "main", {"deep": more})
        world.state.push(world.state.repositories["other/more"], "main", {"unrelated": "x\n"})
        world.state.push(world.repository, "main", modules(lib="../lib.git"))
        world.state.link(world.repository, "main", {"vendor/lib": deep})
        await world.comment("/fix")
        await world.settled()
        assert world.repaired() == "right\n", world.said()
        assert not any("is empty" in text for text in world.said())
        tokens = [item for item in world.state.tokens.values() if not item.revoked]
        names = {repository.name for token in tokens for repository in token.repositories or ()}
    assert "lib" not in names


@pytest.mark.exhaustive
async def test_addresses_lead_nowhere_else(tmp_path: Path) -> None:
    """Each submodule that is not fetched is named, with the reason."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        run = tmp_path / "run"
        hostile = modules(
            other="https://example.org/acme/lib.git",
            command=f"ext::sh -c 'touch {run}'",
            option=f"--upload-pack=touch {run}",
            out="../../../../etc",
            private="../../strange/secret",
            gone="../gone",
        )
        secret, commit = library(world, "strange/secret", "secret")
        names = ("other", "command", "option", "out", "private", "gone", "nowhere")
        world.state.push(world.repository, "main", hostile)
        world.state.link(world.repository, "main", {f"vendor/{name}": commit for name in names})
        await world.comment("/fix")
        await world.settled()
        assert world.repaired() == "right\n", world.said()
        assert not run.exists()
        [pull] = world.pulls()
        said = "\n".join((*world.said(), world.level(pull.body or "")))
        for name in names:
            assert f"`vendor/{name}` is empty" in said
        assert secret.private
        assert not list((tmp_path / "data").glob("mirrors/strange/*/objects/pack/*"))


@pytest.mark.slow
async def test_a_fork_reads_no_private_submodule(tmp_path: Path) -> None:
    """Nor does a branch, unless the base branch names it too."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        _, commit = library(world, "acme/secret", "secret")
        fork = world.state.fork(world.repository, "eve")
        for repository, branch in ((fork, "main"), (world.repository, "theft")):
            world.state.push(repository, branch, modules(secret="../../acme/secret"))
            world.state.link(repository, branch, {"vendor/secret": commit})
            pull = world.state.open_pull_request(
                world.repository, "eve", "Innocent", head=branch, head_repo=repository
            )
            await world.comment("/fix", issue=pull)
            await world.settled()
            said = str((await world.run()).report)
            assert "`vendor/secret` is empty: `acme/secret` can't be read" in said
        assert not list((tmp_path / "data").glob("mirrors/acme/secret*/objects/pack/*"))


async def test_what_is_out_of_reach_is_no_failure(tmp_path: Path) -> None:
    """Tests that read a submodule which can't be fetched show nothing, and cost nothing."""
    files = {
        ".gitmodules": modules(data="https://example.invalid/acme/data.git")[".gitmodules"] or "",
        "Makefile": "test:\n\tcat vendor/data/word\n",
    }
    async with open_desk(tmp_path, attempts([]), files=files) as desk:
        output = FixOutput.model_validate_json((await desk.fix("--json")).out)
        assert (output.verdict, output.tokens) == ("infrastructure", 0)
        assert output.reason == reproduction.lacks("make test", "submodule vendor/data")
