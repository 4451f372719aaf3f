"""Reading workflow files, listing their jobs, finding the one that a check belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.ci.workflow.actions.languages import python_of
from bot.ci.workflow.plan.differences import differences
from bot.ci.workflow.plan.find import find_check, select
from bot.ci.workflow.plan.jobs import JobListing, all_jobs
from bot.ci.workflow.plan.plan import JobPlan, plan_job
from bot.ecosystems.tree import DirectoryTree

CI = """\
name: CI
on: [push, pull_request]
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - run: make lint
  test:
    name: Tests on ${{ matrix.python }}
    runs-on: ${{ matrix.os }}
    strategy:
      matrix:
        os: [ubuntu-latest, windows-latest]
        python: ["3.11", 3.12]
        exclude:
          - {os: windows-latest, python: "3.11"}
    steps:
      - run: pytest
  build:
    strategy:
      matrix:
        target: [a, b]
    uses: ./.github/workflows/build.yml
    with:
      target: ${{ matrix.target }}
  dynamic:
    needs: lint
    strategy:
      matrix:
        py: ${{ fromJSON(needs.lint.outputs.versions) }}
    name: Dynamic ${{ matrix.py }}
    runs-on: ubuntu-latest
    steps:
      - run: tox -e ${{ matrix.py }}
"""

BUILD = """\
on:
  workflow_call:
    inputs:
      target: {type: string, required: true}
      level: {type: string, default: low}
jobs:
  compile:
    name: Compile ${{ inputs.target }} (${{ inputs.level }})
    runs-on: ubuntu-latest
    steps:
      - run: make ${{ inputs.target }}
"""


def tree(root: Path, **files: str) -> DirectoryTree:
    """Return a repository with these workflows."""
    folder = root / ".github" / "workflows"
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / f"{name}.yml").write_text(text, encoding="utf-8")
    return DirectoryTree(root)


def listed(root: Path, **files: str) -> JobListing:
    return all_jobs(tree(root, **files))


def planned(root: Path, text: str, job: str) -> JobPlan:
    files = tree(root, ci=text)
    [target] = select(all_jobs(files).jobs, job=job)
    return plan_job(files, target)


def test_jobs_and_their_names(tmp_path: Path) -> None:
    """Every leg is listed with the name of its check, called workflows below their callers."""
    listing = listed(tmp_path, ci=CI, build=BUILD)
    assert listing.problems == ()
    assert [job.names[0] for job in listing.jobs] == snapshot(
        [
            "lint",
            "Tests on 3.11",
            "Tests on 3.12",
            "Tests on 3.12",
            "build (a) / Compile a (low)",
            "build (b) / Compile b (low)",
            "Dynamic *",
        ]
    )


@pytest.mark.parametrize(
    ("check", "found"),
    [
        ("lint", [("lint", {})]),
        ("CI / lint (push)", [("lint", {})]),
        ("Tests on 3.11", [("test", {"os": "ubuntu-latest", "python": "3.11"})]),
        ("build (b) / Compile b (low)", [("compile", {})]),
        ("Dynamic 3.13", [("dynamic", {"py": "3.13"})]),
        ("gone", []),
    ],
)
def test_the_job_of_a_check(
    tmp_path: Path, check: str, found: list[tuple[str, dict[str, str]]]
) -> None:
    """A check's name leads to its job and leg, also where the matrix was made at run time."""
    jobs = find_check(listed(tmp_path, ci=CI, build=BUILD).jobs, check)
    assert [(job.job.id, dict(job.leg.values)) for job in jobs] == found


def test_a_name_that_several_legs_have(tmp_path: Path) -> None:
    """Where a name does not tell legs apart, all of them are found, and a matrix value decides."""
    jobs = listed(tmp_path, ci=CI, build=BUILD).jobs
    assert len(find_check(jobs, "Tests on 3.12")) == 2
    [job] = select(jobs, job="test", matrix={"os": "windows-latest"})
    assert job.leg.values == {"os": "windows-latest", "python": 3.12}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("jobs: [", ".github/workflows/ci.yml, line 1: is not valid YAML"),
        ("", ".github/workflows/ci.yml is not a workflow"),
        ("name: x\n", ".github/workflows/ci.yml has no `jobs`"),
        ("on: push\njobs:\n\ta: 1\n", "tabs can't indent YAML"),
        ("a: &a [*a]\njobs: {}\n", "an alias refers to a value that contains it"),
        ("jobs:\n  a:\n    uses: o/r/.github/workflows/w.yml@v1\n", "of another repository"),
        ("jobs:\n  a:\n    uses: ./.github/workflows/none.yml\n", "which is missing"),
        ("jobs:\n  a:\n    strategy: {matrix: '${{ fromJSON(1 }}'}\n", "can't be expanded"),
        ("jobs:\n  a:\n    uses: ./.github/workflows/ci.yml\n", "which calls itself"),
        ("jobs:\n  a:\n    steps: {}\n", "`steps` can't be a mapping; it should be a list"),
    ],
)
def test_bad_workflows_have_a_sentence(tmp_path: Path, text: str, problem: str) -> None:
    """What can't be read is said with file and line; it stops nothing else."""
    listing = listed(tmp_path, ci=text)
    assert any(problem in sentence for sentence in listing.problems), listing.problems


def test_anchors_numbers_and_parallel_steps(tmp_path: Path) -> None:
    """YAML means what it means to GitHub: `on` is a key, 3.10 a number, anchors are followed."""
    plan = planned(
        tmp_path,
        """\
on: push
env: &env {VERSION: 3.10, FLAG: yes, EMPTY: }
jobs:
  a:
    env: *env
    steps:
      - run: one
      - parallel:
          - run: two
          - run: three
""",
        "a",
    )
    job = {key: plan.environment[key] for key in ("VERSION", "FLAG", "EMPTY")}
    assert job == {"VERSION": "3.1", "FLAG": "yes", "EMPTY": ""}
    assert [planned.step.title for planned in plan.steps] == ["Run one", "Run two", "Run three"]


ODD = """\
on: pull_request
defaults:
  run: {shell: bash, working-directory: app}
jobs:
  odd:
    runs-on: windows-2022
    container: {image: "node:20"}
    services:
      db: {image: "postgres:16"}
    env: {TOKEN: "${{ secrets.TOKEN }}"}
    steps:
      - uses: actions/checkout@v4
      - uses: nobody/knows@v1
      - uses: docker://alpine:3
      - uses: ./missing
      - run: dir
        shell: cmd
      - run: x
        shell: fish
      - {run: echo hi, if: "runner.os == 'Linux'"}
      - {run: echo hi, if: "github.event.pull_request.draft"}
      - {run: echo fail, if: failure()}
      - run: echo ${{ secrets.KEY }}
      - run: echo ${{ nonsense( }}
"""


def test_differences_are_said(tmp_path: Path) -> None:
    """Machine, container, services, secrets, shells, conditions and actions have sentences."""
    assert list(differences(planned(tmp_path, ODD, "odd"))) == snapshot(
        [
            "GitHub runs the job on Windows (`windows-2022`); here it runs on Linux, so behaviour specific to Windows can't be reproduced.",
            "GitHub runs the steps in the container `node:20`; here they run directly in the sandbox.",
            "The service `db` is the sandbox's own program in its own version, if the sandbox has one.",
            "The job's environment uses `secrets.TOKEN`, which is empty here.",
            "Step `Run nobody/knows@v1` is skipped. The action `nobody/knows` is not supported here.",
            "Step `Run docker://alpine:3` is skipped. `docker://alpine:3` runs in its own container, which is not available here.",
            "Step `Run ./missing` is skipped. `./missing` has no action.yml.",
            "Step `Run dir` is skipped. The shell `cmd` exists only on Windows.",
            "Step `Run x` is skipped. The shell `fish` is not supported.",
            "Step `Run echo hi` runs here although its condition can't be evaluated: `if: github.event.pull_request.draft`.",
            "Step `Run echo` uses `secrets.KEY`, which is empty here.",
            "Step `Run echo ${{ nonsense( }}` is skipped. The expression `nonsense(` has a syntax error at its end.",
        ]
    )


def test_decisions(tmp_path: Path) -> None:
    """Conditions decide as on the job's own runner; unknown ones run."""
    plan = planned(tmp_path, ODD, "odd")
    assert [planned.step.decision.value for planned in plan.steps] == snapshot(
        ["run", "run", "run", "run", "run", "run", "skip", "unsure", "on-failure", "run", "run"]
    )
    [checkout] = [planned for planned in plan.steps if planned.step.spec.number == 1]
    assert checkout is plan.step_called("1")
    command = plan.steps[9].step.command
    assert command is not None
    assert command.directory == "/workspace/app"


@pytest.mark.parametrize(
    ("image", "labels", "version"),
    [
        ("ubuntu-22.04", ("ubuntu-latest",), "3.10"),
        ("ubuntu-22.04", ("ubuntu-20.04",), "3.8"),
        ("", ("self-hosted",), ""),
    ],
)
def test_the_python_of_an_image(image: str, labels: tuple[str, ...], version: str) -> None:
    """A job that sets no Python up has its runner's own; a label with a version says which."""
    assert python_of(image, labels) == version


LISTED = """on: push
jobs:
  list:
    runs-on: ubuntu-latest
    outputs:
      pythons: ${{ steps.set.outputs.pythons }}
    steps:
      - id: set
        run: |
          WRITES
  test:
    needs: list
    runs-on: ubuntu-latest
    strategy:
      matrix:
        python: ${{ fromJSON(needs.list.outputs.pythons) }}
    steps:
      - run: pytest
"""


@pytest.mark.parametrize(
    ("writes", "names"),
    [
        ("""echo 'pythons=["3.11", "3.12"]' >> "$GITHUB_OUTPUT\"""", ["test (3.11)", "test (3.12)"]),
        ("""echo "pythons=[3.12]" >> $GITHUB_OUTPUT""", ["test (3.12)"]),
        ("""echo '::set-output name=pythons::["3.9"]'""", ["test (3.9)"]),
        ("""echo "pythons=$(python list.py)" >> $GITHUB_OUTPUT""", ["test (*)"]),
        ("""python list.py >> $GITHUB_OUTPUT""", ["test (*)"]),
        ("""echo "other=[1]" >> $GITHUB_OUTPUT""", ["test (*)"]),
        ("""if x; then
            echo "pythons=[1]" >> $GITHUB_OUTPUT
          else
            echo "pythons=[2]" >> $GITHUB_OUTPUT
          fi""", ["test (*)"]),
    ],
)  # fmt: skip
def test_a_matrix_that_another_job_writes_down(
    tmp_path: Path, writes: str, names: list[str]
) -> None:
    """Known where a step writes it once, as plain text; else its check's name tells the values."""
    workflows = tmp_path / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / "ci.yml").write_text(LISTED.replace("WRITES", writes))
    found = all_jobs(DirectoryTree(tmp_path)).jobs
    assert [job.names[0] for job in found if job.job.id == "test"] == names
