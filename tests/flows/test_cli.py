"""The command line, as a process: what it prints, how it ends, and what it leaves alone."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot import __version__
from bot.config.repo_config import PATH as CONFIG
from bot.config.repo_config import parse
from bot.reporting.json_report import FixOutput
from bot.reporting.reasons import detection, package_dates, reproduction, setup_repair
from demo.stories import STORIES
from tests.fakes.model import Say, Step
from tests.flows.command_line import PATIENCE, Desk, Done, ended, in_git, open_desk
from tests.flows.world import CHECK, FILES, RIGHT, WHY, WRONG, attempts, bash, open_scene

DOCS = Path(__file__).parents[2] / "docs"


def read(done: Done) -> FixOutput:
    """Return what `--json` printed: one object of the documented form, and nothing else."""
    return FixOutput.model_validate_json(done.out)


def assert_one_sentence(done: Done, *parts: str) -> None:
    """Assert that a command could not do its work, and says so in words for people."""
    assert done.code == 2, done
    assert done.out == ""
    assert "Traceback" not in done.err
    for part in parts:
        assert part in " ".join(done.err.split())


async def test_fixed_as_json(tmp_path: Path) -> None:
    """Status 0, one object of the contract on stdout, and the repository is as it was."""
    async with open_desk(tmp_path, attempts(WRONG, RIGHT)) as desk:
        before = desk.everything()
        done = await desk.fix("--json")
        assert done.code == 0, done.err
        output = read(done)
        assert (output.verdict, [attempt.accepted for attempt in output.attempts]) == (
            "fixed",
            [False, True],
        )
        assert "+right" in output.patch
        assert desk.everything() == before
        assert left_behind(desk) == []


def left_behind(desk: Desk) -> list[Path]:
    """Return what a run left of its work, besides the environment that it prepared."""
    kept = desk.data / "local"
    folders = [kept / "sandboxes" / "bubblewrap" / name for name in ("sandboxes", "snapshots")]
    others = [entry for entry in kept.iterdir() if entry.name not in {"sandboxes", "removed"}]
    entries = [entry for folder in folders if folder.is_dir() for entry in folder.iterdir()]
    return others + [entry for entry in entries if not entry.name.startswith("env-")]


async def test_not_fixed_is_another_status(tmp_path: Path) -> None:
    """Status 1, and a report for people that says why."""
    async with open_desk(tmp_path) as desk:
        done = await desk.fix()
        assert done.code == 1
        assert "found nothing to change" in " ".join(done.out.split())
        assert left_behind(desk) == []


async def test_a_branch_and_a_patch_file(tmp_path: Path) -> None:
    """The fix is one commit on a new branch; work tree, index and HEAD stay where they are."""
    async with open_desk(tmp_path, attempts(RIGHT)) as desk:
        (desk.repository / "staged.txt").write_text("mine\n")
        desk.git("add", "staged.txt")
        (desk.repository / "new.txt").write_text("mine too\n")
        status, head = desk.git("status", "--porcelain"), desk.git("rev-parse", "HEAD")
        done = await desk.fix("--branch", "fix/app", "--patch", "fix.patch")
        assert done.code == 0, done
        assert (desk.git("status", "--porcelain"), desk.git("rev-parse", "HEAD")) == (status, head)
        assert desk.git("rev-list", "HEAD..fix/app").count("\n") == 0
        assert desk.git("show", "fix/app:app.txt") == "right"
        assert desk.git("diff", "--name-only", "HEAD", "fix/app") == "app.txt"
        assert "+right" in (tmp_path / "fix.patch").read_text()
        assert "fix/app" in done.out


async def test_a_repository_on_a_server_has_its_own_config(tmp_path: Path) -> None:
    """It is fetched, and what its config says counts; one that can't be used is said."""
    async with open_desk(tmp_path, attempts(RIGHT)) as desk:
        url = f"file://{desk.repository}"
        config = desk.repository / ".github" / "fixpoint.yml"
        config.write_text("setup: 'true'\ntest: sh check.sh\nproposers: [mechanical]\n")
        desk.git("commit", "--quiet", "--all", "--message=No model")
        done = await desk.run("fix", url, "--json")
        assert [attempt.proposer for attempt in read(done).attempts] == []
        assert (done.code, read(done).verdict) == (1, "gave_up")
        config.write_text("atempts: 2\n")
        desk.git("commit", "--quiet", "--all", "--message=A slip")
        assert_one_sentence(await desk.run("fix", url), ".github/fixpoint.yml:1")


async def test_applied_to_a_dirty_work_tree(tmp_path: Path) -> None:
    """What is there, committed or not, is what is repaired; the fix goes on top of it."""
    files = {**FILES, "app.txt": "right\n"}
    async with open_desk(tmp_path, attempts(RIGHT), files=files) as desk:
        (desk.repository / "app.txt").write_text("wrong\n")
        (desk.repository / "notes.txt").write_text("not committed\n")
        (desk.repository / "check.sh").write_text(f"{CHECK}# a change of mine\n")
        done = await desk.fix("--apply")
        assert done.code == 0, done
        assert (desk.repository / "app.txt").read_text() == "right\n"
        assert (desk.repository / "check.sh").read_text().endswith("# a change of mine\n")
        assert desk.git("status", "--porcelain").splitlines() == ["M check.sh", "?? notes.txt"]


@pytest.mark.exhaustive
async def test_the_patch_on_stdout_and_the_issue_on_stdin(tmp_path: Path) -> None:
    """A pipe can be put around it: nothing but the patch comes out."""
    async with open_desk(tmp_path, attempts(RIGHT)) as desk:
        done = await desk.fix(
            "--issue-file", "-", "--patch", "-", stdin=b"The app errs.\n\nSometimes.\n"
        )
        assert done.code == 0, done.err
        assert done.out.startswith("diff --git a/app.txt b/app.txt\n")
        (tmp_path / "fix.patch").write_text(done.out)
        desk.git("apply", str(tmp_path / "fix.patch"))
        assert (desk.repository / "app.txt").read_text() == "right\n"
        assert desk.model is not None
        assert "The app errs." in desk.model.requests[0].first


async def test_interrupted_once_it_reports(tmp_path: Path) -> None:
    """Ctrl-C ends the command in the sandbox, and the run with what it knows."""
    async with open_desk(tmp_path, attempts([bash("sleep 6001")])) as desk:
        started = await desk.start("fix", str(desk.repository), "--json")
        await slept(desk)
        started.process.send_signal(signal.SIGINT)
        done = await ended(started)
        assert (done.code, read(done).verdict) == (1, "stopped")
        assert read(done).reason == "A person stopped the run."
        assert left_behind(desk) == []


@pytest.mark.exhaustive
async def test_terminated_it_says_so(tmp_path: Path) -> None:
    """What `timeout` or a CI system ends is not said to be a person's wish."""
    async with open_desk(tmp_path, attempts([bash("sleep 6001")])) as desk:
        started = await desk.start("fix", str(desk.repository), "--json")
        await slept(desk)
        started.process.send_signal(signal.SIGTERM)
        done = await ended(started)
        assert (done.code, read(done).verdict) == (1, "stopped")
        assert read(done).reason == snapshot("The process received SIGTERM.")
        assert left_behind(desk) == []


async def test_interrupted_twice_it_ends_at_once(tmp_path: Path) -> None:
    """Without a report and without a traceback, but not without tidying up."""
    async with open_desk(tmp_path, attempts([bash("trap '' TERM; sleep 6001")])) as desk:
        started = await desk.start("fix", str(desk.repository), "--json")
        await slept(desk)
        # While it is stopped it can't end between the two; a second SIGINT would merge with the first.
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
            started.process.send_signal(number)
        done = await ended(started)
        assert "Traceback" not in done.err
        assert (done.code, done.out) == (130, "")
        assert left_behind(desk) == []


async def slept(desk: Desk) -> None:
    """Wait until what the model wants is under way: `sleep` in one of the desk's sandboxes."""
    async with asyncio.timeout(PATIENCE):
        while not any(map(sleeps, jailed_for(desk))):  # noqa: ASYNC110 - another process's children
            await asyncio.sleep(0.02)


def jailed_for(desk: Desk) -> list[Path]:
    """Return what `/proc` has of processes in the desk's sandboxes."""
    return [place for place in Path("/proc").glob("[0-9]*") if of(desk, place)]


def of(desk: Desk, process: Path) -> bool:
    """Whether what it has mounted is below the desk's data."""
    try:
        return "/".join(desk.data.parts[-3:]) in (process / "mountinfo").read_text()
    except OSError:  # it ended meanwhile
        return False


def sleeps(process: Path) -> bool:
    """Whether it is the program that the model wants."""
    try:
        return (process / "cmdline").read_bytes() == b"sleep\0006001\0"
    except OSError:
        return False


@pytest.mark.slow
async def test_two_at_once(tmp_path: Path) -> None:
    """Several repairs of one repository do not meet."""
    async with open_desk(tmp_path, attempts(RIGHT)) as desk:
        before = desk.everything()
        both = await asyncio.gather(desk.fix("--json"), desk.fix("--json"))
        reports = [read(done) for done in both]
        assert [report.verdict for report in reports] == ["fixed"] * 2, reports
        assert desk.everything() == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nowhere",), "nowhere is neither a folder nor a URL."),
        (("plain",), "must be a git repository with at least one commit"),
        (("empty",), "must be a git repository with at least one commit"),
        (
            ("repository", "--proposers", "oracle"),
            "unknown proposer 'oracle'; choose from memory, flaky, mechanical, adapt, search, revert, agent, bound (agent needs a model;",
        ),
        (("repository", "--proposers", ""), "'--proposers': must not be empty; omit the option"),
        (("repository", "--test", ""), "'--test': must not be empty; omit the option"),
        (("repository", "--setup", "true", "--setup", " "), "'--setup': must not be empty"),
        (("repository", "--proposers", "agent"), "agent needs a model; set ANTHROPIC_API_KEY"),
        (("repository", "--sandbox", "chroot"), "'chroot' is not one of"),
        (("repository", "--sandbox", "e2b"), "E2B_API_KEY"),
        (
            ("repository", "--attempts", "0"),
            "'--attempts': Input should be greater than or equal to 1",
        ),
        (("repository", "--budget", "2"), "No such option: --budget"),
        (("repository", "--issue", "a", "--issue-file", "b"), "Use either --issue or --issue-file"),
        (("repository", "--issue", "a", "--add", "b"), "Use either --add or an issue, not both"),
        (("repository", "--issue-file", "-", "--add", "b"), "Use either --add or an issue"),
        (("repository", "--issue-file", "b"), "b can't be read: No such file or directory."),
        (("repository", "--json", "--patch", "-"), "both write to stdout"),
        (("repository", "--branch", "main"), "'main' already exists"),
        (("repository", "--branch", "no..good"), "is not a valid branch name"),
        (("repository", "--patch", "none/fix.patch"), "the folder none does not exist"),
        (("repository", "--patch", "plain"), "plain is a folder, not a file."),
        (("https://example.com/r.git", "--apply"), "need a local repository"),
        ((), "Missing argument 'PATH_OR_URL'"),
    ],
)
async def test_what_can_not_be_done_is_said(
    tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    """Status 2, nothing on stdout, and one sentence that says what to do."""
    async with open_desk(tmp_path) as desk:
        (tmp_path / "plain").mkdir()
        (tmp_path / "empty").mkdir()
        in_git(tmp_path / "empty", "init", "--quiet")
        before = desk.everything()
        assert_one_sentence(await desk.run("fix", *arguments), sentence)
        assert desk.everything() == before


@pytest.mark.parametrize(
    "address",
    [
        "http://user:s3cret-w0rd@127.0.0.1:1/r.git",
        "http://s3cret-w0rd@127.0.0.1:1/r.git",
        "http://us%40er:s3cret%2Dw0rd@127.0.0.1:1/r.git",
        "HTTPS://user:s3cret-w0rd@127.0.0.1:1/r.git",
        "ssh://user:s3cret-w0rd@127.0.0.1:1/r.git",
        "http://user:s3cret-w0rd@[::1/r.git",
        "user:s3cret-w0rd@127.0.0.1/r.git",
    ],
)
async def test_a_password_in_an_address_is_never_shown(tmp_path: Path, address: str) -> None:
    """Neither where it can't be fetched nor where it is no address."""
    async with open_desk(tmp_path) as desk:
        done = await desk.run("fix", address)
        assert done.code == 2
        for secret in ("s3cret", "c2VjcmV0"):
            assert secret not in done.out + done.err


async def test_an_unusable_config_and_data_folder_are_said(tmp_path: Path) -> None:
    """Status 2 with every problem's line, or with the variable to set."""
    async with open_desk(tmp_path) as desk:
        (tmp_path / "file").write_text("")
        inside_a_file = {"FIXPOINT_DATA": str(tmp_path / "file" / "data")}
        done = await desk.run("fix", str(desk.repository), environ=inside_a_file)
        assert_one_sentence(done, "Set FIXPOINT_DATA to a writable folder.")
        config = desk.repository / ".github" / "fixpoint.yml"
        config.write_text("atempts: 2\nattempts: none\n")
        assert_one_sentence(await desk.fix(), "fixpoint.yml:1", "fixpoint.yml:2")


async def test_the_repo_config_is_checked(tmp_path: Path) -> None:
    """Status 0 for a good one; 1 with a line per problem; 2 when there is none."""
    async with open_desk(tmp_path) as desk:
        good = await desk.run("config", "check", str(desk.repository))
        assert (good.code, good.out.endswith("is valid.\n")) == (0, True)
        config = desk.repository / ".github" / "fixpoint.yml"
        config.write_text("atempts: 2\ntest: [1]\n")
        bad = await desk.run("config", "check", str(config))
        assert bad.code == 1
        assert bad.err.replace(str(config), "CONFIG") == snapshot("""\
CONFIG:1: unknown key 'atempts'; did you mean 'attempts'?
CONFIG:2: 'test' must be text; put it in quotes.
""")
        config.unlink()
        assert_one_sentence(
            await desk.run("config", "check", str(desk.repository)), "can't be read"
        )


async def test_the_published_schema_is_what_it_prints(tmp_path: Path) -> None:
    """Editors that use the published one say the same as `config check`."""
    async with open_desk(tmp_path) as desk:
        printed = await desk.run("config", "schema")
        published = (DOCS / "fixpoint.schema.json").read_text()
        assert json.loads(printed.out) == json.loads(published)


async def test_doctor_says_what_works(tmp_path: Path) -> None:
    """Without a server's settings `fix` works; with good ones `serve` too; bad ones are named."""
    async with open_desk(tmp_path) as desk:
        bare = await desk.run("doctor")
        assert bare.code == 0
        assert "`fixpoint fix` works here; `fixpoint serve` is not configured." in bare.out
        async with open_scene(tmp_path) as scene:
            works = await desk.run("doctor", environ=scene.variables(desk.data))
        assert works.code == 0, works
        assert (
            "Authenticated to GitHub as the App fixpoint." in works.out
        )  # in a pipe, no line breaks
        assert not any(line.endswith(" ") for line in works.out.splitlines())
        assert "`fixpoint fix` and `fixpoint serve` work here." in works.out
        silent = {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
        assert (await desk.run("doctor", environ=silent)).code == 1
        broken = await desk.run("doctor", environ={"GITHUB_APP_ID": "seven"})
        assert broken.code == 1
        said = " ".join(broken.out.split())
        for name in ("GITHUB_APP_ID", "GITHUB_PRIVATE_KEY", "GITHUB_WEBHOOK_SECRET"):
            assert name in said


async def test_doctor_asks_the_model(tmp_path: Path) -> None:
    """A key that is set works only if the model answers with it."""
    async with open_desk(tmp_path, attempts([WHY])) as desk:
        done = await desk.run("doctor")
        assert done.code == 0, done
        assert "answered." in done.out


def change_a_test(desk: Desk) -> None:
    """Make the tests of one file those that were changed last."""
    with (desk.repository / "tests" / "test_app.py").open("a") as test:
        test.write("# changed\n")
    desk.git("commit", "--all", "--quiet", "--message", "change a test")


SOURCE_FOLDER = {
    "pyproject.toml": "[tool.pdm.scripts]\ntest = 'python -m unittest discover -s tests'\n",
    "src/app.py": "def double(number):\n    return number + number + 1\n",
    "tests/test_app.py": (
        "import unittest\n\nimport app\n\n\nclass Doubles(unittest.TestCase):\n"
        "    def test_three(self):\n        self.assertEqual(app.double(3), 6)\n"
    ),
}


async def test_a_setup_that_lacks_something_heals(tmp_path: Path) -> None:
    """What the output says is missing is added, offered as config, and known the next time."""
    async with open_desk(tmp_path, files=SOURCE_FOLDER) as desk:
        before = await desk.run("doctor", str(desk.repository), "--json")
        done = await desk.fix("--json", "--proposers", "mechanical")
        output = read(done)
        assert output.reproduction is not None, done.err
        assert output.reproduction.failing == ("test_app.Doubles.test_three",)
        assert output.commands is not None
        assert output.commands.test == "PYTHONPATH=src python -m unittest discover -s tests"
        assert output.commands.config.endswith(f"test: {output.commands.test}")
        assert setup_repair.own_module("app", "src") in output.notes
        again = read(await desk.fix("--json", "--proposers", "mechanical"))
        assert setup_repair.remembered(again.head) in again.notes
        assert again.reproduction == output.reproduction
        after = await desk.run("doctor", str(desk.repository), "--json")
        tests = [json.loads(told.out)["test"] for told in (before, after)]
        assert tests == ["python -m unittest discover -s tests", output.commands.test]
        shown = await desk.run("doctor", str(desk.repository))
        assert shown.code == 0
        assert "PYTHONPATH=src" in shown.out
        schema = "https://fixpoint.example.com/fixpoint.schema.json"
        printed = await desk.run(
            "config", "init", str(desk.repository), "--print", "--schema", schema
        )
        assert printed.out.startswith(f"# yaml-language-server: $schema={schema}\n")
        printed = await desk.run("config", "init", str(desk.repository), "--print")
        assert parse(printed.out).test == output.commands.test
        switched_on = re.sub(r"(?m)^# ((?:  )?[a-z_]+:)", r"\1", printed.out)
        assert parse(switched_on).proof.on == "fixes"
        assert parse(switched_on).paths.protected == ("vendor/**",)
        written = await desk.run("config", "init", str(desk.repository))
        assert (written.code, (desk.repository / CONFIG).read_text()) == (0, printed.out)
        assert_one_sentence(await desk.run("config", "init", str(desk.repository)), "exists")
        assert_one_sentence(await desk.run("doctor", "--json"), "PATH")


async def test_the_package_that_an_issue_names_is_tested(tmp_path: Path) -> None:
    """In a repository of several: set up, healed and tested in its folder, the others left alone."""
    packages = {"libs/lists/" + name: text for name, text in SOURCE_FOLDER.items()}
    packages |= {f"libs/double/{name}": text for name, text in SOURCE_FOLDER.items()}
    packages["libs/lists/src/app.py"] = "raise SystemExit\n"
    async with open_desk(tmp_path, files=packages) as desk:
        issue = ("--issue", "Doubles are one too many, see libs/double/src/app.py.")
        output = read(await desk.fix("--json", "--proposers", "mechanical", *issue))
        assert output.commands is not None, output.reason
        assert output.commands.test == (
            "cd libs/double && PYTHONPATH=src python -m unittest discover -s tests"
        )
        assert detection.package_named("libs/double") in output.commands.explanation
        assert output.reproduction is not None
        assert output.reproduction.failing == ("test_app.Doubles.test_three",)


@pytest.mark.parametrize("needs", [pytest.param("", marks=pytest.mark.exhaustive), "import app\n"])
async def test_a_suite_that_does_not_end_shows_what_was_changed_last(
    tmp_path: Path, needs: str
) -> None:
    """The tests that the last commit changed run alone, also behind a setup that heals."""
    slow = f"{needs}import time\nimport unittest\n\n\nclass Slow(unittest.TestCase):\n"
    slow += "    def test_slow(self):\n        time.sleep(600)\n"
    files = SOURCE_FOLDER | {"tests/test_a_slow.py": slow, "tests/__init__.py": ""}
    async with open_desk(tmp_path, files=files) as desk:
        change_a_test(desk)
        output = read(await desk.fix("--json", "--proposers", "mechanical", "--timeout", "80"))
        assert output.commands is not None, output.reason
        alone = "PYTHONPATH=src python -m unittest discover -s tests -k test_app"
        assert (output.commands.test, output.commands.failing) == (alone.partition(" -k")[0], alone)
        assert output.reproduction is not None
        assert output.reproduction.failing == ("test_app.Doubles.test_three",)
        assert any("` had not ended after 5 s, so" in note for note in output.notes)


async def test_a_suite_that_only_runs_out_of_time_costs_nothing(tmp_path: Path) -> None:
    """Nothing that it shows is a failure; where somebody says that it hangs, it may be one."""
    files = {".github/fixpoint.yml": "setup: []\ntest: sleep 600\n", "app.py": "TOTAL = 1\n"}
    async with open_desk(tmp_path, attempts([]), files=files) as desk:
        limits = ("--json", "--timeout", "24")
        output = read(await desk.fix(*limits, "--issue", "The total is wrong."))
        assert (output.verdict, output.tokens) == ("infrastructure", 0)
        assert output.reason.startswith("`sleep 600` had not ended after 6 s")
        output = read(await desk.fix(*limits))  # nobody says anything
        assert (output.verdict, output.tokens) == ("infrastructure", 0)
        hangs = ("--issue", "The sum hangs.", "--proposers", "mechanical")
        output = read(await desk.fix(*limits, *hangs))
        assert output.reproduction is not None, output.reason
        assert output.reproduction.cause == "real"


@pytest.mark.exhaustive
async def test_a_slow_suite_runs_as_a_whole_where_the_changed_tests_pass(tmp_path: Path) -> None:
    """It gets its whole time limit then; the tests that were changed last had been tried before."""
    passing = SOURCE_FOLDER["tests/test_app.py"].replace("6)", "7)")
    slow = passing.replace("import app", "import time\n\nimport app").replace("7)", "6)")
    slow = slow.replace("self.assert", "time.sleep(8)\n        self.assert")
    files = SOURCE_FOLDER | {"tests/test_app.py": passing, "tests/test_slow.py": slow}
    async with open_desk(tmp_path, files=files) as desk:
        change_a_test(desk)
        output = read(await desk.fix("--json", "--proposers", "mechanical", "--timeout", "80"))
        assert output.reproduction is not None, output.reason
        assert output.reproduction.failing == ("test_slow.Doubles.test_three",)


@pytest.mark.exhaustive
async def test_a_slow_suite_runs_as_a_whole_once_the_changed_tests_have_what_they_need(
    tmp_path: Path,
) -> None:
    """They failed for what the setup lacked, and pass once it has that; another test fails."""
    passing = SOURCE_FOLDER["tests/test_app.py"].replace("6)", "7)")
    slow = "import time\nimport unittest\n\n\nclass Slow(unittest.TestCase):\n"
    slow += "    def test_slow(self):\n        time.sleep(8)\n        self.fail('late')\n"
    files = SOURCE_FOLDER | {"tests/test_app.py": passing, "tests/test_slow.py": slow}
    async with open_desk(tmp_path, files=files) as desk:
        change_a_test(desk)
        output = read(await desk.fix("--json", "--proposers", "mechanical", "--timeout", "80"))
        assert setup_repair.own_module("app", "src") in output.notes
        assert output.reproduction is not None, output.reason
        assert output.reproduction.failing == ("test_slow.Slow.test_slow",)


async def test_the_projects_other_way_to_run_its_tests_may_fail(tmp_path: Path) -> None:
    """Where the first one passes: with the variable that `make test` sets besides."""
    files = SOURCE_FOLDER | {
        "src/app.py": "import os\n\n\ndef double(number):\n"
        "    return number + number + len(os.environ.get('PURE', ''))\n",
        "Makefile": "test:\n\tpython -m unittest discover -s tests\n"
        "\tPURE=1 python -m unittest discover -s tests\n",
    }
    async with open_desk(tmp_path, files=files) as desk:
        output = read(await desk.fix("--json", "--proposers", "mechanical"))
        assert output.commands is not None, output.reason
        plain = "PYTHONPATH=src python -m unittest discover -s tests"
        assert (output.commands.test, output.commands.failing) == (plain, f"PURE=1 {plain}")
        assert reproduction.fails_in_another_way(plain, f"PURE=1 {plain}") in output.notes
        assert output.reproduction is not None
        assert output.reproduction.failing == ("test_app.Doubles.test_three",)


DATED = {
    "pyproject.toml": (
        "[project]\nname = 'app'\nversion = '1'\nrequires-python = '>=3'\n"
        "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
        "[tool.pdm.scripts]\ntest = 'python -m unittest discover -s tests'\n"
    ),
    "backend.py": (
        "import os, zipfile\n\n\ndef build_wheel(folder, *_):\n"
        "    if 'UV_FIND_LINKS' in os.environ:\n"
        "        raise SystemExit('newer packages do not work')\n"
        "    name, info = 'app-1-py3-none-any.whl', 'app-1.dist-info'\n"
        "    with zipfile.ZipFile(os.path.join(folder, name), 'w') as wheel:\n"
        "        wheel.writestr(f'{info}/METADATA', 'Metadata-Version: 2.1\\nName: app\\nVersion: 1\\n')\n"
        "        wheel.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\\nTag: py3-none-any\\n')\n"
        "        wheel.writestr(f'{info}/RECORD', '')\n    return name\n\n\n"
        "build_editable = build_wheel\n"
    ),
    "app.py": "def double(number):\n    return number + number + 1\n",
    "tests/test_app.py": SOURCE_FOLDER["tests/test_app.py"],
}


@pytest.mark.exhaustive
async def test_packages_of_the_commits_day_are_a_remedy(tmp_path: Path) -> None:
    """Where the setup fails with today's packages, and the commit is older than these."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    async with open_desk(tmp_path, files=DATED) as desk:
        environ = {"UV_FIND_LINKS": str(wheels)}  # what is on this machine has no date
        given = (str(desk.repository), "--json", "--proposers", "mechanical")
        old = "2026-01-31T12:00:00+00:00"
        amended = ("commit", "--amend", "--quiet", "--no-edit", "--allow-empty")
        in_git(desk.repository, *amended, environ={"GIT_COMMITTER_DATE": old})
        output = read(await desk.run("fix", *given, environ=environ))
        assert output.reproduction is not None, output.reason
        assert output.reproduction.failing == ("test_app.Doubles.test_three",)
        assert package_dates.commit_used(datetime.fromisoformat(old)) in output.notes


def test_version() -> None:
    """One line, of `python -m bot` as it is started by nobody's help."""
    command = [sys.executable, "-m", "bot", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"fixpoint {__version__}\n", "")


async def test_a_server_without_settings_says_all_of_them(tmp_path: Path) -> None:
    """Every missing and bad variable at once, so that one try mends them all."""
    async with open_desk(tmp_path) as desk:
        done = await desk.run("serve", environ={"GITHUB_APP_ID": "seven", "PORT": "web"})
        assert_one_sentence(
            done, "GITHUB_APP_ID", "GITHUB_PRIVATE_KEY", "GITHUB_WEBHOOK_SECRET", "PORT"
        )


@pytest.mark.parametrize(
    ("recipe", "scripts", "said"),
    [
        ("./vendor/bin/phpunit", {}, "vendor/bin/phpunit"),
        ("sh ci/test.sh", {"ci/test.sh": "set -e\nnpx --no-install mocha\n"}, "npx"),
        pytest.param("python3 -m nose_of_old", {}, "nose_of_old", marks=pytest.mark.exhaustive),
    ],
)
async def test_tests_that_are_not_installed_cost_nothing(
    tmp_path: Path, recipe: str, scripts: dict[str, str], said: str
) -> None:
    """However deep: no code of the project ran, so there is nothing that a model could repair."""
    if "npx" in said and not shutil.which("npx"):
        pytest.skip("Node.js is not installed")
    files = {
        ".github/fixpoint.yml": "setup: []\ntest: make tests\n",
        "Makefile": f"tests:\n\t{recipe}\n",
        "app.py": "TOTAL = 1\n",
        **scripts,
    }
    async with open_desk(tmp_path, attempts([]), files=files) as desk:
        output = read(await desk.fix("--json"))
        assert (output.verdict, output.tokens) == ("infrastructure", 0)
        assert said in output.reason
        assert "`setup`" in output.reason


async def test_tests_for_want_of_a_service_show_no_fault(tmp_path: Path) -> None:
    """All that fails asks for what the project's workflow runs beside it, and a sandbox does not."""
    files = {
        ".github/fixpoint.yml": "setup: []\ntest: python3 -m unittest -v\n",
        ".github/workflows/tests.yml": (
            "on: push\njobs:\n  tests:\n    runs-on: ubuntu-latest\n    services:\n      store:\n"
            "        image: acme/store\n        ports: ['8765:8000']\n    steps: []\n"
        ),
        "app.py": (
            "import urllib.request\n\n\ndef version():\n"
            "    try:\n        return urllib.request.urlopen('http://localhost:8765/').read()\n"
            "    except OSError as error:\n"
            "        raise RuntimeError(f'http://localhost:8765/: {error}') from None\n"
        ),
        "test_app.py": (
            "import unittest\nimport app\n\n\nclass Versions(unittest.TestCase):\n"
            "    def test_version(self):\n        self.assertTrue(app.version())\n"
        ),
    }
    async with open_desk(tmp_path, attempts([]), files=files) as desk:
        output = read(await desk.fix("--json"))
        assert (output.verdict, output.tokens) == ("infrastructure", 0)
        assert "needs the service `store` on port 8765" in output.reason


async def test_a_submodule_out_of_reach_shows_no_fault(tmp_path: Path) -> None:
    """A value that was made up for a variable changes nothing, so it is no part of what is shown."""
    files = {
        ".github/fixpoint.yml": "test: python3 -m unittest -v\n",
        ".gitmodules": '[submodule "s"]\n\tpath = suite\n\turl = https://git.invalid/s\n',
        "test_app.py": (
            "import os\nimport unittest\n\n"
            "if not os.path.isdir(os.environ.get('SUITE_PATH', 'suite') + '/cases'):\n"
            "    raise LookupError('Cannot find the suite. Set the SUITE_PATH environment variable.')\n"
        ),
    }
    async with open_desk(tmp_path, attempts([]), files=files) as desk:
        output = read(await desk.fix("--json"))
        assert (output.verdict, output.tokens) == ("infrastructure", 0)
        assert "`python3 -m unittest -v` needs something that is missing here" in output.reason
        assert "submodule suite" in output.reason
        assert "SUITE_PATH" not in str(output.notes)


async def test_what_a_crash_hides_is_a_part_of_the_goal(tmp_path: Path) -> None:
    """The rest runs without the test that crashes, and a repair has to mend both."""
    tests = """\
import unittest
import app


class Crashing(unittest.TestCase):
    def test_a(self):
        self.assertTrue(app.total())

    def test_b(self):
        app.leave()

    def test_c(self):
        self.assertEqual(app.total(), 1)
"""
    program = "import os\n\n\ndef total():\n    return 2\n\n\ndef leave():\n    os._exit(3)\n"
    files = {
        ".github/fixpoint.yml": "setup: []\ntest: python3 -m unittest test_app\n",
        "test_app.py": tests,
        "app.py": program,
    }
    half: list[Step] = [bash("sed -i 's/    os._exit(3)/    return None/' app.py"), Say("Done.")]
    whole: list[Step] = [
        bash("sed -i 's/os._exit(3)/return None/; s/return 2/return 1/' app.py"),
        Say("Done."),
    ]
    async with open_desk(tmp_path, attempts(half, whole), files=files) as desk:
        output = read(await desk.fix("--json", "--proposers", "agent"))
        assert output.reproduction is not None, output.reason
        assert output.reproduction.failing == (
            "test_app.Crashing.test_b",
            "test_app.Crashing.test_c",
        )
        assert any("Without it, 1 test passes and" in note for note in output.notes)
        assert [attempt.failing_after for attempt in output.attempts] == [
            ("test_app.Crashing.test_c",),
            (),
        ], output.reason


@pytest.mark.parametrize(
    "setup", ["sleep 600", pytest.param("'true', sleep 600", marks=pytest.mark.exhaustive)]
)
async def test_a_budget_that_ends_in_the_setup_says_so(tmp_path: Path, setup: str) -> None:
    """How much of the time it took, and that it was not done."""
    config = f"setup: [{setup}]\ntest: 'false'\n"
    files = {".github/fixpoint.yml": config, "app.py": "TOTAL = 1\n"}
    async with open_desk(tmp_path, files=files) as desk:
        output = read(await desk.fix("--json", "--timeout", "8", "--proposers", "mechanical"))
        assert output.verdict == "budget_spent"
        assert "The setup had taken " in output.reason
        assert "had not finished" in output.reason


@pytest.mark.parametrize(
    "files",
    [
        {"Makefile": "test:\n\t./vendor/bin/phpunit\n"},
        {"Makefile": "test:\n\tpython run_tests.py\n", "run_tests.py": "import requests\n"},
        {".github/fixpoint.yml": "test: python run_tests.py\n", "run_tests.py": "import requests\n"},
        {".github/fixpoint.yml": "setup: []\ntest: python -m pytest\n", "test_a.py": "import requests\n"},
        {".github/fixpoint.yml": "test: ruby t.rb\n", "t.rb": "require 'rspec'\n"},
    ],
    ids=["make", "make and Python", "Python", "given as empty", "Ruby"],
)  # fmt: skip
async def test_doctor_says_that_nothing_is_installed(
    tmp_path: Path, files: dict[str, str | bytes]
) -> None:
    """A test command alone is not a complete setup, nor is an environment with nothing in it."""
    async with open_desk(tmp_path, files=files) as desk:
        done = await desk.run("doctor", str(desk.repository))
        assert "Nothing is installed" in " ".join(done.out.split())


def _levelled(line: str) -> str:
    """Return a line without what differs from run to run: times, commits, widths."""
    line = re.sub(r"\b(?:\d+ min )?[\d.]+ s\b", "N s", re.sub(r"\b[0-9a-f]{12}\b", "COMMIT", line))
    return " ".join(re.sub("─+", "─", line).split())


@pytest.mark.slow
async def test_the_readme_shows_what_is_printed(tmp_path: Path) -> None:
    """Its transcript of `fixpoint fix`, line by line; `...` stands for what was cut."""
    text = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    [transcript] = re.findall(
        r"^```console\n\$ fixpoint fix (.*?)```$", text, re.DOTALL | re.MULTILINE
    )
    arguments, *lines = transcript.splitlines()
    async with open_desk(tmp_path, files=STORIES[0].files()) as desk:
        done = await desk.run("fix", str(desk.repository), *arguments.split()[1:])
    assert done.code == 0, done
    printed = iter(map(_levelled, [*done.err.splitlines(), *done.out.splitlines()]))
    for line in lines:
        if line != "...":
            wanted, _, cut = _levelled(line).partition("...")
            assert any(found.startswith(wanted) for found in printed), (line, cut, done)
