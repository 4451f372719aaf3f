"""The jobs that make the artifacts which another job takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.ci.evidence import EventFacts
from bot.ci.workflow.actions.install_commands import editable
from bot.ci.workflow.plan.jobs import workflow_jobs
from bot.ci.workflow.plan.plan import plan_job
from bot.ci.workflow.plan.uploaders import uploaders, uploading_steps, wishes
from bot.ecosystems.tree import DirectoryTree

CI = ".github/workflows/ci.yml"
MAKES = """
  build:
    needs: prepare
    runs-on: ${{ matrix.os }}
    strategy: {matrix: {os: [windows-latest, ubuntu-latest, ubuntu-22.04]}}
    steps:
      - run: make
      - uses: $/.github/keep
        with: {name: "dist-${{ runner.os }}"}
      - run: make more
  prepare:
    runs-on: ubuntu-latest
    steps:
      - run: first
      - {uses: actions/upload-artifact@v4, with: {name: notes, path: notes}}
      - {uses: actions/upload-artifact@v4, if: "false", with: {name: never, path: x}}
  package:
    runs-on: ubuntu-latest
    steps: [{uses: actions/checkout@v4}, {uses: hynek/build-and-inspect-python-package@v2}]
  other:
    runs-on: ubuntu-latest
    steps: [{uses: actions/upload-artifact@v4, with: {name: dist-Linux, path: x}}]
  test:
    needs: [build, package]
    runs-on: ubuntu-latest
    steps:
      - {uses: actions/download-artifact@v4, with: %s}
      - run: pytest
      - {uses: actions/download-artifact@v4, with: {name: late}}
"""
KEEP = """
inputs: {name: {required: true}}
runs:
  using: composite
  steps: [{uses: actions/upload-artifact@v4, with: {name: "${{ inputs.name }}", path: dist}}]
"""


def found(folder: Path, given: str) -> list[tuple[str, int]]:
    """Return the jobs that run first, each with how many of its steps."""
    (folder / CI).parent.mkdir(parents=True)
    (folder / CI).write_text(f"on: push\njobs:{MAKES % given}", encoding="utf-8")
    (folder / ".github" / "keep").mkdir()
    (folder / ".github" / "keep" / "action.yml").write_text(KEEP, encoding="utf-8")
    tree = DirectoryTree(folder)
    [leg] = [job for job in workflow_jobs(tree, CI).jobs if job.job.id == "test"]
    plan = plan_job(tree, leg)
    wanted = wishes(plan, plan.steps[1])
    assert len(wanted) == 1
    plans = uploaders(tree, leg, EventFacts(name="push"), wanted)
    return [(each.name, len(uploading_steps(each))) for each in plans]


@pytest.mark.parametrize(
    ("given", "jobs"),
    [
        ("{name: dist-Linux}", [("build (ubuntu-latest)", 2)]),
        ("{name: notes}", [("prepare", 2)]),
        ("{name: Packages}", [("package", 2)]),
        ("{name: never}", []),
        ("{pattern: '*s'}", [("prepare", 2), ("package", 2)]),
        ("{}", [("build (ubuntu-latest)", 2), ("prepare", 2), ("package", 2)]),
    ],
)
def test_jobs_that_have_to_run_first(
    tmp_path: Path, given: str, jobs: list[tuple[str, int]]
) -> None:
    """Those that the job needs and that run here, once for each artifact, up to the upload."""
    assert found(tmp_path, given) == jobs


@pytest.mark.parametrize(
    ("script", "then"),
    [
        ("tox run -e py --installpkg `find dist/*.tar.gz`", "tox run -e py"),
        ('tox --installpkg="$(ls dist/*.whl)" -e py; echo', "tox -e py; echo"),
        ("tox --installpkg dist/a-1.0.whl -- -x", "tox -- -x"),
        ("tox -e py", "tox -e py"),
    ],
)
def test_tox_packs_the_work_tree_itself(script: str, then: str) -> None:
    """A package that an earlier job built would not have a repair."""
    assert editable(script) == then
