"""Which steps before the failing one are left out, because they only check."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.ci.workflow.compile.compiler import compile_job
from bot.ci.workflow.compile.earlier_steps import only_checks, steps_before
from bot.ci.workflow.plan.find import select
from bot.ci.workflow.plan.jobs import all_jobs
from bot.ci.workflow.plan.plan import plan_job
from bot.ci.workflow.runner.command import Command
from bot.ecosystems.tree import DirectoryTree


@pytest.mark.parametrize(
    ("script", "later", "is_left_out"),
    [
        ("flake8 .", "pytest", True),
        ("black . --check\nisort --check-only .", "pytest", True),
        ("black .", "git diff --exit-code", False),
        ("ruff check --fix .", "git diff --exit-code", False),
        ("ruff format --check .", "pytest", True),
        ("cd web && npx eslint .", "pytest", True),
        ("make lint", "make test", True),
        ("make build", "make test", False),
        ("pytest", "mypy .", True),
        ("coverage run -m pytest", "coverage report", False),
        ("pytest", "make report", False),
        ("mypy . > types.txt", "cat types.txt", False),
        ("mypy . >/dev/null 2>&1", "pytest", True),
        ('mypy --version >>"$GITHUB_OUTPUT"', "pytest", False),
        ("pip install x\nflake8", "pytest", False),
        ("pip list", "pytest", True),
        ("sed -n 1p x | grep -v y\nflake8", "pytest", True),
        ("sed -i.bak s/a/b/ x", "pytest", False),
        ("python tools/generate.py", "pytest", False),
        ("", "pytest", False),
    ],
)
def test_what_only_checks(tmp_path: Path, script: str, later: str, *, is_left_out: bool) -> None:
    """Linters do; tests do, unless somebody reads what they leave; builds and installs don't."""
    (tmp_path / "Makefile").write_text(
        "lint:\n\tflake8 .\nbuild:\n\tpython -m build\ntest:\n\tpytest\nreport:\n\tcoverage xml\n"
    )
    assert only_checks(Command("1", script), DirectoryTree(tmp_path), later) == is_left_out


def test_what_is_asked_for_by_its_name_runs(tmp_path: Path) -> None:
    """A step with an id runs; what stands behind the failing step does not count."""
    workflows = tmp_path / ".github" / "workflows"
    workflows.mkdir(parents=True)
    steps = (
        "run: pip install x",
        "run: flake8",
        "{id: types, run: mypy .}",
        "run: pytest",
        "run: mypy",
    )
    text = "".join(f"    - {step}\n" for step in steps)
    (workflows / "ci.yml").write_text(
        f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n{text}"
    )
    tree = DirectoryTree(tmp_path)
    [target] = select(all_jobs(tree).jobs, job="test")
    plan = plan_job(tree, target)
    kept = steps_before(plan, plan.steps[3])
    assert [planned.step.spec.number for planned in kept] == [1, 3]


BEHIND = """on: pull_request
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
    - {name: types, run: python tools/generate.py}
    - {name: flake8, run: flake8 .}
    - {name: advice, run: vulture ., continue-on-error: true}
    - {name: elsewhere, run: flake8, working-directory: docs}
    - {name: unit, run: pytest}
    - {name: passed, run: pylint x, if: always()}
    - {name: mypy, run: mypy x}
    - {name: more, run: pip install bandit}
    - {name: bandit, run: bandit -r x}
"""


@pytest.mark.parametrize(
    ("failed", "command", "behind"),
    [
        ("types", "python tools/generate.py && flake8 . && mypy x", ("flake8", "mypy")),
        ("mypy", "mypy x", ()),
        ("unit", "pytest", ()),
    ],
)
def test_a_failing_check_goes_on_with_those_that_github_skipped(
    tmp_path: Path, failed: str, command: str, behind: tuple[str, ...]
) -> None:
    """With linters up to the next install; tests, and steps that may fail or ran, are not added."""
    workflows = tmp_path / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / "ci.yml").write_text(BEHIND)
    tree = DirectoryTree(tmp_path)
    [target] = select(all_jobs(tree).jobs, job="lint")
    plan = plan_job(tree, target)
    failing = plan.step_called(failed)
    assert failing is not None
    titles = [planned.step.title for planned in plan.steps]
    skipped = [title for title in titles[titles.index(failed) + 1 :] if title != "passed"]
    compiled = compile_job(plan, failing, skipped)
    assert compiled.command.typed() == command
    assert compiled.behind == behind
    assert compile_job(plan, failing).behind == ()
