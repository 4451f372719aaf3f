"""What is said to a Docker Engine, and what comes back."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from sandbox.archives import unpack
from sandbox.base import Network, ResourceLimits, SandboxError, SandboxSpec
from sandbox.docker.archive import pack_file, pack_tree
from sandbox.docker.container import container, seccomp_profile, variables
from sandbox.docker.engine import portable


def archive_of(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w") as tar:
        for member, data in members:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member, b""


def test_a_container_gets_no_rights_and_no_network() -> None:
    """And every limit of the spec."""
    spec = SandboxSpec(
        "a", limits=ResourceLimits(memory=1, processes=2, file_size=3, cpu_seconds=4)
    )
    body = container(spec, "image", Path("/gates/a"))
    host = body["HostConfig"]
    assert (host["NetworkMode"], host["ReadonlyRootfs"], host["CapDrop"]) == ("none", True, ["ALL"])
    assert host["SecurityOpt"] == ["no-new-privileges", f"seccomp={seccomp_profile()}"]
    assert (host["Memory"], host["MemorySwap"], host["PidsLimit"]) == (1, 1, 2)
    assert {limit["Name"]: limit["Hard"] for limit in host["Ulimits"]} == {
        "fsize": 3,
        "cpu": 4,
        "core": 0,
    }
    assert not body["User"].startswith("0")
    assert {mount["Type"] for mount in host["Mounts"]} == {"volume"}


def test_the_way_out_of_a_container_is_a_relay() -> None:
    """It has no network either; what it gets is a folder with a socket, which it can't change."""
    body = container(SandboxSpec("a", network=Network()), "image", Path("/gates/a"))
    assert body["HostConfig"]["NetworkMode"] == "none"
    assert body["Cmd"][:4] == ["python3", "-I", "-S", "-c"]
    [shown] = [mount for mount in body["HostConfig"]["Mounts"] if mount["Type"] == "bind"]
    assert (shown["Source"], shown["ReadOnly"]) == ("/gates/a", True)


def test_the_image_keeps_its_path_behind_ours() -> None:
    """Images put their tools there."""
    found = variables({"Config": {"Env": ["PATH=/opt/go/bin:/usr/bin", "GOPATH=/go"]}})
    assert (
        found["PATH"] == "/home/fixpoint/.venv/bin:/home/fixpoint/.local/bin:/opt/go/bin:/usr/bin"
    )
    assert found["GOPATH"] == "/go"


def test_commands_that_are_no_text_reach_the_engine() -> None:
    """JSON has no bytes, so bash puts them together again."""
    argument = os.fsdecode(b"caf\xe9 '\n")
    assert portable(["echo", "plain"]) == ["echo", "plain"]
    said = subprocess.run(portable(["printf", "%s", argument]), capture_output=True, check=True)
    assert said.stdout == b"caf\xe9 '\n"


def test_a_tree_survives_packing(tmp_path: Path) -> None:
    """Names, modes, links and content."""
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "sub" / os.fsdecode(b"caf\xe9")).write_bytes(b"\0\1")
    (tree / "script").write_text("x")
    (tree / "script").chmod(0o750)
    (tree / "out").symlink_to("/etc/passwd")
    (tree / "twin").hardlink_to(tree / "script")
    with (tmp_path / "tar").open("wb") as file:
        pack_tree(tree, file, 1000)
    copy = tmp_path / "copy"
    copy.mkdir()
    unpack(tmp_path / "tar", copy)
    assert (copy / "sub" / os.fsdecode(b"caf\xe9")).read_bytes() == b"\0\1"
    assert (copy / "script").stat().st_mode & 0o777 == 0o750
    assert (copy / "out").readlink() == Path("/etc/passwd")
    assert (copy / "twin").read_text() == "x"


def test_a_single_file_is_an_archive(tmp_path: Path) -> None:
    """With its owner."""
    (tmp_path / "tar").write_bytes(pack_file("file", b"data", 1000))
    with tarfile.open(tmp_path / "tar") as tar:
        (member,) = tar.getmembers()
    assert (member.name, member.uid, member.size) == ("file", 1000, 4)


@pytest.mark.parametrize("name", ["/etc/intruder", "../intruder", "a/../../intruder"])
def test_archives_stay_in_their_folder(tmp_path: Path, name: str) -> None:
    """A name that leads out is refused."""
    archive = archive_of(tmp_path / "tar", (tarfile.TarInfo(name), b""))
    (tmp_path / "in").mkdir()
    with pytest.raises(SandboxError, match="outside"):
        unpack(archive, tmp_path / "in")


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    """Neither a file below a link, nor a hard link to what is behind one."""
    secret = tmp_path / "secret"
    secret.write_text("host")
    secret.chmod(0o600)
    out = link("out", str(tmp_path))
    folder = tmp_path / "in"
    folder.mkdir()
    unpack(archive_of(tmp_path / "1.tar", out, (tarfile.TarInfo("out/new"), b"intruder")), folder)
    twin = archive_of(tmp_path / "2.tar", out, link("in", "out/secret", tarfile.LNKTYPE))
    with pytest.raises(SandboxError, match="through the link"):
        unpack(twin, folder)
    assert not (tmp_path / "new").exists()


def test_a_hard_link_to_a_link_is_a_link(tmp_path: Path) -> None:
    """What it points to on the host is not touched."""
    secret = tmp_path / "secret"
    secret.write_text("host")
    archive = archive_of(tmp_path / "tar", link("a", str(secret)), link("b", "a", tarfile.LNKTYPE))
    folder = tmp_path / "in"
    folder.mkdir()
    unpack(archive, folder)
    assert (folder / "b").readlink() == secret
    assert secret.stat().st_nlink == 1


def test_a_broken_archive_is_an_error(tmp_path: Path) -> None:
    """With a sentence."""
    (tmp_path / "tar").write_bytes(b"x" * 600)
    with pytest.raises(SandboxError, match="damaged archive"):
        unpack(tmp_path / "tar", tmp_path)
