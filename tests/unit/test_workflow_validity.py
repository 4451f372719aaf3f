"""What GitHub refuses in a workflow file, and what is said of it."""

from __future__ import annotations

import pytest

from bot.ci.workflow.spec.document import read_workflow

_JOB = "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{run: y}]\n"


def _problems(text: str) -> list[str]:
    return list(read_workflow("ci.yml", text).problems)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (_JOB + "    step: []\n", "line 6: GitHub refuses this workflow: `step` is not a valid key here."),
        (_JOB + "env: {A: [1]}\n", "line 6: GitHub refuses this workflow: `A` can't be a list; it should be a string."),
        (_JOB + "env: {A: 1, a: 2}\n", "line 6: GitHub refuses this workflow: `a` is defined twice; upper and lower case are the same here."),
        (_JOB + "    timeout-minutes: two\n", "line 6: GitHub refuses this workflow: `timeout-minutes` can't be `two`; it should be a number."),
        (_JOB + "    name: ${{ env.A }}\n", "line 6: GitHub refuses this workflow: `env` can't be used here; available: github, inputs, matrix, needs, strategy, vars."),
        (_JOB + "    if: hashFiles('x')\n", "line 6: GitHub refuses this workflow: the function `hashfiles` can't be used here."),
        (_JOB + "    if: secrets.X\n", "line 6: GitHub refuses this workflow: `secrets` can't be used here; available: github, inputs, needs, vars."),
        (_JOB + "    needs: ${{ github.ref }}\n", "line 6: GitHub refuses this workflow: expressions can't be used here."),
        (_JOB + "    needs: b\n", "line 2: GitHub refuses this workflow: every job needs another one, so none can start."),
        (_JOB + "  b: {needs: [a, c], runs-on: x}\n", "line 6: GitHub refuses this workflow: `b` needs `c`, and there is no such job."),
        (_JOB + "  b: {needs: c, runs-on: x}\n  c: {needs: b, runs-on: x}\n", "line 6: GitHub refuses this workflow: `b` needs `c`, which needs `b` or a job that never starts."),
        (_JOB + "  2b: {runs-on: x}\n", "line 6: GitHub refuses this workflow: `2b` is not a valid key here."),
        (_JOB.replace("push", "{schedule: [{cron: '0 25 * * *'}]}"), "line 1: GitHub refuses this workflow: `cron` can't be `0 25 * * *`; it should be a schedule such as `30 5 * * 1`."),
        (_JOB.replace("push", "pushed"), "line 1: GitHub refuses this workflow: `on` can't be `pushed`; it should be"),
        (_JOB.replace("{run: y}", "{run: y, uses: a/b@c}"), "line 5: GitHub refuses this workflow: `uses` is not a valid key here."),
        (_JOB.replace("{run: y}", "{name: y}"), "line 5: GitHub refuses this workflow: one of `run`, `uses`, `wait`, `wait-all`, `cancel` is missing."),
        (_JOB.replace("{run: y}", "{run: y, id: z}, {run: y, id: Z}"), "line 5: GitHub refuses this workflow: two steps have the id `z`."),
        (_JOB.replace("run: y", "run: '${{ open'"), "line 5: GitHub refuses this workflow: The expression `${{ open` has no end."),
        (_JOB.replace("    runs-on: x\n", ""), "line 3: GitHub refuses this workflow: `runs-on` is missing."),
        (_JOB.replace("on: push\n", ""), "line 1: GitHub refuses this workflow: `on` is missing."),
    ],
)  # fmt: skip
def test_what_github_refuses_is_said_with_its_line(text: str, problem: str) -> None:
    """Keys, kinds, places of contexts and functions, ids, needs and schedules."""
    assert any(problem in sentence for sentence in _problems(text)), _problems(text)


@pytest.mark.parametrize(
    "text",
    [
        _JOB,
        _JOB.replace("push", "{merge_group: {paths: [a]}, push: {branch: x}, workflow_dispatch: {inputs: }}"),
        _JOB.replace("push", "{schedule: [{cron: '*/15 0-6/2 1,15 jan-mar SUN', timezone: Europe/Berlin}]}"),
        _JOB + "    services: ${{ fromJSON('{}') }}\n    env: ${{ matrix.env }}\n    container: ''\n    cache-mode: read\n",
        _JOB + "    env: {'${{ matrix.name }}': x, '${{ insert }}': '${{ matrix.env }}'}\n",
        _JOB.replace("run: y", "run: y, background: true, id: z}, {wait: z}, {wait-all: }, {parallel: [{run: a}]"),
        _JOB.replace("run: y", "run: y, shell: \"${{ 'bash' }}\", timeout-minutes: '${{ matrix.t }}', if: always() && env.A"),
        _JOB.replace("runs-on: x", "runs-on: {group: organization/big, labels: [x]}"),
        "on: {workflow_call: {inputs: {x: {type: string}}, outputs: {o: {value: '${{ jobs.a.outputs.o }}'}}}}\n" + _JOB[9:],
    ],
)  # fmt: skip
def test_what_github_takes_is_not_refused(text: str) -> None:
    """Nothing is said of a file that GitHub takes, however odd."""
    assert _problems(text) == []
