"""What would be published is complete, and works in an environment of its own."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from bot import __version__
from bot.config.repo_config import json_schema

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.prefix) / "publishing-tools" / "bin"
UV = Path(sys.prefix) / "bin" / "uv"
PACKAGES = ("bot", "prompts", "sandbox")


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command that has to succeed; return what it prints."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tracked(*folders: str) -> list[str]:
    """The files of the repository, as they are now."""
    listed = run("git", "ls-files", "-z", *folders, cwd=ROOT).split("\0")
    return [name for name in listed if name and (ROOT / name).is_file()]


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    """The wheel, the sdist and the list of components, as `make release` makes them."""
    if not TOOLS.is_dir():
        pytest.skip("The tools that publish are not installed (`make publishing-tools`).")
    source = tmp_path / "source"
    for name in tracked():
        place = source / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, place)
    made = tmp_path / "dist"
    run(TOOLS / "pyproject-build", "--no-isolation", "--outdir", made, ".", cwd=source)
    bill: list[str | Path] = [TOOLS / "cyclonedx-py", "requirements", "requirements.lock"]
    options = ["--pyproject", "pyproject.toml", "--output-reproducible", "--output-file"]
    run(*bill, *options, made / "fixpoint.cdx.json", cwd=source)
    return made


@pytest.mark.slow
def test_a_release_is_complete_and_runs_alone(dist: Path, tmp_path: Path) -> None:
    """Every file of the packages is in it, and the command works without the repository."""
    [wheel], [sdist] = dist.glob("*.whl"), dist.glob("*.tar.gz")
    assert wheel.name == f"fixpoint-{__version__}-py3-none-any.whl"
    run(TOOLS / "twine", "check", "--strict", wheel, sdist, cwd=ROOT)
    run(TOOLS / "check-wheel-contents", wheel, cwd=ROOT)
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    assert set(tracked(*PACKAGES)) - packed == {"prompts/README.md"}
    assert {name.split("/")[0] for name in packed if ".dist-info/" not in name} == set(PACKAGES)

    components = json.loads((dist / "fixpoint.cdx.json").read_text())["components"]
    locked = re.findall(r"(?m)^[\w.-]+(?:\[[\w,]+\])?==", (ROOT / "requirements.lock").read_text())
    assert len(components) == len(locked)

    environment = tmp_path / "environment"
    run(UV, "venv", "--quiet", "--python", sys.executable, environment, cwd=tmp_path)
    python = environment / "bin" / "python"
    run(UV, "pip", "install", "-q", "--no-deps", "--python", python, wheel, cwd=tmp_path)
    # No index is asked: what it depends on comes from where the tests run, Fixpoint does not.
    [own] = (environment / "lib").glob("python*/site-packages")
    needed = own / "needed"
    needed.mkdir()
    for package in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if "fixpoint" not in package.name:
            (needed / package.name).symlink_to(package)
    (own / "needed.pth").write_text(f"{needed}\n")
    command = environment / "bin" / "fixpoint"
    assert run(command, "--version", cwd=tmp_path).strip().endswith(__version__)
    assert json.loads(run(command, "config", "schema", cwd=tmp_path)) == json_schema()
    where = "import bot, prompts, sandbox; print(bot.__file__, prompts.__file__, sandbox.__file__)"
    assert run(python, "-c", where, cwd=tmp_path).count(str(environment)) == len(PACKAGES)
