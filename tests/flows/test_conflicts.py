"""A pull request of ours that conflicts with its base is repaired anew there, on its own branch."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import insert

from bot.model import Cause, Patch, Problem, Report, Reproduction, Verdict
from bot.model.request import FixRequest
from bot.storage.runs import RunRecord, RunStatus
from bot.storage.stored_json import dump_report, dump_request
from bot.storage.tables import runs
from tests.fakes.github import Issue
from tests.fakes.github.faults import Trouble
from tests.fakes.model import Say, Step
from tests.flows.held_script import HeldScript
from tests.flows.server_process import PATIENCE, ServerProcess
from tests.flows.world import (
    CONFIG,
    SETTLE_SECONDS,
    Scene,
    World,
    attempts,
    bash,
    edit,
    open_scene,
    open_world,
)

APP = "# The app\n\nsays wrong\n"
CHECK = """\
#!/bin/sh
# Fails unless app.txt says right, whatever else it says.
grep -q right app.txt && exit 0
echo "FAILED checks.sh::app - app.txt says $(tail -1 app.txt)"
exit 1
"""
FILES: dict[str, str | bytes] = {
    "app.txt": APP,
    "check.sh": CHECK,
    ".github/fixpoint.yml": CONFIG,
}


MEND: list[Step] = [edit("wrong", "right"), Say("It says right.")]
MOVED = APP.replace("app\n\n", "tool\n\nReally, it\n")
"""The line in front of the one that is wrong is another one: git sees a conflict."""


async def asked(world: World) -> Issue:
    """Somebody asks for a repair; return the pull request with it."""
    await world.comment("/fix")
    await world.settled()
    [pull] = world.pulls()
    return pull


async def move(world: World, text: str, *, told: int = 1, path: str = "app.txt") -> str:
    """Somebody pushes to the base, and GitHub tells of it so many times."""
    sha = world.state.push(world.repository, "main", {path: text}, author="ada")
    for _ in range(told):
        await world.deliver(world.github.pushed(world.repository, "main", "ada"))
    return sha


async def compared(world: World) -> None:
    """The server compares what GitHub shows with what it knows."""
    assert world.server.desk is not None
    await world.server.desk.reconciler.look()
    await world.settled()


async def ended(world: World) -> RunRecord:
    """Return the youngest run once it is over, its last words said."""
    async with asyncio.timeout(SETTLE_SECONDS):
        while (run := await world.run()).status is not RunStatus.DONE:  # noqa: ASYNC110 - the condition is in the database
            await asyncio.sleep(0.02)
    await world.settled()
    return run


def merges(scene: Scene, pull: Issue) -> bool:
    """Whether a pull request has no conflict with its base."""
    git = scene.repository.git
    return git.merges("main", branch(pull))


def branch(pull: Issue) -> str:
    """Return the branch of a pull request."""
    assert pull.pull is not None
    return pull.pull.head_ref


@pytest.mark.slow
async def test_a_fix_is_redone_when_its_base_moves(tmp_path: Path) -> None:
    """First with its own patch, which costs nothing; then by whoever can; each time as one commit.

    Nothing happens while it merges, and pushes that come together are one look. What people wrote
    into the description stays; once one of them pushes to the branch, it is left to people.
    """
    redo: list[Step] = [edit("is wrong", "is right"), Say("It is right now.")]
    async with open_world(tmp_path, attempts(MEND, redo), files=FILES) as world:
        pull = await asked(world)
        pull.body = f"{pull.body}\nSee also the wiki.\n"
        first, before, git = world.head(branch(pull)), pull.body, world.repository.git
        await move(world, "x\n", path="other.txt")
        await world.settled()
        assert (world.head(branch(pull)), len(await world.server.runs.list())) == (first, 1)

        base = await move(world, MOVED, told=3)
        await world.settled()
        assert len(await world.server.runs.list()) == 2
        run = await world.run()
        assert run.report is not None
        assert (run.verdict, run.report.head, run.tokens) == (Verdict.FIXED, base, 0)
        assert [attempt.proposer for attempt in run.report.attempts] == ["memory"]
        second = world.head(branch(pull))
        assert git.commit(second).parents == (first, base)
        assert world.file("app.txt", second) == "# The tool\n\nReally, it\nsays right\n"
        assert merges(world, pull)
        [said] = world.said(pull)
        assert said.startswith("This pull request conflicted with `main`, so the fix was redone on")
        mark = f"<!-- fixpoint:run={run.id} kind=redone -->"
        assert pull.body.startswith(f"{mark}\n\n### Redone on `main`")
        assert pull.body.endswith(before)

        base = await move(world, "It is wrong.\n", told=0)
        await compared(world)
        run = await world.run()
        assert run.report is not None
        assert [attempt.proposer for attempt in run.report.attempts] == ["agent"]
        third = world.head(branch(pull))
        assert git.commit(third).parents == (second, base)
        assert world.file("app.txt", third) == "It is right.\n"
        assert merges(world, pull)
        assert (len(world.said(pull)), world.pulls()) == (1, [pull])
        assert (pull.body.count("### Redone on"), pull.body.endswith(before)) == (1, True)

        theirs = world.state.push(world.repository, branch(pull), {"a.txt": "a\n"}, author="wes")
        for text in ("It is quite wrong.\n", "It is very wrong.\n"):
            await move(world, text)
            await world.settled()
        assert (world.head(branch(pull)), len(await world.server.runs.list())) == (theirs, 3)
        [said] = world.said(pull)
        assert said.startswith(
            "This pull request conflicts with `main`. Fixpoint leaves that to you. "
            "The branch also has commits by `wes`."
        )


@pytest.mark.slow
async def test_a_fix_that_can_not_be_redone_changes_nothing(tmp_path: Path) -> None:
    """One comment says why: nothing fails any more, or somebody pushed to the branch meanwhile."""
    script = HeldScript(MEND)
    async with open_world(tmp_path, script, files=FILES) as world:
        pull = await asked(world)
        before, body = world.head(branch(pull)), pull.body
        await move(world, "It is right.\n")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.NOT_REPRODUCED
        [said] = world.said(pull)
        assert "where the failure no longer occurs, so it may not be needed any more." in said
        await compared(world)
        assert len(await world.server.runs.list()) == 2
        await world.comment("/fix retry", issue=pull)
        await world.settled()
        run = await world.run()
        assert (run.verdict, run.request.actor) == (Verdict.NOT_REPRODUCED, "ada")
        assert world.said(pull) == [said]
        assert (world.head(branch(pull)), pull.body) == (before, body)

        script.hold(1)
        await move(world, "It is wrong.\n")
        await script.reached(1)
        theirs = world.state.push(world.repository, branch(pull), {"a.txt": "a\n"}, author="wes")
        pushed = world.github.event(pull, "synchronize")
        pushed.payload["sender"]["login"] = "wes"
        await world.deliver(pushed)
        await world.settled()
        script.let_go(1)
        assert (await world.run()).verdict is Verdict.STOPPED
        [said] = world.said(pull)
        assert said.startswith("This pull request conflicts with `main` at `COMMIT`, and Fixpoint")
        assert "The branch is now at COMMIT." in said
        assert (world.head(branch(pull)), pull.body) == (theirs, body)


@pytest.mark.exhaustive
async def test_a_server_that_is_killed_redoes_a_fix_once(tmp_path: Path) -> None:
    """In the middle of the push, of the description, of the last words."""
    async with open_scene(tmp_path, attempts(MEND), files=FILES) as scene:
        server = ServerProcess(scene.variables(tmp_path / "data"), tmp_path)
        async with server.running():
            event = scene.github.comment(scene.issue, "ada", "/fix")
            await scene.github.deliver(event, server.webhook)
            await server.logged("run over")
            [pull] = scene.pulls()
            first = scene.repository.git.resolve(branch(pull))
            base = scene.state.push(scene.repository, "main", {"app.txt": MOVED}, author="ada")
            calls = [
                scene.state.faults.add(Trouble.RESET_AFTER, method="PATCH", path=path, hold=True)
                for path in ("/git/refs/", "/pulls/2$")
            ]
            pushed = scene.github.pushed(scene.repository, "main", "ada")
            await scene.github.deliver(pushed, server.webhook)
            for call in calls:
                await asyncio.wait_for(call.met.wait(), PATIENCE)
                await server.kill()
                call.let_go()
                await server.start()
            await server.logged("run over")
            assert scene.repository.git.commit(branch(pull)).parents == (first, base)
            assert merges(scene, pull)
            assert (pull.body or "").count("### Redone on") == 1
            [said] = scene.said(pull)
            assert said.startswith("This pull request conflicted with `main`")
            assert "run broke" not in server.text


GIVEN = {
    **FILES,
    "app.txt": APP,
    "check.sh": "#!/bin/sh\nfor one in tests/*.sh; do [ ! -e $one ] || sh $one || exit 1; done\n",
}
WRITTEN = "grep -q right app.txt && exit 0\necho 'FAILED tests/test_app.sh::app - wrong'\nexit 1\n"


async def opened(world: World, pull: Issue) -> None:
    """A run opened this pull request long ago, for an issue; it wrote the test, for nothing failed."""
    request = FixRequest(
        world.repo.full_name, world.repo.installation_id, world.issue.number,
        is_pull_request=False, actor="ada", comment_id=1, asked_at=datetime.now(UTC), repository_id=world.repo.id,
    )  # fmt: skip
    test = Patch(b"+x\n", ("tests/test_app.sh",), 1, 0)
    found = Reproduction(Cause.REAL, None, test_patch=test)
    report = Report(request.run_id, Verdict.FIXED, "", Problem(), "c" * 40, reproduction=found)
    row = {
        "id": request.run_id, "repository": "acme/app", "number": 1, "delivery_id": "",
        "request": dump_request(request), "report": dump_report(report), "begun": 1, "tokens": 0,
        "status": RunStatus.DONE, "verdict": Verdict.FIXED, "reason": "", "stop_requested": False,
        "pull_request": pull.number, "cost_usd": "0",
        "created_at": request.asked_at, "updated_at": request.asked_at,
    }  # fmt: skip
    await world.server.database.write(
        lambda connection: connection.execute(insert(runs).values(row)).rowcount
    )


@pytest.mark.exhaustive
async def test_tests_that_came_with_a_fix_come_along(tmp_path: Path) -> None:
    """Nothing else shows the failure on the new base; no webhook and no model is needed for it."""
    async with open_world(tmp_path, files=GIVEN) as world:
        fix: dict[str, str | bytes | None] = {
            "app.txt": APP.replace("wrong", "right"), "tests/test_app.sh": WRITTEN,
        }  # fmt: skip
        bot = world.state.app.bot
        world.state.push(world.repository, "fixpoint/1-x", fix, author=bot.login)
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        await opened(world, pull)
        await move(world, MOVED, told=0)
        await compared(world)
        run = await world.run()
        assert run.report is not None
        assert (run.verdict, run.tokens) == (Verdict.FIXED, 0), run.reason
        assert run.report.reproduction is not None
        assert run.report.reproduction.reason.startswith("The test was written for #2.")
        assert world.file("app.txt", "fixpoint/1-x") == MOVED.replace("wrong", "right")
        assert world.file("tests/test_app.sh", "fixpoint/1-x") == WRITTEN
        assert merges(world, pull)


@pytest.mark.exhaustive
async def test_a_fix_of_failed_checks_is_redone_on_the_branch_that_they_failed_on(
    tmp_path: Path,
) -> None:
    """Somebody's branch is its base, and no run of failed checks is started for what it does there."""
    config = f"{CONFIG}proposers: [agent]\nchecks: {{settle: 0, auto: all}}\n"
    files = {**FILES, "app.txt": APP.replace("wrong", "right"), ".github/fixpoint.yml": config}
    async with open_world(tmp_path, attempts(MEND), files=files) as world:
        state, repository = world.state, world.repository
        state.push(repository, "work", {"app.txt": APP}, author="wes")
        state.open_pull_request(repository, "wes", "Work", head="work")
        await world.check_ends("test", branch="work")
        await world.settled()
        pull = world.pulls()[0]
        assert pull.pull is not None
        assert pull.pull.base_ref == "work"
        base = state.push(repository, "work", {"app.txt": MOVED}, author="wes")
        await world.deliver(world.github.pushed(repository, "work", "wes"))
        await world.settled()
        run = await world.run()
        assert run.report is not None
        assert (run.verdict, run.report.head) == (Verdict.FIXED, base), run.reason
        assert [attempt.proposer for attempt in run.report.attempts] == ["memory"]
        assert run.report.reproduction is not None
        assert [job.check for job in run.report.reproduction.jobs] == ["test"]
        assert world.repository.git.merges("work", branch(pull))


@pytest.mark.exhaustive
async def test_a_redo_that_needs_a_person_waits_for_one(tmp_path: Path) -> None:
    """The question is in the pull request; the answer puts that patch on its branch, as one merge."""
    risky: list[Step] = [
        edit("is wrong", "is right"),
        bash("echo left-pad >> requirements.txt"),
        Say("It needs left-pad."),
    ]
    files = {**FILES, "requirements.txt": "flask\n"}
    async with open_world(tmp_path, attempts(MEND, risky), files=files) as world:
        pull = await asked(world)
        first, git = world.head(branch(pull)), world.repository.git
        base = await move(world, "It is wrong.\n")
        async with asyncio.timeout(SETTLE_SECONDS):
            while (await world.run()).status is not RunStatus.WAITING:  # noqa: ASYNC110 - the condition is in the database
                await asyncio.sleep(0.05)
        await world.settled()
        run = await world.run()
        assert world.head(branch(pull)) == first
        [asks] = world.said(pull)
        assert asks.startswith("**A verified patch is waiting for approval.**")
        await world.comment("/fix approve", by="wes", issue=pull)
        await world.settled()
        assert world.head(branch(pull)) == first

        await world.comment("/fix approve", issue=pull)
        assert (await ended(world)).verdict is Verdict.FIXED
        second = world.head(branch(pull))
        assert git.commit(second).parents == (first, base)
        assert world.file("app.txt", second) == "It is right.\n"
        assert world.file("requirements.txt", second) == "flask\nleft-pad\n"
        assert merges(world, pull)
        assert world.pulls() == [pull]
        said = world.said(pull)
        assert said[0].startswith(
            "This pull request conflicted with `main`, so the fix was redone on"
        )
        assert "\n- ada approved the patch.\n" in said[0]
        assert said[1].startswith("Approving requires the role `maintain`")
        assert said[2].startswith("`ada` approved the patch (`ID`); continuing.")
        assert (pull.body or "").startswith(f"<!-- fixpoint:run={run.id} kind=redone -->")
        assert len(await world.server.runs.list()) == 2
