"""What all tests share: one PostgreSQL, no hurry, parts, and that what they leave is put away."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import hypothesis
import pytest

from sandbox.interrupts import let_programs_be_interrupted

# One server for all modules: a fixture that each of them imports would start one for each of them.
pytest_plugins = ["tests.workers", "tests.selection", "tests.contract.postgres"]

# New Python environments begin with packages at hand (see Makefile): without an index, uv waits for
# one, and ensurepip unpacks its own.
os.environ.setdefault("UV_FIND_LINKS", str(Path(sys.prefix, "seeds")))
os.environ.setdefault("UV_OFFLINE", "1")
os.environ.setdefault("PIP_RETRIES", "0")

# Also where the tests run in the background of a script.
let_programs_be_interrupted()

# How long an example takes says more of the machine than of the code. `make test` tries the same
# examples every time, so that it says something about a change; `make test-rest` tries others.
for _name, _always_the_same in (("settled", True), ("searching", False)):
    hypothesis.settings.register_profile(
        _name,
        deadline=None,
        derandomize=_always_the_same,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
hypothesis.settings.load_profile("settled")


@pytest.fixture(scope="session", autouse=True)
def _nothing_stays_mounted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Unmount what killed servers left: pytest could not delete the folders below."""
    yield
    base = str(tmp_path_factory.getbasetemp())
    for line in Path("/proc/self/mounts").read_text().splitlines():
        place = line.split()[1]
        if place.startswith(f"{base}/"):
            subprocess.run(["umount", "--lazy", place], check=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, object, object]:
    """Parse what failed without a pause in which another thread could parse something too.

    Before 3.11.8 Python loses count of its recursions then, and a worker dies of it
    (https://github.com/python/cpython/issues/106905). Only the garbage collector makes pauses.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Spare the garbage collector what is imported and collected: all of that stays."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Have it look rarely: little of what a story makes is garbage that only it can find."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
    gc.enable()
