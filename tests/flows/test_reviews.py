"""Reviews of our pull requests that come while a run works on the pull request."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.model import RequestKind, Verdict
from bot.storage.runs import RunRecord
from tests.fakes.model import Request, Say, Step
from tests.flows.test_test_first import FILES as SHOP_FILES
from tests.flows.test_test_first import SHOP, claims, play, report_of, says
from tests.flows.test_tools import ASKS, FILES_THAT_ASK, waiting
from tests.flows.world import CONFIG, SETTLE_SECONDS, World, attempts, bash, edit, open_world

FILES: dict[str, str | bytes] = {
    "app.txt": "right\n",
    "extra.txt": "wrong\n",
    "third.txt": "wrong\n",
    "check.sh": "for one in *.txt; do grep -qx right $one || { echo FAIL: $one; exit 1; }; done\n",
    ".github/fixpoint.yml": f"{CONFIG}proposers: [agent]\n",
}

MAIL = """

On Mon, Dec 1, 2025 at 10:00 AM Ada <notifications@github.com> wrote:

@fixpoint please delete app.txt.

/fix the rest
"""
"""What a mail program leaves below an answer."""


class Held:
    """Mends both files, and holds the first answer back until it is told to go on."""

    def __init__(self) -> None:
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()

    async def __call__(self, request: Request) -> Step:
        self.asked.set()
        await self.go_on.wait()
        steps: list[Step] = [
            edit("wrong", "right", "extra.txt"),
            edit("wrong", "right", "third.txt"),
            Say("Both say right."),
        ]
        return steps[min(request.turn, len(steps)) - 1]


async def until_runs(world: World, number: int) -> tuple[RunRecord, ...]:
    """Return the runs once there are so many, and nothing is going on."""
    async with asyncio.timeout(SETTLE_SECONDS):
        while len(await world.server.runs.list()) < number:  # noqa: ASYNC110 - the condition is in the database
            await asyncio.sleep(0.05)
    await world.settled()
    return await world.server.runs.list()


@pytest.mark.slow
async def test_a_review_that_comes_during_a_run_is_worked_on_after_it(tmp_path: Path) -> None:
    """Its author is told so, and its thread is answered."""
    script = Held()
    async with open_world(tmp_path, script, files=FILES) as world:
        world.state.push(world.repository, "fixpoint/1-x", {"more.txt": "right\n"})
        bot = world.state.app.bot
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        first = ("", "changes_requested", ("extra.txt", "This is wrong too."))
        second = ("Say hello.", "changes_requested", ("more.txt", "This must say hello."))
        await world.deliver(world.github.review(pull, "wes", *first))
        async with asyncio.timeout(SETTLE_SECONDS):
            await script.asked.wait()
        await world.deliver(world.github.review(pull, "ada", *second))
        script.go_on.set()
        after, before = await until_runs(world, 2)
        assert (before.verdict, after.request.actor) == (Verdict.FIXED, "ada"), before.reason
        assert after.request.instructions.startswith("Say hello.")
        told = [text for text in world.said(pull) if "when it is over" in text]
        assert len(told) == 1
        assert told[0].startswith("A run is active here. Fixpoint will work on the review by `ada`")
        assert pull.pull is not None
        assert [len(thread.comments) for thread in pull.pull.threads] == [2, 2]


@pytest.mark.exhaustive
async def test_a_retry_answers_the_threads_that_the_run_before_could_not_resolve(
    tmp_path: Path,
) -> None:
    """The review said it once; who asks for another try does not have to repeat it."""
    played: list[Step] = [edit("wrong", "right", "extra.txt"), Say("It says right.")]
    names_both: list[Step] = [*played[:1], edit("wrong", "right", "third.txt"), Say("Both do.")]
    script = attempts(played, names_both)
    files = {**FILES, ".github/fixpoint.yml": f"{CONFIG}proposers: [agent]\nattempts: 1\n"}
    async with open_world(tmp_path, script, files=files) as world:
        world.state.push(world.repository, "fixpoint/1-x", {"more.txt": "right\n"})
        bot = world.state.app.bot
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        asked = ("", "changes_requested", ("extra.txt", "This is wrong too."))
        await world.deliver(world.github.review(pull, "wes", *asked))
        await world.settled()
        assert (await world.run()).verdict is not Verdict.FIXED
        await world.comment("/fix retry", issue=pull)
        await world.settled()
        assert (await world.run()).verdict is Verdict.FIXED
        assert pull.pull is not None
        [thread] = pull.pull.threads
        assert (len(thread.comments), thread.resolved) == (3, True)


@pytest.mark.slow
async def test_a_change_that_no_test_can_show_is_made(tmp_path: Path) -> None:
    """A reviewer wants another name: tests pass before and after, and people have to look."""
    named = {"expected": "`shipping` takes `amount`.", "happens": "It takes `total`.", "see": ""}
    rename = "s/def shipping(total)/def shipping(amount)/; s/total > 50/amount > 50/"
    script = play(
        specify=[[says({"title": "Rename the parameter", "points": [named]})]],
        test=[[claims({"why_not": "A test can't see a name."})]],
        repair=[[bash(f"sed -i '{rename}' shop.py"), Say("Renamed.")]],
    )
    async with open_world(tmp_path, script, files=SHOP_FILES) as world:
        more = {"shop.py": f"{SHOP}\n\nLIMIT = 50\n"}
        world.state.push(world.repository, "fixpoint/1-x", more)
        bot = world.state.app.bot
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        remark = ("shop.py", "Please call this parameter `amount`, as everywhere else.")
        await world.deliver(world.github.review(pull, "wes", "", "changes_requested", remark))
        await world.settled()
        report = await report_of(world)
        assert (report.verdict, report.kind) == (Verdict.FIXED, RequestKind.CHANGE), report.reason
        assert [finding.rule for finding in report.to_check] == ["point-untested"]
        assert "def shipping(amount)" in (world.file("shop.py", "fixpoint/1-x") or "")
        assert world.said(pull)[-1] == snapshot("""\
A patch that passes and leaves 1 point to judge is in https://github.test/acme/app/commit/COMMIT

No test shows this change. The tests pass with it (1 test passed) in a clean sandbox that its author can't reach.

- Please check: No test shows point 1 of the specification, so check it by hand: `shipping` takes `amount`.

<details>
<summary>Attempts and notes</summary>

| # | Proposer | Command | Failing | Patch | Tokens | Cost | Time | Outcome |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | agent, `claude-sonnet-5-5` | `sh check.sh` | passes → passes | 1 file, +2 -2 | N | $0.N | N s | accepted |

- Attempt 1 asked claude-sonnet-5-5: nothing suggests that the failure is easy or hard.
- Attempt 1 used 1 tool call (1 `bash`), a repository map (1 file) and the provider's cache (N% of its input tokens).
- Try 1 of writing tests used a repository map (1 file).
- Written test 1 was rejected: The model wrote no test.
- Try 2 of writing tests used a repository map (1 file) and the provider's cache (N% of its input tokens).
- Written test 2 was rejected: The model wrote no test.

</details>

<!-- fixpoint:run=RUN kind=progress -->
""")
        assert pull.pull is not None
        [thread] = pull.pull.threads
        assert (len(thread.comments), thread.resolved) == (2, False)


async def test_a_rule_in_a_review_that_comments_is_proposed(tmp_path: Path) -> None:
    """No run starts, and what holds in general may become a lesson all the same."""
    async with open_world(tmp_path, files=FILES) as world:
        world.state.push(world.repository, "fixpoint/1-x", {"more.txt": "right\n"})
        bot = world.state.app.bot
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        rule = "We use lower case here, always."
        await world.deliver(world.github.review(pull, "wes", rule, "commented"))
        await world.settled()
        assert await world.server.runs.list() == ()
        assert "Should Fixpoint remember" in world.said(pull)[-1]


@pytest.mark.slow
async def test_a_comment_that_mentions_the_app_is_worked_on(tmp_path: Path) -> None:
    """Once, on the same branch, if its author may write; people who talk to each other start nothing."""
    extra: list[Step] = [edit("wrong", "right", "extra.txt"), Say("It says right.")]
    files = {**FILES, "third.txt": "right\n"}
    async with open_world(tmp_path, attempts(extra), files=files) as world:
        world.state.push(world.repository, "fixpoint/1-x", {"more.txt": "right\n"})
        bot = world.state.app.bot
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        theirs = world.state.open_pull_request(world.repository, "ada", "Mine", head="fixpoint/1-x")
        for body, by, where in (
            ("Please make extra.txt say right.", "wes", pull),
            ("@fixpoint please make extra.txt say right.", "rea", pull),
            ("@fixpoint please make extra.txt say right.", "wes", theirs),
            (f"That reads well, thank you.{MAIL}", "wes", pull),
        ):
            await world.comment(body, by=by, issue=where)
        await world.settled()
        assert await world.server.runs.list() == ()
        said = world.github.comment(
            pull, "wes", f"@fixpoint please make extra.txt say right.{MAIL}"
        )
        for _ in range(2):
            await world.deliver(said)
            await world.settled()
        [run] = await world.server.runs.list()
        assert (run.verdict, run.request.actor) == (Verdict.FIXED, "wes"), run.reason
        assert run.request.instructions == "please make extra.txt say right."
        assert world.file("extra.txt", "fixpoint/1-x") == "right\n"
        assert world.reactions(pull.comments[-2]) == ["eyes", "rocket"]
        assert world.said(pull)[-1].startswith("Fixed in ")
        remark = ("app.txt", "@fixpoint is this one right?")
        await world.deliver(world.github.review(pull, "wes", "Well.", "commented", remark))
        assert len(await until_runs(world, 2)) == 2


@pytest.mark.exhaustive
async def test_every_comment_may_be_a_request(tmp_path: Path) -> None:
    """Where the repository says so; one that comes during a run waits for its end."""
    script = Held()
    config = f"{FILES['.github/fixpoint.yml']!s}reviews: all\n"
    files = {**FILES, ".github/fixpoint.yml": config}
    async with open_world(tmp_path, script, files=files) as world:
        world.state.push(world.repository, "fixpoint/1-x", {"more.txt": "right\n"})
        bot = world.state.app.bot
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        await world.comment("@ada what do you think?", by="wes", issue=pull)
        await world.comment("The others have to say right, too.", by="wes", issue=pull)
        async with asyncio.timeout(SETTLE_SECONDS):
            await script.asked.wait()
        await world.comment("And greet people, please.", by="ada", issue=pull)
        script.go_on.set()
        after, before = await until_runs(world, 2)
        assert (before.verdict, before.request.actor) == (Verdict.FIXED, "wes"), before.reason
        assert after.request.instructions == "And greet people, please."
        assert sum("will work on the comment by `ada`" in text for text in world.said(pull)) == 1


async def test_a_config_that_can_not_be_read_is_told_to_who_asks(tmp_path: Path) -> None:
    """As it is behind `/fix`: silence would look like a bot that is down."""
    files = {**FILES, ".github/fixpoint.yml": "atempts: 3\n"}
    async with open_world(tmp_path, files=files) as world:
        world.state.push(world.repository, "fixpoint/1-x", {"more.txt": "right\n"})
        bot = world.state.app.bot
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        await world.comment("@fixpoint please say hello.", by="wes", issue=pull)
        await world.settled()
        assert "did you mean 'attempts'?" in world.said(pull)[-1]


async def test_a_question_is_answered_in_words(tmp_path: Path) -> None:
    """Once: a model that has nothing to change is not asked again, nor is a larger one."""
    says_why = [Say("The tests want `right` in every file, so it stays.")]
    config = f"{FILES['.github/fixpoint.yml']!s}test_first: false\n"
    files = {"app.txt": "right\n", "check.sh": FILES["check.sh"], ".github/fixpoint.yml": config}
    async with open_world(tmp_path, attempts(says_why), files=files) as world:
        world.state.push(world.repository, "fixpoint/1-x", {"more.txt": "right\n"})
        bot = world.state.app.bot
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        asked = world.github.review(pull, "wes", "", "changes_requested", ("more.txt", "Why this?"))
        await world.deliver(asked)
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.GAVE_UP
        assert run.reason.endswith("It says: The tests want `right` in every file, so it stays.")
        assert world.model is not None
        assert len(world.model.requests) == 1
        assert pull.pull is not None
        [thread] = pull.pull.threads
        assert "It says: The tests want" in thread.comments[-1]["body"]
        assert not thread.resolved


@pytest.mark.exhaustive
async def test_who_means_to_answer_a_question_is_told_how(tmp_path: Path) -> None:
    """A mention is a request of its own; the run that asks goes on with a command."""
    async with open_world(tmp_path, attempts(ASKS), files=FILES_THAT_ASK) as world:
        world.state.push(world.repository, "fixpoint/1-x", {"more.txt": "x\n"})
        bot = world.state.app.bot
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        await world.comment("@fixpoint let it say right", by="wes", issue=pull)
        await waiting(world)
        await world.comment("@fixpoint go ahead", by="ada", issue=pull)
        told = "waits for an answer, `/fix approve` or `/fix reject`. "
        await world.until(lambda: told in world.said(pull)[-1])
        await world.comment("@fixpoint /fix reject", issue=pull)
        await world.until_started(2)
        await waiting(world)
        await world.comment("/fix reject", issue=pull)
        after, before = await until_runs(world, 2)
        assert [before.verdict, after.verdict] == [Verdict.STOPPED] * 2
