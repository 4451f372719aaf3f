"""The jobs that have to run before a matrix is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.ci.evidence import EventFacts
from bot.ci.workflow.expressions import ExpressionContext, Partly
from bot.ci.workflow.plan.jobs import JobLeg, workflow_jobs
from bot.ci.workflow.plan.producers import made_outputs, next_producer, producing_steps
from bot.ecosystems.tree import DirectoryTree

CI = ".github/workflows/ci.yml"
CALLED = ".github/workflows/tests.yml"
MAKES = """
    runs-on: ubuntu-latest
    outputs: {x: "${{ steps.a.outputs.x }}"}
    steps:
      - run: first
      - {id: a, run: second}
      - {id: b, run: third}
"""
TEST = """
    runs-on: ubuntu-latest
    strategy: {matrix: {x: "${{ fromJSON(needs.make.outputs.x) }}"}}
    steps: [{run: pytest}]
"""


def open_job(folder: Path, jobs: str, called: str = "") -> tuple[DirectoryTree, JobLeg]:
    """Return a tree with a workflow, and the job of it whose matrix is open."""
    (folder / CI).parent.mkdir(parents=True)
    (folder / CI).write_text(f"on: push\njobs:\n{jobs}", encoding="utf-8")
    (folder / CALLED).write_text(called, encoding="utf-8")
    tree = DirectoryTree(folder)
    [leg] = [job for job in workflow_jobs(tree, CI).jobs if job.unknown]
    return tree, leg


def order(tree: DirectoryTree, leg: JobLeg) -> list[str]:
    """Return the jobs that run, one after the other."""
    event, ran = EventFacts(), []
    while (job := next_producer(tree, leg, event)) is not None:
        ran.append(job.job.id)
        event = replace(event, ran={**event.ran, (job.workflow.path, job.job.id): {}})
    return ran


@pytest.mark.parametrize(
    ("jobs", "expected"),
    [
        (f"  make:{MAKES}  test:\n    needs: make{TEST}", ["make"]),
        (f"  base:{MAKES}  make:\n    needs: base{MAKES}  test:\n    needs: make{TEST}", ["base", "make"]),
        (f"  make:\n    needs: make{MAKES}  test:\n    needs: make{TEST}", ["make"]),
        (f"  make:\n    strategy: {{matrix: {{y: [1]}}}}{MAKES}  test:\n    needs: make{TEST}", []),
        (f"  test:\n    needs: make{TEST}", []),
        (f"  make:\n    uses: ./other.yml\n  test:\n    needs: make{TEST}", []),
    ],
)  # fmt: skip
def test_what_runs_first(tmp_path: Path, jobs: str, expected: list[str]) -> None:
    """The job that is asked for, behind those that it needs itself; never twice."""
    assert order(*open_job(tmp_path, jobs)) == expected


def test_an_input_that_a_job_of_the_caller_makes(tmp_path: Path) -> None:
    """The matrix of a called workflow may come from a job beside the call."""
    jobs = f"""  make:{MAKES}  call:
    needs: make
    uses: ./{CALLED}
    with: {{all: "${{{{ needs.make.outputs.x }}}}"}}
"""
    called = """on: {workflow_call: {inputs: {all: {type: string}}}}
jobs:
  test:
    runs-on: ubuntu-latest
    strategy: {matrix: {x: "${{ fromJSON(inputs.all) }}"}}
    steps: [{run: pytest}]
"""
    tree, leg = open_job(tmp_path, jobs, called)
    assert order(tree, leg) == ["make"]
    known = workflow_jobs(tree, CI, EventFacts(ran={(CI, "make"): {"x": '["a", "b"]'}}))
    assert [job.names[0] for job in known.jobs] == ["make", "call / test (a)", "call / test (b)"]


def test_what_runs_of_it(tmp_path: Path) -> None:
    """Its steps up to the last one that an output is made by."""
    tree, leg = open_job(tmp_path, f"  make:{MAKES}  test:\n    needs: make{TEST}")
    producer = next_producer(tree, leg, EventFacts())
    assert producer is not None
    assert [step.run for step in producing_steps(producer.job)] == ["first", "second"]
    made = ExpressionContext({"steps": {"a": {"outputs": {"x": "[1]"}}}})
    assert made_outputs(producer.job, made) == {"x": "[1]"}
    open_ones = ExpressionContext({"steps": {"a": {"outputs": Partly("steps.a.outputs", {})}}})
    assert made_outputs(producer.job, open_ones) == {}
