"""What comes back from an E2B machine: listings are compared, archives are not trusted."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from sandbox import archives
from sandbox.base import SandboxError
from sandbox.e2b import archive, manifest
from sandbox.e2b.manifest import Changes, Entry

FILE, FOLDER, LINK = Entry("f", 1, "1"), Entry("d", 0, "1"), Entry("l", 1, "1")


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, target, 0o6755
    info.size = 4 if kind == tarfile.REGTYPE else 0
    return info


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "tree").mkdir()
    return tmp_path / "tree"


def unpack(tree: Path, *members: tarfile.TarInfo, wanted: set[str] | None = None) -> None:
    packed = tree.parent / "packed.tar.gz"
    with tarfile.open(packed, "w:gz") as tar:
        for info in members:
            tar.addfile(info, io.BytesIO(b"evil"))
    archives.unpack(packed, tree, wanted)


@pytest.mark.parametrize("name", ["../outside/file", "/outside/file", "a/../../outside/file"])
def test_no_name_leads_outside(tree: Path, name: str) -> None:
    """A name that leaves the tree is refused, in whatever way it does."""
    with pytest.raises(SandboxError, match="outside the workspace"):
        unpack(tree, member(name))
    assert not list((tree.parent / "outside").iterdir())


def test_nothing_is_written_through_a_link(tree: Path) -> None:
    """A link in the way gives place to a folder."""
    unpack(tree, member("way", tarfile.SYMTYPE, str(tree.parent / "outside")), member("way/file"))
    assert not list((tree.parent / "outside").iterdir())
    assert (tree / "way/file").read_bytes() == b"evil"


def test_no_hard_link_reads_through_a_link(tree: Path) -> None:
    """A hard link can't name a file that only a link leads to."""
    (tree.parent / "outside/secret").write_text("secret")
    way = member("way", tarfile.SYMTYPE, str(tree.parent / "outside"))
    with pytest.raises(SandboxError, match="through the link"):
        unpack(tree, way, member("copy", tarfile.LNKTYPE, "way/secret"))


def test_only_plain_things_arrive(tree: Path) -> None:
    """Devices and pipes don't, set-id bits don't, links do and keep their target."""
    unpack(
        tree,
        member("pipe", tarfile.FIFOTYPE),
        member("disk", tarfile.BLKTYPE),
        member("program"),
        member("copy", tarfile.LNKTYPE, "program"),
        member("link", tarfile.SYMTYPE, "/etc/passwd"),
    )
    assert sorted(path.name for path in tree.iterdir()) == ["copy", "link", "program"]
    assert (tree / "program").stat().st_mode & 0o7777 == 0o755
    assert (tree / "copy").read_bytes() == b"evil"
    assert (tree / "link").readlink() == Path("/etc/passwd")


def test_what_was_not_asked_for_is_refused(tree: Path) -> None:
    """An archive may not bring more than the list it was made from."""
    with pytest.raises(SandboxError, match="not requested"):
        unpack(tree, member("a"), member("b"), wanted={"a"})


def test_damaged_archive_is_one_sentence(tree: Path) -> None:
    """A transfer that was cut is an error of the sandbox."""
    packed = tree.parent / "packed.tar.gz"
    packed.write_bytes(gzip.compress(b"no tar at all")[:-4])
    with pytest.raises(SandboxError, match="damaged archive"):
        archives.unpack(packed, tree)


def test_packing_leaves_owners_and_devices_behind(tmp_path: Path, tree: Path) -> None:
    """A packed tree tells nothing about the host's users, and comes back as it was."""
    (tree / "script").write_text("run")
    (tree / "script").chmod(0o755)
    (tree / "link").symlink_to("nowhere")
    packed = tmp_path / "packed.tar.gz"
    archive.pack(tree, packed)
    with tarfile.open(packed) as tar:
        assert {(info.uid, info.uname) for info in tar} == {(0, "")}
    again = tmp_path / "again"
    again.mkdir()
    archives.unpack(packed, again)
    assert (again / "script").stat().st_mode & 0o777 == 0o755
    assert (again / "link").readlink() == Path("nowhere")


def test_missing_source_is_one_sentence(tmp_path: Path) -> None:
    """A source that can't be read is an error of the sandbox."""
    with pytest.raises(SandboxError, match="can't be packed"):
        archive.pack(tmp_path / "absent", tmp_path / "packed.tar.gz")


def test_listing_is_read_as_find_wrote_it() -> None:
    """Names may hold anything but the zero byte."""
    listing = gzip.compress(b"a\nb\0f 644 3 17 1.5\0\xff\0l 777 1 18 2.5\0")
    assert manifest.parse(listing) == {
        "a\nb": Entry("f", 3, "644 17 1.5"),
        "\udcff": Entry("l", 1, "777 18 2.5"),
    }


def test_changes_come_in_an_order_that_works() -> None:
    """What is inside goes before its folder; a folder comes before what is inside."""
    old = {"gone": FOLDER, "gone/a": FILE, "turned": LINK, "same": FILE, "stays": FOLDER}
    new = {
        "turned": FOLDER,
        "turned/b": FOLDER,
        "turned/b/c": FILE,
        "same": FILE,
        "stays": Entry("d", 0, "2"),
        "edited": Entry("f", 2, "3"),
    }
    assert manifest.compare(old, new) == Changes(
        removed=("turned", "gone/a", "gone"),
        folders=("turned", "turned/b"),
        fetched=("edited", "turned/b/c"),
    )


def test_paths_that_nobody_can_open_are_left_out(tree: Path) -> None:
    """Folders inside of folders without end are made in a moment; the rest is transferred."""
    deep = "/".join(["d" * 200] * 30)
    unpack(tree, member("file"), member(f"{deep}/file"))
    assert [path.name for path in tree.iterdir()] == ["file"]
    listing = gzip.compress(f"file\0f 644 1 1 1\0{deep}\0d 755 1 1 1\0".encode())
    assert list(manifest.parse(listing)) == ["file"]
