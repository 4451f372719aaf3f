"""What a real tool printed on a small project, and what its own report says of the same run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

WORK_TREE = "/workspace"
"""What stands in recordings in place of the folder that a tool ran in."""

_LONGEST = 120.0
"""Seconds that a tool may take for a project."""

TOO_LONG = 124
"""How a run ends that took longer."""


@dataclass(frozen=True)
class Told:
    """What a tool's own report says; sets are None where it doesn't tell.

    Attributes:
        failing: Ids of what failed, as our parsers make them.
        passed: Ids of what passed: what is read as passed has to be among these.
        skipped: Likewise.
        counts: Passed, failed and skipped tests.
        joined_by: Ids are compared with a space in this place, for reports that join the names of
            groups by one; "" for others.
    """

    failing: frozenset[str]
    passed: frozenset[str] | None = None
    skipped: frozenset[str] | None = None
    counts: tuple[int, int, int] | None = None
    joined_by: str = ""


@dataclass(frozen=True)
class Project:
    """A project that is hard to read the tests of, in one way.

    Attributes:
        kind: In which way.
        files: Texts by path.
        options: Further arguments of the tool.
    """

    kind: str
    files: Mapping[str, str]
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recording:
    """A run of a tool.

    Attributes:
        tool: Its name.
        version: Its version.
        kind: The project's.
        form: Which of the tool's reporters or options printed this.
        output: What it printed.
        exit_code: How it ended.
        told: What its report says.
    """

    tool: str
    version: str
    kind: str
    form: str
    output: str
    exit_code: int
    told: Told

    def written(self) -> str:
        """Return a line of JSON from which `read` makes the same."""
        return json.dumps(asdict(self), default=sorted, ensure_ascii=False, sort_keys=True)


def read(line: str) -> Recording:
    """Return the recording that a line was written from."""
    fields = json.loads(line)
    told = fields["told"]
    counts = told["counts"]
    passed, skipped = told["passed"], told["skipped"]
    said = Told(
        failing=frozenset(told["failing"]),
        passed=None if passed is None else frozenset(passed),
        skipped=None if skipped is None else frozenset(skipped),
        counts=None if counts is None else (counts[0], counts[1], counts[2]),
        joined_by=told["joined_by"],
    )
    return Recording(**{**fields, "told": said})


@dataclass
class Folder:
    """A project on disk, and the tools that run in it."""

    path: Path
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, *command: str, **environment: str) -> tuple[str, int]:
        """Return what a command printed, both streams together, and how it ended."""
        with tempfile.TemporaryFile() as output:
            try:
                status = subprocess.run(
                    command,
                    cwd=self.path,
                    env={**_BARE, **self.environment, **environment},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    timeout=_LONGEST,
                    check=False,
                ).returncode
            except subprocess.TimeoutExpired:
                status = TOO_LONG
            output.seek(0)
            text = output.read().decode("utf-8", "replace")
        real = str(self.path.resolve())
        return text.replace(real, WORK_TREE).replace(str(self.path), WORK_TREE), status

    def text(self, path: str) -> str:
        """Return what a file has; "" where there is none."""
        file = self.path / path
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""


_BARE = {
    "PATH": os.environ.get("PATH", ""),
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "CI": "true",
    "PYTHONDONTWRITEBYTECODE": "1",
}


def folders(
    projects: Sequence[Project], links: Mapping[str, Path]
) -> Iterator[tuple[Project, Folder]]:
    """Yield each project in a folder of its own, which is gone behind it.

    Args:
        projects: Which ones.
        links: Where links in each folder point to.
    """
    for project in projects:
        base = Path(tempfile.mkdtemp(prefix="outputs-"))
        try:
            for path, text in project.files.items():
                file = base / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            for name, target in links.items():
                (base / name).symlink_to(target)
            yield project, Folder(base)
        finally:
            shutil.rmtree(base, ignore_errors=True)
