"""Where the limits of a whole sandbox are written."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from sandbox.base import ResourceLimits
from sandbox.bubblewrap.cgroups import (
    REFUSED,
    ControlGroup,
    group_version_1,
    group_version_2,
    remove_empty,
)

LIMITS = ResourceLimits(memory=1000, processes=10)


def test_version_1_has_a_folder_for_each_controller() -> None:
    """Below this process's own groups, whose limits hold as well."""
    group = group_version_1("box", LIMITS, ["8:pids:/", "4:cpu,memory:/own", "0::/"])
    assert group is not None
    assert [str(folder) for folder in group.settings] == [
        "/sys/fs/cgroup/memory/own/box",
        "/sys/fs/cgroup/pids/box",
    ]
    assert group_version_1("box", LIMITS, ["4:memory:/own"]) is None


def test_version_2_is_a_sibling(tmp_path: Path) -> None:
    """Where the parent hands both controllers on."""
    (tmp_path / "slice").mkdir()
    control = tmp_path / "slice" / "cgroup.subtree_control"
    control.write_text("cpu memory pids\n")
    group = group_version_2("box", LIMITS, ["0::/slice/service"], tmp_path)
    assert group is not None
    ((folder, files),) = group.settings.items()
    assert folder == tmp_path / "slice" / "box"
    assert dict(files)["memory.max"] == 1000
    assert dict(files)["pids.max"] == 10
    control.write_text("cpu\n")
    assert group_version_2("box", LIMITS, ["0::/slice/service"], tmp_path) is None


def test_a_group_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    """So that other limits can stand in; removing it is fine."""
    group = ControlGroup({tmp_path / "absent" / "box": (("pids.max", 1),)}, entrance="tasks")
    assert not group.create()
    group.remove()


def test_empty_groups_are_swept(tmp_path: Path) -> None:
    """Old ones of ours; the kernel refuses to remove one with processes, as a folder with files."""
    for name in ("fixpoint-empty", "fixpoint-used", "fixpoint-new", "other"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (1000, 1000))
    (tmp_path / "fixpoint-used" / "tasks").touch()
    os.utime(tmp_path / "fixpoint-used", (1000, 1000))
    os.utime(tmp_path / "fixpoint-new", (3000, 3000))
    remove_empty(tmp_path, 2000)
    assert {place.name for place in tmp_path.iterdir()} == {
        "fixpoint-used",
        "fixpoint-new",
        "other",
    }


def test_a_process_enters_before_it_becomes_the_command(tmp_path: Path) -> None:
    """It writes itself (0) into every folder, and the command has its own arguments."""
    folders = (tmp_path / "memory", tmp_path / "pids")
    for folder in folders:
        folder.mkdir()
    group = ControlGroup(dict.fromkeys(folders, ()), entrance="tasks")
    assert _output(group.entering(("echo", "a b"), tmp_path / "refused")) == "a b\n"
    assert [(folder / "tasks").read_text() for folder in folders] == ["0\n", "0\n"]
    assert not (tmp_path / "refused").exists()


def test_a_command_runs_where_the_group_is_refused_and_that_is_told(tmp_path: Path) -> None:
    """Other limits are set then."""
    group = ControlGroup({tmp_path / "absent": ()}, entrance="tasks")
    assert _output(group.entering(("echo", "on"), tmp_path / "refused")) == "on\n"
    assert (tmp_path / "refused").read_text() == f"{REFUSED}\n"


def _output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
