"""What a checkout of a runner has: hooks, and a remote that answers without network."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bot.ci.workflow.inside import source
from bot.ci.workflow.runner.remote import Remote


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("git fetch --prune --unshallow --tags && git rev-parse --is-shallow-repository", "false"),
        ("git fetch origin dev && git rev-list --count origin/dev", "2"),
        ("git fetch --depth=1 origin '+refs/tags/*:refs/tags/*' && git describe --tags", "v1-1"),
        ("git pull -q origin main && git config remote.origin.url", "https://github.com/o/r.git"),
        ("ln -s x .git/hooks/pre-commit && ls .git/hooks", "pre-commit"),
    ],
)
def test_git_works_without_network(tmp_path: Path, command: str, says: str) -> None:
    """Steps fetch history, tags and branches; it may be made twice."""
    work = tmp_path / "work"
    commit = "git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m"
    made = Remote("o/r", ("main", "dev"), unshallow="--unshallow" in command).command()
    script = f"""
set -e
mkdir -p {work} ~/.ci; cd {work}
git init -q -b main --template= .
{commit} first; git tag v1; {commit} second
{source("git_remote.sh")}
{made}; {made}
{command}
"""
    done = subprocess.run(
        ["bash", "-c", script],
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "GITHUB_WORKSPACE": str(work)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().splitlines()[-1].startswith(says)
