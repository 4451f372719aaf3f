"""Somebody comments `/fix`: the stories of the main job."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.model import Verdict
from bot.reporting.reasons import reproduction
from sandbox.egress.inside import PORT
from tests.fakes.model import (
    Answer,
    Counts,
    ModelServer,
    Overloaded,
    Request,
    Say,
    Step,
    Unauthorized,
)
from tests.flows.gate import Gate, answer, asked, registry, say
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
    edit,
    open_world,
)


def always(step: Step) -> Callable[[Request], Step]:
    """Return a script that knows one answer."""
    return lambda _request: step


async def test_fixed_at_the_first_attempt(tmp_path: Path) -> None:
    """From the comment to a draft pull request that tells how it came about."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        asked = await world.comment("/fix")
        await world.settled()
        assert world.reactions(asked) == ["eyes", "rocket"]
        assert world.said() == snapshot(
            [
                """\
Fixed in https://github.test/acme/app/pull/2

The failing command passes with this patch in a clean sandbox that its author can't reach.

<!-- fixpoint:run=RUN kind=progress -->
"""
            ]
        )
        [pull] = world.pulls()
        assert pull.pull is not None
        assert (pull.pull.draft, pull.pull.base_ref) == (True, "main")
        assert world.level(pull.pull.head_ref) == snapshot("fixpoint/1-the-app-says-wrong-RUN")
        assert [label.name for label in pull.labels] == ["fixpoint"]
        assert [account.login for account in pull.pull.reviewers] == ["ada"]
        assert [account.login for account in pull.assignees] == ["ada"]
        assert pull.title == snapshot("Fix: The app says wrong")
        assert world.level(pull.body or "") == snapshot("""\
**Failed:** `sh check.sh` at `COMMIT`, exit code 1.

**Cause and change:** The file said wrong. It says right now.

**Proof:** The failing command passes with this patch in a clean sandbox that its author can't reach.

Fixes #1

| Proof |  |  |
| --- | --- | --- |
| The tests show the change | shown | The failing command passes with the patch, in 3 clean sandboxes. |
| Nothing else broke | undecided | No test was run, so nothing shows what else the patch changes. |
| The tests are stable | shown | The failing command passed in 3 of 3 runs with the patch. |

<details>
<summary>Evidence, attempts and notes</summary>

### What was wrong

`sh check.sh` fails here every time.

- `sh check.sh`: `FAILED checks.sh::app - app.txt says wrong`

<details>
<summary>Test runner output</summary>

`sh check.sh`

```
FAILED checks.sh::app - app.txt says wrong
```

</details>

### What was changed and why

1 file, +1 -1: `app.txt`

As described by agent, `claude-sonnet-5-5`:

> The file said wrong. It says right now.

### How it was verified

- Original commit `COMMIT`: `sh check.sh` failed in 2 of 2 runs, exit codes 1, 1.
- With the patch, in a fresh sandbox: `sh check.sh`, exit code 0, N s; 3 of 3 runs passed.

**Proven**

- `sh check.sh` fails without the patch and passes with it.

<details>
<summary>Setup and test commands</summary>

```sh
true
sh check.sh
```

- The setup commands were given; in a Python project, they install into `~/.venv`.
- The test command was given.

</details>

### Attempts

| # | Proposer | Command | Failing | Patch | Tokens | Cost | Time | Outcome |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | agent, `claude-sonnet-5-5` | `sh check.sh` | fails → passes | 1 file, +1 -1 | N | $0.N | N s | accepted |

- Attempt 1 asked claude-sonnet-5-5: nothing suggests that the failure is easy or hard.
- Attempt 1 used 2 tool calls (1 `bash`, 1 `str_replace_based_edit_tool`) and the provider's cache (N% of its input tokens).

### Notes

- mechanical: No tool in this project can automatically fix what `sh check.sh` reports.

</details>

Run `RUN`: N s, $0.N. To have it done differently, comment `/fix` with what to change.

<!-- fixpoint:run=RUN kind=pull-request -->
""")
        assert world.repaired() == "right\n"


@pytest.mark.slow
async def test_a_pull_request_is_written_as_the_project_does_it(tmp_path: Path) -> None:
    """Branch and labels by the config; title, sign-off and template by what the project has."""
    files = {
        **FILES,
        ".github/fixpoint.yml": f"{CONFIG}branch: fix/{{issue}}-{{slug}}\nlabels: [bug, bot]\n",
        ".github/pull_request_template.md": "## Summary\n<!-- what and why -->\n\n## Tests\n",
        ".github/dco.yml": "require:\n  members: false\n",
    }
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        state, repository = world.state, world.repository
        for number in range(12):
            message = f"fix(app): do {number}"
            state.push(repository, "main", {"n": str(number)}, message=message)
        state.push(repository, "fix/1-the-app-says-wrong", {"n": "mine"})  # somebody else's
        await world.comment("/fix")
        await world.settled()
        [pull] = world.pulls()
        assert pull.pull is not None
        run = (await world.run()).id
        assert pull.pull.head_ref == f"fix/1-the-app-says-wrong-{run}"
        assert pull.title == "fix: The app says wrong"
        assert [label.name for label in pull.labels] == ["bug", "bot"]
        head = repository.git.commit(world.head(pull.pull.head_ref))
        assert head.message.startswith("fix: The app says wrong\n\n")
        assert "\nSigned-off-by: fixpoint[bot] <" in head.message
        written = world.level((pull.body or "").partition("<details>")[0])
        assert written == snapshot("""\
**Failed:** `sh check.sh` at `COMMIT`, exit code 1.

Fixes #1

## Summary

**Cause and change:** The file said wrong. It says right now.

## Tests

**Proof:** The failing command passes with this patch in a clean sandbox that its author can't reach.

| Proof |  |  |
| --- | --- | --- |
| The tests show the change | shown | The failing command passes with the patch, in 3 clean sandboxes. |
| Nothing else broke | undecided | No test was run, so nothing shows what else the patch changes. |
| The tests are stable | shown | The failing command passed in 3 of 3 runs with the patch. |

""")


async def test_wrong_then_right(tmp_path: Path) -> None:
    """The second attempt starts from the untouched tree and knows what the first one did."""
    async with open_world(tmp_path, attempts(WRONG, RIGHT)) as world:
        await world.comment("/fix")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.FIXED
        assert run.report is not None
        assert [attempt.accepted for attempt in run.report.attempts] == [False, True]
        assert world.repaired() == "right\n"
        assert world.model is not None
        second = next(request for request in world.model.requests if "worse" in request.first)
        assert "app.txt says worse" in second.first


@pytest.mark.exhaustive
async def test_the_end_is_said_though_somebody_deleted_the_progress(tmp_path: Path) -> None:
    """A new comment says it."""
    worlds: list[World] = []

    def script(request: Request) -> Step:
        [world] = worlds
        comments, bot = world.issue.comments, world.state.app.bot
        comments[:] = [comment for comment in comments if comment.author is not bot]
        return RIGHT[request.turn - 1]

    async with open_world(tmp_path, script) as world:
        worlds.append(world)
        await world.comment("/fix")
        await world.settled()
        [said] = world.said()
        assert said.startswith("Fixed in")


@pytest.mark.slow
async def test_never_right(tmp_path: Path) -> None:
    """After its attempts the run reports what it saw and tried, and opens nothing."""
    async with open_world(tmp_path, attempts(WRONG)) as world:
        asked = await world.comment("/fix --attempts 2")
        await world.settled()
        assert world.reactions(asked) == ["eyes", "confused"]
        assert world.pulls() == []
        assert world.said()[-1] == snapshot("""\
**Not fixed: found no patch that passes.** All 2 attempts of the budget are used.

**Next:** Look at `sh check.sh`: `FAILED checks.sh::app - app.txt says wrong`.

### Reproduction

`sh check.sh` at `COMMIT`: exit code 1; exit codes of 2 runs: 1, 1.

- `sh check.sh`: `FAILED checks.sh::app - app.txt says wrong`

<details>
<summary>Test runner output</summary>

`sh check.sh`

```
FAILED checks.sh::app - app.txt says wrong
```

</details>

<details>
<summary>Setup and test commands</summary>

```sh
true
sh check.sh
```

- The setup commands were given; in a Python project, they install into `~/.venv`.
- The test command was given.

</details>

### Attempts

| # | Proposer | Command | Failing | Patch | Tokens | Cost | Time | Outcome |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | agent, `claude-sonnet-5-5` | `sh check.sh` | fails → fails | 1 file, +1 -1 | N | $0.N | N s | still fails |
| 2 | agent, `claude-sonnet-5-5` | `sh check.sh` | fails → fails | 1 file, +1 -1 | N | $0.N | N s | still fails |

- Attempt 1 asked claude-sonnet-5-5: nothing suggests that the failure is easy or hard.
- Attempt 2 asked claude-sonnet-5-5: its first patch didn't help, and it now knows why.
- Attempt 1 used 1 tool call (1 `str_replace_based_edit_tool`) and the provider's cache (N% of its input tokens).
- Attempt 2 used 1 tool call (1 `str_replace_based_edit_tool`) and the provider's cache (N% of its input tokens).

<details>
<summary>Details of each attempt</summary>

**Attempt 1** (agent, `claude-sonnet-5-5`): still fails.

> I made it worse.

Still failing:

- `sh check.sh`: `FAILED checks.sh::app - app.txt says worse`

**Attempt 2** (agent, `claude-sonnet-5-5`): still fails.

> I made it worse.

Still failing:

- `sh check.sh`: `FAILED checks.sh::app - app.txt says worse`

</details>

### Last patch

1 file, +1 -1: `app.txt`. This patch was not accepted; do not merge it as is.

<details>
<summary>Show the patch</summary>

```diff
diff --git a/app.txt b/app.txt
index COMMIT..COMMIT 100644
--- a/app.txt
+++ b/app.txt
@@ -1 +1 @@
-wrong
+worse
```

</details>

<details>
<summary>Budget</summary>

| Account | Spent | Reserved | Left | Cap | Tokens | Sandbox |
| --- | --- | --- | --- | --- | --- | --- |
| run RUN | $0.N | $0 | $N.N | $2.00 | N | N s |

</details>

### Notes

- mechanical: No tool in this project can automatically fix what `sh check.sh` reports.
- Run `RUN`: N s, N tokens, $0.N.

<!-- fixpoint:run=RUN kind=progress -->
""")


@pytest.mark.exhaustive
async def test_money_runs_out(tmp_path: Path) -> None:
    """At its cap the run stops asking, and says what it has."""
    dear = Answer((edit("wrong", "worse"),), counts=Counts(input=900_000, output=10))
    async with open_world(tmp_path, attempts([dear, *WRONG])) as world:
        await world.comment("/fix --budget-usd 1")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.BUDGET_SPENT
        assert world.model is not None
        assert len(world.model.requests) == 1
        assert "+worse" in world.said()[-1]


@pytest.mark.exhaustive
async def test_a_patch_made_before_the_money_ran_out_is_still_judged(tmp_path: Path) -> None:
    """What was paid for and passes is not thrown away."""
    dear = Answer((FIX,), counts=Counts(input=900_000, output=10))
    async with open_world(tmp_path, attempts([dear])) as world:
        await world.comment("/fix --budget-usd 1")
        await world.settled()
        assert (await world.run()).verdict is Verdict.FIXED
        assert world.repaired() == "right\n"


@pytest.mark.exhaustive
async def test_nothing_fails_and_no_model(tmp_path: Path) -> None:
    """Without a model nobody can write a test: that is said, with what was run."""
    async with open_world(tmp_path, files={**FILES, "app.txt": "right\n"}) as world:
        await world.comment("/fix")
        await world.settled()
        assert (await world.run()).verdict is Verdict.NOT_REPRODUCED
        assert world.said()[-1] == snapshot("""\
**Not fixed: could not reproduce the failure.** `sh check.sh` passes here. Writing a test that shows the problem requires a model, and none is configured.

**Next:** Comment `/fix --test "COMMAND"` with the failing command, or add a test that fails at `COMMIT`.

### Reproduction

`sh check.sh` at `COMMIT`: exit code 0.

<details>
<summary>Setup and test commands</summary>

```sh
true
sh check.sh
```

- The setup commands were given; in a Python project, they install into `~/.venv`.
- The test command was given.

</details>

<details>
<summary>Budget</summary>

| Account | Spent | Reserved | Left | Cap | Tokens | Sandbox |
| --- | --- | --- | --- | --- | --- | --- |
| run RUN | $0 | $0 | $N.N | $2.00 | 0 | N s |

</details>

Run `RUN`: N s, N tokens, $0.

<!-- fixpoint:run=RUN kind=progress -->
""")


@pytest.mark.slow
async def test_without_a_model_the_report_is_honest(tmp_path: Path) -> None:
    """A failure that no tool mends ends in a report with its reproduction."""
    async with open_world(tmp_path) as world:
        await world.comment("/fix")
        await world.settled()
        assert (await world.run()).verdict is Verdict.GAVE_UP
        assert world.said()[-1] == snapshot("""\
**Not fixed: found no patch that passes.** mechanical found nothing to change, search only repairs Python programs with pytest or unittest, and JavaScript and TypeScript programs with a test runner that it knows, and no model is configured.

**Next:** Look at `sh check.sh`: `FAILED checks.sh::app - app.txt says wrong`.

### Reproduction

`sh check.sh` at `COMMIT`: exit code 1; exit codes of 2 runs: 1, 1.

- `sh check.sh`: `FAILED checks.sh::app - app.txt says wrong`

<details>
<summary>Test runner output</summary>

`sh check.sh`

```
FAILED checks.sh::app - app.txt says wrong
```

</details>

<details>
<summary>Setup and test commands</summary>

```sh
true
sh check.sh
```

- The setup commands were given; in a Python project, they install into `~/.venv`.
- The test command was given.

</details>

<details>
<summary>Budget</summary>

| Account | Spent | Reserved | Left | Cap | Tokens | Sandbox |
| --- | --- | --- | --- | --- | --- | --- |
| run RUN | $0 | $0 | $N.N | $2.00 | 0 | N s |

</details>

### Notes

- mechanical: No tool in this project can automatically fix what `sh check.sh` reports.
- Run `RUN`: N s, N tokens, $0.

<!-- fixpoint:run=RUN kind=progress -->
""")


@pytest.mark.exhaustive
async def test_the_provider_is_down(tmp_path: Path) -> None:
    """The next provider of the chain answers, and the pull request says why it was asked."""
    async with ModelServer(attempts(RIGHT)) as other:
        spare = {"OPENAI_BASE_URL": other.openai_url, "OPENAI_MODEL": "spare"}
        async with open_world(
            tmp_path, always(Overloaded(retry_after=0.01)), environ=spare
        ) as world:
            await world.comment("/fix")
            await world.settled()
            run = await world.run()
            assert run.report is not None
            [attempt] = run.report.attempts
            assert (run.verdict, attempt.proposal.model) == (Verdict.FIXED, "spare")
            [pull] = world.pulls()
            assert "overloaded" in (pull.body or "")


@pytest.mark.exhaustive
async def test_no_provider_answers(tmp_path: Path) -> None:
    """An outage of the only provider is infrastructure, not a failure to repair."""
    async with open_world(tmp_path, always(Unauthorized())) as world:
        await world.comment("/fix")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.INFRASTRUCTURE
        assert "ANTHROPIC_API_KEY" in run.reason or "key" in run.reason


async def test_a_bad_config_is_reported_with_its_line(tmp_path: Path) -> None:
    """Nothing starts; the comment names line, key and the nearest valid one."""
    files = {**FILES, ".github/fixpoint.yml": "setup: 'true'\natempts: 2\n"}
    async with open_world(tmp_path, files=files) as world:
        asked = await world.comment("/fix")
        await world.settled()
        assert world.reactions(asked) == ["eyes", "confused"]
        assert world.said() == snapshot(
            [
                """\
Fixpoint did not start because `.github/fixpoint.yml` has 1 problem:

- .github/fixpoint.yml:2: unknown key 'atempts'; did you mean 'attempts'?

Fix the file, then comment `/fix retry`. To check it on your machine, run `fixpoint config check`.

<!-- fixpoint:run=RUN kind=progress -->
"""
            ]
        )


async def test_the_setup_fails(tmp_path: Path) -> None:
    """What can't be set up can't be judged; the report has the command and its last words."""
    config = "setup: echo no such package; exit 3\ntest: sh check.sh\n"
    async with open_world(tmp_path, files={**FILES, ".github/fixpoint.yml": config}) as world:
        await world.comment("/fix")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.INFRASTRUCTURE
        assert "no such package" in world.said()[-1]


async def test_a_refused_host_is_told(tmp_path: Path) -> None:
    """With the setting that allows it, next to the setup command that failed without it."""
    ask = f"exec 3<>/dev/tcp/127.0.0.1/{PORT}; printf 'CONNECT mirror.example:443 HTTP/1.1\\r\\n\\r\\n' >&3"
    config = f"setup: {ask + '; grep 200 <&3'!r}\ntest: sh check.sh\n"
    async with open_world(tmp_path, files={**FILES, ".github/fixpoint.yml": config}) as world:
        await world.comment("/fix")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.INFRASTRUCTURE
        assert (
            "The setup tried to reach `mirror.example`, which is not allowed. To allow a host, list"
            " it under `network: allow:` in `.github/fixpoint.yml`."
        ) in world.said()[-1]


@pytest.mark.slow
async def test_a_flaky_failure_is_not_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Red and green on the same tree is a finding of its own; no model is asked."""
    seen: list[None] = []

    async def every_other(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(None)
        await asked(reader)
        say("red" if len(seen) % 2 else "green", writer)
        await writer.wait_closed()

    async with await asyncio.start_server(every_other, "127.0.0.1", 0) as service:
        port = service.sockets[0].getsockname()[1]
        for name, value in registry(port).items():
            monkeypatch.setenv(name, value)
        check = f"test $({answer(port)}) = green\n"
        config = "setup: 'true'\ntest: bash check.sh\nnetwork: on\n"
        files = {**FILES, "check.sh": check, ".github/fixpoint.yml": config}
        async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
            await world.comment("/fix")
            await world.settled()
            run = await world.run()
            assert (run.verdict, run.reason) == (
                Verdict.FLAKY,
                "`bash check.sh` failed in 2 of 4 runs on the same tree.",
            )
            assert world.model is not None
            assert world.model.requests == []


@pytest.mark.slow
async def test_the_same_fix_is_not_opened_twice(tmp_path: Path) -> None:
    """Another issue of the same cause leads to the pull request that is open, and only to that."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        await world.comment("/fix")
        await world.settled()
        [first] = world.pulls()
        other = world.state.open_issue(world.repository, "wes", "Wrong, too", "It says wrong.")
        await world.comment("/fix", issue=other)
        await world.settled()
        assert world.pulls() == [first]
        assert world.said(other)[-1].startswith(
            "[#2](https://github.test/acme/app/pull/2) is open and already fixes this failure"
        )
        first.state = "closed"
        third = world.state.open_issue(world.repository, "wes", "Still wrong", "It says wrong.")
        await world.comment("/fix", issue=third)
        await world.settled()
        assert len(world.pulls()) == 2


@pytest.mark.slow
async def test_a_pull_request_is_mended_by_a_stacked_one(tmp_path: Path) -> None:
    """The fix goes into the branch that fails, for its author to merge."""
    files = {**FILES, "app.txt": "right\n"}
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        world.state.push(world.repository, "feature", {"app.txt": "wrong\n"})
        pull = world.state.open_pull_request(world.repository, "wes", "A feature", head="feature")
        await world.comment("/fix", issue=pull)
        await world.settled()
        [ours] = [issue for issue in world.pulls() if issue is not pull]
        assert ours.pull is not None
        assert (ours.pull.base_ref, world.file("app.txt", ours.pull.head_ref)) == (
            "feature",
            "right\n",
        )
        assert world.said(pull)[-1] == snapshot("""\
Fixed in https://github.test/acme/app/pull/3

The failing command passes with this patch in a clean sandbox that its author can't reach.

<!-- fixpoint:run=RUN kind=progress -->
""")


@pytest.mark.slow
async def test_a_fork_gets_a_commit_where_its_author_allows_it(tmp_path: Path) -> None:
    """By git, with the base's token; where GitHub refuses, the patch is posted, and why."""
    config = f"{CONFIG}push_to_forks: true\nconfidence: push\n"
    files = {**FILES, "app.txt": "right\n", ".github/fixpoint.yml": config}
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        state = world.state
        fork = state.fork(world.repository, "rea")
        before = state.push(fork, "feature", {"app.txt": "wrong\n"})
        pull = state.open_pull_request(
            world.repository, "rea", "A feature", head="feature", head_repo=fork,
            maintainer_can_modify=True,
        )  # fmt: skip
        await world.comment("/fix", issue=pull)
        await world.settled()
        assert world.pulls() == [pull]
        head = fork.git.resolve("feature")
        assert head is not None
        commit = fork.git.commit(head)
        assert (commit.parents, commit.author.name) == ((before,), "fixpoint[bot]")
        assert fork.git.text("show", f"{head}:app.txt") == "right"
        assert "Fixed in https://github.test/acme/app/commit/COMMIT" in world.said(pull)[-1]
        tokens = [token for token in state.tokens.values() if len(token.permissions) == 2]
        assert all(token.revoked for token in tokens if token.permissions["contents"] == "write")

        state.push(fork, "feature", {"app.txt": "wrong\n", "more": ""})
        fork.owner.kind = "Organization"  # GitHub lets nobody push there
        await world.comment("/fix", issue=pull)
        await world.settled()
        assert pull.pull is not None
        [review] = pull.pull.reviews
        assert (
            "GitHub doesn't let the App push to feature of rea/app: it answers 403." in review.body
        )
        assert fork.git.count(before, "feature") == 2


@pytest.mark.slow
async def test_a_fork_gets_the_patch_as_a_comment(tmp_path: Path) -> None:
    """Nothing is pushed to somebody else's repository; a new file can't be suggested."""
    files = {**FILES, "app.txt": "right\n"}
    async with open_world(
        tmp_path, attempts([FIX, bash("echo x > new.txt"), WHY]), files=files
    ) as world:
        fork = world.state.fork(world.repository, "rea")
        world.state.push(fork, "feature", {"app.txt": "wrong\n"})
        pull = world.state.open_pull_request(
            world.repository, "rea", "A feature", head="feature", head_repo=fork
        )
        await world.comment("/fix", issue=pull)
        await world.settled()
        assert world.pulls() == [pull]
        assert world.said(pull)[-1] == snapshot("""\
**Fixed, but not pushed.** The pull request comes from a fork. The patch is posted here instead.

**Cause and change:** The file said wrong. It says right now.

**Proof:** The failing command passes with this patch in a clean sandbox that its author can't reach.

2 files, +2 -1: `app.txt` and `new.txt`

To apply it, check out `COMMIT`, save this as `fixpoint.patch` in the repository root, and run `git apply fixpoint.patch`:

<details>
<summary>Show the patch</summary>

```diff
diff --git a/app.txt b/app.txt
index COMMIT..COMMIT 100644
--- a/app.txt
+++ b/app.txt
@@ -1 +1 @@
-wrong
+right
diff --git a/new.txt b/new.txt
new file mode 100644
index COMMIT..COMMIT
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+x
```

</details>

<details>
<summary>Attempts and notes</summary>

| # | Proposer | Command | Failing | Patch | Tokens | Cost | Time | Outcome |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | agent, `claude-sonnet-5-5` | `sh check.sh` | fails → passes | 2 files, +2 -1 | N | $0.N | N s | accepted |

- Attempt 1 asked claude-sonnet-5-5: nothing suggests that the failure is easy or hard.
- Attempt 1 used 2 tool calls (1 `bash`, 1 `str_replace_based_edit_tool`) and the provider's cache (N% of its input tokens).
- mechanical: No tool in this project can automatically fix what `sh check.sh` reports.

</details>

<!-- fixpoint:run=RUN kind=progress -->
""")


@pytest.mark.exhaustive
async def test_a_test_is_written_when_none_fails(tmp_path: Path) -> None:
    """Test first: red on the untouched tree, green with the fix, both in the pull request."""
    unit = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_app(self):\n"
    body = '        self.assertEqual(open("app.txt").read(), "right\\n")\n'
    written = bash(f"mkdir -p tests && cat > tests/test_app.py <<'EOF'\n{unit}{body}EOF")
    config = "setup: 'true'\ntest: sh check.sh\n"
    check = (
        "#!/bin/sh\nls tests/*.py >/dev/null 2>&1 || exit 0\nexec python3 -m unittest tests/*.py\n"
    )
    script = attempts(
        [Say("It should say right. That is all I can tell.")],
        [written, Say("A test for it.")],
        [Say('{"shows_problem": true, "reason": "It does."}')],
        RIGHT,
    )
    files = {**FILES, "check.sh": check, ".github/fixpoint.yml": config}
    async with open_world(tmp_path, script, files=files) as world:
        await world.comment("/fix")
        await world.settled()
        run = await world.run()
        assert (run.verdict, run.reason) == (
            Verdict.FIXED,
            snapshot("The failing command passes with the patch, and nothing else that ran broke."),
        )
        [pull] = world.pulls()
        assert pull.pull is not None
        assert world.file("tests/test_app.py", pull.pull.head_ref) is not None
        assert world.repaired() == "right\n"
        assert world.level(pull.body or "") == snapshot("""\
**Failed:** `sh check.sh` at `COMMIT`, 1 failing test: `tests.test_app.T.test_app`: `AssertionError: 'wrong\\n' != 'right\\n'`.

**Cause and change:** The file said wrong. It says right now.

**Proof:** A new test that failed on the original commit passes with this patch (1 test passed) in a clean sandbox that its author can't reach.

Fixes #1

| Proof |  |  |
| --- | --- | --- |
| The tests show the change | shown | 1 test that failed before passes with the patch, in 3 clean sandboxes. |
| Nothing else broke | shown | The failing command is the whole suite, and passes. |
| What it can do now | **not shown** | 1 point to look at. |
| The tests are stable | shown | The failing command passed in 3 of 3 runs with the patch. |

**Changed, and not judged**

- The patch changes data that tests read: `app.txt`.

<details>
<summary>Evidence, attempts and notes</summary>

### What was wrong

No test showed the problem, so one was written; it fails on the untouched tree.

- `tests.test_app.T.test_app` at `tests/test_app.py:6`: `AssertionError: 'wrong\\n' != 'right\\n'`

<details>
<summary>Test runner output</summary>

`tests.test_app.T.test_app`

```
Traceback (most recent call last):
  File "/workspace/tests/test_app.py", line 6, in test_app
    self.assertEqual(open("app.txt").read(), "right\\n")
AssertionError: 'wrong\\n' != 'right\\n'
- wrong
+ right
```

</details>

### What was changed and why

2 files, +7 -1: `app.txt` and `tests/test_app.py`

As described by agent, `claude-sonnet-5-5`:

> The file said wrong. It says right now.

### How it was verified

- Original commit `COMMIT`: `sh check.sh` failed in 1 of 1 run, exit code 1.
- Nothing failed at first, so Fixpoint wrote a failing test: `tests/test_app.py`. It is part of this patch.
- With the patch, in a fresh sandbox: `sh check.sh`, exit code 0, 1 test passed, N s; 3 of 3 runs passed.

**Proven**

- `tests/test_app.py:6` `tests.test_app.T.test_app` passes; without the change it fails: `AssertionError: 'wrong\\n' != 'right\\n'`

**Changed, and not judged**

- The patch changes data that tests read: `app.txt`.

<details>
<summary>Setup and test commands</summary>

```sh
true
sh check.sh
```

- The setup commands were given; in a Python project, they install into `~/.venv`.
- The test command was given.

</details>

### The new test

| Tree | Command | Result |
| --- | --- | --- |
| Original commit with the new test | `sh check.sh` | exit code 1, 1 failing test |
| The same with the fix | `sh check.sh` | exit code 0, 1 test passed |

### Please review

Guard findings:

- Please check: The patch changes data that tests read: `app.txt`.

### Attempts

| # | Proposer | Command | Failing | Patch | Tokens | Cost | Time | Outcome |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | agent, `claude-sonnet-5-5` | `sh check.sh` | 1 → 0 | 1 file, +1 -1 | N | $0.N | N s | accepted |

- Attempt 1 asked claude-sonnet-5-5: no test of the project showed the problem.
- Attempt 1 used 2 tool calls (1 `bash`, 1 `str_replace_based_edit_tool`) and the provider's cache (N% of its input tokens).

### Notes

- The model wrote no specification that could be read, so the tests are written from the issue alone.
- Try 1 of writing tests used 1 tool call (1 `bash`) and the provider's cache (N% of its input tokens).
- mechanical: No tool in this project can automatically fix what `sh check.sh` reports.
- search: There was nothing to try: no line of the project was seen to be run by the failing tests, which could not all be watched.

</details>

Run `RUN`: N s, $0.N. To have it done differently, comment `/fix` with what to change.

<!-- fixpoint:run=RUN kind=pull-request -->
""")


@pytest.mark.slow
async def test_a_command_that_downloads_what_it_runs_gets_the_registries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a network it shows nothing of the code; with the setup's it does, and is repaired."""
    async with Gate() as gate:
        for name, value in gate.variables.items():
            monkeypatch.setenv(name, value)
        fetch = f"( {gate.command('fetch')} ) 2>/dev/null"
        offline = "{ echo 'curl: (6) Could not resolve host: packages.test'; exit 6; }"
        files = {
            **FILES,
            "fetch.sh": f"{fetch} || {offline}\n",
            "check.sh": f"bash fetch.sh || exit 6\n{FILES['check.sh']!s}",
        }
        async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
            await world.comment("/fix")
            await world.settled()
            run = await world.run()
            assert run.verdict is Verdict.FIXED
            assert run.report is not None
            assert reproduction.registries_reached("sh check.sh") in run.report.notes
