"""A job of a workflow runs in a real sandbox as GitHub's runner would run it."""

from __future__ import annotations

import io
import json
import secrets
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.ci.execution import JobExecution
from bot.ci.failing_job import same_versions
from bot.ci.job_run import FinishedJob, StepOutcome, StepRun
from bot.ci.workflow.compile.compiler import compile_job
from bot.ci.workflow.plan.find import select
from bot.ci.workflow.plan.jobs import all_jobs
from bot.ci.workflow.plan.plan import JobPlan, plan_job
from bot.ecosystems.tree import DirectoryTree
from bot.reporting.reasons import job_steps, runner_differences
from sandbox.base import Sandbox, SandboxProvider, SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider


@pytest.fixture
async def provider(tmp_path: Path) -> AsyncIterator[SandboxProvider]:
    provider = BubblewrapProvider(tmp_path / "data")
    yield provider
    await provider.close()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return an empty git repository."""
    folder = tmp_path / "source"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def plan(source: Path, steps: str, *, job: str = "", **files: str) -> JobPlan:
    """Return the plan of a job `test` with these steps."""
    lines = "\n".join(f"      {line}" for line in steps.strip("\n").split("\n"))
    above = "\n".join(f"    {line}" for line in job.strip("\n").split("\n"))
    text = f"on: push\nenv: {{ABOVE: workflow, LEVEL: workflow}}\njobs:\n  test:\n    runs-on: ubuntu-latest\n{above}\n    steps:\n{lines}\n"
    for path, content in {".github/workflows/ci.yml": text, **files}.items():
        place = source / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    tree = DirectoryTree(source)
    [target] = select(all_jobs(tree).jobs, job="test")
    return plan_job(tree, target)


def commit(source: Path) -> None:
    words = ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first"]
    for arguments in (["add", "-A"], words):
        subprocess.run(["git", "-C", str(source), *arguments], check=True)


async def opened(provider: SandboxProvider, source: Path) -> Sandbox:
    return await provider.open(SandboxSpec(f"t-{secrets.token_hex(4)}", source=source))


async def run(
    provider: SandboxProvider, source: Path, steps: str, *, job: str = "", **files: str
) -> FinishedJob:
    made = plan(source, steps, job=job, **files)
    sandbox = await opened(provider, source)
    try:
        return await JobExecution(made).run(sandbox)
    finally:
        await sandbox.close()


def said(run: StepRun) -> str:
    """Return what a step printed."""
    assert run.result is not None
    return run.result.output.strip()


def outcomes(execution: FinishedJob) -> list[StepOutcome]:
    return [run.outcome for run in execution.runs]


async def test_state_goes_from_step_to_step(provider: SandboxProvider, source: Path) -> None:
    """Variables, folders of the PATH and outputs that a step writes reach the ones behind it."""
    execution = await run(
        provider,
        source,
        r"""
- id: make
  run: |
    echo "FROM_FILE=it's here" >> "$GITHUB_ENV"
    printf 'LONG<<END\nfirst\nsecond=2\nEND\n' >> "$GITHUB_ENV"
    mkdir tools && printf '#!/bin/sh\necho tool' > tools/mytool && chmod +x tools/mytool
    echo "$PWD/tools" >> "$GITHUB_PATH"
    echo "level=high" >> "$GITHUB_OUTPUT"
    cd tools
- run: echo "$FROM_FILE|$LONG|$(mytool)|${{ steps.make.outputs.level }}|${{ env.FROM_FILE }}|$PWD"
- run: echo "$ABOVE $LEVEL $OWN ${{ env.LEVEL }} $CI $GITHUB_EVENT_NAME"
  env: {OWN: "${{ steps.make.outcome }}", LEVEL: step}
- run: echo never
  if: steps.make.outputs.level == 'low'
""",
        job="env: {LEVEL: job}",
    )
    assert execution.passed
    assert said(execution.runs[1]) == ("it's here|first\nsecond=2|tool|high|it's here|/workspace")
    assert said(execution.runs[2]) == "workflow step success step true push"
    assert execution.runs[3].outcome is StepOutcome.SKIPPED


async def test_what_runs_after_a_failure(provider: SandboxProvider, source: Path) -> None:
    """The first failing step is named; later ones run only where their condition asks for it."""
    execution = await run(
        provider,
        source,
        """
- run: exit 4
  continue-on-error: true
- run: |
    echo before
    false
    echo after
- run: echo next
- run: echo cleanup
  if: failure()
- run: echo always
  if: always()
""",
    )
    failed = execution.failed
    assert failed is not None
    assert (failed.step.spec.number, said(failed)) == (2, "before")
    assert execution.runs[0].tolerated
    assert outcomes(execution)[2:] == [
        StepOutcome.SKIPPED,
        StepOutcome.SUCCESS,
        StepOutcome.SUCCESS,
    ]


async def test_shells_and_folders(provider: SandboxProvider, source: Path) -> None:
    """Bash fails on a broken pipe only when asked for, sh and Python run on a file."""
    execution = await run(
        provider,
        source,
        """
- run: pwd; false | cat
  working-directory: deep/er
- run: echo "$0" | grep -c step
  shell: sh
- run: |
    import os
    print(os.getcwd(), "${{ runner.os }}")
  shell: python
- run: echo $- | grep -c e
  shell: bash --noprofile -e {0}
- run: echo $- | grep -c e
  shell: micromamba-shell {0}
- run: false | cat
  shell: bash
""",
        job="defaults: {run: {working-directory: deep}}",
        **{"deep/er/file": ""},
    )
    assert said(execution.runs[0]) == "/workspace/deep/er"
    assert said(execution.runs[2]) == "/workspace/deep Linux"
    assert outcomes(execution) == [StepOutcome.SUCCESS] * 5 + [StepOutcome.FAILURE]


GREET = """\
inputs:
  who: {default: world}
  loud: {required: false}
outputs:
  text: {value: "${{ steps.say.outputs.text }}"}
runs:
  using: composite
  steps:
    - id: say
      shell: bash
      run: echo "text=hello ${{ inputs.who }}${{ inputs.loud == 'true' && '!' || '' }} $EXTRA" >> $GITHUB_OUTPUT
    - run: test "${{ inputs.who }}" != nobody
      shell: bash
"""


async def test_composite_actions(provider: SandboxProvider, source: Path) -> None:
    """A composite action of the repository has its inputs, its own steps and its outputs."""
    execution = await run(
        provider,
        source,
        """
- uses: actions/checkout@v4
- id: greet
  uses: ./.github/actions/greet
  with: {loud: true}
  env: {EXTRA: more}
- run: echo "${{ steps.greet.outputs.text }}"
- uses: ./.github/actions/greet
  with: {who: nobody}
""",
        **{".github/actions/greet/action.yml": GREET},
    )
    assert said(execution.runs[2]) == "hello world! more"
    failed = execution.failed
    assert failed is not None
    assert failed.step.spec.number == 4
    assert failed.innermost().step.title == 'Run test "nobody" != nobody'


OWN_ACTIONS = {
    ".github/actions/greets/action.yml": """\
runs: {using: docker, image: Dockerfile, args: ["${{ inputs.whom }}", last], env: {TONE: loud}}
inputs: {whom: {default: nobody}, how-often: {default: 2}}
""",
    ".github/actions/greets/Dockerfile": """\
FROM python:3.12-slim AS built
RUN exit 1
FROM debian:12
# what follows is joined
ENV COLOUR=red \\
    SIZE="very large"
COPY --chown=root greets.sh more.txt /opt/
ENTRYPOINT ["/opt/greets.sh", "first"]
CMD ["left out"]
""",
    ".github/actions/greets/greets.sh": """\
#!/usr/bin/env bash
echo "$* $TONE $COLOUR $SIZE $INPUT_WHOM $(env | grep -c '^INPUT_HOW-OFTEN=2$') $(basename "$PWD")"
exit 3
""",
}


async def test_a_repositorys_own_action_in_a_container(
    provider: SandboxProvider, source: Path
) -> None:
    """What the container starts runs on the work tree, with its arguments and variables."""
    steps = "- uses: ./.github/actions/greets\n  with: {whom: all of you}\n"
    execution = await run(provider, source, steps, **OWN_ACTIONS)
    [greets] = execution.runs
    assert greets.outcome is StepOutcome.FAILURE
    assert said(greets) == "first all of you last loud red very large all of you 1 workspace"
    assert greets.step.said == (
        runner_differences.container_left_out("./.github/actions/greets", "debian:12"),
    )


async def test_reasons_outside_the_code(provider: SandboxProvider, source: Path) -> None:
    """A missing secret, a missing program and a time limit are named as the reason."""
    execution = await run(
        provider,
        source,
        """
- run: test -n "$TOKEN"
  env: {TOKEN: "${{ secrets.TOKEN }}"}
  continue-on-error: true
- run: frobnicate --all
  continue-on-error: true
- run: sleep 60
  timeout-minutes: ${{ 0.01 }}
  continue-on-error: true
- run: sudo apt-get install -y cowsay
- id: skipped
  uses: nobody/knows@v3
- run: echo unsure
  if: steps.skipped.outputs.changed == 'true'
- run: echo sure
  if: steps.skipped.outcome == 'failure'
""",
    )
    assert execution.failed is None
    assert not execution.passed  # an unknown action did not run
    assert [run.outcome for run in execution.runs[4:]] == [
        StepOutcome.SKIPPED,
        StepOutcome.SUCCESS,
        StepOutcome.SKIPPED,
    ]
    assert [run.why for run in execution.runs[:2]] == [
        job_steps.secrets_missing(["secrets.TOKEN"]),
        job_steps.program_missing("frobnicate"),
    ]
    assert execution.runs[2].why.startswith("It timed out after")
    assert execution.said == ("System packages are not installed: cowsay",)


@pytest.mark.slow
async def test_installers_of_tools_come_from_an_index(
    provider: SandboxProvider, source: Path
) -> None:
    """Instead of what curl and wget would fetch; with version and folder, piped or kept in a file."""
    execution = await run(
        provider,
        source,
        """
- run: |
    printf '#!/bin/sh\\necho "$@" "$UV_TOOL_BIN_DIR"\\n' >~/.ci/bin/pipx
    chmod +x ~/.ci/bin/pipx
- run: curl -sSL https://install.python-poetry.org | POETRY_HOME=/opt/p python3 - --version 1.8.3 -y
- run: wget -qO- https://just.systems/install.sh | bash -s -- --to /usr/local/bin
- run: curl -LsSfo get.py https://pdm-project.org/install-pdm.py && PDM_VERSION=2.1 python3 get.py
- run: wget -q https://astral.sh/ruff/0.5.0/install.sh && sh install.sh
- run: echo fetched >kept && curl -s "file://$PWD/kept"
""",
    )
    printed = [said(step_run).rpartition("\n")[2] for step_run in execution.runs[1:]]
    assert printed == [
        "install poetry==1.8.3 /opt/p/bin",
        "install rust-just",
        "install pdm==2.1",
        "install ruff",
        "fetched",
    ]
    assert len(execution.said) == 4


@pytest.mark.exhaustive
async def test_uv_takes_the_pythons_that_are_there(provider: SandboxProvider, source: Path) -> None:
    """A job that wants uv's own ones, or a version that nobody has, gets another for its tools."""
    execution = await run(
        provider,
        source,
        """
- run: |
    mkdir -p pkg
    printf '[project]\\nname="t"\\nversion="1"\\n[project.scripts]\\nhello="t:hello"\\n' >pkg/pyproject.toml
    printf '[build-system]\\nrequires=[]\\nbuild-backend="b"\\nbackend-path=["."]\\n' >>pkg/pyproject.toml
    cat >pkg/b.py <<'END'
    import zipfile
    def build_wheel(folder, *_):
        with zipfile.ZipFile(f"{folder}/t-1-py3-none-any.whl", "w") as made:
            made.writestr("t.py", "def hello(): print('hello')")
            made.writestr("t-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: t\\nVersion: 1\\n")
            made.writestr("t-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
            made.writestr("t-1.dist-info/entry_points.txt", "[console_scripts]\\nhello=t:hello\\n")
            made.writestr("t-1.dist-info/RECORD", "")
        return "t-1-py3-none-any.whl"
    END
- run: uv tool install -q --python-preference only-managed --python 3.99 ./pkg && hello
  env: {UV_PYTHON_PREFERENCE: only-managed, UV_OFFLINE: "1"}
""",
    )
    assert execution.passed, said(execution.runs[-1])
    assert said(execution.runs[-1]).endswith("hello")
    assert execution.said == ("Python 3.99 is not available here.",)


async def test_the_compiled_job_fails_alike(provider: SandboxProvider, source: Path) -> None:
    """As plain commands, in one sandbox after the other, a job does what it did step by step."""
    made = plan(
        source,
        """
- id: version
  run: |
    echo "number=1.2'3" >> "$GITHUB_OUTPUT"
    echo "LEVEL=set" >> "$GITHUB_ENV"
- id: greet
  uses: ./.github/actions/greet
- run: exit 3
  continue-on-error: true
- name: Check
  run: |
    cat file
    echo "$LEVEL ${{ env.LEVEL }} ${{ steps.greet.outputs.text }} $NUMBER"
    exit 7
  working-directory: deep
  env: {NUMBER: "${{ steps.version.outputs.number }}"}
""",
        **{".github/actions/greet/action.yml": GREET, "deep/file": "content\n"},
    )
    failing = made.step_called("Check")
    assert failing is not None
    compiled = compile_job(made, failing)
    first = await opened(provider, source)
    for command in compiled.setup:
        result = await first.run(command, timeout=600)
        assert result.ok, result.output
    second = await provider.open(
        SandboxSpec(f"t-{secrets.token_hex(4)}", snapshot=await first.snapshot("prepared"))
    )
    await first.close()
    for _ in range(2):
        result = await second.run(compiled.failing, timeout=600)
        assert result.exit_code == 7
        assert result.output == "content\nset set hello world  1.2'3\n"
    await second.close()


async def test_services_start_with_every_step(provider: SandboxProvider, source: Path) -> None:
    """PostgreSQL is there for all steps with what earlier ones wrote; what is missing is said."""
    if not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        pytest.skip("PostgreSQL is not installed here")
    execution = await run(
        provider,
        source,
        """
- run: psql -h 127.0.0.1 -p 6543 -U app db -c 'create table t (n int); insert into t values (7)'
- run: psql -h 127.0.0.1 -p 6543 -U app db -Atc 'select n from t'
""",
        job="""
env: {PGPASSWORD: secret}
services:
  db:
    image: docker.io/library/postgres:17
    env: {POSTGRES_USER: app, POSTGRES_PASSWORD: secret, POSTGRES_DB: db}
    ports: ["6543:5432"]
  cache: {image: "redis:7"}
""",
    )
    assert execution.passed, execution.runs[-1].result
    assert said(execution.runs[1]).endswith("7")
    missing = any("Redis" in sentence for sentence in execution.said)
    assert missing == (shutil.which("redis-server") is None)


REDIS = """
- run: redis-cli -p 6380 set kept 7
- run: test "$(redis-cli -p 6380 get kept)" = 7
"""


async def test_redis_keeps_what_earlier_steps_wrote(
    provider: SandboxProvider, source: Path
) -> None:
    """On the runner's port, with one password for all steps, and without any network."""
    if shutil.which("redis-server") is None:
        pytest.skip("Redis is not installed here")
    job = """
env: {REDISCLI_AUTH: "it's"}
services:
  cache: {image: "bitnami/redis:7", env: {REDIS_PASSWORD: "it's"}, ports: ["6380:6379"]}
"""
    execution = await run(provider, source, REDIS, job=job)
    assert execution.passed, execution.runs[-1].result


MYSQL = """
- run: |
    mysql -h 127.0.0.1 -P 3307 -u app "-pit's" shop -e 'create table t (n int); insert into t values (7)'
- run: test "$(mysql -h 127.0.0.1 -P 3307 -u root -proot shop -Ne 'select n from t')" = 7
- run: mysql -h 127.0.0.1 -P 3307 -u root -proot --ssl -Ne "show status like 'Ssl_version'" | grep TLS
"""


@pytest.mark.parametrize("image", ["mysql:8", "ghcr.io/linuxserver/mariadb:11"])
async def test_mysql_keeps_what_earlier_steps_wrote(
    provider: SandboxProvider, source: Path, image: str
) -> None:
    """With the user, the passwords and the database that the image would make."""
    if shutil.which("mysqld") is None:
        pytest.skip("Neither MySQL nor MariaDB is installed here")
    prefix = "MARIADB" if "mariadb" in image else "MYSQL"
    job = f"""
services:
  db:
    image: {image}
    env:
      {prefix}_USER: app
      {prefix}_PASSWORD: "it's"
      {prefix}_ROOT_PASSWORD: root
      {prefix}_DATABASE: shop
    ports: ["3307:3306"]
"""
    execution = await run(provider, source, MYSQL, job=job)
    assert execution.passed, execution.runs[-1].result


SYSTEM_SERVICES = """
- run: |
    sudo systemctl start mysql.service redis-server
    sudo /etc/init.d/postgresql start
    sudo -u postgres createdb kept
- run: mysql -uroot -proot -e 'create database kept'; redis-cli ping
- run: |
    psql -h localhost -U postgres kept -Atc 'select 7'
    mysql -uroot -proot -h 127.0.0.1 kept -Ne 'select 7'
- run: sudo service docker start
"""


async def test_a_step_starts_databases_of_the_runners_image(
    provider: SandboxProvider, source: Path
) -> None:
    """As system services, with the passwords of the image; all later steps have them, too."""
    if None in map(shutil.which, ("mysqld", "redis-server", "psql")):
        pytest.skip("A database is not installed here")
    execution = await run(provider, source, SYSTEM_SERVICES)
    assert execution.passed, execution.runs[-1].result
    assert said(execution.runs[1]) == "PONG"
    assert said(execution.runs[2]) == "7\n7"
    assert "The system service docker is not started here." in execution.said


def wheel(folder: Path, name: str, version: str) -> None:
    """Make a package that has nothing but its version."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        tags = "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"{info}/WHEEL", tags)
        archive.writestr(f"{info}/RECORD", "")


VERSIONS = """\
cd ~; ~/.venv/bin/python -c '
from importlib.metadata import version
print(version("ruff"), version("black"))'
"""


@pytest.mark.exhaustive
async def test_tools_get_the_versions_of_the_jobs_log(
    provider: SandboxProvider, source: Path
) -> None:
    """Those that are installed in others; what can't be had stays as it is, and that is said."""
    for name, version in (("ruff", "0.4.1"), ("ruff", "0.9.0"), ("black", "24.1.0")):
        wheel(source / "wheels", name, version)
    made = plan(source, "- run: pip install ruff black")
    offline = "export UV_OFFLINE=1 UV_FIND_LINKS=/workspace/wheels PIP_NO_INDEX=1 PIP_FIND_LINKS=/workspace/wheels\n"
    sandbox = await opened(provider, source)
    try:
        wanted = ("black==23.0.0", "mypy==1.10.0", "ruff==0.4.1")
        for text in (
            made.initialise,
            "uv pip install -q --python ~/.venv/bin/python ruff black || ~/.venv/bin/pip install -q ruff black",
            same_versions(wanted),
        ):
            done = await sandbox.run(offline + text, timeout=600)
            assert done.ok, done.output
        assert done.output == snapshot(
            "fixpoint: The job used black 23.0.0, which is not available here: black 24.1.0 is used.\n"
        )
        assert (await sandbox.run(VERSIONS, timeout=600)).output == "0.4.1 24.1.0\n"
    finally:
        await sandbox.close()


@pytest.mark.exhaustive
async def test_a_rehearsal_changes_nothing_that_is_tested(
    provider: SandboxProvider, source: Path
) -> None:
    """Environments, the home and ignored files stay; the repository's files are put back."""
    script = r"""
- run: |
    if ! command -v tool >/dev/null; then pip install tool || true; fi
    echo changed >tracked; rm gone; mkdir -p env; touch env/pyvenv.cfg env/kept left ignored; exit 3
"""
    files = {"tracked": "as it was\n", "gone": "", ".gitignore": "ignored\n"}
    made = plan(source, script, **files)
    commit(source)
    compiled = compile_job(made, made.steps[0])
    assert compiled.shown[-1].startswith("# Run once with network access")
    sandbox = await opened(provider, source)
    for command in compiled.setup:
        result = await sandbox.run(command, timeout=600)
        assert result.ok, result.output
    seen = await sandbox.run("cat tracked; git status --short; ls ignored", timeout=60)
    assert seen.output == "as it was\n?? env/\nignored\n"
    offline = await sandbox.run(". ~/.ci/begin 1; echo $UV_OFFLINE; git fetch --tags", timeout=60)
    assert offline.output == "1\n"
    await sandbox.close()


def node_package(file: Path, name: str, postinstall: str) -> None:
    """Make a package that runs a script when it is installed."""
    data = {"name": name, "version": "1.0.0", "scripts": {"postinstall": postinstall}}
    content = json.dumps(data).encode()
    entry = tarfile.TarInfo("package/package.json")
    entry.size = len(content)
    with tarfile.open(file, "w:gz") as archive:
        archive.addfile(entry, io.BytesIO(content))


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
async def test_a_package_that_downloads_from_elsewhere(
    provider: SandboxProvider, source: Path
) -> None:
    """It is installed without what its script would bring; one that is broken stops the job."""
    downloads = "echo failed: https://downloads.example.org/browser.zip >&2; exit 3"
    node_package(source / "browser.tgz", "browser", downloads)
    node_package(source / "broken.tgz", "broken", "echo it does not compile; exit 4")
    steps = """
- run: npm install --offline --no-audit --no-fund ./browser.tgz && ls node_modules
- run: npm install --offline --no-audit --no-fund ./broken.tgz
"""
    execution = await run(provider, source, steps)
    assert outcomes(execution) == [StepOutcome.SUCCESS, StepOutcome.FAILURE]
    assert said(execution.runs[0]).splitlines()[-1] == "browser"
    assert "it does not compile" in said(execution.runs[1])
    assert execution.said == snapshot(
        ("The postinstall script of browser fails here. What it downloads can't be reached.",)
    )


async def test_a_download_from_out_of_reach_does_not_end_the_job(
    provider: SandboxProvider, source: Path
) -> None:
    """Unless it is the job's last step, or one that tests or lints."""
    fetches = "- run: curl -sSf https://unreachable.invalid/tool.tgz -o tool.tgz"
    ran = await run(provider, source, f"{fetches}\n- run: echo fine")
    first = ran.runs[0]
    assert (ran.passed, first.outcome) == (True, StepOutcome.FAILURE)
    assert first.why == runner_differences.earlier_step_unreachable(first.step.title)
    for steps in (fetches, f"{fetches} && pytest\n- run: echo fine"):
        assert not (await run(provider, source, steps)).passed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("steps", "number"),
    [
        ("- run: exit 3\n- run: python3 -m unittest missing", 2),
        ("- run: exit 3\n- run: python3 -m unittest", 1),
        pytest.param("- run: exit 3\n- run: 'false'", 1, marks=pytest.mark.exhaustive),
        pytest.param(
            "- run: python3 -m unittest missing\n- run: python3 -m unittest missing_too",
            1,
            marks=pytest.mark.exhaustive,
        ),
    ],
)
async def test_a_step_that_prepares_does_not_end_a_job_that_tests(
    provider: SandboxProvider, source: Path, steps: str, number: int
) -> None:
    """It may fail here alone: the job fails with what fails behind it, and with it where nothing does."""
    (source / "test_fine.py").write_text(
        "import unittest\nclass T(unittest.TestCase):\n    def test_it(self) -> None: pass\n"
    )
    failed = (await run(provider, source, steps)).failed
    assert failed is not None
    assert failed.step.spec.number == number
