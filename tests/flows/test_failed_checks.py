"""A check fails: the very job is done again, and what it is is known before anything is spent."""

from __future__ import annotations

import io
import tarfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.model import Verdict
from bot.reporting.reasons import job_target, setup_repair
from bot.storage.seen_tests import SeenTestStore
from tests.fakes.github.ci_files import zipped
from tests.fakes.github.ci_model import Artifact
from tests.fakes.package_index import PackageIndex, package_index
from tests.flows.failing_commit import CHECK, CI, FILES, SAID, failing_commit, runner_log
from tests.flows.gate import Gate
from tests.flows.world import RIGHT, World, attempts, open_world

WRONG = {"app.txt": "wrong\n"}


def asked(world: World) -> int:
    """Return how often the model was asked."""
    assert world.model is not None
    return len(world.model.requests)


@pytest.mark.slow
async def test_a_failing_job_is_done_again_and_repaired(tmp_path: Path) -> None:
    """The step's own command, in the job's environment, fails here, not at the base; then it passes."""
    async with open_world(tmp_path, attempts(RIGHT), files=FILES) as world:
        commit = failing_commit(world, WRONG)
        commit.job_fails()
        await commit.repaired()
        run = await world.run()
        assert run.report is not None
        assert (run.verdict, run.reason) == (
            Verdict.FIXED,
            "The failing command passes with the patch, and nothing else that ran broke.",
        )
        assert run.report.reproduction is not None
        assert run.report.reproduction.reason == snapshot(
            "`test`: `sh check.sh` fails here every time."
        )
        [job] = run.report.reproduction.jobs
        assert (job.check, job.step, job.command) == ("test", "Check", "sh check.sh")
        assert job.differences == snapshot(
            (
                "GitHub tested the merge with the base branch; here, the head commit is tested.",
                "GitHub runs the job on `ubuntu-latest`; here it runs on the sandbox's Linux, with the programs installed there.",
            )
        )
        [ours] = [pull for pull in world.pulls() if pull is not commit.pull]
        assert world.level(ours.body or "") == snapshot("""\
**Failed:** `sh check.sh` at `COMMIT`, 1 failing test: `checks::app`: `app.txt says wrong`.

**Cause:** Commit COMMIT (Change files) by acme on DAY. **Proven:** the tests fail in 7 of 7 runs with it and pass in 8 of 8 runs without it.

**Change:** The file said wrong. It says right now.

**Proof:** The failing command passes with this patch in a clean sandbox that its author can't reach.

For #2

| Proof |  |  |
| --- | --- | --- |
| The tests show the change | shown | 1 test that failed before passes with the patch, in 3 clean sandboxes. |
| Nothing else broke | undecided | No test was run, so nothing shows what else the patch changes. |
| The tests are stable | shown | The failing command passed in 3 of 3 runs with the patch. |

<details>
<summary>Evidence, attempts and notes</summary>

**What changed:** commit COMMIT (Change files) by acme on DAY. **Proven:** the tests fail in 7 of 7 runs with it and pass in 8 of 8 runs without it.

<details>
<summary>How that is known</summary>

- Since `RUN`: `checks::app`

| State | Tests |
| --- | --- |
| `RUN` | passed in 8 runs |
| `RUN` | failed in 7 runs |

Looked for N s.

</details>

### What was wrong

`test`: `sh check.sh` fails here every time.

Failed on GitHub:

- [test](https://github.test/acme/app/runs/1016), step `Check`, reproduced as `sh check.sh`: `checks::app` at `checks.py`.

- `checks::app` at `checks.py`: `app.txt says wrong`

<details>
<summary>Command output</summary>

```
=========== short test summary info ===========
FAILED checks.py::app - app.txt says wrong
```

</details>

<details>
<summary>Differences from GitHub's runner</summary>

- `test`: GitHub tested the merge with the base branch; here, the head commit is tested.
- `test`: GitHub runs the job on `ubuntu-latest`; here it runs on the sandbox's Linux, with the programs installed there.

</details>

### What was changed and why

1 file, +1 -1: `app.txt`

As described by agent, `claude-sonnet-5-5`:

> The file said wrong. It says right now.

### How it was verified

- Original commit `COMMIT`: `sh check.sh` failed in 2 of 2 runs, exit codes 1, 1.
- With the patch, in a fresh sandbox: `sh check.sh`, exit code 0, N s; 3 of 3 runs passed.

**Proven**

- `checks::app` passes; without the change it fails: `app.txt says wrong`

<details>
<summary>Setup and test commands</summary>

```sh
# Make the sandbox look like GitHub's runner
echo "PREPARED=yes" >> "$GITHUB_ENV"
sh check.sh
```

- The failing command comes from the check `test`, step `Check` of .github/workflows/ci.yml.
- GitHub tested the merge with the base branch; here, the head commit is tested.
- GitHub runs the job on `ubuntu-latest`; here it runs on the sandbox's Linux, with the programs installed there.

</details>

### Attempts

| # | Proposer | Command | Failing | Patch | Tokens | Cost | Time | Outcome |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | agent, `claude-sonnet-5-5` | `sh check.sh` | 1 → 0 | 1 file, +1 -1 | N | $0.N | N s | accepted |

- Attempt 1 asked claude-sonnet-5-5: nothing suggests that the failure is easy or hard.
- Attempt 1 used 2 tool calls (1 `bash`, 1 `str_replace_based_edit_tool`) and the provider's cache (N% of its input tokens).

### Notes

- mechanical: No tool in this project can automatically fix what `sh check.sh` reports.
- Commit RUN (`Change files` by `acme`, 2026-01-01) broke tests, but no way was found to take it back with which all failing tests pass.

</details>

Run `RUN`: N s, $0.N. To have it done differently, comment `/fix` with what to change.

<!-- fixpoint:run=RUN kind=pull-request -->
""")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("other.txt", "so this change is not the cause."),
        ("test_other.py", "So this says nothing about the change."),
    ],
)
async def test_what_is_red_on_the_base_is_not_repaired_here(
    tmp_path: Path, change: str, says: str
) -> None:
    """The base fails in the same way: reported, and nothing is spent.

    Where a changed test had not its turn, nobody says that the change is not the cause.
    """
    files = {**FILES, **WRONG}
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        commit = failing_commit(world, {change: "more\n"})
        commit.job_fails()
        await commit.repaired()
        run = await world.run()
        assert (run.verdict, asked(world)) == (Verdict.RED_ON_BASE, 0)
        assert run.reason is not None
        assert run.reason.startswith("`test`: `sh check.sh` fails the same way on the base commit")
        assert run.reason.endswith(says)


@pytest.mark.exhaustive
async def test_what_is_red_on_the_base_is_repaired_where_that_is_wanted(tmp_path: Path) -> None:
    """By the repo config, or because a person asks with a button; the report says what the base does."""
    files = {**FILES, **WRONG, ".github/fixpoint.yml": "checks: {red_on_base: true}\n"}
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        commit = failing_commit(world, {"other.txt": "more\n"})
        commit.job_fails()
        await commit.repaired()
        run = await world.run()
        assert run.verdict is Verdict.FIXED
        assert run.report is not None
        assert (
            "`test`: `sh check.sh` fails the same way on the base commit, so this change is not the cause."
            in run.report.notes
        )


@pytest.mark.slow
async def test_what_passes_here_is_not_reproduced(tmp_path: Path) -> None:
    """Red at GitHub and green here, again and again: said with what differs."""
    async with open_world(tmp_path, attempts(RIGHT), files=FILES) as world:
        commit = failing_commit(world, {"other.txt": "more\n"})
        commit.job_fails()
        await commit.repaired()
        run = await world.run()
        assert (run.verdict, run.reason, asked(world)) == snapshot(
            (
                Verdict.NOT_REPRODUCED,
                "`test`: `sh check.sh` passed here 3 times but failed on GitHub. GitHub tested the merge with the base branch; here, the head commit is tested. GitHub runs the job on `ubuntu-latest`; here it runs on the sandbox's Linux, with the programs installed there.",
                0,
            )
        )
        assert world.said(commit.pull)[-1] == snapshot("""\
**Not fixed: could not reproduce the failure.** `test`: `sh check.sh` passed here 3 times but failed on GitHub. GitHub tested the merge with the base branch; here, the head commit is tested. GitHub runs the job on `ubuntu-latest`; here it runs on the sandbox's Linux, with the programs installed there.

**Next:** Comment `/fix --test "COMMAND"` with the failing command, or add a test that fails at `COMMIT`.

### Reproduction

`sh check.sh` at `COMMIT`: exit code 0; exit codes of 3 runs: 0, 0, 0.

Failed on GitHub:

- [test](https://github.test/acme/app/runs/1016), step `Check`, reproduced as `sh check.sh`: `checks::app` at `checks.py`.

<details>
<summary>Log of test</summary>

```
=========== short test summary info ===========
FAILED checks.py::app - app.txt says wrong
```

</details>

<details>
<summary>Differences from GitHub's runner</summary>

- `test`: GitHub tested the merge with the base branch; here, the head commit is tested.
- `test`: GitHub runs the job on `ubuntu-latest`; here it runs on the sandbox's Linux, with the programs installed there.

</details>

<details>
<summary>Setup and test commands</summary>

```sh
# Make the sandbox look like GitHub's runner
echo "PREPARED=yes" >> "$GITHUB_ENV"
sh check.sh
```

- The failing command comes from the check `test`, step `Check` of .github/workflows/ci.yml.
- GitHub tested the merge with the base branch; here, the head commit is tested.
- GitHub runs the job on `ubuntu-latest`; here it runs on the sandbox's Linux, with the programs installed there.

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
async def test_what_fails_here_alone_is_no_part_of_the_repair(tmp_path: Path) -> None:
    """GitHub's failure has to pass; what the sandbox adds may stay, and is named."""
    files = {
        **FILES,
        "check.sh": """\
echo "=========== short test summary info ==========="
grep -qx "$WANTED" app.txt || echo "FAILED checks.py::app - app.txt says $(head -n 1 app.txt)"
echo "FAILED checks.py::sockets - no such device"
exit 1
""",
    }
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        commit = failing_commit(world, WRONG)
        commit.job_fails()
        await commit.repaired()
        run = await world.run()
        assert run.verdict is Verdict.FIXED
        assert run.report is not None
        assert run.report.reproduction is not None
        assert run.report.reproduction.reason == snapshot(
            "`test`: `sh check.sh` fails here every time. `checks::sockets` fails here too, but not on GitHub, and need not be repaired."
        )
        assert [each.test for each in run.report.reproduction.others] == ["checks::sockets"]


@pytest.mark.slow
async def test_a_command_that_needs_the_registries_gets_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a network it dies of that; with the setup's it shows GitHub's failure, and is repaired."""
    async with Gate() as gate:
        for name, value in gate.variables.items():
            monkeypatch.setenv(name, value)
        fetch = f"( {gate.command('fetch')} ) 2>/dev/null"
        offline = "{ echo 'curl: (6) Could not resolve host: packages.test'; exit 6; }"
        files = {
            **FILES,
            "fetch.sh": f"{fetch} || {offline}\nsh check.sh\n",
            ".github/workflows/ci.yml": CI.replace("sh check.sh", "bash fetch.sh"),
        }
        async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
            commit = failing_commit(world, WRONG)
            commit.job_fails(script="bash fetch.sh")
            await commit.repaired()
            run = await world.run()
            assert run.verdict is Verdict.FIXED
            assert run.report is not None
            assert run.report.reproduction is not None
            assert run.report.reproduction.reason == snapshot(
                "`test`: `bash fetch.sh` fails here every time. It needs the package registries, so it runs with them in reach."
            )
            assert len(gate.passed) > 2  # reproduction, attempt and verification


@pytest.mark.slow
async def test_a_missing_network_is_never_githubs_failure(tmp_path: Path) -> None:
    """Nothing that it reaches makes it show what failed there: both are shown, nothing is spent."""
    files = {
        **FILES,
        "check.sh": "echo 'curl: (6) Could not resolve host: packages.test'; exit 6\n",
    }
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        commit = failing_commit(world, WRONG)
        commit.job_fails()
        await commit.repaired()
        run = await world.run()
        assert (run.verdict, run.reason, asked(world)) == snapshot(
            (
                Verdict.NOT_REPRODUCED,
                "`test`: `sh check.sh` fails here with `curl: (6) Could not resolve host: packages.test` because the sandbox can't reach what it needs, but failed on GitHub with `checks::app`.",
                0,
            )
        )


UNPINNED = {
    ".gitignore": "lib/\n",
    ".github/workflows/ci.yml": CI.replace(
        "run: echo", "run: uv pip install --quiet --target lib moody && echo"
    ),
    "check.sh": CHECK.replace("grep", "grep -q 2.0 lib/moody.py && exit 0\ngrep", 1),
}


@pytest.mark.exhaustive
async def test_a_failure_of_its_day_is_repaired_with_the_packages_of_its_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newer package hides it today; what GitHub saw counts, and the report says so."""
    days = {"1.0": 500, "2.0": 100}
    times = {
        item: f"{datetime.now(UTC) - timedelta(days=ago):%FT%TZ}" for item, ago in days.items()
    }
    async with package_index(PackageIndex({"moody": times})) as index:
        monkeypatch.setenv("UV_INDEX_URL", index.python)
        monkeypatch.delenv("UV_OFFLINE")
        async with open_world(tmp_path, attempts(RIGHT), files=FILES | UNPINNED) as world:
            commit = failing_commit(world, WRONG)
            commit.job_fails(days_ago=400)
            await commit.repaired()
            run = await world.run()
            assert run.report is not None
            assert run.verdict is Verdict.FIXED, run.reason
            day = f"{datetime.now(UTC) - timedelta(days=400):%F}"
            assert run.report.reproduction is not None
            assert run.report.reproduction.reason.replace(day, "DAY") == snapshot(
                "`test`: `sh check.sh` fails here every time. With today's packages, `test` does not fail as on GitHub; with those of DAY, the day of the run, it does. The repair uses the latter."
            )


def source_package(name: str, version: str) -> bytes:
    """Return the source of a package whose build fails."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for path, text in {"PKG-INFO": f"Name: {name}", "setup.py": "raise SystemExit(1)"}.items():
            member = tarfile.TarInfo(f"{name}-{version}/{path}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return data.getvalue()


@pytest.mark.exhaustive
async def test_a_package_that_can_not_be_built_does_not_stop_the_others(tmp_path: Path) -> None:
    """An empty one stands for it, which the report says; what was to be seen is seen."""
    files: dict[str, str | bytes] = {
        **FILES,
        ".gitignore": "lib/\n",
        "dist/unbuildable-1.5.tar.gz": source_package("unbuildable", "1.5"),
        ".github/workflows/ci.yml": CI.replace(
            "run: echo", "run: uv pip install --no-index --target lib unbuildable && echo"
        ).replace("env: {LEVEL: workflow}", "env: {UV_FIND_LINKS: dist}"),
    }
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        commit = failing_commit(world, WRONG)
        commit.job_fails()
        await commit.repaired()
        run = await world.run()
        assert run.report is not None
        assert run.verdict is Verdict.FIXED, run.reason
        assert run.report.reproduction is not None
        [job] = run.report.reproduction.jobs
        assert setup_repair.stands_in("unbuildable", "1.5") in job.differences


async def test_what_failed_outside_of_the_code_is_not_even_run(tmp_path: Path) -> None:
    """The runner's disk was full: no sandbox is opened, no model is asked."""
    async with open_world(tmp_path, attempts(RIGHT), files=FILES) as world:
        commit = failing_commit(world, WRONG)
        full = "cp: error writing 'app.txt': No space left on device"
        commit.job_fails(log=runner_log("sh check.sh", full))
        await commit.repaired()
        run = await world.run()
        assert (run.verdict, run.reason, asked(world)) == snapshot(
            (Verdict.INFRASTRUCTURE, "`test`: The runner's disk was full.", 0)
        )
        assert run.report is not None
        assert run.report.commands is None


async def test_another_failure_than_github_had_is_not_taken_for_it(tmp_path: Path) -> None:
    """What fails here must be what failed there."""
    async with open_world(tmp_path, attempts(RIGHT), files=FILES) as world:
        commit = failing_commit(world, WRONG)
        commit.job_fails(log=runner_log("sh check.sh", SAID.replace("checks", "tests/test_a")))
        await commit.repaired()
        run = await world.run()
        assert (run.verdict, run.reason, asked(world)) == snapshot(
            (
                Verdict.NOT_REPRODUCED,
                "`test`: `sh check.sh` fails here with `checks::app`, but failed on GitHub with `tests.test_a::app`. GitHub tested the merge with the base branch; here, the head commit is tested. GitHub runs the job on `ubuntu-latest`; here it runs on the sandbox's Linux, with the programs installed there.",
                0,
            )
        )


@pytest.mark.slow
async def test_another_reason_than_github_had_is_not_taken_for_it(tmp_path: Path) -> None:
    """The same test fails here, of something else: of what, is said."""
    async with open_world(tmp_path, attempts(RIGHT), files=FILES) as world:
        commit = failing_commit(world, WRONG)
        there = SAID.replace("app.txt says wrong", "KeyError: 'wanted'")
        commit.job_fails(log=runner_log("sh check.sh", there))
        await commit.repaired()
        run = await world.run()
        assert (run.verdict, asked(world)) == (Verdict.NOT_REPRODUCED, 0)
        assert run.reason.partition("GitHub tested")[0] == snapshot(
            "`test`: `sh check.sh` fails here with `checks::app: app.txt says wrong`, but failed on GitHub with `checks::app: KeyError: 'wanted'`. "
        )


@pytest.mark.slow
async def test_a_failed_setup_is_the_cause_of_what_follows(tmp_path: Path) -> None:
    """A step before the failing one fails here: what is missing then is no fault of its own."""
    ci = CI.replace(
        """      - name: Check
        run: sh check.sh
""",
        """      - name: Make the tool
        run: test -d /opt/of/github && touch "$HOME/tool"
      - name: Check
        run: sh check.sh
""",
    )
    check = CHECK.replace(
        "[ ", '[ -e "$HOME/tool" ] || { echo "check.sh: tool: not found"; exit 127; }\n[ ', 1
    )
    files = {**FILES, "check.sh": check, ".github/workflows/ci.yml": ci}
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        commit = failing_commit(world, WRONG)
        commit.job_fails()
        await commit.repaired()
        run = await world.run()
        assert (run.verdict, asked(world)) == (Verdict.NOT_REPRODUCED, 0)
        assert run.reason == snapshot(
            "`test`: Step `Make the tool` fails here, before the step that failed on GitHub. `sh check.sh` fails here with `check.sh: tool: not found` after that, which may follow from it; it failed on GitHub with `checks::app`."
        )


@pytest.mark.parametrize(
    ("prepare", "check", "said"),
    [
        ("sleep 600", "exit 1", ("The setup had taken ", "had not finished")),
        pytest.param("sleep 4", "sleep 600", ("The setup had taken ",), marks=pytest.mark.exhaustive),
        pytest.param("true", "sleep 600", (), marks=pytest.mark.exhaustive),
    ],
    ids=["in it", "after a long one", "after a short one"],
)  # fmt: skip
async def test_a_budget_that_ends_in_a_jobs_setup_says_so(
    tmp_path: Path, prepare: str, check: str, said: tuple[str, ...]
) -> None:
    """And one that ends behind it does not, unless the setup took most of it."""
    files = {
        **FILES,
        ".github/fixpoint.yml": "checks: {auto: all}\ncaps: {sandbox: 6}\n",
        ".github/workflows/ci.yml": CI.replace('echo "PREPARED=yes" >> "$GITHUB_ENV"', prepare),
        "check.sh": f"{check}\n",
    }
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        commit = failing_commit(world, WRONG)
        commit.job_fails()
        await commit.repaired()
        run = await world.run()
        assert run.verdict is Verdict.BUDGET_SPENT
        for words in ("The setup had taken ", "had not finished"):
            assert (words in run.reason) is (words in said), run.reason


GENERATED = """\
  generated:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - run: ./gen.pl --check
"""
GENERATOR = """\
#!/usr/bin/perl
# Writes gen.txt, or says with --check that it is stale.
my $want = "made\\n";
if (@ARGV) { open(my $in, "<", "gen.txt"); my $has = <$in>; print "gen.txt is stale\\n" if $has ne $want; exit($has ne $want); }
open(my $out, ">", "gen.txt"); print $out $want;
"""


@pytest.mark.slow
async def test_every_failed_job_must_pass(tmp_path: Path) -> None:
    """Two jobs fail for two reasons: a patch for one of them is not enough, one for both is."""
    files = {
        **FILES,
        ".github/workflows/ci.yml": CI + GENERATED,
        "gen.pl!": GENERATOR,
        "gen.txt": "made\n",
    }
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        commit = failing_commit(world, {**WRONG, "gen.txt": "stale\n"})
        commit.job_fails()
        script = "./gen.pl --check"
        commit.job_fails(
            "generated",
            step=f"Run {script}",
            script=script,
            log=runner_log(script, "gen.txt is stale"),
        )
        await commit.repaired()
        run = await world.run()
        assert run.report is not None
        assert run.report.reproduction is not None
        assert [job.command for job in run.report.reproduction.jobs] == ["sh check.sh", script]
        assert [
            (attempt.proposer, attempt.accepted, attempt.proposal.patch.files)
            for attempt in run.report.attempts
        ] == snapshot(
            [
                ("mechanical", False, ("gen.txt",)),
                ("agent", True, ("app.txt", "gen.txt")),
            ]
        )
        assert run.verdict is Verdict.FIXED
        last = run.report.attempts[-1].verification
        assert last is not None
        assert last.target is not None
        assert last.target.command == "sh check.sh && ./gen.pl --check"
        assert run.report.what_changed is not None
        [found] = run.report.what_changed.culprits
        assert (found.event.name, found.certainty) == (commit.sha, "proven")
        assert found.tests == snapshot(("./gen.pl --check", "checks::app"))


LINTED = """\
  lint:
    runs-on: ubuntu-latest
    env: {WANTED: right}
    steps:
      - run: make lint
"""
LINT_FILES: dict[str, str | bytes] = {
    "Makefile": "lint:\n\t@./$(shell echo scripts)/lint\n",
    "scripts/lint!": """\
#!/bin/sh
for place in docs; do (cd $place && "$GITHUB_WORKSPACE/tools/bin/shfmt" -d *.txt) || exit 1; done
""",
    "tools/bin/shfmt!": """\
#!/bin/sh
case $1 in -d) grep -vqx "$WANTED" "$2" || exit 0; echo "$2 is untidy"; exit 1 ;; -w) echo "$WANTED" >"$2" ;; esac
""",
    "docs/a.txt": "right\n",
}


@pytest.mark.slow
async def test_the_tool_behind_a_lint_job_is_found(tmp_path: Path) -> None:
    """Only watching shows what `make lint` starts: the very tool repairs, with the job's variables."""
    files = {**FILES, **LINT_FILES, ".github/workflows/ci.yml": CI + LINTED}
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        commit = failing_commit(world, {"docs/a.txt": "untidy\n"})
        commit.job_fails("lint", step="Run make lint", script="make lint", log=None)
        await commit.repaired()
        run = await world.run()
        assert run.report is not None
        [attempt] = run.report.attempts
        assert (attempt.proposer, attempt.accepted) == ("mechanical", True)
        assert attempt.proposal.patch.files == ("docs/a.txt",)
        [shown] = [line for line in attempt.proposal.summary.splitlines() if line[:1] == "-"]
        assert shown == snapshot(
            "- `cd docs && ../tools/bin/shfmt -w a.txt`: The failing command started `shfmt` through `make lint` → `lint`."
        )
        [seen] = [
            program for program in attempt.proposal.programs if program.file.endswith("shfmt")
        ]
        assert (seen.arguments[1:], seen.folder) == (("-d", "a.txt"), "docs")
        assert asked(world) == 0


TWICE_LINTED = """\
  lint:
    runs-on: ubuntu-latest
    env: {WANTED: right}
    steps:
      - {name: First, run: tools/bin/shfmt -d docs/a.txt}
      - {name: Second, run: tools/bin/shfmt -d docs/b.txt}
      - {name: Upload, run: ./upload}
"""


@pytest.mark.slow
async def test_a_check_that_github_skipped_behind_the_failed_step_has_to_pass(
    tmp_path: Path,
) -> None:
    """Nobody knew yet that it fails, too; what is no check is left out."""
    files = {**FILES, **LINT_FILES, ".github/workflows/ci.yml": CI + TWICE_LINTED}
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        untidy = dict.fromkeys(("docs/a.txt", "docs/b.txt"), "untidy\n")
        commit = failing_commit(world, untidy)
        first = "tools/bin/shfmt -d docs/a.txt"
        log = runner_log(first, "docs/a.txt is untidy\n")
        commit.job_fails("lint", step="First", script=first, log=log, skipped=("Second", "Upload"))
        await commit.repaired()
        run = await world.run()
        assert run.verdict is Verdict.FIXED, run.reason
        assert run.report is not None
        assert run.report.reproduction is not None
        [job] = run.report.reproduction.jobs
        assert job.differences == snapshot(
            (
                "GitHub skipped the step `Second` after the failure; a fix has to pass it, too.",
                "GitHub tested the merge with the base branch; here, the head commit is tested.",
                "GitHub runs the job on `ubuntu-latest`; here it runs on the sandbox's Linux, with the programs installed there.",
            )
        )
        [attempt] = run.report.attempts
        assert attempt.proposal.patch.files == ("docs/a.txt", "docs/b.txt")


TENFOLD = "{0}" * 10
MULTIPLIED = CI + 400 * (
    f"      - run: echo ${{{{ format('{TENFOLD}', format('{TENFOLD}', '{'x' * 1000}')) }}}}\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workflow", "sentence"),
    [
        pytest.param(
            "jobs: [\n",
            ".github/workflows/ci.yml, line 2: is not valid YAML: expected the node content, but found '<stream end>'.",
            marks=pytest.mark.exhaustive,
        ),
        (MULTIPLIED, "Its jobs, steps and values add up to more than 16 MiB."),
    ],
)
async def test_without_a_job_to_do_again_the_test_command_stands_for_it(
    tmp_path: Path, workflow: str, sentence: str
) -> None:
    """A workflow that does not parse, or asks for too much: it is said."""
    config = "setup: 'true'\ntest: WANTED=right PREPARED=yes sh check.sh\n"
    files = {**FILES, ".github/fixpoint.yml": config}
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        commit = failing_commit(world, {**WRONG, ".github/workflows/ci.yml": workflow})
        commit.job_fails()
        await commit.repaired()
        run = await world.run()
        assert run.report is not None
        assert run.report.reproduction is not None
        [job] = run.report.reproduction.jobs
        assert (run.verdict, job.command) == (
            Verdict.FIXED,
            "WANTED=right PREPARED=yes sh check.sh",
        )
        assert job.differences[0] == f"The workflow of `test` can't be planned. {sentence}"


@pytest.mark.exhaustive
async def test_the_second_run_of_a_repository_starts_at_once(tmp_path: Path) -> None:
    """The environment is kept by what it is made from, brought to the next commit, and said."""
    install = 'run: echo "PREPARED=yes" >> "$GITHUB_ENV"; touch untracked.pyc; sudo apt-get install nothing'
    workflow = CI.replace('run: echo "PREPARED=yes" >> "$GITHUB_ENV"', install)
    check = FILES["check.sh"]
    assert isinstance(check, str)
    files = {
        **FILES,
        ".github/workflows/ci.yml": workflow,
        "check.sh": check + "test -e untracked.pyc || exit 8\n",
        "requirements.txt": "\n",
    }
    async with open_world(tmp_path, attempts(RIGHT, RIGHT), files=files) as world:
        told: list[tuple[Verdict | None, list[str]]] = []
        for changes in (WRONG, {"more.txt": "more\n"}):
            commit = failing_commit(world, {**WRONG, **changes})
            commit.job_fails()
            await commit.repaired()
            run = await world.run()
            assert run.report is not None
            notes = [world.level(note) for note in run.report.notes if "reused" in note]
            told.append((run.verdict, [note.replace(commit.sha[:7], "HEAD") for note in notes]))
        assert [(verdict, len(notes)) for verdict, notes in told] == [
            (Verdict.FIXED, 0),
            (Verdict.FIXED, 1),
        ]
        assert told[1][1][0].startswith("test: The environment of ")


async def test_nothing_is_known_and_nothing_can_be_run(tmp_path: Path) -> None:
    """No log, no plan, no test command: a verdict all the same."""
    async with open_world(tmp_path, attempts(RIGHT), files={"a.txt": "a\n"}) as world:
        commit = failing_commit(world, {"b.txt": "b\n"})
        commit.job_fails("deploy", log=None)
        await commit.repaired()
        run = await world.run()
        assert (run.verdict, run.reason) == snapshot(
            (
                Verdict.NOT_REPRODUCED,
                "The failed checks can't be run here. The workflow of `deploy` can't be planned. .github/workflows/ci.yml can't be read: it is missing, too large, or not a file. No test command was found.",
            )
        )


@pytest.mark.exhaustive
async def test_a_person_who_asks_is_told_that_the_base_is_red_too(tmp_path: Path) -> None:
    """`/fix` on a pull request goes on, and the report says what the base does."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        world.state.push(world.repository, "feature", {"other.txt": "more\n"})
        pull = world.state.open_pull_request(world.repository, "wes", "A feature", head="feature")
        await world.comment("/fix", issue=pull)
        await world.settled()
        run = await world.run()
        assert run.report is not None
        assert run.verdict is Verdict.FIXED
        assert "`sh check.sh` fails the same way on the base branch." in run.report.notes


MADE_AT_RUN_TIME = """\
name: CI
on: [push, pull_request]
jobs:
  list:
    runs-on: ubuntu-latest
    outputs: {wanted: "${{ steps.made.outputs.wanted }}"}
    steps:
      - uses: actions/checkout@v5
      - id: made
        run: printf 'wanted=["%s", "left"]\\n' "$(cat wanted.txt)" >> "$GITHUB_OUTPUT"
  test:
    needs: list
    runs-on: ubuntu-latest
    strategy:
      matrix:
        word: ${{ fromJSON(needs.list.outputs.wanted) }}
    name: with ${{ matrix.word }}
    env: {WANTED: "${{ matrix.word }}", PREPARED: "yes"}
    steps:
      - uses: actions/checkout@v5
      - name: Check
        run: sh check.sh
"""


@pytest.mark.exhaustive
@pytest.mark.exhaustive
async def test_the_job_that_makes_a_matrix_is_run_first(tmp_path: Path) -> None:
    """Its outputs make the leg that failed, so that nothing of the matrix is open."""
    files = {**FILES, "wanted.txt": "right\n", ".github/workflows/ci.yml": MADE_AT_RUN_TIME}
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        commit = failing_commit(world, WRONG)
        commit.job_fails("with right")
        await commit.repaired()
        run = await world.run()
        assert run.report is not None
        assert run.report.reproduction is not None
        assert (run.verdict, run.report.reproduction.reason) == (
            Verdict.FIXED,
            "`with right`: `sh check.sh` fails here every time.",
        )
        [job] = run.report.reproduction.jobs
        assert job.differences == snapshot(
            (
                "GitHub tested the merge with the base branch; here, the head commit is tested.",
                "GitHub runs the job on `ubuntu-latest`; here it runs on the sandbox's Linux, with the programs installed there.",
            )
        )


MADE_BY_ANOTHER_JOB = """\
name: CI
on: [push, pull_request]
jobs:
  make:
    runs-on: ubuntu-latest
    steps: [{uses: actions/upload-artifact@v4, with: {name: words, path: made}}]
  test:
    needs: make
    runs-on: ubuntu-latest
    env: {PREPARED: "yes"}
    steps:
      - uses: actions/checkout@v5
      - uses: actions/download-artifact@v5
        with: {path: made, pattern: "*", merge-multiple: true}
      - run: echo "WANTED=$(cat made/deep/word)" >> "$GITHUB_ENV"
      - name: Check
        run: sh check.sh
"""


@pytest.mark.exhaustive
async def test_what_an_earlier_job_uploaded_comes_from_github(tmp_path: Path) -> None:
    """The setup gets the artifacts of the failed run; one that is gone is said."""
    files = {**FILES, ".github/workflows/ci.yml": MADE_BY_ANOTHER_JOB}
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        commit = failing_commit(world, WRONG)
        commit.job_fails()
        [of_github] = world.repository.workflow_runs.values()
        of_github.artifacts += [
            Artifact(1, "words", zipped({"deep/word": b"right\n"})),
            Artifact(2, "expired", None),
        ]
        await commit.repaired()
        run = await world.run()
        assert run.report is not None
        assert run.verdict is Verdict.FIXED
        assert job_target.gone(job_target.artifact("expired")) in run.report.notes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("recipe", "says"),
    [
        ("./vendor/bin/phpunit", "failed before it ran code or tests of the project"),
        pytest.param(
            "python3 -m nose_of_old",
            "needs something that is missing here (nose_of_old)",
            marks=pytest.mark.exhaustive,
        ),
        ("python3 app.py", ""),
    ],
)
async def test_a_check_that_ran_nothing_of_the_project_is_not_real(
    tmp_path: Path, recipe: str, says: str
) -> None:
    """GitHub's log is gone, and behind make only a dependency is missing: nothing is spent."""
    files: dict[str, str | bytes] = {
        ".github/workflows/ci.yml": CI.replace("sh check.sh", "make t"),
        "app.py": "import sys\nsys.exit(0)\n",
        "requirements.txt": "nose_of_old\n",
        "Makefile": f"t:\n\t@{recipe}\n",
    }
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        commit = failing_commit(world, {"app.py": "import sys\nsys.exit(1)\n"})
        commit.job_fails(script="make t", log=None)
        await commit.repaired()
        run = await world.run()
        assert (run.verdict is Verdict.INFRASTRUCTURE) == bool(says), run.reason
        assert says in (run.reason or "")
        assert (asked(world) > 0) == (not says)


@pytest.mark.slow
async def test_what_is_known_of_a_failing_test_is_said(tmp_path: Path) -> None:
    """How it ended on other commits, as a note; that makes it no flaky test."""
    async with open_world(tmp_path, files=FILES) as world:
        for n in range(2):
            failing = failing_commit(world, {"app.txt": "wrong\n", "note.txt": f"{n}\n"})
            failing.job_fails()
            await failing.repaired()
        report = (await world.run()).report
        assert report is not None
        assert [world.level(note) for note in report.notes if "also failed" in note] == snapshot(
            [
                "checks::app also failed on 1 of the 1 other commit on which Fixpoint saw how it ends; last on DAY."
            ]
        )
        tests = await SeenTestStore(world.server.database).of(failing.request().repo)
        assert {(each.where, each.failed) for each in tests} == {("test", True), ("", True)}
