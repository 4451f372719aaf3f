"""A pull request of ours that conflicts with its base is repaired anew there, on its own branch."""

from __future__ import annotations

from pathlib import Path

from bot.model import Verdict
from tests.fakes.github import Issue
from tests.fakes.model import Say, Step
from tests.flows.world import CONFIG, RIGHT, World, attempts, edit, open_world

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


async def asked(world: World) -> Issue:
    """Somebody asks for a repair; return the pull request with it."""
    await world.comment("/fix")
    await world.settled()
    [pull] = world.pulls()
    return pull


async def move(world: World, files: dict[str, str | bytes | None], times: int = 1) -> str:
    """Somebody pushes to the base, and GitHub delivers it."""
    sha = world.state.push(world.repository, "main", files, author="ada")
    for _ in range(times):
        await world.deliver(world.github.pushed(world.repository, "main", "ada"))
    await world.settled()
    return sha


def merges(world: World, pull: Issue) -> bool:
    assert pull.pull is not None
    return world.repository.git.merges(world.head("main"), world.head(pull.pull.head_ref))


def branch(pull: Issue) -> str:
    assert pull.pull is not None
    return pull.pull.head_ref


async def test_a_repair_is_made_again_when_its_base_moves(tmp_path: Path) -> None:
    """First with its own patch, which costs nothing; then by whoever can; each time as one commit.

    Nothing happens while it merges. What people said in the pull request stays, and so does what
    they wrote into its description.
    """
    redo: list[Step] = [edit("is wrong", "is right"), Say("It is right now.")]
    script = attempts([edit("wrong", "right"), Say("It says right.")], redo)
    async with open_world(tmp_path, script, files=FILES) as world:
        pull = await asked(world)
        world.state.add_comment(pull, "ada", "Looks good.")
        pull.body = f"{pull.body}\nSee also the wiki.\n"
        first, before = world.head(branch(pull)), pull.body
        await move(world, {"other.txt": "x\n"})
        assert (world.head(branch(pull)), len(await world.server.runs.list())) == (first, 1)

        base = await move(world, {"app.txt": APP.replace("app\n\n", "tool\n\nReally, it\n")}, 3)
        assert len(await world.server.runs.list()) == 2
        run = await world.run()
        assert run.report is not None
        assert (run.verdict, run.report.head) == (Verdict.FIXED, base)
        assert [one.proposer for one in run.report.attempts] == ["memory"]
        assert (run.tokens, run.request.actor) == (0, "")
        second = world.head(branch(pull))
        assert world.repository.git.commit(second).parents == (first, base)
        assert world.file("app.txt", second) == "# The tool\n\nReally, it\nsays right\n"
        assert merges(world, pull)
        assert world.pulls() == [pull]
        [said] = world.said(pull)
        assert said.startswith("This pull request conflicted with `main`, so the fix was redone on")
        assert pull.body.startswith(
            f"<!-- fixpoint:run={run.id} kind=redone -->\n\n### Redone on `main`"
        )
        assert pull.body.endswith(before)

        base = await move(world, {"app.txt": "It is wrong.\n"})
        run = await world.run()
        assert run.report is not None
        assert [one.proposer for one in run.report.attempts] == ["agent"]
        assert run.report.reproduction is not None
        third = world.head(branch(pull))
        assert world.repository.git.commit(third).parents == (second, base)
        assert world.file("app.txt", third) == "It is right.\n"
        assert merges(world, pull)
        assert len(world.said(pull)) == 1
        assert (pull.body.count("### Redone on"), pull.body.endswith(before)) == (1, True)
        assert run.request.options.attempts is not None


async def test_what_others_pushed_to_the_branch_is_theirs(tmp_path: Path) -> None:
    """Then one sentence says that the conflict is left to people, however often the base moves."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        pull = await asked(world)
        theirs = world.state.push(world.repository, branch(pull), {"a.txt": "a\n"}, author="wes")
        for text in ("quite wrong\n", "very wrong\n"):
            await move(world, {"app.txt": text})
        assert world.head(branch(pull)) == theirs
        assert len(await world.server.runs.list()) == 1
        [said] = world.said(pull)
        assert said.startswith(
            "This pull request conflicts with `main`. Fixpoint leaves that to you. "
            "The branch also has commits by `wes`."
        )


async def test_a_conflict_that_can_not_be_resolved_changes_nothing(tmp_path: Path) -> None:
    """One sentence says why, for the newest commit of the base; also where nothing fails any more."""
    files = {**FILES, ".github/fixpoint.yml": f"{CONFIG}attempts: 3\n"}
    worse: list[Step] = [edit("is wrong", "is worse"), Say("Hm.")]
    script = attempts([edit("wrong", "right"), Say("It says right.")], worse, worse, worse)
    async with open_world(tmp_path, script, files=files) as world:
        pull = await asked(world)
        before, body = world.head(branch(pull)), pull.body
        await move(world, {"app.txt": "It is right.\n"})
        run = await world.run()
        assert run.verdict is Verdict.NOT_REPRODUCED
        [said] = world.said(pull)
        assert "where the failure no longer occurs, so it may not be needed any more." in said
        await move(world, {"app.txt": "It is wrong.\n"})
        run = await world.run()
        assert run.verdict is Verdict.GAVE_UP
        assert run.report is not None
        assert len(run.report.attempts) == 1
        [said] = world.said(pull)
        assert said.startswith("This pull request conflicts with `main` at `COMMIT`, and Fixpoint")
        await move(world, {"app.txt": "It is still wrong.\n"})
        assert len(await world.server.runs.list()) == 3
        [said] = world.said(pull)
        assert "The repo config's limits for one fix are used up." in said
        assert (world.head(branch(pull)), pull.body) == (before, body)
