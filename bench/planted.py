"""Histories with a known first bad commit: generated ones, and public projects' with a planted fault."""

from __future__ import annotations

import os
import random
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

_SOUND = "def total(items):\n    return sum(items)\n"
_BROKEN = "def total(items):\n    return sum(items) - 1\n"
_SETUP = "import setuptools\n{}\nsetuptools.setup(name='shop', version='1', py_modules=['shop'])\n"
_TEST = """\
import random

from shop import total


def test_total():
    assert random.SystemRandom().random() >= {}
    assert total([1, 2, 3]) == 6
"""
_APART = 3600
"""Seconds between two commits; the newest is as old as one. What is young was broken by no release."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A history and what is true of it.

    Attributes:
        length: Commits.
        culprit: Place of the first bad one.
        noise: Share of runs that fail by chance.
        uninstallable: Places.
        green: Whether the oldest commit is said to be good.
    """

    length: int
    culprit: int
    noise: float
    uninstallable: frozenset[int] = frozenset()
    green: bool = True

    @property
    def name(self) -> str:
        """Of its row."""
        noise = f", {self.noise:.0%} random failures" if self.noise else ""
        lost = f", {len(self.uninstallable)} that can't be installed" if self.uninstallable else ""
        return f"generated, {self.length} commits, culprit {self.culprit}{lost}{noise}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault for the last commits of a public project; `sound` is a line that all of them have.

    Attributes:
        repo: `owner/name` on GitHub.
        head: The newest commit.
        length: Commits along first parents.
        culprit: Place of the first one that gets the fault.
        file: Where.
        sound: What stands there.
        broken: What stands there with the fault.
        tests: Files of the tests that run.
    """

    repo: str
    head: str
    length: int
    culprit: int
    file: str
    sound: str
    broken: str
    tests: str

    @property
    def name(self) -> str:
        """Of its row."""
        return f"{self.repo}, {self.length} commits, culprit {self.culprit}"


FAULTS = (
    Fault(
        "mewwts/addict", "75284f9593dfb929cadd900aff9e35e7c7aec54b", 60, 41, "addict/addict.py",
        "if ((k not in self) or", "if ((k in self) or", "test_addict.py",
    ),
    Fault(
        "pallets/itsdangerous", "672971d66a2ef9f85151e53283113f33d642dabd", 60, 33,
        "src/itsdangerous/encoding.py",
        r'_int_to_bytes(num).lstrip(b"\x00")', "_int_to_bytes(num)",
        "tests/test_itsdangerous/test_encoding.py",
    ),
)  # fmt: skip


def planted(chance: random.Random, length: int, noise: float, *, green: bool = True) -> Planted:
    """Return a history whose culprit may be anywhere; in every second one commits can't be installed."""
    culprit = chance.randrange(1, length)
    away = frozenset({0, culprit - 1, culprit, length - 1})
    begin, many = chance.randrange(length), chance.choice((0, 8))
    lost = frozenset(range(begin, min(begin + many, length))) - away
    return Planted(length, culprit, noise, lost, green)


def generated(folder: Path, history: Planted) -> list[str]:
    """Make a repository and return its commits, the oldest first."""
    folder.mkdir()
    run_git(folder, "init", "-q", "-b", "main")
    stream = []
    for n in range(history.length):
        lost = "raise SystemExit('broken')" if n in history.uninstallable else ""
        files = {
            "shop.py": f"{_BROKEN if n >= history.culprit else _SOUND}\n\nVERSION = {n}\n",
            "setup.py": _SETUP.format(lost),
            "tests/test_total.py": _TEST.format(history.noise),
        }
        stream.append(
            "commit refs/heads/main\ncommitter B <b@example.com> "
            f"{_moment(n, history.length)} +0000\n"
        )
        stream.append(f"data <<END\nChange {n}\nEND\n")
        stream += [
            f"M 100644 inline {path}\ndata {len(text)}\n{text}\n" for path, text in files.items()
        ]
    run_git(folder, "fast-import", "--quiet", stdin="".join(stream).encode())
    run_git(folder, "reset", "-q", "--hard", "main")
    return run_git(folder, "rev-list", "--reverse", "main").split()


def infected(folder: Path, clone: Path, fault: Fault) -> list[str]:
    """Make a repository of a project's last commits with the fault, and return them, the oldest first.

    Raises:
        ValueError: A commit has not what the fault replaces.
    """
    run_git(folder.parent, "clone", "-q", "--no-checkout", str(clone), folder.name)
    first = f"--max-count={fault.length}"
    theirs = run_git(folder, "rev-list", "--reverse", "--first-parent", first, fault.head).split()
    made: list[str] = []
    for n, commit in enumerate(theirs):
        tree = f"{commit}^{{tree}}"
        if n >= fault.culprit:
            text = run_git(folder, "show", f"{commit}:{fault.file}")
            if fault.sound not in text:
                raise ValueError(f"{fault.repo}: {commit} has no {fault.sound!r}")
            changed = text.replace(fault.sound, fault.broken).encode()
            blob = run_git(folder, "hash-object", "-w", "--stdin", stdin=changed).strip()
            run_git(folder, "read-tree", commit)
            run_git(folder, "update-index", "--cacheinfo", f"100644,{blob},{fault.file}")
            tree = run_git(folder, "write-tree").strip()
        parents = ("-p", made[-1]) if made else ()
        moment = f"{_moment(n, fault.length)} +0000"
        message = f"Change {n}\n".encode()
        tree = run_git(folder, "rev-parse", tree).strip()
        made.append(
            run_git(folder, "commit-tree", tree, *parents, stdin=message, date=moment).strip()
        )
    run_git(folder, "checkout", "-q", "-f", "-B", "planted", made[-1])
    run_git(folder, "clean", "-q", "-f", "-d", "-x")
    return made


def _moment(n: int, length: int) -> int:
    return int(time.time()) - (length - n) * _APART // length


def run_git(folder: Path, *arguments: str, stdin: bytes | None = None, date: str = "") -> str:
    """Run git and return what it says."""
    names = {
        f"GIT_{who}_{what}": "bench@example.com"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder, env={**os.environ, **names, **dates}, input=stdin, capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout.decode()
