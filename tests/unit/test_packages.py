"""Repositories of several packages: which one is meant, and how it is set up and tested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.ecosystems.detection import detect, has_root_tests
from bot.ecosystems.missing import Symptoms, applied, untried
from bot.ecosystems.python.packages import providing
from bot.ecosystems.rebuild_commands import STAMP
from bot.ecosystems.tested_packages import mentioned, package_of
from bot.ecosystems.tree import DirectoryTree, tree_of
from bot.model import Problem
from bot.repair.preparation.package_choice import (
    default_package,
    member_tests,
    named,
)
from bot.reporting.reasons import detection, setup_repair

BUILD = "[build-system]\nrequires = ['hatchling']\n[project]\nversion = '1'\nname = "
FILES = {
    "README.md": "",
    "libs/core/pyproject.toml": f"{BUILD}'acme-core'\n",
    "libs/core/acme_core/__init__.py": "",
    "libs/core/acme_core/values.py": "",
    "libs/core/tests/test_values.py": "",
    "libs/http/pyproject.toml": (
        f"{BUILD}'acme-http'\ndependencies = ['acme-core>=1', 'requests']\n"
        "[dependency-groups]\ntest = ['pytest']\n"
    ),
    "libs/http/src/acme_http/client.py": "",
    "libs/http/tests/unit/test_client.py": "",
    "libs/http/tests/data/pyproject.toml": f"{BUILD}'broken'\n",
    "libs/http/tests/data/tests/test_nothing.py": "",
    "libs/typed/pyproject.toml": f"{BUILD}'acme-typed'\n",
    "libs/typed/acme_typed.py": "",
}


@pytest.fixture
def tree(tmp_path: Path) -> DirectoryTree:
    for name, text in FILES.items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return DirectoryTree(tmp_path)


@pytest.mark.parametrize(
    ("paths", "folder"),
    [
        (["libs/core/acme_core/values.py"], "libs/core"),
        (["README.md", "CHANGES.md", "libs/http/src/acme_http/client.py"], "libs/http"),
        (["libs/http/tests/data/tests/test_nothing.py"], "libs/http"),
        (["libs/typed/acme_typed.py"], ""),
        (["libs/core/a.py", "libs/http/src/b.py", "libs/http/src/c.py"], "libs/http"),
        (["README.md"], ""),
        ([], ""),
    ],
)
def test_files_belong_to_the_innermost_package_with_tests(
    tree: DirectoryTree, paths: list[str], folder: str
) -> None:
    """Data of tests is no package, pages tell nothing, and one without tests is tested elsewhere."""
    assert package_of(tree, paths) == folder


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("`libs/core/acme_core/values.py` is wrong", "libs/core"),
        ('File "/home/ada/acme/libs/http/src/acme_http/client.py", line 3', "libs/http"),
        ("tests.unit.test_client.Client.test_get fails", "libs/http"),
        ("acme_http drops its headers", "libs/http"),
        ("acme-core and acme-http disagree", ""),
        ("it is slow", ""),
    ],
)
def test_a_problem_names_files_or_the_package(tree: DirectoryTree, text: str, folder: str) -> None:
    """Paths in any form, dotted names of tests, names of packages; two of them decide nothing."""
    assert named(tree, Problem(body=text), tuple(FILES)) == folder


def test_a_package_is_set_up_in_its_folder(tree: DirectoryTree) -> None:
    """With its own lists, the packages of the repository that it requires, and its own tests."""
    commands = detect(tree, setup=None, test=None, failing=None, folder="libs/http")
    install = "-e ../core -e . --group test"
    assert commands.setup[0].startswith("test -x ~/.venv/bin/python || ")
    assert commands.setup[1] == (
        f"cd libs/http && {{ uv pip install --python ~/.venv {install} "
        f"|| {{ pip install --upgrade pip && pip install {install}; }}; }}"
    )
    assert (commands.test, commands.folder) == ("cd libs/http && python -m pytest", "libs/http")
    assert detection.packages_beside(["libs/core"]) in commands.explanation


def test_members_of_a_workspace_share_its_lock(tree: DirectoryTree, tmp_path: Path) -> None:
    """The workspace above the package is found by uv itself."""
    (tmp_path / "uv.lock").touch()
    commands = detect(tree, setup=None, test=None, failing=None, folder="libs/http")
    assert "uv sync --frozen --inexact --group test || " in commands.setup[1]


def test_tests_at_the_root_get_the_packages_that_they_import(tmp_path: Path) -> None:
    """The root is no project; what its tests import is, with its extra for tests."""
    tree = DirectoryTree(tmp_path)
    for folder, extra in (
        ("wire", "[project.optional-dependencies]\ntest = ['pytest']\n"),
        ("pool", ""),
    ):
        package = tmp_path / folder / folder
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (tmp_path / folder / "pyproject.toml").write_text(f"{BUILD}'{folder}'\n{extra}")
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_wire.py").write_text("import wire\n")
    assert has_root_tests(tree)
    commands = detect(tree, setup=None, test=None, failing=None)
    assert "uv pip install --python ~/.venv -e './wire[test]' pytest || " in commands.setup[1]


def test_a_folder_does_not_hide_the_package_in_it(tmp_path: Path) -> None:
    """A namespace package of the root is found before what setuptools' own finder knows."""
    tree = DirectoryTree(tmp_path)
    (tmp_path / "wire" / "wire").mkdir(parents=True)
    (tmp_path / "wire" / "wire" / "__init__.py").touch()
    text = f"{BUILD}'wire'\n".replace("hatchling", "setuptools>=61")
    (tmp_path / "wire" / "pyproject.toml").write_text(text)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_wire.py").write_text("import wire\n")
    commands = detect(tree, setup=None, test=None, failing=None)
    assert "-C editable_mode=compat -e ./wire pytest || " in commands.setup[1]


def test_a_missing_module_may_be_another_package_of_the_repository(tree: DirectoryTree) -> None:
    """It is installed from there, and not from an index that may have that name too."""
    inside = tree_of(tree, "libs/http")
    said = "E   ModuleNotFoundError: No module named 'acme_typed'"
    (remedy,) = untried(Symptoms("cd libs/http && python -m pytest", said), inside, ())
    assert remedy.why == setup_repair.own_package("acme_typed", "libs/typed")
    assert remedy.setup == ("cd libs/http && uv pip install --python ~/.venv -e ../typed",)
    assert providing(inside, "acme_http.client") is None


def test_what_tests_must_see_is_set_in_the_folder(tree: DirectoryTree) -> None:
    """So that the command still is one program whose tests can run alone."""
    commands = detect(tree, setup=None, test=None, failing=None, folder="libs/http")
    said = "E   ModuleNotFoundError: No module named 'acme_http'"
    (remedy,) = untried(Symptoms(commands.test, said), tree_of(tree, "libs/http"), ())
    healed = applied(remedy, commands)
    assert healed.test == "cd libs/http && PYTHONPATH=src python -m pytest"


def test_without_a_clue_the_last_commit_decides(tree: DirectoryTree) -> None:
    """Else the package with the most tests; a repository with tests of its own has no need."""
    assert not has_root_tests(tree)
    changed = ("libs/core/acme_core/values.py",)
    assert default_package(tree, changed, tuple(FILES)).folder == "libs/core"
    assert default_package(tree, (), tuple(FILES)).folder == "libs/http"
    assert mentioned(tree, "acme_core") == "libs/core"


SCRIPTS = '"scripts": {"test": "vitest", "build": "tsc"}'
WORKSPACE = {
    "package.json": '{"packageManager": "pnpm@9.4.0", "scripts": {"test": "turbo run test"}}',
    "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n",
    "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
    "packages/core/package.json": f'{{"name": "@acme/core", {SCRIPTS}}}',
    "packages/wire/package.json": (
        f'{{"name": "@acme/wire", "dependencies": {{"@acme/core": "workspace:*"}}, {SCRIPTS}}}'
    ),
    "packages/http/package.json": (
        '{"name": "@acme/http", "peerDependencies": {"@acme/wire": "*"}, "scripts": {"test": '
        '"pnpm build && pnpm types", "types": "tsc -p .", "test:lib": "vitest run", "build": "tsup"}}'
    ),
    "packages/docs/package.json": '{"name": "@acme/docs", "scripts": {"test": "tsc --noEmit"}}',
    "packages/http/src/client.ts": "",
    "packages/docs/page.ts": "",
}


def made(root: Path, files: dict[str, str]) -> DirectoryTree:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return DirectoryTree(root)


def test_a_package_of_a_javascript_workspace_is_tested_in_its_folder(tmp_path: Path) -> None:
    """The workspace is installed from its root; a package's tests may be in a script of another name."""
    tree = made(tmp_path, WORKSPACE)
    assert not has_root_tests(tree)
    folder = package_of(tree, ["packages/http/src/client.ts", "packages/docs/page.ts", "a.md"])
    assert folder == mentioned(tree, "`@acme/http` drops headers") == "packages/http"
    commands = detect(tree, setup=None, test=None, failing=None, folder=folder)
    assert [item.partition(" ||")[0] for item in commands.setup] == [
        "command -v pnpm",
        "pnpm install --frozen-lockfile",
    ]
    assert commands.test == "cd packages/http && pnpm run test:lib"
    assert detection.test_script("test:lib") in commands.explanation
    assert member_tests(tree, ["packages/http/src/client.ts"]) == commands.test
    assert member_tests(tree, ["packages/docs/page.ts"]) is None


def test_what_a_javascript_package_needs_is_built_first(tmp_path: Path) -> None:
    """In order, and not what it doesn't need; itself only where what it builds was not found."""
    inside = tree_of(made(tmp_path, WORKSPACE), "packages/http")
    command = "cd packages/http && pnpm run test:lib"
    said = 'Error: Failed to resolve entry for package "@acme/wire". The package may be wrong.'
    (remedy,) = untried(Symptoms(command, said), inside, ())
    builds = "(cd ../core && pnpm run build) && (cd ../wire && pnpm run build)"
    assert remedy.setup == (f"cd packages/http && {{ {builds} && touch {STAMP}; }}",)
    own = "Cannot find module '../dist/index.js' imported from /w/packages/http/test/a.test.ts"
    (remedy,) = untried(Symptoms(command, own), inside, ())
    assert remedy.setup == (
        f"cd packages/http && {{ {builds} && pnpm run build && touch {STAMP}; }}",
    )


@pytest.mark.parametrize(
    ("script", "own"),
    [
        ("vitest run --coverage", True),
        ("pnpm run -r dev:prepare && vitest run && pnpm run -r test", True),
        ("pnpm -r test", False),
        ("nx run-many --targets=test,build", False),
        ("npm test --workspaces --if-present", False),
        ("yarn workspaces foreach -A run test", False),
        ("./run-tests.sh", True),
    ],
)
def test_a_workspace_may_have_tests_of_its_own(tmp_path: Path, script: str, own: bool) -> None:  # noqa: FBT001
    """Not where its script only starts those of its packages."""
    root = json.dumps({"scripts": {"test": script}})
    assert has_root_tests(made(tmp_path, {**WORKSPACE, "package.json": root})) is own


def test_links_are_followed_inside_of_the_tree_alone(tmp_path: Path) -> None:
    """Whether the link is a file, a folder, or a folder further up."""
    tree = made(tmp_path / "work", {"real/deep/a.txt": "a"})
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "b.txt").write_text("b")
    work = tmp_path / "work"
    (work / "inside").symlink_to("real")
    (work / "outside").symlink_to(tmp_path / "secret")
    (work / "real" / "link.txt").symlink_to(tmp_path / "secret" / "b.txt")
    (work / "loop").symlink_to("loop")
    assert tree.read("inside/deep/a.txt") == "a"
    assert tree.read("real/deep/../deep/a.txt") == "a"
    for path in (
        "outside/b.txt",
        "real/link.txt",
        "loop/a",
        "../secret/b.txt",
        "a\0b",
        "/etc/hosts",
    ):
        assert (tree.read(path), tree.exists(path)) == (None, False)
    assert tree.glob("*/*.txt") == ()
