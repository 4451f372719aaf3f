"""`fixpoint ci run`: what steps see of `github`, `runner`, `job` and `strategy`, as text and as variables."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.commands.cli import app

WORKFLOW = ".github/workflows/ci.yml"


def committed(folder: Path, files: Mapping[str, str]) -> Path:
    """Return a repository with these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for arguments in (("init", "-qb", "main"), ("add", "."), (*identity, "commit", "-qm", "x")):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True)
    return folder


def ran(repository: Path, *arguments: str) -> Result:
    """Run the repository's job."""
    environment = {"FIXPOINT_DATA": str(repository.parent / "data")}
    words = ["ci", "run", str(repository), "--sandbox", "bubblewrap", *arguments]
    return CliRunner().invoke(app, words, env=environment)


def job(steps: str, *, head: str = "") -> str:
    """Return a workflow with one job."""
    return f"name: CI\non: push\njobs:\n  t:\n    runs-on: ubuntu-latest\n{head}    steps:\n{steps}"


def composite(*steps: str, more: str = "") -> str:
    """Return an action made of steps, each a flow mapping without its braces."""
    lines = "".join(f"    - {{{step}}}\n" for step in steps)
    return f"name: x\n{more}runs:\n  using: composite\n  steps:\n{lines}"


_INNER = composite("shell: bash, run: 'test \"$GITHUB_ACTION_PATH\" = /workspace/tools/inner && test -x \"$GITHUB_ACTION_PATH/check.sh\"'")  # fmt: skip
_OUTER = composite(
    'shell: bash, run: \'test "$GITHUB_ACTION_PATH" = "${{ github.action_path }}"\'',
    "uses: ./tools/inner",
    'shell: sh, run: \'test "${GITHUB_ACTION_PATH##*/}" = outer && test "$GITHUB_ACTION" = __self\'',
    "shell: bash, run: 'test -z \"$GITHUB_ACTION_REPOSITORY$GITHUB_ACTION_REF\"'",
    'shell: python, run: \'import os; assert os.environ["GITHUB_ACTION_PATH"].endswith("/outer")\'',
    "shell: bash, working-directory: tools, run: '\"$GITHUB_ACTION_PATH\"/../inner/check.sh'",
)


def test_an_actions_steps_find_its_folder(tmp_path: Path) -> None:
    """Composite actions inside of others, in every shell; the job's own steps have no such folder."""
    steps = (
        '      - run: test -z "$GITHUB_ACTION_PATH" && test $GITHUB_ACTION = __run\n'
        "      - uses: ./tools/outer\n"
        "      - {id: named, run: 'test $GITHUB_ACTION = named && test ${{ github.action }} = named'}\n"
        '      - run: test $GITHUB_ACTION = __run_2 && test -z "$GITHUB_ACTION_PATH"\n'
        "      - {run: 'test \"$GITHUB_ACTION\" = __run_3', env: {GITHUB_ACTION: mine}}\n"
    )  # fmt: skip
    repository = committed(
        tmp_path / "r",
        {
            WORKFLOW: job(steps),
            "tools/outer/action.yml": _OUTER,
            "tools/inner/action.yml": _INNER,
            "tools/inner/check.sh": "#!/bin/sh\n",
        },
    )
    (repository / "tools/inner/check.sh").chmod(0o755)
    result = ran(repository)
    assert (result.exit_code, result.output.endswith("The job passes here.\n")) == (0, True), result.output  # fmt: skip


_SAME = (
    *("github.actor", "github.run_id", "github.run_number", "github.run_attempt", "github.sha"),
    *("github.ref", "github.ref_name", "github.ref_type", "github.ref_protected", "github.job"),
    *("github.repository", "github.repository_owner", "github.workflow", "github.workspace"),
    *("github.event_name", "github.event_path", "github.env", "github.path", "github.output"),
    *("github.state", "github.step_summary", "github.action", "github.retention_days"),
    *("github.triggering_actor", "github.server_url", "github.api_url", "github.graphql_url"),
    *("github.base_ref", "github.workflow_ref", "github.workflow_sha", "github.repository_id"),
    *("runner.os", "runner.arch", "runner.temp", "runner.tool_cache", "runner.name"),
    *("runner.environment", "runner.workspace"),
)


def test_context_and_variable_say_the_same(tmp_path: Path) -> None:
    """For every value of `github` and `runner` that is both, whatever steps write to GITHUB_ENV."""
    checks = "".join(
        f'          test "${{{{ {name} }}}}" = "${name.upper().replace(".", "_")}" || exit 1\n'
        for name in _SAME
    )
    steps = (
        f"      - run: |\n{checks}"
        "      - run: |\n          echo RUNNER_TEMP=/nowhere >>$GITHUB_ENV\n          echo GITHUB_JOB=x >>$GITHUB_ENV\n"
        f"      - run: |\n{checks}"
        '      - run: touch "${{ runner.workspace }}/made" "${{ runner.temp }}/x" && test -d "$RUNNER_WORKSPACE"\n'
    )
    result = ran(committed(tmp_path / "r", {WORKFLOW: job(steps)}))
    assert result.exit_code == 0, result.output


_STRATEGY = "    strategy: {fail-fast: false, max-parallel: 2, matrix: {letter: [a, b, c]}}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("head", "chosen", "values"),
    [
        (_STRATEGY, ("--matrix", "letter=b"), "1 3 false 2"),
        (_STRATEGY.replace("fail-fast: false, ", ""), ("--matrix", "letter=c"), "2 3 true 2"),
        ("    strategy: {matrix: {n: [1, 2], include: [{n: 9}]}}\n", ("--matrix", "n=9"), "2 3 true 3"),
        ("    strategy: {fail-fast: '${{ github.job == 1 }}', matrix: {n: [7]}}\n", (), "0 1 false 1"),
        ("", (), "0 1 true 1"),
    ],
)  # fmt: skip
def test_strategy(tmp_path: Path, head: str, chosen: tuple[str, ...], values: str) -> None:
    """A leg knows its place among the others."""
    written = " ".join(
        f"${{{{ strategy.{key} }}}}" for key in ("job-index", "job-total", "fail-fast", "max-parallel")
    )  # fmt: skip
    index = values[0]
    steps = (
        f'      - run: test "{written}" = "{values}"\n'
        f"      - {{if: strategy.job-index == {index}, run: touch ran}}\n"
        f"      - {{if: strategy.job-index != {index}, run: exit 1}}\n"
        "      - run: test -f ran\n"
    )
    result = ran(committed(tmp_path / "r", {WORKFLOW: job(steps, head=head)}), *chosen)
    assert result.exit_code == 0, result.output


def test_fresh_variants(tmp_path: Path) -> None:
    """The folder of an action, the place of a leg and lines of GITHUB_ENV in other forms than above."""
    head = (
        "    strategy: {matrix: {a: [1, 2], b: [x, y], exclude: [{a: 1, b: x}]}}\n"
        "    env: {PLACE: '${{ strategy.job-index }} of ${{ strategy.job-total }}'}\n"
    )
    steps = """\
      - uses: ./
      - uses: ./with space/a
      - uses: ./deep/1
      - {uses: ./named, with: {place: "${{ strategy.job-index }}"}}
      - {id: again, uses: ./named, with: {place: "${{ strategy['job-index'] }}"}}
      - run: test "$PLACE" = "1 of 3" && test "${{ format('{0}', strategy.fail-fast) }}" = true
      - run: test "${{ fromJSON(toJSON(strategy)).max-parallel }}" = 3
      - run: printf 'A<<E\\n\\n1\\nE\\nB<<F\\n\\n\\nF\\n' >>$GITHUB_ENV
      - run: test "$A" = $'\\n1' && test "$B" = $'\\n'
      - {run: "printf '\\\\nC=<<\\\\nD<<a b\\\\n\\\\n a b\\\\na b' >>$GITHUB_ENV", shell: sh}
      - run: test "$C" = "<<" && test "$D" = $'\\n a b'
      - {run: "open(__import__('os').environ['GITHUB_ENV'], 'a').write('X<<E\\\\n\\\\n\\u00e9\\\\nE\\\\n')", shell: python}
      - run: test "$X" = $'\\n\u00e9'
"""
    here = 'shell: bash, run: \'test "$GITHUB_ACTION_PATH" = "/workspace{0}"\''.format
    inputs = "inputs: {place: {}}\n"
    same = "shell: bash, run: 'test ${{ inputs.place }} = ${{ strategy.job-index }}'"
    files = {
        WORKFLOW: job(steps, head=head),
        "action.yml": composite(here("")),
        "with space/a/action.yaml": composite(here("/with space/a")),
        "deep/1/action.yml": composite(here("/deep/1"), "uses: ./deep/2", here("/deep/1")),
        "deep/2/action.yml": composite("uses: ./deep/3", here("/deep/2")),
        "deep/3/action.yml": composite(here("/deep/3")),
        "named/action.yml": composite(here("/named"), same, more=inputs),
    }
    result = ran(committed(tmp_path / "r", files), "--matrix", "a=2", "--matrix", "b=x")
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "The job passes here."), result.output  # fmt: skip


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis is not installed")
def test_the_ports_of_services(tmp_path: Path) -> None:
    """Each service is reached at the port that `job` tells; two of a kind have two."""
    head = (
        "    services:\n"
        "      cache: {image: 'redis:7', ports: ['6379']}\n"
        "      other: {image: \"redis:${{ '7' }}\", ports: ['6379/tcp']}\n"
        "      fixed: {image: redis, ports: ['7001:6379', 9000]}\n"
        "      none: {image: \"${{ github.job == 'x' && 'redis' || '' }}\"}\n"
        "      local: {image: redis, ports: ['127.0.0.1:7002:6379', \"${{ 7003 }}:6380\"]}\n"
    )
    steps = (
        "      - env: {A: \"${{ job.services.cache.ports['6379'] }}\", B: '${{ job.services.other.ports[6379] }}'}\n"
        "        run: |\n"
        '          test "$A" != "$B"\n'
        "          for port in $A $B ${{ job.services.fixed.ports['6379'] }}; do\n"
        "            (exec 3<>/dev/tcp/127.0.0.1/$port) || exit 1\n"
        "          done\n"
        "          test ${{ job.services.fixed.ports[6379] }}-${{ job.services.fixed.ports['9000'] }} = 7001-9000\n"
        "          test -z \"${{ join(job.services.local.ports, '-') }}${{ job.services.local.ports['1'] }}\"\n"
        "          test ${{ job.services.local.ports['6379'] }} = 7002\n"
        "          test ${{ fromJSON(toJSON(job.services.local.ports))['6380'] }} = 7003\n"
    )
    result = ran(committed(tmp_path / "r", {WORKFLOW: job(steps, head=head)}))
    assert result.exit_code == 0, result.output
    assert "none" not in result.output


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    [
        "      - {if: unheard('x'), run: 'true'}\n",
        "      - run: echo ${{ unheard(github.ref) }}\n",
        "      - {run: 'true', env: {A: '${{ nowhere.a }}'}}\n",
        "      - {run: 'true', working-directory: '${{ case(true) }}'}\n",
        "      - uses: ./tools/broken\n",
        "      - {shell: cmd, run: dir}\n",
        "      - run: 'true'\n    env: {A: \"${{ unheard('x') }}\"}\n",
        "      - {run: 'true', timeout-minutes: '${{ unheard(1) }}'}\n",
        "      - {name: '${{ unheard(1) }}', run: 'true'}\n",
        "      - {uses: actions/checkout@v4, with: {ref: '${{ true && unheard() }}'}}\n",
        "      - {run: 'true', shell: 'bash', if: 'false && un_heard(1)'}\n",
        "      - run: 'true'\n    timeout-minutes: '${{ Unheard(1) }}'\n",
    ],
)
def test_what_can_not_be_evaluated_or_run_is_no_pass(tmp_path: Path, step: str) -> None:
    """Also in an action of the repository, and where only a variable of the job is concerned."""
    broken = composite("shell: bash, run: 'echo ${{ unheard(1) }}'")
    files = {WORKFLOW: job("      - run: 'true'\n" + step), "tools/broken/action.yml": broken}
    result = ran(committed(tmp_path / "r", files))
    assert (result.exit_code, "passes here" in result.output) == (3, False), result.output
    assert "It is unknown whether the job passes" in result.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "file"),
    [
        ("echo no name >>$GITHUB_ENV", "GITHUB_ENV"),
        ("printf 'A<<END\\nopen\\n' >>$GITHUB_ENV", "GITHUB_ENV"),
        ("echo 'A<<' >>$GITHUB_OUTPUT", "GITHUB_OUTPUT"),
        ("{ echo A=1; echo; echo '{}'; } >>$GITHUB_OUTPUT", "GITHUB_OUTPUT"),
        ("printf '<<END\\nEND\\n' >>$GITHUB_ENV", "GITHUB_ENV"),
    ],
)
def test_a_step_fails_for_a_line_that_the_runner_refuses(
    tmp_path: Path, script: str, file: str
) -> None:
    """As on GitHub; what stands before the line counts, and later steps don't fail for it."""
    steps = (
        f'      - {{id: a, continue-on-error: true, run: "echo B=2 >>$GITHUB_ENV; {script}"}}\n'.replace("\\n", "\\\\n")
        + "      - run: test $B-${{ steps.a.outcome }} = 2-failure\n"
    )  # fmt: skip
    repository = committed(tmp_path / "r", {WORKFLOW: job(steps)})
    assert ran(repository).exit_code == 0, ran(repository).output
    broken = job(steps.replace("continue-on-error: true, ", ""))
    (repository / WORKFLOW).write_text(broken, encoding="utf-8")
    result = ran(repository)
    assert result.exit_code == 1, result.output
    assert f"It wrote a line to `{file}` that GitHub's runner refuses" in result.output
