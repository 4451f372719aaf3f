"""What a build makes of the sources and the tests read is built again for a patch, and else left alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bot.ci.workflow.compile.compiler import built_again
from bot.ci.workflow.runner.command import Command
from bot.ecosystems.detection import stale_products
from bot.ecosystems.rebuild_commands import rebuilding
from bot.ecosystems.tree import FolderTree
from bot.model import Commands
from tests.unit.trees import written

PACKAGE = '{"name": "tiny", "main": "%s", "scripts": {"build": "node make.js", "test": "%s"}}'
IN_C = "setup(ext_modules=[Extension('tiny._a', ['tiny/_a.c'])])"


@pytest.mark.parametrize(
    ("main", "test", "tests", "is_built"),
    [
        ("dist/tiny.cjs", "node --test", "require('..')", True),
        ("dist/tiny.cjs", "node --test", "import { add } from 'tiny'", True),
        ("./lib/index.js", "mocha", 'spawn("node", ["./lib/cli.js"])', True),
        ("dist/tiny.cjs", "npm run build && node --test", "require('..')", False),
        ("dist/tiny.cjs", "node --test", "require('../src/tiny.js')", False),
        ("src/tiny.js", "node --test", "require('..')", False),
    ],
)
def test_a_product_of_a_node_package(
    tmp_path: Path, main: str, test: str, tests: str, *, is_built: bool
) -> None:
    """It is an entry point that the repository lacks, or keeps in a folder of such, and tests name."""
    files = {"package.json": PACKAGE % (main, test), "src/tiny.js": "", "test/tiny.test.js": tests}
    commands = Commands(
        setup=("npm ci",), test="npm test", failing="npm test", ecosystems=("node",)
    )
    found = list(stale_products(commands, written(tmp_path, files)))
    assert [remedy.missing for remedy in found] == ["build"] * is_built
    assert all("npm run build" in remedy.before for remedy in found)


def test_compiled_modules_of_python(tmp_path: Path) -> None:
    """They are built with what the project requires, which the setup has to fetch."""
    commands = Commands(setup=(), test="pytest", failing="pytest", ecosystems=("python",))
    plain = written(tmp_path, {"tiny/a.py": "", "tiny/_a.c": "", "setup.py": "setup(name='tiny')"})
    assert not list(stale_products(commands, plain))
    [found] = stale_products(commands, written(tmp_path, {"setup.py": IN_C}))
    assert "install -q --python ~/.venv setuptools wheel" in found.setup[0]
    assert "--offline" in found.before


def test_a_backend_of_the_project_may_compile(tmp_path: Path) -> None:
    """It needs Cython for that, whether it says so at once or when it builds."""
    files = {
        "pyproject.toml": "[build-system]\nrequires = ['setuptools']\nbackend-path = ['own']\n"
        "build-backend = 'backend.hooks'\n",
        "own/backend/hooks.py": "from Cython.Build import cythonize\n",
        "tiny/_a.pyx": "",
    }
    commands = Commands(setup=(), test="pytest", failing="pytest", ecosystems=("python",))
    [found] = stale_products(commands, written(tmp_path, files))
    assert "install -q --python ~/.venv setuptools cython" in found.setup[0]


def test_a_package_in_a_folder_is_built_there(tmp_path: Path) -> None:
    """Everything is named from the root, where commands begin."""
    tree = written(tmp_path, {"wire/setup.py": IN_C, "wire/tiny/_a.c": ""})
    commands = Commands(setup=(), test="pytest", failing="pytest", ecosystems=("python",))
    [found] = stale_products(commands, FolderTree(tree, "wire"))
    assert found.setup[0].startswith("cd wire && ")
    assert "( cd wire && { uv pip install " in found.before


def test_a_build_is_repeated_where_a_source_is_newer(tmp_path: Path) -> None:
    """Only then; a build that fails is told of, and the command behind it runs all the same."""
    home = tmp_path / "home"
    home.mkdir()
    work = tmp_path / "work"
    written(work, {"a.ts": "", "dist/a.js": ""})
    (home / ".fixpoint-built").touch()
    os.utime(work / "a.ts", (0, 0))
    os.utime(work / "dist/a.js", (0, 0))

    def run(build: str) -> str:
        text = f"{rebuilding(build, ('*.ts', '*.js'), products=('dist',))}\necho tests"
        environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
        done = subprocess.run(
            ("bash", "-c", text),
            cwd=work,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout + done.stderr

    assert run("echo built >>made") == "tests\n"
    os.utime(work / "dist/a.js")
    assert run("echo built >>made") == "tests\n"
    later = (home / ".fixpoint-built").stat().st_mtime + 5
    os.utime(work / "a.ts", (later, later))
    assert run("echo built >>made") == "tests\n"
    assert (work / "made").read_text() == "built\n"
    said = run("echo TS2322 && false")
    assert said.startswith("tests\n")
    assert said.endswith("TS2322\n")


@pytest.mark.parametrize(
    ("script", "is_built"),
    [
        ("npm run compile", True),
        ("python setup.py build_ext --inplace", True),
        ("cargo build --release", True),
        ("npm ci", False),
        ("tsc --noEmit", False),
        ("mkdir -p reports", False),
    ],
)
def test_steps_of_a_job_that_build(tmp_path: Path, script: str, *, is_built: bool) -> None:
    """Of what runs before the failing step, what compiles is repeated for a patch, and nothing else."""
    tree = written(tmp_path, {"package.json": '{"scripts": {"compile": "rollup -c"}}'})
    assert (script in built_again([Command("build", script)], tree)) is is_built
