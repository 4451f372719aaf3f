"""Bubblewrap's command line."""

from __future__ import annotations

import resource
from pathlib import Path

from sandbox.base import ResourceLimits
from sandbox.bubblewrap import jail
from sandbox.bubblewrap.provider import remedy
from sandbox.bubblewrap.toolchains import Mount

PLACES = jail.WritableFolders(Path("/d/workspace"), Path("/d/home"), Path("/d/scratch"))
VIEW = jail.HostView((Mount(Path("/usr"), Path("/usr")),), (("usr/bin", "/bin"),))


def test_nothing_is_shared_by_default() -> None:
    """Every namespace is new, every right is gone, and the jail dies with us."""
    arguments = jail.sandbox_arguments(jail.sandbox_front(VIEW, PLACES))
    assert {"--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"} <= set(
        arguments
    )
    assert "--share-net" not in arguments
    assert arguments[arguments.index("--cap-drop") + 1] == "ALL"


def test_only_three_folders_can_be_written() -> None:
    """Everything else is bound read-only, the root itself last."""
    arguments = jail.sandbox_arguments(jail.sandbox_front(VIEW, PLACES))
    writable = [arguments[n + 1 : n + 3] for n, word in enumerate(arguments) if word == "--bind"]
    assert writable == [
        ["/d/workspace", "/workspace"],
        ["/d/home", "/home/fixpoint"],
        ["/d/scratch", "/tmp"],
    ]
    assert arguments[-3:] == ["--remount-ro", "/", "--"]


def test_packages_below_the_machines_tmp_are_shown() -> None:
    """They are mounted into the sandbox's own `/tmp`, which would hide them otherwise."""
    wheels = Mount(Path("/tmp/wheels"), Path("/tmp/wheels"))
    arguments = jail.sandbox_front(jail.HostView((*VIEW.mounts, wheels)), PLACES)
    assert arguments.index("/tmp/wheels") > arguments.index("/d/scratch")


def test_a_command_is_one_argument() -> None:
    """Whatever it holds, no shell of ours reads it twice."""
    command = "echo '$(rm -rf /)'; \"$1\""
    assert jail.shell_command(command, "/workspace/a b")[-2:] == [command, "/workspace/a b"]


def test_merged_and_separate_system_folders_are_shown(tmp_path: Path) -> None:
    """Links into `/usr` stay links; old layouts are mounted."""
    (tmp_path / "usr" / "bin").mkdir(parents=True)
    (tmp_path / "bin").symlink_to("usr/bin")
    (tmp_path / "lib").mkdir()
    mounts, links = jail.system_mounts(tmp_path)
    assert links == (("usr/bin", "/bin"),)
    assert [mount.target for mount in mounts] == [Path("/usr"), Path("/lib")]


def test_limits_without_a_cgroup_are_rlimits() -> None:
    """Each size in the unit that the kernel takes."""
    limits = ResourceLimits(memory=10, processes=20, file_size=30, cpu_seconds=40)
    assert jail.rlimits(limits)[resource.RLIMIT_FSIZE] == 30
    assert jail.rlimits(limits)[resource.RLIMIT_CPU] == 40
    assert jail.rlimits_without_group(limits) == {
        resource.RLIMIT_NPROC: 20,
        resource.RLIMIT_DATA: 10,
    }


def test_the_remedy_names_the_switch(tmp_path: Path) -> None:
    """Each of the three that distributions use to forbid user namespaces."""
    (tmp_path / "kernel").mkdir()
    (tmp_path / "kernel" / "apparmor_restrict_unprivileged_userns").write_text("1\n")
    assert "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" in remedy("no", tmp_path)
    (tmp_path / "kernel" / "apparmor_restrict_unprivileged_userns").write_text("0\n")
    assert "If this is a container" in remedy("Bubblewrap could not start.", tmp_path)
