"""What every test leaves behind is put away, also when the test failed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def _nothing_stays_mounted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Unmount what killed servers left: pytest could not delete the folders below."""
    yield
    base = str(tmp_path_factory.getbasetemp())
    for line in Path("/proc/self/mounts").read_text().splitlines():
        place = line.split()[1]
        if place.startswith(f"{base}/"):
            subprocess.run(["umount", "--lazy", place], check=False)
