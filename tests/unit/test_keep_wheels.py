"""Wheels out of pip's cache, and settings with which pip takes them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from bot.ci.workflow.inside import keep_wheels


def _wheel(*tags: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("thing/__init__.py", "")
        lines = ["Wheel-Version: 1.0", *(f"Tag: {tag}" for tag in tags)]
        archive.writestr("thing-1.0.dist-info/WHEEL", "\n".join(lines))
    return data.getvalue()


def test_wheels_get_their_names_back(tmp_path: Path) -> None:
    """As they were downloaded, behind the header of an older pip, or built by pip itself."""
    cache, folder = tmp_path / "cache", tmp_path / "wheels"
    plain, behind = _wheel("py2-none-any", "py3-none-any"), _wheel("cp312-cp312-linux_x86_64")
    for name, data in {
        "http-v2/a/body": plain,
        "http/b": b"cc=4,header" + behind + b"and something behind it",
        "http-v2/c/page": b'{"files": []}',
        "wheels/d/built-2.0-py3-none-any.whl": b"as it is",
    }.items():
        (cache / name).parent.mkdir(parents=True, exist_ok=True)
        (cache / name).write_bytes(data)
    keep_wheels.main(folder, cache, tmp_path)
    kept = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert kept == {
        "thing-1.0-py2.py3-none-any.whl": plain,
        "thing-1.0-cp312-cp312-linux_x86_64.whl": behind,
        "built-2.0-py3-none-any.whl": b"as it is",
    }


def test_indexes_on_this_machine_stay(tmp_path: Path) -> None:
    """Everything else would be asked in vain."""
    file = tmp_path / "pip.conf"
    file.write_text(
        "[global]\nindex-url = https://pypi.org/simple\n"
        "extra-index-url = file:///a/simple\n  /b/simple\nfind-links = /c\n"
    )
    said = "\n".join(keep_wheels.settings(Path("/w"), [str(file), str(tmp_path / "none")]))
    assert "PIP_FIND_LINKS='/w /c'" in said
    assert "PIP_INDEX_URL=file:///a/simple PIP_EXTRA_INDEX_URL=/b/simple" in said
    assert list(keep_wheels.settings(Path("/w"), []))[1:] == ["export PIP_NO_INDEX=1"]


def test_what_an_environment_has_from_an_index(tmp_path: Path) -> None:
    """What the folder has already, and what was installed from the work tree, is left out."""
    folder, packages = tmp_path / "wheels", tmp_path / ".tox/lint/lib/python3.11/site-packages"
    for name in ("there-1.0", "lacking_one-2.1", "own-0.1"):
        (packages / f"{name}.dist-info").mkdir(parents=True)
    (packages / "own-0.1.dist-info" / "direct_url.json").write_text("{}")
    (tmp_path / ".tox/lint/pyvenv.cfg").write_text("")
    folder.mkdir()
    (folder / "there-1.0-py3-none-any.whl").write_bytes(b"")
    [environment] = keep_wheels.environments(tmp_path)
    assert keep_wheels.installed(environment, folder) == ["lacking_one==2.1"]


def test_what_builds_a_project(tmp_path: Path) -> None:
    """What its pyproject.toml says, else setuptools where there is a setup.py."""
    assert keep_wheels.build_requirements(tmp_path) == []
    (tmp_path / "setup.py").write_text("")
    assert keep_wheels.build_requirements(tmp_path) == ["setuptools", "wheel"]
    (tmp_path / "pyproject.toml").write_text(
        "[project]\nrequires = ['no']\n[build-system]\n"
        "requires = [\n  'hatchling>=1',  # builds\n  \"hatch-vcs[x]\",\n]\n[tool.x]\n"
    )
    assert keep_wheels.build_requirements(tmp_path) == ["hatchling>=1", "hatch-vcs[x]"]
