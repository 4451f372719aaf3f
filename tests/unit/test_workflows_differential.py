"""Our reader of workflows and actions beside GitHub's own library, `@actions/workflow-parser`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.language_services import NotInstalled
from tests.language_services.workflows import compared
from tests.unit.generated_workflows import Workflows


def _agree(files: dict[str, str]) -> None:
    try:
        found = [each for each in compared(files) if not each.named]
    except NotInstalled as error:
        pytest.skip(str(error))
    shortest = min(found, key=lambda each: len(files[each.file]), default=None)
    assert shortest is None, (shortest, files[shortest.file])


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "on: push\njobs: {a: {runs-on: x, strategy: {matrix: {v: [2_17, 0o17, 0x1f, 1e3, .5]}}, steps: [{run: x}]}}\n",
        "on: [push]\njobs:\n  a:\n    runs-on: [self-hosted, x]\n    steps:\n    - if: |\n        ${{ github.ref }}\n      run: |\n        x\n",
        "on: push\njobs: {a: {runs-on: [x, 1.5, true], steps: [{run: x}]}, b: {runs-on: 22.04, steps: [{run: x}]}, c: {runs-on: {group: 7, labels: [1.0]}, steps: [{run: x}]}}\n",
        "on: push\njobs: {a: {uses: ./w.yml, with: {x: '${{ github.sha }}'}}, b: {needs: a, runs-on: x, steps: [{run: y}]}}\n",
        "on: push\nx: &x {A: 1}\njobs: {a: {runs-on: x, env: *x, steps: [{run: y}]}}\n".replace("x: &x {A: 1}", "env: &x {A: 1}"),
        "on: push\njobs: {a: {runs-on: x, steps: [{run: a}, {id: __run_2x, run: b}, {run: c}, {uses: 'docker://a/b@sha256:1'}]}}\n".replace("__run_2x", "r2"),
    ],
)  # fmt: skip
def test_written_workflows_are_read_as_github_reads_them(text: str) -> None:
    """Numbers of YAML 1.2, blocks, calls, anchors, names of steps."""
    _agree({"w.yml": text})


def _generated(seed: int, count: int) -> dict[str, str]:
    generator = Workflows(seed)
    files = {f"w{n}.yml": generator.file() for n in range(count)}
    return files | {f"{n}/action.yml": generator.action() for n in range(count // 2)}


@pytest.mark.slow
@settings(max_examples=1)
@given(st.integers(0, 2**32))
def test_generated_files_are_read_and_refused_as_github_does(seed: int) -> None:
    """Keys, kinds, contexts at their places, ids and needs: both take a file, or both refuse it."""
    _agree(_generated(seed, 200))


@pytest.mark.exhaustive
@settings(max_examples=10)
@given(st.integers(0, 2**32))
def test_thousands_of_files_are_read_and_refused_as_github_does(seed: int) -> None:
    """The same with others."""
    _agree(_generated(seed, 300))
