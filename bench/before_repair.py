"""Make the work tree before a repair, with the repair's tests, from a clone that may lack files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.case import run_git


def check_out_before(mirror: Path, fix: str, tests: Sequence[str], folder: Path) -> None:
    """Make `folder` a work tree of the commit before `fix`, with these of its files committed.

    Large files that the clone lacks, as stored snapshots do, are left out, so that a project's
    samples and recordings don't keep it from being used.

    Raises:
        subprocess.CalledProcessError: When the clone lacks one of the commits.
    """
    run_git(folder.parent, "clone", "--quiet", "--no-checkout", str(mirror), str(folder))
    run_git(folder, "update-ref", "--no-deref", "HEAD", f"{fix}^")
    run_git(folder, "read-tree", "HEAD")
    absent = _absent(folder)
    if absent:
        run_git(folder, "rm", "--cached", "--quiet", "--", *absent)
    run_git(folder, "checkout-index", "--all")
    run_git(folder, "checkout", "--quiet", fix, "--", *tests)
    run_git(folder, "commit", "--quiet", "--reuse-message", fix, as_of=fix)


def repair_without(folder: Path, fix: str, tests: Sequence[str]) -> str:
    """Return the repair as a diff that leaves these files out."""
    left_out = [f":(exclude){test}" for test in tests]
    between = ("diff", "--binary", "--full-index", f"{fix}^", fix)
    return run_git(folder, *between, "--", ".", *left_out)


def _absent(folder: Path) -> list[str]:
    """Return the files of the index whose contents the clone lacks."""
    listed = run_git(folder, "rev-list", "--objects", "--missing=print", "--no-walk", "HEAD")
    missing = {line[1:] for line in listed.splitlines() if line.startswith("?")}
    entries = run_git(folder, "ls-files", "--stage", "-z").split("\0")
    split = (entry.partition("\t") for entry in entries if entry)
    return [file for head, _, file in split if head.split()[1] in missing]
