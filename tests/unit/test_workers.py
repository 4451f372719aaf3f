"""What forked workers run, and what of it a run reports."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.workers import next_of, stretches

TESTS = """
import os
import pytest

@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    (tmp_path_factory.getbasetemp().parent / f"made-by-{os.getpid()}").touch()
    yield

@pytest.mark.parametrize("number", range(8))
def test_passes(made_once, tmp_path, number):
    print("said by a test that passes")

def test_fails(made_once):
    print("said by a test that fails")
    assert 1 + 1 == 3

def test_dies(made_once):
    os._exit(7)

@pytest.mark.skip(reason="not today")
def test_is_skipped():
    raise AssertionError
"""
HERE = Path(__file__).parents[2]


@given(
    stories=st.lists(st.booleans(), max_size=30),
    askers=st.lists(st.integers(0, 3), max_size=60),
)
def test_each_test_is_given_to_one_worker(stories: list[bool], askers: list[int]) -> None:
    dealt = stretches(stories, 4)
    given_out = [next_of(dealt, worker) for worker in [*askers, *[0] * len(stories)]]
    assert sorted(n for n in given_out if n is not None) == list(range(len(stories)))


def test_stories_come_first_and_neighbours_stay_together() -> None:
    assert stretches([False, True, True, False, False, True], 2) == [[1, 0], [2, 5, 3, 4]]


def test_what_fails_and_what_kills_its_worker_is_reported(tmp_path: Path) -> None:
    """The rest runs all the same, in as many workers as asked for, with a folder for all."""
    (tmp_path / "test_some.py").write_text(TESTS)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "tests.workers", "--workers", "2", "-rA"),
            *("-c", os.devnull, "--rootdir", str(tmp_path), "--basetemp", str(tmp_path / "base")),
            str(tmp_path),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(HERE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 failed, 8 passed, 1 skipped" in done.stdout
    assert "said by a test that fails" in done.stdout
    assert "assert (1 + 1) == 3" in done.stdout
    assert re.search(r"test_dies[^\n]*\n+A worker ended with 7\.", done.stdout), done.stdout
    assert "[100%]" in done.stdout
    assert 2 <= len(list(tmp_path.glob("base/made-by-*"))) <= 3  # another for the one that died
