"""Workflows that ask for more than anybody needs: each ends early, with a sentence."""

from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path

import pytest

from bot.ci.evidence import EventFacts, JobEvidence, StepFacts
from bot.ci.failing_job import NotPlanned, target_of
from bot.ci.workflow.expressions import ExpressionContext, ExpressionError, evaluate
from bot.ci.workflow.expressions.meter import LARGEST, PlanTooLarge
from bot.ci.workflow.plan.differences import differences
from bot.ci.workflow.plan.find import find_check
from bot.ci.workflow.plan.jobs import all_jobs
from bot.ci.workflow.plan.plan import JobPlan, plan_job
from bot.ecosystems.tree import DirectoryTree
from bot.limited_process import Allowance
from bot.model import Problem
from bot.model.request import FailedCheck
from bot.repair.job import Job
from bot.repair.reproduction.checks.targets import choose_apart

JOB = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n"


def tree(root: Path, files: dict[str, str]) -> DirectoryTree:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return DirectoryTree(root)


def planned(root: Path, rest: str, **actions: str) -> JobPlan:
    """Return the plan of a job that goes on like this, in a repository with these actions."""
    files = {f"{name}/action.yml": text for name, text in actions.items()}
    here = tree(root, {".github/workflows/ci.yml": JOB + rest, **files})
    [target] = all_jobs(here).jobs
    return plan_job(here, target)


def multiplied(times: int, text: str = "xxxxxxxxxx") -> str:
    """Return an expression of a few lines whose value is a text ten times, so many times over."""
    expression = f"'{text}'"
    for _ in range(times):
        expression = f"format('{'{0}' * 10}', {expression})"
    return expression


def composite(*uses: str) -> str:
    steps = "".join(f"    - uses: ./{name}\n" for name in uses)
    return f"runs:\n  using: composite\n  steps:\n{steps}"


@pytest.mark.parametrize(
    "expression",
    [
        multiplied(8),
        f"join(fromJSON('[{','.join(['0'] * 2000)}]'), {multiplied(3)})",
        f"toJSON(fromJSON(format('{'[' * 40}{{0}}0{']' * 40}', {multiplied(4, '0,0,')})))",
        f"fromJSON(format('[{{0}}0]', {multiplied(5, '0,')}))",
        f"fromJSON('{'[' * 900}{']' * 900}')",
    ],
)
def test_a_value_has_a_size_and_a_depth(expression: str) -> None:
    """One expression of a few lines made 700 MB."""
    with pytest.raises(ExpressionError, match=r"A value (has more|is nested more) than \d+"):
        evaluate(expression, scope())


def scope() -> ExpressionContext:
    return ExpressionContext({})


def test_a_number_has_no_size() -> None:
    assert evaluate(f"fromJSON('{'9' * 4000}') > 1", scope()) is True
    assert evaluate(f"'0x{'f' * 2000}' > 1", scope()) is False


def test_variables_that_double_each_other_end(tmp_path: Path) -> None:
    chain = [f"      A{n}: ${{{{ env.A{n - 1} }}}}${{{{ env.A{n - 1} }}}}\n" for n in range(1, 40)]
    plan = planned(tmp_path, f"    env:\n      A0: xxxxxxxxxx\n{''.join(chain)}    steps: []\n")
    assert max(map(len, plan.environment.values())) <= LARGEST
    assert any("A value has more than" in sentence for sentence in differences(plan))


def test_many_large_values_end_the_plan(tmp_path: Path) -> None:
    """Each of them is small enough."""
    steps = f"      - run: echo ${{{{ {multiplied(4)} }}}}\n" * 100
    with pytest.raises(PlanTooLarge, match="more than 16 MiB"):
        planned(tmp_path, f"    steps:\n{steps}")


def test_an_action_that_uses_itself_ends_where_it_begins_again(tmp_path: Path) -> None:
    """Four steps that lead back were a million steps ten levels below."""
    plan = planned(
        tmp_path, "    steps:\n      - uses: ./a\n", a=composite("b"), b=composite(*"aaaa")
    )
    assert sum(1 for _ in plan.walk()) == 6
    assert any("The action `./a` uses itself." in sentence for sentence in differences(plan))


def test_actions_that_multiply_end_the_plan(tmp_path: Path) -> None:
    """None of them uses itself."""
    actions = {name: composite(*after * 10) for name, after in pairwise("abcdefghi")}
    with pytest.raises(PlanTooLarge):
        planned(tmp_path, "    steps:\n      - uses: ./a\n", **actions)


def test_a_workflow_that_calls_itself_is_listed_once(tmp_path: Path) -> None:
    calls = "".join(f"  job{n}:\n    uses: ./.github/workflows/ci.yml\n" for n in range(5))
    listing = all_jobs(tree(tmp_path, {".github/workflows/ci.yml": f"on: push\njobs:\n{calls}"}))
    assert listing.jobs == ()
    assert len(listing.problems) == 5
    assert "calls .github/workflows/ci.yml, which calls itself." in listing.problems[0]


@pytest.mark.slow
def test_workflows_that_multiply_are_listed_in_part(tmp_path: Path) -> None:
    matrix = f"    strategy: {{matrix: {{n: {list(range(250))}}}}}\n"
    job = f"on: workflow_call\njobs:\n  j:\n{matrix}"
    chain = {
        f".github/workflows/{name}.yml": f"{job}    uses: ./.github/workflows/{after}.yml\n"
        for name, after in pairwise("abcde")
    }
    first = chain[".github/workflows/a.yml"].replace("workflow_call", "push")
    files = {**chain, ".github/workflows/e.yml": f"{job}    steps: []\n"}
    listing = all_jobs(tree(tmp_path, {**files, ".github/workflows/ci.yml": first}))
    assert any("is planned only in part" in problem for problem in listing.problems)


def test_aliases_nest_no_deeper_than_what_is_written(tmp_path: Path) -> None:
    deeper = "".join(f"x{n}: &a{n} [[[[[[[[[[*a{n - 1}]]]]]]]]]]\n" for n in range(1, 120))
    text = f"x: &a0 [1]\n{deeper}{JOB}    env: {{A: *a119}}\n"
    listing = all_jobs(tree(tmp_path, {".github/workflows/ci.yml": text}))
    assert "is nested more than 100 levels deep." in listing.problems[0]


def test_a_name_of_many_values_is_not_tried_in_every_way(tmp_path: Path) -> None:
    """As a pattern, this name takes as long as there are ways to divide the check's."""
    keys = [f"k{n}" for n in range(40)]
    name = "".join(f"${{{{ matrix.{key} }}}}a" for key in keys)
    job = "    needs: x\n    strategy: {matrix: '${{ fromJSON(needs.x.outputs.y) }}'}\n    steps: []\n"
    text = JOB.replace("  test:\n", f"  test:\n    name: {name}b\n") + job
    jobs = all_jobs(tree(tmp_path, {".github/workflows/ci.yml": text})).jobs
    assert find_check(jobs, "a" * 100) == ()
    [found] = find_check(jobs, "xa" * 40 + "b")
    assert found.leg.values == dict.fromkeys(keys, "x")


def test_a_report_says_why_a_check_is_not_planned(tmp_path: Path) -> None:
    steps = f"      - run: echo ${{{{ {multiplied(4)} }}}}\n" * 100
    here = tree(tmp_path, {".github/workflows/ci.yml": f"{JOB}    steps:\n{steps}"})
    evidence = JobEvidence(
        FailedCheck("test"),
        workflow=".github/workflows/ci.yml",
        steps=(StepFacts("1", 1, "failure"),),
    )
    assert target_of(here, evidence, EventFacts()) == NotPlanned(
        "The workflow of `test` can't be planned. Its jobs, steps and values add up to more than 16 MiB."
    )


async def test_all_planning_together_has_a_time(tmp_path: Path) -> None:
    """The checks are reported as not planned, each with the reason."""
    steps = "      - run: x\n" * 40_000
    here = tree(tmp_path, {".github/workflows/ci.yml": f"{JOB}    steps:\n{steps}"})
    failed = (JobEvidence(FailedCheck("test"), workflow=".github/workflows/ci.yml"),)
    job = Job(run_id="abcd", problem=Problem(""), failed=failed)
    chosen = await choose_apart(job, here, allowance=Allowance(seconds=1))
    [left] = chosen.left
    assert (chosen.targets, left.why_not) == (
        (),
        "The workflow of `test` can't be planned. Reading it takes more than 1 s of processor time or 1024 MiB of memory.",
    )


def test_a_plan_goes_from_process_to_process(tmp_path: Path) -> None:
    plan = planned(tmp_path, "    steps:\n      - run: echo ${{ hashFiles('**') }}\n")
    assert pickle.loads(pickle.dumps(plan)).steps == plan.steps
