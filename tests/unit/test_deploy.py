"""What `deploy/` brings is what its tools accept."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.prefix) / "publishing-tools" / "bin"
SYSTEMD = ROOT / "deploy" / "systemd"
MOST_EXPOSED = 40
"""Tenths, by `systemd-analyze security`: what bubblewrap needs leaves so much."""


def run(*command: str | Path) -> str:
    """Run a program of systemd's that has to find nothing, or skip where it isn't installed."""
    if shutil.which(str(command[0])) is None:
        pytest.skip(f"{command[0]} is not installed (Debian: apt-get install systemd).")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stderr


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    """It has no unknown or wrong line, and little is left open."""
    unit = (SYSTEMD / "fixpoint.service").read_text()
    placed = tmp_path / "fixpoint.service"
    placed.write_text(unit.replace("/opt/fixpoint/bin/fixpoint", "/bin/true"))
    assert run("systemd-analyze", "verify", "--man=no", placed) == ""
    exposed = ("security", "--offline=true", "--no-pager", f"--threshold={MOST_EXPOSED}")
    run("systemd-analyze", *exposed, placed)


def test_systemd_makes_the_user(tmp_path: Path) -> None:
    """With the name that the unit asks for, and no shell."""
    (tmp_path / "etc").mkdir()
    run("systemd-sysusers", f"--root={tmp_path}", SYSTEMD / "fixpoint.sysusers")
    [made] = (tmp_path / "etc" / "passwd").read_text().splitlines()
    assert made.startswith("fixpoint:")
    assert made.endswith("/var/lib/fixpoint:/usr/sbin/nologin")


@pytest.mark.slow
def test_helm_and_kubernetes_accept_the_chart() -> None:
    """Each kind of values gives documents that Kubernetes takes; wrong values are refused."""
    if not TOOLS.is_dir():
        pytest.skip("The tools that publish are not installed (`make publishing-tools`).")
    program = [TOOLS / "python", ROOT / "scripts" / "check_chart.py"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    made = done.stdout.splitlines()
    assert made.count("Deployment release-worker") == 2
    assert "Ingress release-web" in made
