"""What all tests share: one PostgreSQL, no hurry, parts, and that what they leave is put away."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# One server for all modules: a fixture that each of them imports would start one for each of them.
pytest_plugins = ["tests.contract.postgres", "tests.selection"]

# How long an example takes says more of the machine than of the code.
hypothesis.settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("unhurried")


@pytest.fixture(scope="session", autouse=True)
def _nothing_stays_mounted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Unmount what killed servers left: pytest could not delete the folders below."""
    yield
    base = str(tmp_path_factory.getbasetemp())
    for line in Path("/proc/self/mounts").read_text().splitlines():
        place = line.split()[1]
        if place.startswith(f"{base}/"):
            subprocess.run(["umount", "--lazy", place], check=False)
