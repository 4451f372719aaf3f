"""Files that one job of a run hands to another, as the program in a sandbox packs and unpacks them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from bot.ci.workflow.inside.artifacts import main
from bot.model.artifacts import ArtifactWish

FILES = ("dist/a.whl", "dist/deep/b.txt", "dist/.cache/c", "packages/x/dist/x.js", ".coverage", "z")


@pytest.fixture
def _tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tree"
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8")
    monkeypatch.chdir(folder)


def kept(store: Path, patterns: str, *, hidden: bool = False) -> set[str]:
    """Return the names in the artifact that these patterns make."""
    assert main(["keep", str(store), "it", str(hidden).lower(), patterns]) == 0
    return set(zipfile.ZipFile(store / "it.zip").namelist())


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        ("dist", {"a.whl", "deep/b.txt"}),
        ("dist/", {"a.whl", "deep/b.txt"}),
        ("dist/a.whl", {"a.whl"}),
        ("dist/*.whl", {"a.whl"}),
        ("dist/**\n!dist/deep", {"a.whl", "deep/b.txt"} - {"deep/b.txt"}),
        ("packages/*/dist", {"x/dist/x.js"}),
        ("dist/*.whl\npackages/*/dist\n# a comment", {"dist/a.whl", "packages/x/dist/x.js"}),
        ("**/[xb].*", {"packages/x/dist/x.js", "dist/deep/b.txt"}),
        ("dist\ndist/deep", {"a.whl", "deep/b.txt"}),
    ],
)
@pytest.mark.usefixtures("_tree")
def test_paths_begin_behind_what_all_share(tmp_path: Path, patterns: str, names: set[str]) -> None:
    """As `actions/upload-artifact` has it, which leaves hidden files out."""
    assert kept(tmp_path / "store", patterns) == names


@pytest.mark.usefixtures("_tree")
def test_hidden_files_are_kept_where_that_is_said(tmp_path: Path) -> None:
    """A file that is named, and a folder below one."""
    assert kept(tmp_path, ".coverage\ndist", hidden=True) >= {".coverage", "dist/.cache/c"}
    assert main(["keep", str(tmp_path), "none", "false", ".coverage"]) == 3


def packed(store: Path, name: str, files: dict[str, str]) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    store.mkdir(exist_ok=True)
    (store / f"{name}.zip").write_bytes(data.getvalue())


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        (("linux", "", "", "false", "false"), {"a"}),
        (("linux", "", "out/here", "false", "false"), {"out/here/a"}),
        (("linux", "", "", "false", "true"), {"linux/a"}),
        (("", "", "", "false", "false"), {"linux/a", "mac/b", "other/c"}),
        (("", "{linux,m*}", "all", "true", "false"), {"all/a", "all/b"}),
        (("", "o*r", "all", "false", "false"), {"all/other/c"}),
    ],
)
def test_artifacts_are_unpacked_as_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], paths: set[str]
) -> None:
    """By name into the folder; several into one of their own each, unless they are merged."""
    store, work = tmp_path / "store", tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    for name, file in (("linux", "a"), ("mac", "b"), ("other", "c")):
        packed(store, name, {file: name})
    assert main(["take", str(store), *words]) == 0
    found = {path.relative_to(work).as_posix() for path in work.rglob("*") if path.is_file()}
    assert found == paths


def test_nothing_is_written_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that lead out of the folder are left out; the others are there."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    packed(tmp_path / "store", "it", {"../out": "x", "/abs": "x", "a\\..\\..\\b": "x", "fine": "y"})
    assert main(["take", str(tmp_path / "store"), "it", "", "", "false", "false"]) == 0
    assert [path.name for path in work.rglob("*")] == ["fine"]
    assert not (tmp_path / "out").exists()


def test_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    """The exit status says so."""
    words = ("", "", "false", "false")
    assert main(["take", str(tmp_path / "none"), "it", *words]) == 3
    packed(tmp_path / "store", "other", {"a": "x"})
    assert main(["take", str(tmp_path / "store"), "it", *words]) == 3


@pytest.mark.parametrize(
    ("wish", "meant"),
    [
        (ArtifactWish(), {"dist-linux", "dist-mac", "docs"}),
        (ArtifactWish("docs"), {"docs"}),
        (ArtifactWish("docs", "dist-*"), {"docs"}),
        (ArtifactWish(pattern="dist-*"), {"dist-linux", "dist-mac"}),
        (ArtifactWish(pattern="{docs,dist-l?nux}"), {"docs", "dist-linux"}),
    ],
)
def test_which_artifacts_are_meant(wish: ArtifactWish, meant: set[str]) -> None:
    """The one of that name, else those of the pattern, else all."""
    assert {name for name in ("dist-linux", "dist-mac", "docs") if wish.means(name)} == meant
