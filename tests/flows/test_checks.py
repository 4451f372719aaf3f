"""Stories that begin with a failed check."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.model import Verdict
from bot.model.money.accounts import AccountScope
from bot.reporting.reasons import publication
from bot.storage.runs import RunStatus
from tests.fakes.github import Issue
from tests.fakes.model import Request, Step
from tests.flows.world import (
    CONFIG,
    FILES,
    FIX,
    RIGHT,
    WHY,
    WRONG,
    World,
    attempts,
    bash,
    entered,
    open_scene,
    open_world,
)


def files(checks: str, more: str = "", *, app: str = "right") -> dict[str, str | bytes]:
    """Return a repository whose config has that section `checks`, and whose app says that."""
    config = f"{CONFIG}proposers: [agent]\n{more}checks: {{settle: 0, {checks}}}\n"
    return {**FILES, "app.txt": f"{app}\n", ".github/fixpoint.yml": config}


SLOW = bash("sleep 60")
BEYOND: list[Step] = [FIX, bash("echo more > more.txt"), WHY]


def was_asked(world: World) -> bool:
    """Return whether the model was asked for anything."""
    return world.model is not None and bool(world.model.requests)


def work(world: World, *, author: str = "wes", branch: str = "work", draft: bool = False) -> Issue:
    """Somebody opens a pull request after which the app is wrong."""
    change: dict[str, str | bytes | None] = {"note.txt": f"{branch}\n", "app.txt": "wrong\n"}
    world.state.push(world.repository, branch, change, author=author)
    return world.state.open_pull_request(world.repository, author, "Work", head=branch, draft=draft)


async def outcomes(world: World) -> list[str]:
    """Return what every commit that was looked at came to, in the order of their branches."""
    found = []
    for name, sha in sorted(world.branches().items()):
        watched = await world.server.commits.get(world.repo, sha)
        found.append(f"{name}: {watched.note if watched else 'never heard of'}")
    return found


@pytest.mark.slow
async def test_a_failed_check_of_the_default_branch_is_repaired(tmp_path: Path) -> None:
    """One run, however many webhooks tell of it; a check run shows it; its checks are watched.

    The pull request is titled as the last commits of the branch are.
    """
    async with open_world(
        tmp_path, attempts(RIGHT), files=files("auto: default-branch", app="wrong")
    ) as world:
        for number in range(10):
            log = {"log.txt": f"{number}\n"}
            world.state.push(world.repository, "main", log, message=f"feat(log): {number}")
        await world.check_ends("test")
        await world.settled()
        [pull] = world.pulls()
        assert pull.pull is not None
        assert pull.pull.base_ref == "main"
        assert pull.title == "fix: sh check.sh"
        assert world.repaired() == "right\n"
        assert [world.shown(check) for check in world.our_checks()] == snapshot(
            [
                """\
Fixpoint: success: Fixed in #2

Fixed in https://github.test/acme/app/pull/2

The failing command passes with this patch in a clean sandbox that its author can't reach.

<!-- fixpoint:run=RUN kind=progress -->\
"""
            ]
        )
        await world.check_ends("lint")
        await world.settled()
        assert len(await world.server.runs.list()) == 1
        await world.check_ends("test", "success", branch=pull.pull.head_ref)
        await world.until_said("checks pass with this fix")
        assert world.shown(world.our_checks()[0]) == snapshot("""\
Fixpoint: success: Fixed in #2; checks pass

Fixed in https://github.test/acme/app/pull/2

The failing command passes with this patch in a clean sandbox that its author can't reach.

The repository's own checks pass with this fix.

<!-- fixpoint:run=RUN kind=progress -->\
""")


@pytest.mark.slow
async def test_a_pull_request_gets_one_that_goes_into_its_branch(tmp_path: Path) -> None:
    """Its other jobs are waited for; all that failed come together; the thread is told, too.

    Where the dashboard's address is known, everything leads to the run's page.
    """
    public = {"FIXPOINT_PUBLIC_URL": "https://fixpoint.test/"}
    async with open_world(
        tmp_path, attempts(RIGHT), files=files("auto: all"), environ=public
    ) as world:
        thread = work(world)
        await world.check_begins("slow", branch="work")
        await world.check_ends("test", branch="work")
        await world.settled()
        assert await world.server.runs.list() == ()
        await world.check_ends("slow", branch="work")
        await world.until_started()
        await world.settled()
        run = await world.run()
        assert run.request.failed is not None
        assert sorted(check.name for check in run.request.failed.checks) == ["slow", "test"]
        assert run.request.failed.base == "main"
        fix = world.pulls()[0]
        assert fix.pull is not None
        assert fix.pull.base_ref == "work"
        page = f"https://fixpoint.test/runs/{run.request.run_id}"
        assert f"Run [`{run.request.run_id}`]({page}): " in (fix.body or "")
        assert {check.fields.get("details_url") for check in world.our_checks()} == {page}
        assert world.said(thread) == snapshot(
            [
                """\
Fixed in https://github.test/acme/app/pull/3

The failing command passes with this patch in a clean sandbox that its author can't reach.

[Details of this run](https://fixpoint.test/runs/RUN)

<!-- fixpoint:run=RUN kind=progress -->
"""
            ]
        )


@pytest.mark.slow
async def test_a_repair_whose_checks_fail_goes_on_within_its_limits(tmp_path: Path) -> None:
    """`push: branch` puts it on the branch itself; what fails there is gone on with, and then not."""
    checks, limits = "auto: all, push: branch", "attempts: 2\nconfidence: push\n"
    config = files(checks, limits)
    asking = str(config[".github/fixpoint.yml"])
    # One that finds nothing to change goes first: that is no attempt.
    config[".github/fixpoint.yml"] = asking.replace("[agent]", "[mechanical, agent]")
    async with open_world(tmp_path, attempts(RIGHT), files=config) as world:
        thread = work(world)
        before = world.head("work")
        await world.check_ends("test", branch="work")
        await world.settled()
        first = world.head("work")
        assert world.file("app.txt", "work") == "right\n"
        assert [issue.number for issue in world.pulls()] == [thread.number]
        assert world.repository.git.commit(first).parents == (before,)
        # The project's own check disagrees.
        await world.check_ends("test", branch="work")
        await world.until_started(2)
        await world.settled()
        followed = (await world.run()).request
        assert followed.follows is not None
        assert followed.options.attempts == 1
        assert world.said(thread)[0] == snapshot("""\
Fixed in https://github.test/acme/app/commit/COMMIT

The failing command passes with this patch in a clean sandbox that its author can't reach.

<details>
<summary>Attempts and notes</summary>

| # | Proposer | Command | Failing | Patch | Tokens | Cost | Time | Outcome |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | agent, `claude-sonnet-5-5` | `sh check.sh` | fails → passes | 1 file, +1 -1 | N | $0.N | N s | accepted |

- Attempt 1 asked claude-sonnet-5-5: nothing suggests that the failure is easy or hard.
- Attempt 1 used 2 tool calls (1 `bash`, 1 `str_replace_based_edit_tool`) and the provider's cache (N% of its input tokens).
- mechanical: No tool in this project can automatically fix what `sh check.sh` reports.

</details>

The repository's own checks fail with this fix: `test`. Continuing in https://github.test/acme/app/pull/2

<!-- fixpoint:run=RUN kind=progress -->
""")


@pytest.mark.exhaustive
async def test_a_protected_branch_gets_a_pull_request(tmp_path: Path) -> None:
    """`push: branch` is asked for, GitHub refuses the commit: people get it all the same."""
    checks, limits = "auto: all, push: branch", "confidence: push\n"
    async with open_world(tmp_path, attempts(RIGHT), files=files(checks, limits)) as world:
        thread = work(world)
        world.repository.protected.add("work")
        before = world.head("work")
        await world.check_ends("test", branch="work")
        await world.settled()
        assert world.head("work") == before
        [fix] = [issue for issue in world.pulls() if issue.number != thread.number]
        assert fix.pull is not None
        assert fix.pull.base_ref == "work"
        assert (await world.run()).verdict is Verdict.FIXED


@pytest.mark.exhaustive
async def test_buttons_answer_what_waits(tmp_path: Path) -> None:
    """A commit on somebody's branch waits, and so does a risk where there is no thread."""
    risky: list[Step] = [FIX, bash("echo left-pad >> requirements.txt"), WHY]
    config = {**files("auto: all, push: branch"), "requirements.txt": "flask\n"}
    async with open_world(tmp_path, attempts(RIGHT, risky), files=config) as world:
        thread = work(world)
        await world.check_ends("test", branch="work")
        await world.settled()
        before = world.head("work")
        assert world.said(thread)[0].splitlines()[2] == snapshot(
            "- It would add a commit to work, a branch that Fixpoint did not create."
        )
        [check] = world.our_checks()
        assert world.shown(check).splitlines()[0] == snapshot(
            "Fixpoint: neutral: Waiting for approval [Approve] [Reject]"
        )
        await world.press("approve", check, by="wes")
        await world.settled()
        assert (await world.run()).status is RunStatus.WAITING
        other = world.state.add_repository("acme/other", {"a": "a"}, roles={"ada": "admin"})
        for button in ("approve", "reject", "stop"):
            await world.deliver(world.github.button(other, check, "ada", button))
            await world.settled()
            assert (await world.run()).status is RunStatus.WAITING
        assert world.head("work") == before
        await world.press("approve", check)
        await world.until_said("Fixed in")
        assert world.repository.git.commit(world.head("work")).parents == (before,)
        world.state.push(world.repository, "main", {"app.txt": "wrong\n"})
        await world.check_ends("test")
        await world.until_said("It changes dependencies")
        [check] = world.our_checks(world.head("main"))
        assert "*Approve* (`ID`) publishes it; *Reject* (`ID`) ends the run." in world.shown(check)
        await world.press("reject", check)
        await world.until_said("ada rejected the patch.")
        await world.settled()
        assert [pull.number for pull in world.pulls()] == [thread.number]


@pytest.mark.exhaustive
async def test_a_pull_request_of_ours_that_turns_red_gets_a_second_turn(tmp_path: Path) -> None:
    """On its own branch, with what is left of the attempts; people are told where."""
    async with open_world(
        tmp_path, attempts(RIGHT), files=files("auto: all", "attempts: 3\n", app="wrong")
    ) as world:
        await world.check_ends("test")
        await world.settled()
        [pull] = world.pulls()
        assert pull.pull is not None
        await world.check_ends("test", branch=pull.pull.head_ref)
        await world.until_started(2)
        second, first = await world.server.runs.list()
        request = second.request
        assert request.failed is not None
        assert (request.follows, request.options.attempts) == (first.id, 2)
        assert (request.number, request.failed.branch) == (pull.number, pull.pull.head_ref)
        await world.until_said("Continuing in")


@pytest.mark.exhaustive
async def test_a_repair_stops_at_its_limits(tmp_path: Path) -> None:
    """When the attempts are used up, the report says which checks fail, and nothing follows."""
    config = files("auto: all", "attempts: 1\n", app="wrong")
    async with open_world(tmp_path, attempts(RIGHT), files=config) as world:
        await world.check_ends("test")
        await world.settled()
        [pull] = world.pulls()
        assert pull.pull is not None
        await world.check_ends("test", branch=pull.pull.head_ref)
        await world.until_said("used up")
        assert world.shown(world.our_checks()[0]) == snapshot("""\
Fixpoint: neutral: Fixed in #2; checks fail [Retry]

Fixed in https://github.test/acme/app/pull/2

The failing command passes with this patch in a clean sandbox that its author can't reach.

The repository's own checks fail with this fix: `test`. The repo config's limits for one fix are used up, so Fixpoint stops here.

<!-- fixpoint:run=RUN kind=progress -->\
""")
        await world.settled()
        assert len(await world.server.runs.list()) == 1


@pytest.mark.slow
async def test_a_commit_that_settles_survives_the_server(tmp_path: Path) -> None:
    """A server that stops in between leaves its commits to the next one."""
    config = files("auto: all", app="wrong")
    config[".github/fixpoint.yml"] = str(config[".github/fixpoint.yml"]).replace(
        "settle: 0", "settle: 12s"
    )
    async with open_scene(tmp_path, attempts(RIGHT), files=config) as scene:
        async with entered(scene, tmp_path) as world:
            await world.check_ends("test")
            await world.settled()
            assert await world.server.runs.list() == ()
        async with entered(scene, tmp_path) as world:
            await world.until_started()
            await world.settled()
            assert (await world.run()).verdict == "fixed"


@pytest.mark.exhaustive
async def test_runs_of_failed_checks_wait_for_each_other(tmp_path: Path) -> None:
    """The second commit's run begins when the first one's is over."""
    async with open_world(tmp_path, attempts(RIGHT), files=files("auto: all")) as world:
        work(world, branch="one")
        work(world, branch="two")
        await world.check_ends("test", branch="one")
        await world.check_ends("test", branch="two")
        await world.until_started(2)
        await world.settled()
        second, first = await world.server.runs.list()
        assert first.updated_at <= second.created_at
        assert {first.verdict, second.verdict} == {"fixed"}


@pytest.mark.exhaustive
async def test_a_branch_that_moved_on_gets_nothing(tmp_path: Path) -> None:
    """Somebody pushes while the model works: the report says so, and nothing is published."""
    here: list[World] = []
    script = attempts(RIGHT)

    def play(request: Request) -> Step:
        world = here[0]
        if world.file("note.txt", "work") == "work\n":
            world.state.push(world.repository, "work", {"note.txt": "newer\n"})
        return script(request)

    config = files("auto: all, push: branch", "confidence: push\n")
    async with open_world(tmp_path, play, files=config) as world:
        here.append(world)
        thread = work(world)
        old = world.head("work")
        await world.check_ends("test", branch="work")
        await world.settled()
        assert world.file("app.txt", "work") == "wrong\n"
        assert [issue.number for issue in world.pulls()] == [thread.number]
        assert world.said(thread) == snapshot(
            [
                """\
The branch work is now at COMMIT. Nothing was published.

<!-- fixpoint:run=RUN kind=progress -->
"""
            ]
        )
        assert world.shown(world.our_checks(old)[0]).splitlines()[0] == snapshot(
            "Fixpoint: neutral: Superseded"
        )


@pytest.mark.exhaustive
async def test_what_nobody_asked_for_is_left_alone(tmp_path: Path) -> None:
    """Drafts, bots, forks, our own, the default branch: each says why, and one button overrides."""
    async with open_world(tmp_path, attempts(RIGHT), files=files("auto: pull-requests")) as world:
        work(world, branch="draft", draft=True)
        world.state.account("renovate[bot]", kind="Bot")
        work(world, branch="robot", author="renovate[bot]")
        work(world, branch="ours", author="fixpoint[bot]")
        fork = world.state.fork(world.repository, "stranger")
        world.state.push(fork, "theirs", {"app.txt": "wrong\n"}, author="stranger")
        world.state.open_pull_request(
            world.repository, "stranger", "Theirs", head="theirs", head_repo=fork
        )
        theirs = world.repository.git.reference(f"refs/pull/{world.pulls()[0].number}/head")
        assert theirs is not None
        await world.check_ends("release")
        for branch in ("draft", "robot", "ours", theirs):
            await world.check_ends("test", branch=branch)
        world.state.push(world.repository, "alone", {"note.txt": "alone\n"})
        await world.check_ends("test", branch="alone")
        await world.settled()
        assert await outcomes(world) == snapshot(
            [
                "#5: The pull request comes from a fork.",
                "alone: This commit is not the head of the default branch or of an open pull request.",
                "draft: The pull request is a draft.",
                "main: Automatic runs are not enabled here.",
                "ours: Someone else pushed to this pull request, which Fixpoint opened.",
                "robot: The pull request was opened by a bot.",
            ]
        )
        [told] = world.our_checks(theirs)
        assert world.shown(told) == snapshot("""\
Fixpoint: neutral: No run started [Fix this] [What changed?]

Fixpoint did not start a run automatically. The pull request comes from a fork.

Press *Fix this* to start one now, or *What changed?* to learn since which commit or release it fails.\
""")
        assert await world.server.runs.list() == ()
        [draft] = world.our_checks(world.head("draft"))
        await world.press("fix", draft, by="tri")
        await world.settled()
        assert await world.server.runs.list() == ()
        await world.press("fix", draft, by="wes")
        await world.settled()
        assert (await world.run()).request.actor == "wes"
        assert world.pulls()[0].author is world.state.app.bot


@pytest.mark.exhaustive
async def test_what_changed_can_be_asked_for_alone(tmp_path: Path) -> None:
    """A button says since which commit a check fails; nothing is repaired until somebody asks for that.

    It looks between the newest commit at which the check passed and this one.
    """
    looking = files("auto: pull-requests")
    config = str(looking[".github/fixpoint.yml"])
    looking[".github/fixpoint.yml"] = config.replace("explain: false\n", "")
    async with open_world(tmp_path, attempts(RIGHT), files=looking) as world:
        await world.check_ends("test", "success")
        for n in range(4):
            world.state.push(world.repository, "main", {"note.txt": f"{n}\n"})
        culprit = world.state.push(world.repository, "main", {"app.txt": "wrong\n"})
        between = world.state.push(world.repository, "main", {"note.txt": "later\n"})
        head = world.state.push(world.repository, "main", {"note.txt": "last\n"})
        await world.check_ends("test")
        await world.settled()
        [told] = world.our_checks(head)
        assert "[Fix this] [What changed?]" in world.shown(told)
        await world.press("explain", told, by="wes")
        await world.settled()
        assert (await world.run()).verdict is Verdict.EXPLAINED
        shown = world.shown(world.our_checks(head)[-1])
        assert "[Fix this]" in shown
        assert "**What changed:** commit" in shown
        assert "press *Fix this*" in shown
        report = (await world.run()).report
        assert report is not None
        assert report.what_changed is not None
        assert [found.event.name for found in report.what_changed.culprits] == [culprit]
        assert between not in {point.state for point in report.what_changed.points}
        assert not world.pulls()


async def test_fix_this_is_taken_away_where_it_no_longer_helps(tmp_path: Path) -> None:
    """Pressed on a commit that is not the newest any more, it starts nothing and is gone."""
    async with open_world(tmp_path, attempts(RIGHT), files=files("auto: pull-requests")) as world:
        work(world, branch="draft", draft=True)
        await world.check_ends("test", branch="draft")
        await world.settled()
        old = world.head("draft")
        [told] = world.our_checks(old)
        assert "[Fix this]" in world.shown(told)
        world.state.push(world.repository, "draft", {"note.txt": "newer\n"})
        await world.press("fix", told, by="wes")
        await world.settled()
        assert await world.server.runs.list() == ()
        [told] = world.our_checks(old)
        assert world.shown(told) == snapshot("""\
Fixpoint: neutral: No run started

Fixpoint did not start a run. This commit is not the head of the default branch or of an open pull request.\
""")


async def test_a_repository_that_asks_for_nothing_hears_nothing(tmp_path: Path) -> None:
    """Without the section `checks` there is no run, no check run and no comment."""
    async with open_world(tmp_path, files={**FILES}) as world:
        work(world)
        await world.check_ends("test")
        await world.check_ends("test", branch="work")
        await world.settled()
        assert await outcomes(world) == snapshot(
            [
                "main: Automatic runs are not enabled in the repo config.",
                "work: Automatic runs are not enabled in the repo config.",
            ]
        )
        assert world.our_checks() == []


@pytest.mark.exhaustive
async def test_the_patch_for_a_fork_is_suggested(tmp_path: Path) -> None:
    """Nothing is pushed anywhere; lines that the pull request does not show need a comment."""
    config = files("auto: all, forks: true, push: branch")
    async with open_world(tmp_path, attempts(RIGHT, BEYOND), files=config) as world:
        fork = world.state.fork(world.repository, "stranger")
        for n, note in enumerate(("one\n", "two\n")):
            world.state.push(fork, "theirs", {"app.txt": f"wrong\n{note}"}, author="stranger")
            thread = (
                world.pulls()[0]
                if n
                else world.state.open_pull_request(
                    world.repository, "stranger", "Theirs", head="theirs", head_repo=fork
                )
            )
            head = world.repository.git.reference(f"refs/pull/{thread.number}/head")
            assert head is not None
            await world.check_ends("test", branch=head)
            await world.until_started(n + 1)
            await world.settled()
            assert (await world.run()).verdict == "fixed"
        assert fork.git.reference("refs/heads/theirs") == head
        assert len(world.pulls()) == 1
        assert thread.pull is not None
        [review] = thread.pull.reviews
        assert review.comments == snapshot(
            [
                {
                    "path": "app.txt",
                    "body": """\
```suggestion
right
```\
""",
                    "line": 1,
                    "side": "RIGHT",
                }
            ]
        )
        assert review.body.splitlines()[0] == snapshot(
            "**Fixed, but not pushed.** The pull request comes from a fork. The suggestions below are the complete patch: add all of them to one batch and commit it."
        )
        assert [said.splitlines()[0] for said in world.said(thread)] == snapshot(
            [
                "Fixpoint has finished. Fixed (1 attempt, N s, $0.N).",
                "**Fixed, but not pushed.** The pull request comes from a fork. The patch is posted here instead.",
            ]
        )


async def test_what_fails_on_the_base_too_is_not_repaired_here(tmp_path: Path) -> None:
    """It is said on the commit, by the names of the checks."""
    async with open_world(tmp_path, files=files("auto: pull-requests")) as world:
        work(world)
        await world.check_ends("test")
        await world.check_ends("test", branch="work")
        await world.settled()
        assert await world.server.runs.list() == ()
        [told] = world.our_checks(world.head("work"))
        assert world.shown(told) == snapshot("""\
Fixpoint: neutral: No run started [Fix this] [What changed?]

Fixpoint did not start a run automatically. The same checks fail on the base branch.

- `test`: failure

Press *Fix this* to start one now, or *What changed?* to learn since which commit or release it fails.\
""")


async def test_only_checks_that_count_and_commits_that_are_newest(tmp_path: Path) -> None:
    """Ignored names start nothing; nor does a commit that has a newer one."""
    async with open_world(
        tmp_path, files=files("auto: all, names: ['test*', lint], ignore: ['*flaky*']")
    ) as world:
        work(world)
        await world.check_ends("test flaky", branch="work")
        await world.check_ends("deploy", branch="work", workflow="CD")
        await world.check_ends("lint", "cancelled", branch="work")
        await world.settled()
        assert await outcomes(world) == snapshot(
            ["main: never heard of", "work: No check that Fixpoint watches has failed."]
        )
        old = world.head("work")
        world.state.push(world.repository, "work", {"note.txt": "newer\n"})
        await world.check_ends("lint", branch=old)
        await world.settled()
        watched = await world.server.commits.get(world.repo, old)
        assert watched is not None
        assert watched.note == snapshot(
            "This commit is not the head of the default branch or of an open pull request."
        )
        assert await world.server.runs.list() == ()


async def test_a_config_that_can_not_be_used_is_told(tmp_path: Path) -> None:
    """On the commit: what was switched on there must not stop without a word."""
    async with open_world(tmp_path, files=files("auto: all, nmaes: [x]")) as world:
        await world.check_ends("test")
        await world.settled()
        assert world.shown(world.our_checks()[0]).splitlines()[2] == snapshot(
            "Fixpoint did not start a run automatically. The repo config is invalid. .github/fixpoint.yml:5: unknown key 'nmaes'; did you mean 'names'?"
        )


async def test_enough_is_enough(tmp_path: Path) -> None:
    """With as many pull requests of ours open as the config allows, people are told."""
    async with open_world(tmp_path, files=files("auto: all, most_open: 1")) as world:
        work(world, branch="ours", author="fixpoint[bot]")
        await world.check_ends("test")
        await world.settled()
        assert await world.server.runs.list() == ()
        assert world.shown(world.our_checks()[0]).splitlines()[2] == snapshot(
            "Fixpoint did not start a run automatically. Fixpoint already has as many open pull requests as the repo config allows."
        )


@pytest.mark.slow
async def test_a_ping_pong_ends(tmp_path: Path) -> None:
    """Whoever answers each of our runs with a commit gets so many; then a person has to ask."""
    async with open_world(tmp_path, files=files("auto: all, most_runs: 2")) as world:
        thread = work(world)
        for number in range(1, 5):
            world.state.push(world.repository, "work", {"other.txt": f"{number}\n"})
            await world.check_ends("test", branch="work")
            await world.settled()
            assert len(await world.server.runs.list()) == min(number, 2)
        [told] = world.our_checks(world.head("work"))
        assert "(`checks.most_runs`)" in world.shown(told).splitlines()[2]
        await world.press("fix", told)
        await world.settled()
        world.state.push(world.repository, "work", {"other.txt": "5\n"})
        await world.check_ends("test", branch="work")
        await world.settled()
        runs = await world.server.runs.list()
        assert [(run.request.actor, run.request.number) for run in runs] == [
            ("", thread.number), ("ada", thread.number), ("", thread.number), ("", thread.number),
        ]  # fmt: skip


@pytest.mark.exhaustive
async def test_one_pull_request_is_switched_on_and_off(tmp_path: Path) -> None:
    """By a command, and by a label; a person's word goes before the label."""
    async with open_world(
        tmp_path, attempts(RIGHT), files=files("auto: off, label: robots")
    ) as world:
        thread = work(world)
        await world.deliver(world.github.labelled(thread, "Robots", "tri"))
        await world.deliver(world.github.unlabelled(thread, "tri"))
        await world.check_ends("test", branch="work")
        await world.settled()
        assert await world.server.runs.list() == ()
        await world.comment("/fix auto off", by="wes", issue=thread)
        await world.deliver(world.github.labelled(thread, "Robots", "tri"))
        await world.settled()
        assert await outcomes(world) == snapshot(
            ["main: never heard of", "work: Automatic runs are turned off for this pull request."]
        )
        await world.comment("/fix auto on", issue=world.issue)
        await world.comment("/fix auto", issue=thread)
        await world.comment("/fix auto on", by="wes", issue=thread)
        await world.settled()
        assert (await world.run()).verdict == "fixed"
        assert world.said(thread)[:3] == snapshot(
            [
                """\
From now on, failed checks of this pull request do not start a run. You can still comment `/fix`. A run that is already active continues until `/fix stop`.

<!-- fixpoint:run=DELIVERY kind=auto -->
""",
                """\
`/fix auto` needs `on` or `off`. For all commands and options, comment `/fix help`.

<!-- fixpoint:run=DELIVERY kind=bad-command -->
""",
                """\
From now on, Fixpoint starts a run whenever checks of this pull request fail. To turn this off, comment `/fix auto off`.

<!-- fixpoint:run=DELIVERY kind=auto -->
""",
            ]
        )
        assert world.said() == snapshot(
            [
                """\
`/fix auto` works only on pull requests. For all commands and options, comment `/fix help`.

<!-- fixpoint:run=DELIVERY kind=bad-command -->
"""
            ]
        )


@pytest.mark.exhaustive
async def test_a_status_starts_a_run_and_buttons_steer_it(tmp_path: Path) -> None:
    """A service that is no App counts; *Retry* is another run of the same commit."""
    async with open_world(
        tmp_path, attempts(WRONG), files=files("auto: all", "attempts: 1\n", app="wrong")
    ) as world:
        sha = world.head("main")
        status = world.state.ci.status(world.repository, sha, "ci/other", "failure")
        await world.deliver(world.github.status_event(world.repository, status))
        await world.settled()
        [check] = world.our_checks()
        assert world.shown(check).splitlines()[:3] == snapshot(
            [
                "Fixpoint: neutral: Not fixed: found no patch that passes [Retry]",
                "",
                "Fixpoint has finished. Not fixed: found no patch that passes (1 attempt, N s, $0.N).",
            ]
        )
        await world.press("retry", check)
        await world.until(lambda: len(world.our_checks()) > 1)
        [_, again] = world.our_checks()
        await world.press("stop", again)
        await world.settled()
        assert (await world.run()).request.turn == 1
        assert (await world.run()).stop_requested


@pytest.mark.slow
async def test_a_run_ends_when_its_pull_request_is_pushed_to(tmp_path: Path) -> None:
    """In the middle of a command, and with a sentence that says so."""
    async with open_world(tmp_path, attempts([SLOW]), files=files("auto: all")) as world:
        thread = work(world)
        old = world.head("work")
        await world.check_ends("test", branch="work")
        await world.until(lambda: was_asked(world))
        world.state.push(world.repository, "work", {"note.txt": "newer\n"})
        await world.deliver(world.github.event(thread, "synchronize"))
        await world.settled()
        ended = await world.run()
        assert (ended.verdict, world.level(ended.reason)) == snapshot(
            (
                Verdict.STOPPED,
                "The branch work moved to COMMIT while Fixpoint was working on COMMIT.",
            )
        )
        assert world.shown(world.our_checks(old)[0]) == snapshot("""\
Fixpoint: neutral: Superseded

The branch work moved to COMMIT while Fixpoint was working on COMMIT. Nothing was published.

<!-- fixpoint:run=RUN kind=progress -->\
""")


@pytest.mark.exhaustive
async def test_a_model_that_thinks_is_cut_short(tmp_path: Path) -> None:
    """When the branch moves on, and by a person's word: no answer is waited for, its price counts."""
    think = asyncio.Event()
    asked: list[Request] = []

    async def thinks(request: Request) -> Step:
        asked.append(request)
        await think.wait()
        return WHY

    async with open_world(tmp_path, thinks, files=files("auto: all")) as world:
        thread = work(world)
        await world.check_ends("test", branch="work")
        await world.until(lambda: len(asked) == 1)
        world.state.push(world.repository, "work", {"note.txt": "newer\n"})
        await world.deliver(world.github.event(thread, "synchronize"))
        await world.settled()
        moved = await world.run()
        await world.comment("/fix", issue=thread)
        await world.until(lambda: len(asked) == 2)
        await world.comment("/fix stop", issue=thread)
        await world.settled()
        stopped = await world.run()
        assert (moved.verdict, stopped.verdict) == (Verdict.STOPPED, Verdict.STOPPED)
        assert [world.level(run.reason) for run in (moved, stopped)] == snapshot(
            [
                "The branch work moved to COMMIT while Fixpoint was working on COMMIT.",
                "A person stopped the run.",
            ]
        )
        for run in (moved, stopped):
            assert run.report is not None
            [own] = [
                balance
                for balance in run.report.balances
                if balance.account.scope is AccountScope.RUN
            ]
            assert own.usd > 0
            assert not own.reserved.usd
        assert len(asked) == 2
        think.set()


@pytest.mark.exhaustive
async def test_a_run_ends_when_a_newer_commit_fails(tmp_path: Path) -> None:
    """Also where no webhook told of the push; the newer commit has a run of its own."""
    newer: list[None] = []

    def play(request: Request) -> Step:
        return RIGHT[min(request.turn, len(RIGHT)) - 1] if newer else SLOW

    async with open_world(tmp_path, play, files=files("auto: all", app="wrong")) as world:
        await world.check_ends("test")
        await world.until(lambda: was_asked(world))
        newer.append(None)
        world.state.push(world.repository, "main", {"note.txt": "newer\n"})
        await world.check_ends("test")
        await world.until_started(2)
        _, first = await world.server.runs.list()
        assert (first.verdict, world.level(first.reason)) == snapshot(
            (
                Verdict.STOPPED,
                "The branch main moved to COMMIT while Fixpoint was working on COMMIT.",
            )
        )


@pytest.mark.exhaustive
async def test_a_patch_that_waits_for_a_person_ends_with_its_commit(tmp_path: Path) -> None:
    """Nobody has to answer for what would not be published any more."""
    more = {**files("auto: all"), "requirements.txt": "flask\n"}
    risky: list[Step] = [FIX, bash("echo left-pad >> requirements.txt"), WHY]
    async with open_world(tmp_path, attempts(risky), files=more) as world:
        thread = work(world)
        await world.check_ends("test", branch="work")
        await world.settled()
        assert (await world.run()).status is RunStatus.WAITING
        thread.state = "closed"
        await world.deliver(world.github.event(thread, "closed"))
        await world.until_said("was closed while")
        await world.settled()
        ended = await world.run()
        assert (ended.verdict, ended.reason) == snapshot(
            (Verdict.STOPPED, publication.PULL_REQUEST_CLOSED)
        )
