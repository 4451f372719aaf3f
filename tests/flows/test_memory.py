"""What was tried before is remembered: merged repairs are tried again for nothing, others are shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import aiohttp
import pytest

from bot.model import Patch
from bot.model.memory import Became, FailureSignature, MemoryLimits, TriedRepair
from bot.model.memory_sharing import Sharing, SharingScope
from bot.model.repository import Repo
from bot.model.seen_tests import SeenResult
from bot.storage.memory import MemoryStore
from bot.storage.seen_tests import SeenTestStore
from tests.fakes.github import Issue
from tests.fakes.model import Say, Step
from tests.flows.world import CONFIG, RIGHT, World, attempts, edit, open_world

ADMIN = "a-token-of-an-administrator"
CONFIGURED = {".github/fixpoint.yml": CONFIG}


APP = "the shop in the north\nopens at seven\nwrong\nsells bread and milk\n"
SHOPS: dict[str, str | bytes] = {
    "app.txt": APP,
    "check.sh": """\
for file in *.txt; do
    grep -qx right $file && continue
    echo "FAILED checks.sh::${file%.txt} - $file says wrong"
    exit 1
done
""",
    **CONFIGURED,
}


async def asked(world: World, issue: Issue | None = None) -> Issue:
    """Somebody asks for a repair; return the pull request with it."""
    await world.comment("/fix", issue=issue)
    await world.settled()
    return world.pulls()[0]


async def merge(world: World, pull: Issue) -> None:
    """Somebody merges a pull request, and GitHub delivers it."""
    await world.deliver(world.github.merged(pull, "ada"))
    await world.settled()


def break_again(world: World, message: str = "Break it") -> None:
    """Somebody brings the fault back, and changes more."""
    world.state.push(world.repository, "main", {"app.txt": APP, "notes": "x\n"}, message=message)


async def outcomes(world: World) -> list[Became]:
    return [repair.became for repair in await MemoryStore(world.server.database).list(world.repo)]


@pytest.mark.slow
async def test_what_was_merged_is_used_again_for_nothing(tmp_path: Path) -> None:
    """Until it is reverted, or forgotten; a reviewer's lesson is kept once it is confirmed."""
    script, environ = attempts(RIGHT), {"FIXPOINT_ADMIN_TOKEN": ADMIN}
    async with open_world(tmp_path, script, files=SHOPS, environ=environ) as world:
        first = await asked(world)
        assert await outcomes(world) == [Became.VERIFIED]
        await review(world, first)
        await merge(world, first)
        assert await outcomes(world) == [Became.MERGED]
        assert world.file("app.txt", "main") == APP.replace("wrong", "right")

        break_again(world)
        assert world.model is not None
        before = len(world.model.requests)
        second = await asked(world, world.state.open_issue(world.repository, "rea", "Again", "."))
        assert len(world.model.requests) == before
        run = await world.run()
        assert run.report is not None
        [attempt] = run.report.attempts
        assert (attempt.proposer, run.tokens) == ("memory", 0)
        assert run.cost_usd == Decimal(0)
        assert f"merged in #{first.number}" in attempt.proposal.summary
        assert f"merged in `#{first.number}`" in (second.body or "")
        [_, entry] = await MemoryStore(world.server.database).list(world.repo)
        assert entry.became is Became.MERGED

        await merge(world, second)
        await copy_it(world, second)
        assert second.pull is not None
        revert = f"Revert it\n\nThis reverts commit {second.pull.merge_commit}."
        break_again(world, revert)
        await world.deliver(world.github.pushed(world.repository, "main", "ada"))
        await world.settled()
        assert await outcomes(world) == [Became.VERIFIED, Became.REVERTED, Became.MERGED]

        store = MemoryStore(world.server.database)
        assert await store.same(world.repo, entry.signature) == ()

        await look(world)
        await forget_some(world, entry.id)
        await world.comment("/fix forget all", issue=second)
        await world.settled()
        assert "Forgotten: 1 lesson and 2 attempts." in world.said(second)[-1]
        assert await outcomes(world) == []


async def copy_it(world: World, merged: Issue) -> None:
    """Somebody copies what was wrong, with other names: that is mended for nothing, too."""
    copied = {"south.txt": APP.replace("north", "south").replace("shop", "market")}
    world.state.push(world.repository, "main", copied)
    assert world.model is not None
    before = len(world.model.requests)
    pull = await asked(world, world.state.open_issue(world.repository, "rea", "South", "."))
    assert len(world.model.requests) == before
    assert pull.pull is not None
    assert world.file("south.txt", pull.pull.head_ref) == copied["south.txt"].replace(
        "wrong", "right"
    )
    run = await world.run()
    assert run.report is not None
    [attempt] = run.report.attempts
    assert attempt.proposal.summary == (
        f"A failure that reads the same was fixed before, by run `{(await newest_merged(world))}` "
        f"(merged in #{merged.number}). The same change was made in `south.txt`, "
        "with `south` for `north` and `market` for `shop`."
    )


async def newest_merged(world: World) -> str:
    found = await MemoryStore(world.server.database).settled(world.repo)
    return found[0].run_id


async def look(world: World) -> None:
    """Programs see what became of both repairs, who confirmed the lesson, and how tests ended."""
    headers = {"Authorization": f"Bearer {ADMIN}"}
    red = SeenResult(
        "t::b", "a" * 40, "b", 7, "test", failed=True, message="<b>", seen_at=datetime.now(UTC)
    )
    green = replace(red, commit="b" * 40, failed=False, message="")
    await SeenTestStore(world.server.database).keep(world.repo, [red, green])
    async with aiohttp.ClientSession(str(world.web.make_url("/")), headers=headers) as web:
        async with web.get("/api/v1/memory?repository=acme/app") as answer:
            told = await answer.json()
        async with web.get("/api/v1/memory?repository=acme/other") as answer:
            assert answer.status == 404
        async with web.get("/api/v1/repositories") as answer:
            [figures] = (await answer.json())["repositories"]
        async with web.get("/metrics") as answer:
            metrics = await answer.text()
        async with web.get("/repositories/acme/app/memory") as answer:
            page = await answer.text()
    assert [(test["test"], sorted(test["commits"])) for test in told["tests"]] == [
        ("t::b", [False, True])
    ]
    assert "t::b" in page
    assert "1 of 2" in page
    assert [text["outcome"] for text in told["attempts"]] == ["verified", "reverted", "merged"]
    assert [text["confirmed_by"] for text in told["lessons"]] == ["ada"]
    kinds = ("fixed", "merged", "closed", "reverted")
    assert [figures[kind] for kind in kinds] == [3, 1, 0, 1]
    assert 'fixpoint_fixes{outcome="reverted"} 1.0' in metrics


async def forget_some(world: World, entry_id: str) -> None:
    """A program forgets an attempt; what isn't there, or isn't named, is an error."""
    headers = {"Authorization": f"Bearer {ADMIN}"}
    async with aiohttp.ClientSession(str(world.web.make_url("/")), headers=headers) as web:
        path = "/api/v1/memory?repository=acme/app"
        for named, status in (("", 422), ("&id=none", 404), (f"&id={entry_id}", 200)):
            async with web.delete(path + named) as answer:
                assert answer.status == status
                told = await answer.json()
        assert told == {"lessons": 0, "attempts": 1, "tests": 0}
        async with web.delete("/api/v1/memory?repository=acme/other&id=all") as answer:
            assert answer.status == 404


async def review(world: World, pull: Issue) -> None:
    """A reviewer says what holds in general; a stranger does too; somebody who may confirms the one."""
    said = world.github.review_comment(pull, "wes", "We use lower case here, always.")
    await world.deliver(said)
    await world.deliver(world.github.review_comment(pull, "rea", "We never merge on Fridays here."))
    await world.deliver(world.github.review(pull, "ada", "Looks good."))
    await world.settled()
    [question] = [text for text in world.said(pull) if "Should Fixpoint remember" in text]
    assert "We use lower case here, always. Said by `wes` ([source](" in question
    assert "Fridays" not in question
    answer = world.github.review_comment(
        pull, "ada", "/fix remember", said.payload["comment"]["id"]
    )
    await world.deliver(answer)
    await world.settled()
    assert "Remembered for later runs" in world.said(pull)[-1]
    await world.comment("/fix memory", issue=pull)
    await world.settled()
    shown = world.said(pull)[-1]
    assert ": We use lower case here, always." in shown
    assert "**Attempts:** 1 verified" in shown


CHECKS = """\
#!/bin/sh
# Fails unless app.txt says right, and extra.txt too where it is there.
grep -qx right app.txt || { echo "FAILED checks.sh::app - app.txt is wrong"; exit 1; }
[ ! -e extra.txt ] || grep -qx right extra.txt || { echo "FAILED checks.sh::extra - wrong"; exit 1; }
"""


@pytest.mark.exhaustive
async def test_requested_changes_are_made_on_the_same_branch(tmp_path: Path) -> None:
    """Once per review, by those who may ask; a review by anybody else starts nothing.

    Each thread is answered once, and resolved if the commit changes the file that it is about.
    """
    files = {"app.txt": "right\n", "extra.txt": "wrong\n", "check.sh": CHECKS, **CONFIGURED}
    again: list[Step] = [edit("wrong", "right", "extra.txt"), Say("It says right.")]
    shared = {"FIXPOINT_SHARED_MEMORY": "public"}
    async with open_world(tmp_path, attempts(again), files=files, environ=shared) as world:
        world.state.push(world.repository, "fixpoint/1-x", {"app.txt": "right\n", "new.txt": "x\n"})
        pull = world.state.open_pull_request(
            world.repository, world.state.app.bot, "Say right", head="fixpoint/1-x"
        )
        before = world.head("fixpoint/1-x")
        await world.comment("/fix remember: We write lower case.", issue=pull)
        await remember_something_like_it(world)
        wants = ("changes_requested", ("extra.txt", "This is wrong too."), "And here?")
        await world.deliver(world.github.review(pull, "rea", "", *wants))
        await world.settled()
        assert await world.server.runs.list() == ()
        asked = world.github.review(pull, "wes", "", *wants)
        for _ in range(2):
            await world.deliver(asked)
            await world.settled()
        assert len(await world.server.runs.list()) == 1
        run = await world.run()
        assert run.request.instructions == "extra.txt:1: This is wrong too.\n\nnew.txt:1: And here?"
        assert world.pulls() == [pull]
        assert world.file("extra.txt", "fixpoint/1-x") == "right\n"
        assert world.repository.git.resolve("fixpoint/1-x^") == before
        assert any("Fixed" in text for text in world.said(pull))
        assert pull.pull is not None
        said = [[comment["body"] for comment in thread.comments] for thread in pull.pull.threads]
        commit = world.head("fixpoint/1-x")
        assert said[:2] == [["This is wrong too."], ["And here?"]]  # a stranger's
        assert [len(item) for item in said[2:]] == [2, 2]
        assert f"/commit/{commit}.\n\n> It says right." in said[2][1]
        assert "doesn't change this file, so the thread stays open." in said[3][1]
        assert [review_thread.resolved for review_thread in pull.pull.threads] == [
            False,
            False,
            True,
            False,
        ]

        assert world.model is not None
        prompt = world.model.requests[0].first
        assert "We write lower case." in prompt
        assert "## Run 3fa9c1d20b7e: closed in #7 without being merged" in prompt
        assert "## Run lib in zoo/lib: closed in zoo/lib#7 without being merged" in prompt
        assert prompt.count("## Run ") == 2
        assert run.report is not None
        notes = [note for note in run.report.notes if note.startswith("Shown to the model")]
        assert len(notes) == 2


async def remember_something_like_it(world: World) -> None:
    """An earlier run worked on a failure like it; others did elsewhere, and share that.

    But for another installation that shares nothing, and for a repository that is private by now.
    """
    signature = FailureSignature("extra.txt is not right", "", (), "sh check.sh", "sh")
    entry = TriedRepair(
        "3fa9c1d20b7e-1", "3fa9c1d20b7e", signature, "agent", "", Patch(b"+x\n", ("x",), 1, 0), (),
        Became.CLOSED, datetime.now(UTC), pull_request=7,
    )  # fmt: skip
    store = MemoryStore(world.server.database)
    await store.keep(world.repo, [entry], MemoryLimits())
    other = Repo(world.repo.full_name, world.repo.installation_id + 1)
    await store.keep(other, [replace(entry, id="0-1", run_id="0")], MemoryLimits())
    elsewhere = world.state.install("zoo").id
    for name in ("lib", "secret"):
        world.state.add_repository(f"zoo/{name}", {"a": ""}, private=name == "secret")
        repair = replace(entry, id=f"{name}-1", run_id=name)
        shares = MemoryStore(world.server.database, sharing=Sharing.PUBLIC)
        await shares.keep(
            Repo(f"zoo/{name}", elsewhere), [repair], MemoryLimits(), SharingScope.PUBLIC
        )
