"""Files that Git LFS keeps are there where the tests need them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.flows.world import CONFIG, RIGHT, World, attempts, open_world

CHECK = """\
#!/bin/sh
# Fails unless app.txt says what the large file says.
git status --short large.dat
grep -qxf large.dat app.txt && exit 0
echo "FAILED checks.sh::app - app.txt says $(cat app.txt), and $(head -1 large.dat)"
exit 1
"""

FILES: dict[str, str | bytes] = {
    "app.txt": "wrong\n",
    "check.sh": CHECK,
    ".github/fixpoint.yml": CONFIG,
    ".gitattributes": "*.dat filter=lfs diff=lfs merge=lfs -text\n",
}


class Hits:
    """Somebody else's server, which keeps the credentials that it is sent."""

    def __init__(self) -> None:
        self.url = ""
        self.tokens: list[str | None] = []

    async def answer(self, request: web.Request) -> web.Response:
        """Send whoever asks on to a file of this machine."""
        self.tokens.append(request.headers.get("Authorization"))
        raise web.HTTPFound("http://127.0.0.1:1/secret")


@pytest.fixture
async def hits() -> AsyncIterator[Hits]:
    """Serve it on a free port."""
    hits, app = Hits(), web.Application()
    app.add_routes([web.route("*", "/{path:.*}", hits.answer)])
    async with TestServer(app) as server:
        hits.url = str(server.make_url("")).rstrip("/")
        yield hits


async def notes(world: World) -> str:
    """Fix the issue; return what the report says."""
    await world.comment("/fix")
    await world.settled()
    return str((await world.run()).report)


@pytest.mark.slow
async def test_a_file_in_lfs_is_there(tmp_path: Path) -> None:
    """In the sandboxes, and never in a patch; only what `.gitattributes` names is fetched."""
    async with open_world(tmp_path, attempts(RIGHT), files=FILES) as world:
        world.repository.private = True
        pointer = world.state.add_lfs(world.repository, b"right\n")
        other = world.state.add_lfs(world.repository, b"other\n")
        world.state.push(world.repository, "main", {"large.dat": pointer, "other.txt": other})
        said = await notes(world)
        assert world.repaired() == "right\n", world.said()
        assert "LFS" not in said
        assert len(world.state.lfs_asked) == 1
        [pull] = world.pulls()
        assert pull.pull is not None
        assert world.file("large.dat", pull.pull.head_ref) == pointer
        await notes(world)
        assert len(world.state.lfs_asked) == 1  # it is kept beside the mirror


@pytest.mark.exhaustive
async def test_what_is_missing_is_said(tmp_path: Path, hits: Hits) -> None:
    """Objects that GitHub lacks, that are others than their pointers say, and that lie elsewhere."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        state, repository = world.state, world.repository
        pointers = {
            "gone.dat": state.add_lfs(repository, b"gone"),
            "other.dat": state.add_lfs(repository, b"right", stored=b"wrong"),
            "long.dat": state.add_lfs(repository, b"short", stored=b"short" * 10_000),
            "cut.dat": state.add_lfs(repository, b"whole", stored=b"who"),
            "file.dat": state.add_lfs(repository, b"/etc/passwd"),
            "moved.dat": state.add_lfs(repository, b"moved"),
            "huge.dat": state.add_lfs(repository, b"x").replace("size 1", f"size {2**40}"),
        }
        del repository.lfs[_oid(pointers["gone.dat"])]
        repository.lfs[_oid(pointers["file.dat"])] = "file:///etc/passwd"
        repository.lfs[_oid(pointers["moved.dat"])] = f"{hits.url}/moved"
        rules = {".gitattributes": "*.dat filter=lfs\n"}
        state.push(repository, "main", {**pointers, **rules})
        said = await notes(world)
        assert world.repaired() == "right\n", world.said()
        for name in sorted(pointers)[:5]:
            assert name in said
        assert "and 2 more" in said
        assert _oid(pointers["huge.dat"]) not in state.lfs_asked
        assert set(hits.tokens) == {None}
        kept = list((tmp_path / "data").glob("mirrors/acme/app.git/lfs/*"))
        assert kept == []


@pytest.mark.slow
async def test_no_other_lfs_is_asked(tmp_path: Path, hits: Hits) -> None:
    """Whatever `.lfsconfig` says."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        config = f"[lfs]\n\turl = {hits.url}/acme/app.git/info/lfs\n"
        pointer = world.state.add_lfs(world.repository, b"content")
        rules = {".gitattributes": "*.dat filter=lfs\n", ".lfsconfig": config}
        world.state.push(world.repository, "main", {"large.dat": pointer, **rules})
        said = await notes(world)
        assert world.repaired() == "right\n", world.said()
        assert "`.lfsconfig` names another LFS server" in said
        assert (hits.tokens, world.state.lfs_asked) == ([], [])


def _oid(pointer: str) -> str:
    return pointer.partition("sha256:")[2][:64]
