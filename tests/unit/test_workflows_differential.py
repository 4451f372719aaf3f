"""Our reader of workflows beside GitHub's own library, `@actions/workflow-parser`."""

from __future__ import annotations

import pytest

from tests.language_services import NotInstalled
from tests.language_services.workflows import compared


def _agree(files: dict[str, str]) -> None:
    try:
        found = compared(files)
    except NotInstalled as error:
        pytest.skip(str(error))
    assert not found, (found[0], files[found[0].file])


@pytest.mark.parametrize(
    "text",
    [
        "on: push\njobs: {a: {runs-on: x, strategy: {matrix: {v: [2_17, 0o17, 0x1f, 1e3, .5]}}, steps: [{run: x}]}}\n",
        "on: [push]\njobs:\n  a:\n    runs-on: [self-hosted, x]\n    steps:\n    - if: |\n        ${{ github.ref }}\n      run: |\n        x\n",
        "on: push\njobs: {a: {uses: ./w.yml, with: {x: '${{ github.sha }}'}}, b: {needs: a, runs-on: x, steps: [{run: y}]}}\n",
        "on: push\nx: &x {A: 1}\njobs: {a: {runs-on: x, env: *x, steps: [{run: y}]}}\n".replace("x: &x {A: 1}", "env: &x {A: 1}"),
        "on: push\njobs: {a: {runs-on: x, steps: [{run: a}, {id: __run_2x, run: b}, {run: c}, {uses: 'docker://a/b@sha256:1'}]}}\n".replace("__run_2x", "r2"),
    ],
)  # fmt: skip
def test_written_workflows_are_read_as_github_reads_them(text: str) -> None:
    """Numbers of YAML 1.2, blocks, calls, anchors, names of steps."""
    _agree({"w.yml": text})
