"""Several prompts on one branch, each of which goes on from the last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.flows.world import CHECK, CONFIG, FIX, WHY, attempts, edit, open_world

FILES: dict[str, str | bytes] = {
    "app.txt": "wrong\n",
    "more.txt": "wrong\n",
    "check.sh": CHECK,
    "more.sh": CHECK.replace("app.txt", "more.txt").replace("::app", "::more"),
    ".github/fixpoint.yml": CONFIG,
}
LOCAL = {"HOST": "127.0.0.1"}
MORE = edit("wrong", "right", "more.txt")


@pytest.mark.slow
async def test_each_prompt_goes_on_from_the_last(tmp_path: Path) -> None:
    """One branch, one pull request, a commit for each prompt."""
    script = attempts([FIX, WHY], [MORE, WHY])
    async with (
        open_world(tmp_path, script, files=FILES, environ=LOCAL) as world,
        aiohttp.ClientSession(str(world.web.make_url("/"))) as web,
    ):

        async def post(path: str, body: Any, status: int, **headers: str) -> Any:
            async with web.post(path, json=body, headers=headers) as answer:
                assert answer.status == status, await answer.text()
                return await answer.json()

        created = await post("/api/v1/sessions", {"repository": "acme/app", "title": "Two"}, 201)
        prompts = f"{created['url']}/prompts"
        first = {"prompt": "It says wrong."}
        one = await post(prompts, first, 202, **{"Idempotency-Key": "1"})
        again = await post(prompts, first, 202, **{"Idempotency-Key": "1"})
        assert again == one
        second = {"prompt": "More is wrong, too.", "test": "sh more.sh"}
        if await world.server.runs.active():
            refused = await post(prompts, second, 409)
            assert "hasn't ended yet" in refused["detail"]
        await world.settled()
        [pull] = world.pulls()
        assert pull.pull is not None
        branch = pull.pull.head_ref
        commit = world.head(branch)
        two = await post(prompts, second, 202)
        await world.settled()
        async with web.get(created["url"]) as answer:
            session = await answer.json()
        assert [run["id"] for run in session["runs"]] == [one["id"], two["id"]]
        assert [run["verdict"] for run in session["runs"]] == ["fixed", "fixed"]
        assert [run["session"] for run in session["runs"]] == [created["id"]] * 2
        assert session["pull_request_url"].endswith(f"/pull/{pull.number}")
        assert session["runs"][1]["head"] == commit
        assert world.pulls() == [pull]
        git = world.repository.git
        assert git.resolve(f"{branch}^") == commit
        assert (world.file("app.txt", branch), world.file("more.txt", branch)) == (
            "right\n", "right\n",
        )  # fmt: skip
        assert session["runs"][1]["pull_request_url"].endswith(world.head(branch))
        pull.state = "closed"
        closed = await post(prompts, first, 409)
        assert "closed or merged" in closed["detail"]
        async with web.get("/api/v1/sessions?limit=1") as answer:
            page = await answer.json()
            assert 'rel="first"' in answer.headers["Link"]
        assert (page["sessions"], page["total"], page["next"]) == ([session], 1, None)
