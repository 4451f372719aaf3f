"""What GitHub refuses in a workflow file, and what is said of it."""

from __future__ import annotations

import pytest

from bot.ci.workflow.spec.document import read_action, read_workflow

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
        (_JOB.replace("runs-on: x", "runs-on: {'${{ insert }}': '${{ matrix.on }}'}"), "line 4: GitHub refuses this workflow: expressions can't be used here."),
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


_RUN = "{run: y, shell: bash}"
_ACTION = f"runs:\n  using: composite\n  steps: [{_RUN}]\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (_ACTION.replace(", shell: bash", ""), "line 3: GitHub refuses this action: `shell` is missing."),
        (_ACTION.replace("shell: bash", "timeout-minutes: 3"), "line 3: GitHub refuses this action: `timeout-minutes` is not a valid key here."),
        (_ACTION.replace("run: y", "run: '${{ secrets.T }}'"), "line 3: GitHub refuses this action: `secrets` can't be used here; available: env, github, inputs, job, matrix, runner, steps, strategy."),
        (_ACTION.replace("run: y", "run: y, if: vars.X"), "line 3: GitHub refuses this action: `vars` can't be used here;"),
        (_ACTION.replace("run: y", "run: y, id: a b"), "line 3: GitHub refuses this action: `id` can't be `a b`; it should be a string."),
        (_ACTION.replace(_RUN, f"{_RUN[:-1]}, id: z}}, {_RUN[:-1]}, id: Z}}"), "line 3: GitHub refuses this action: two steps have the id `z`."),
        (_ACTION.replace(_RUN, "{uses: a/b@v1, shell: sh}"), "line 3: GitHub refuses this action: `shell` is not a valid key here."),
        (_ACTION + "  main: a.js\n", "line 4: GitHub refuses this action: `main` is not a valid key here."),
        ("runs: {using: node8, main: a.js}\n", "line 1: GitHub refuses this action: `using` can't be `node8`; it should be `docker` or `node12` or `node16` or `node20` or `node24` or `composite`."),
        ("runs: {using: node20}\n", "line 1: GitHub refuses this action: `main` is missing."),
        ("runs: {using: docker, image: ''}\n", "line 1: GitHub refuses this action: `image` can't be ``; it should be a string."),
        ("runs: {using: docker, image: x, args: ['${{ github.ref }}']}\n", "line 1: GitHub refuses this action: `github` can't be used here; available: inputs."),
        (_ACTION + "inputs: {x: {default: '${{ inputs.y }}'}}\n", "line 4: GitHub refuses this action: `inputs` can't be used here; available: github, job, matrix, runner, strategy."),
        (_ACTION + "inputs: [x]\n", "line 4: GitHub refuses this action: `inputs` can't be a list; it should be a mapping."),
        (_ACTION + "outputs: {x: {valeu: y}}\n", "line 4: GitHub refuses this action: `valeu` is not a valid key here."),
        (_ACTION + "outputs: {x: {value: '${{ hashFiles(1) }}'}}\n", "line 4: GitHub refuses this action: the function `hashfiles` can't be used here."),
    ],
)  # fmt: skip
def test_what_github_refuses_in_an_action_is_said_with_its_line(text: str, problem: str) -> None:
    """Keys by what the action runs with, kinds, places of contexts and functions, ids."""
    problems = read_action("action.yml", text).problems
    assert any(problem in sentence for sentence in problems), problems


@pytest.mark.parametrize(
    "text",
    [
        _ACTION,
        _ACTION + "name: 1\nauthor: [a]\nbranding: {icon: x}\nanything: {a: b}\n",
        _ACTION + "inputs: {x: {default: '${{ github.token }}', type: [a]}, y: {required: true}}\noutputs: {o: {}}\n",
        _ACTION.replace("run: y", "if: always() && env.A, env: {A: '${{ inputs.x }}'}, continue-on-error: '${{ matrix.x }}', run: '${{ hashFiles(1) }}'"),
        "runs: {using: Docker, image: 'docker://a', args: ['${{ inputs.x }}', 1], post-if: success(), pre-entrypoint: a.sh}\n",
        "runs: {using: NODE20, main: a.js, pre: b.js, post-if: always()}\n",
    ],
)  # fmt: skip
def test_an_action_that_github_takes_is_not_refused(text: str) -> None:
    """Nothing is said of an action that GitHub's runner takes, however odd."""
    assert read_action("action.yml", text).problems == ()
