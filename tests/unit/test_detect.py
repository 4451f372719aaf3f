"""Commands of small repositories, detected and explained."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from bot.ecosystems.detection import detect
from bot.ecosystems.meson import _HAS_MESON as MESON
from bot.ecosystems.node.install import WITHOUT_SCRIPTS
from bot.ecosystems.tree import DirectoryTree
from bot.errors import UsageError
from bot.model import Commands
from bot.reporting.reasons import detection
from tests.unit.trees import written

OWN_GENERATOR = "{ NOCONFIGURE=1 sh ./autogen.sh && test -x configure; }"
PLAIN_ENVIRONMENT = (
    "test -x ~/.venv/bin/python || UV_PYTHON_DOWNLOADS=never uv venv --seed ~/.venv "
    "|| { uv venv -q --clear ~/.venv && uv pip install -q --offline --no-index -p ~/.venv "
    "$(~/.venv/bin/python -c 'import ensurepip; print(*ensurepip.__path__)')/_bundled/*.whl; } "
    "|| python3 -m venv ~/.venv"
)
PROJECT = "[build-system]\nrequires = ['setuptools']\n[project]\nname = 'p'\nversion = '1'\n"


def found(root: Path, files: dict[str, str]) -> Commands:
    return detect(written(root, files), setup=None, test=None, failing=None)


def pip(arguments: str) -> str:
    return f"uv pip install --python ~/.venv {arguments} || pip install {arguments}"


def test_bare_pytest_project(tmp_path: Path) -> None:
    """Tests without any configuration: pytest is added, without pip, and runs directly."""
    commands = found(tmp_path, {"tests/test_a.py": "", "a.py": ""})
    environment, install = commands.setup
    make = "UV_PYTHON_DOWNLOADS=never uv venv ~/.venv"
    assert environment == f"test -x ~/.venv/bin/python || {make} || python3 -m venv ~/.venv"
    assert install.startswith("uv pip install --python ~/.venv pytest || { python -m ensurepip && ")
    assert (commands.test, commands.failing) == ("python -m pytest", "python -m pytest")
    assert commands.ecosystems == ("python",)
    assert detection.dependencies_added(["pytest"]) in commands.explanation
    assert detection.pytest_finds("tests/test_a.py") in commands.explanation


@pytest.mark.parametrize(
    "files",
    [
        {"test_a.py": "import subprocess\nsubprocess.run(['python', '-m', 'pip', 'list'])\n"},
        {"test_a.py": "", "requirements.txt": "flask\n"},
        {"test_a.py": "", "setup.py": ""},
        {"test_a.py": "", "Makefile": "test:\n\tpip list\n"},
    ],
)
def test_pip_is_there_where_something_may_ask_for_it(tmp_path: Path, files: dict[str, str]) -> None:
    """Tests that call pip, requirements, packages and scripts find it in the environment."""
    assert found(tmp_path, files).setup[0] == PLAIN_ENVIRONMENT


def test_extras_of_a_package(tmp_path: Path) -> None:
    """The extra for tests is installed with the project, whose Python range is respected."""
    text = PROJECT + (
        "requires-python = '>=3.9'\n[project.optional-dependencies]\n"
        "docs = ['sphinx']\ntest = ['pytest']\n[tool.pytest.ini_options]\naddopts = '--cov=p'\n"
    )
    commands = found(tmp_path, {"pyproject.toml": text})
    assert "--python '>=3.9' ~/.venv" in commands.setup[0]
    assert commands.setup[1] == pip("-e '.[test]' pytest-cov")
    assert commands.test == "python -m pytest"


def test_dependency_groups_with_includes(tmp_path: Path) -> None:
    """PEP 735 groups are followed into what they include."""
    text = PROJECT + (
        "[dependency-groups]\nbase = ['pytest>=8']\ndev = [{include-group = 'base'}, 'ruff']\n"
    )
    commands = found(tmp_path, {"pyproject.toml": text, "tests/test_a.py": ""})
    assert commands.setup[1].startswith("uv pip install --python ~/.venv -e . --group dev ||")


@pytest.mark.parametrize(
    ("lock", "command"),
    [
        ("uv.lock", "UV_PROJECT_ENVIRONMENT=~/.venv uv sync --frozen --inexact --group dev ||"),
        ("poetry.lock", "VIRTUAL_ENV=~/.venv uvx poetry install --no-interaction --with dev ||"),
        ("pdm.lock", "VIRTUAL_ENV=~/.venv uvx pdm install --frozen-lockfile --group dev ||"),
    ],
)
def test_lock_files(tmp_path: Path, lock: str, command: str) -> None:
    """A lock file's own tool installs what it pins; without that tool pip has to do."""
    text = PROJECT + "[dependency-groups]\ndev = ['pytest']\n"
    commands = found(tmp_path, {"pyproject.toml": text, lock: ""})
    assert commands.setup[1].startswith(command)
    assert "-e . --group dev" in commands.setup[1]
    assert detection.locked(lock) in commands.explanation


def test_requirements_files(tmp_path: Path) -> None:
    """An application without packaging installs its requirements and those for tests."""
    files = {
        "requirements.txt": "flask\n",
        "requirements-dev.txt": "-r requirements.txt\npytest\n",
        "docs/requirements.txt": "sphinx",
        "test_app.py": "",
    }
    commands = found(tmp_path, files)
    assert commands.setup[1] == pip("-r requirements.txt -r requirements-dev.txt")


def test_tox_with_pytest_runs_pytest_directly(tmp_path: Path) -> None:
    """Its requirements and settings are taken, tox itself is left aside and that is said."""
    tox = "[tox]\nenvlist = py311\n[testenv]\ndeps =\n    pytest\n    py27: mock\n    wcwidth\n"
    files = {"setup.py": "", "tox.ini": f"{tox}commands = pytest {{posargs}}\n", "pytest.ini": ""}
    commands = found(tmp_path, files)
    assert commands.setup[1] == pip("-e . pytest wcwidth")
    assert commands.test == "python -m pytest"
    assert any("because `tox.ini` would create" in line for line in commands.explanation)


def test_tox_without_pytest(tmp_path: Path) -> None:
    """The one command behind tox runs without it."""
    tox = "[testenv]\ncommands = python -m unittest discover {posargs:-v}\n"
    commands = found(tmp_path, {"setup.py": "", "tox.ini": tox})
    assert commands.test == "python -m unittest discover -v"


def test_python_version_file(tmp_path: Path) -> None:
    """`.python-version` is asked for by its minor version."""
    commands = found(tmp_path, {".python-version": "3.11.4\n", "test_a.py": ""})
    assert "uv venv --python 3.11 ~/.venv" in commands.setup[0]


def test_given_setup_still_gets_an_environment(tmp_path: Path) -> None:
    """`pip install -e .` of a person goes into the environment, made first."""
    tree = written(tmp_path, {"setup.py": ""})
    commands = detect(tree, setup=("pip install -e .",), test="pytest -q", failing="pytest -q a.py")
    assert commands.setup == (PLAIN_ENVIRONMENT, "pip install -e .")
    assert (commands.test, commands.failing) == ("pytest -q", "pytest -q a.py")


def test_tools_of_the_failing_command_are_installed_as_pinned(tmp_path: Path) -> None:
    """`make lint` needs black, whose version stands in the pre-commit configuration."""
    hooks = "repos:\n- repo: https://github.com/psf/black\n  rev: 23.1.0\n  hooks:\n  - id: black\n"
    files = {
        "Makefile": "lint:\n\tblack --check .\n",
        ".pre-commit-config.yaml": hooks,
        "tests/test_a.py": "",
    }
    commands = detect(written(tmp_path, files), setup=None, test=None, failing="make lint")
    assert commands.setup[1] == pip("black==23.1.0 pytest")
    assert (commands.test, commands.failing) == ("python -m pytest", "make lint")


COMPOSER = "composer install --no-interaction --no-progress --prefer-dist"
GEMS = "bundle config set --global path ~/.bundle/gems"
BUNDLE = "bundle install --jobs 4"


@pytest.mark.parametrize(
    ("files", "setup", "test"),
    [
        (
            {"package.json": '{"scripts": {"test": "jest"}}', "package-lock.json": "{}"},
            ("npm ci --no-audit --no-fund",),
            "npm test",
        ),
        (
            {
                "package.json": (
                    '{"scripts": {"pretest": "tsc", "test": "tap", "posttest": "npm run lint"}}'
                ),
            },
            ("npm install",),
            "npm run pretest && npm run --ignore-scripts test",
        ),
        (
            {"package.json": '{"scripts": {"test": "vitest"}}', "pnpm-lock.yaml": ""},
            (
                "command -v pnpm || npm install --global --prefix ~/.venv pnpm",
                "pnpm install --frozen-lockfile",
            ),
            "pnpm test",
        ),
        (
            {
                "package.json": (
                    '{"packageManager": "yarn@1.22.22", "devDependencies": {"mocha": "1"},'
                    ' "scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'
                )
            },
            (
                "command -v yarn || npm install --global --prefix ~/.venv yarn@1.22.22",
                "yarn install",
            ),
            "npx mocha",
        ),
        (
            {
                "package.json": '{"packageManager": "yarn@4.5.3+sha512.0", "scripts": {"test": "jest"}}'
            },
            (
                "yarn --version 2>/dev/null | grep -q '^[2-9]' || npm install --global --prefix ~/.venv @yarnpkg/cli-dist@4.5.3",
                "yarn install",
            ),
            "yarn test",
        ),
        (
            {
                "package.json": '{"scripts": {"test": "jest"}}',
                "yarn.lock": "# generated\n\n__metadata:\n  version: 8\n",
            },
            (
                "yarn --version 2>/dev/null | grep -q '^[2-9]' || npm install --global --prefix ~/.venv @yarnpkg/cli-dist",
                "yarn install --frozen-lockfile",
            ),
            "yarn test",
        ),
        (
            {"package.json": '{"scripts": {"test": "xo && c8 ava --serial && tsd"}}'},
            ("npm install",),
            "npx --no-install c8 ava --serial",
        ),
        (
            {
                "package.json": '{"scripts": {"test": "pnpm run /^test:/", "test:lint": "eslint .", '
                '"test:unit": "uvu test", "test:types": "tsc --noEmit"}}',
                "pnpm-lock.yaml": "",
            },
            (
                "command -v pnpm || npm install --global --prefix ~/.venv pnpm",
                "pnpm install --frozen-lockfile",
            ),
            "pnpm run test:unit",
        ),
        (
            {
                "package.json": '{"scripts": {"test": "run-s lint test:*", "lint": "eslint .", '
                '"test:a": "uvu a", "test:b": "uvu b"}}'
            },
            ("npm install",),
            "npm run test:a && npm run test:b",
        ),
        (
            {
                "package.json": '{"scripts": {"prepare": "pnpm run grammar && eslint . && pnpm run test", '
                '"grammar": "nearleyc a.ne", "test": "jest"}}',
                "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
            },
            (
                "command -v pnpm || npm install --global --prefix ~/.venv pnpm@10",
                (
                    "cp -p package.json /tmp/package.json && { node -e "
                    f"{shlex.quote(WITHOUT_SCRIPTS)} prepare && pnpm install --frozen-lockfile; "
                    "done=$?; cp -p /tmp/package.json package.json; (exit $done); } && "
                    "{ pnpm run grammar || true; }"
                ),
            ),
            "pnpm test",
        ),
        (
            {"package.json": '{"scripts": {"test": "npm run build && ava"}}'},
            ("npm install",),
            "npm test",
        ),
        (
            {"Cargo.toml": "[workspace]\n"},
            (
                "cargo fetch",
                "git check-ignore -q target/debug && timeout 600 cargo test --workspace --no-run || true",
            ),
            "cargo test --workspace",
        ),
        (
            {"go.mod": "module m\n"},
            ("go mod download", "timeout 600 go test -exec true ./... || true"),
            "go test ./...",
        ),
        (
            {"go.work": "go 1.21 // use ./no\n\nuse (\n\t.\n\t./tools/gen // kept\n)\nuse ./b\n"},
            (
                "go mod download",
                "timeout 600 go test -exec true ./... ./b/... ./tools/gen/... || true",
            ),
            "go test ./... ./b/... ./tools/gen/...",
        ),
        (
            {"pom.xml": "<project/>\n"},
            ("mvn -B -ntp -Dmaven.test.failure.ignore=true test",),
            "mvn -B -ntp -o test",
        ),
        (
            {"settings.gradle.kts": "", "gradlew": ""},
            (
                "sh gradlew --no-daemon --console=plain testClasses",
                "sh gradlew --no-daemon --console=plain test --continue || true",
            ),
            "sh gradlew --no-daemon --console=plain --offline test --continue",
        ),
        (
            {
                "composer.json": '{"require-dev": {"phpunit/phpunit": "^11"}, "scripts": {"lint": "x"}}'
            },
            (COMPOSER,),
            "vendor/bin/phpunit",
        ),
        (
            {
                "composer.json": '{"scripts": {"test": ["@php vendor/bin/pest"]}}',
                "package.json": "{}",
            },
            (COMPOSER,),
            "composer run-script --timeout=0 test",
        ),
        ({"composer.json": "[", "phpunit.xml.dist": ""}, (COMPOSER,), "phpunit"),
        ({"Gemfile": "", "spec/models/a_spec.rb": ""}, (GEMS, BUNDLE), "bundle exec rspec"),
        (
            {"a.gemspec": "", "test/a_test.rb": "", "Rakefile": 'Rake::TestTask.new("test")\n'},
            (GEMS, "printf 'source \"https://rubygems.org\"\\ngemspec\\n' > Gemfile", BUNDLE),
            "bundle exec rake test",
        ),
        (
            {"Gemfile": "", "test/spec_a.rb": "", "Rakefile": "task test: %w[test:regular]\n"},
            (GEMS, BUNDLE),
            "bundle exec rake test",
        ),
        (
            {"Gemfile": "", "test/test_a.rb": "", "Rakefile": "task :lint\n"},
            (GEMS, BUNDLE),
            """bundle exec ruby -Ilib -Itest -e 'Dir["./test/test_*.rb"].sort.each { |file| require file }'""",
        ),
        (
            {
                "CMakeLists.txt": 'option(SUMS_TESTS "Build the tests" OFF)\nadd_subdirectory(t)\n',
                "t/CMakeLists.txt": "add_test(NAME adds COMMAND adds)\n",
            },
            (
                "cmake -S . -B ~/.cmake-build -DBUILD_TESTING=ON -DSUMS_TESTS=ON",
                "cmake --build ~/.cmake-build --parallel 2 || true",
            ),
            "cmake --build ~/.cmake-build --parallel 2 && ctest --test-dir ~/.cmake-build --output-on-failure",
        ),
        (
            {
                "meson.build": "project('sums', 'c')\nsubdir('t')\n",
                "t/meson.build": "test('adds', executable('adds', 'adds.c'))\n",
                "meson_options.txt": "option('tests', type: 'boolean', value: false)\n",
            },
            (
                MESON,
                "meson setup ~/.meson-build -Dtests=true",
                "meson compile -C ~/.meson-build || true",
            ),
            "meson test -C ~/.meson-build --print-errorlogs",
        ),
        ({"run.sh": "", "test/run.bats": "@test x { true; }\n"}, (), "bats test"),
        (
            {"tests/unit/a.bats": "", "tests/bats/bin/bats": ""},
            (),
            "./tests/bats/bin/bats --recursive tests",
        ),
        ({"Makefile": "test:\n\tbats t\n", "test/run.bats": ""}, (), "make test"),
        (
            {
                "configure.ac": "AC_INIT([sums], [1])\n",
                "autogen.sh": "autoreconf -i\n",
                "tests/Makefile.am": "check_PROGRAMS = adds\nTESTS = adds\n",
            },
            (
                f"test -x configure || {OWN_GENERATOR} || autoreconf --force --install",
                "./configure",
                "make -j2 || true",
            ),
            "make -j2 check VERBOSE=1",
        ),
        (
            {"CMakeLists.txt": "project(sums C)\n", "Makefile": "test:\n\t./t\n"},
            (),
            "make test",
        ),
        ({"Makefile": "all:\n\ttrue\ntest:\n\t./t\n"}, (), "make test"),
        (
            {".pre-commit-config.yaml": "repos: []\n"},
            (PLAIN_ENVIRONMENT, pip("pre-commit"), "pre-commit install-hooks"),
            "pre-commit run --all-files",
        ),
    ],
)
def test_other_ecosystems(
    tmp_path: Path, files: dict[str, str], setup: tuple[str, ...], test: str
) -> None:
    """Node by its lock file, Rust, Go, Maven, Gradle, PHP, Ruby, CMake, Autotools, make, and pre-commit when nothing else is there."""
    commands = found(tmp_path, files)
    assert (commands.setup, commands.test) == (setup, test)


SCRIPTS = {
    "lint": "eslint . && prettier --check .",
    "types": "tsc --noEmit -p test",
    "build": "tsup && size-limit",
    "unit": "NODE_ENV=test mocha",
    "chrome": "web-test-runner --playwright",
    "both": "npm run unit && npm run chrome",
    "browser-only": "vitest --browser | tee log",
}


@pytest.mark.parametrize(
    ("test", "more", "lock", "expected"),
    [
        ("npm run lint && npm run types && vitest run", {}, "", "npx --no-install vitest run"),
        ("npm run build && npm run both && npm run types", {}, "", "npm run build && npm run unit"),
        ("xo && NODE_OPTIONS='--import=tsx/esm' A=b ava", {}, "", "NODE_OPTIONS='--import=tsx/esm' A=b npx --no-install ava"),
        ("npm run -s lint && npm run --silent both", {}, "", "npm run unit"),
        ("node run.js eslint . && node run.js mocha", {}, "", "node run.js mocha"),
        ("mocha", {"pretest": "npm run lint", "posttest": "npm run types"}, "", "npx --no-install mocha"),
        ("yarn lint && CI=1 jest -i && yarn clean", {"clean": "rm -r tmp"}, "yarn.lock", "CI=1 yarn run jest -i"),
        ("pnpm lint && vitest run", {}, "pnpm-lock.yaml", "pnpm exec vitest run"),
        ("npm run lint && ./run-all", {}, "", "npm test"),
        ("npm run lint && jest | tee log", {}, "", "npm test"),
        ("npm run lint && npm run browser-only", {}, "", "npm test"),
        ("npm run lint", {}, "", "npm run unit"),
        ("test", {}, "", "npm test"),
        ("npm test", {}, "", "npm test"),
    ],
)  # fmt: skip
def test_what_keeps_tests_from_running_is_left_out(
    tmp_path: Path, test: str, more: dict[str, str], lock: str, expected: str
) -> None:
    """Linters and browsers of a `test` script, through other scripts; where it is clear what is left."""
    package = json.dumps({"scripts": {**SCRIPTS, **more, "test": test}})
    files = {"package.json": package, **({lock: ""} if lock else {})}
    assert found(tmp_path, files).test == expected


MEMBERS = {
    "packages/a/package.json": '{"name": "@w/a", "scripts": {"test": "node --test"}}',
    "packages/b/package.json": '{"name": "@w/b"}',
    "packages/old/package.json": '{"name": "old", "scripts": {"test": "false"}}',
}
YARN = '{"workspaces": {"packages": ["./packages/a/", "packages/b"]}}'


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"package.json": '{"workspaces": ["packages/*"], "devDependencies": {"vitest": "1"}}'},
            "npm test --workspaces --if-present",
        ),
        (
            {
                "package.json": "{}",
                "pnpm-lock.yaml": "lockfileVersion: '6.0'\n",
                "pnpm-workspace.yaml": "# all\npackages:\n  # here\n  - 'packages/*' # these\n  - '!packages/old'\n\ncatalog: {}\n",
            },
            "pnpm --recursive --workspace-concurrency=1 --no-bail run test",
        ),
        ({"package.json": YARN, "yarn.lock": ""}, "yarn workspace @w/a run test"),
        (
            {"package.json": YARN, "yarn.lock": "\n__metadata:\n"},
            "yarn workspaces foreach --all run test",
        ),
    ],
)
def test_a_workspace_is_tested_by_its_packages(
    tmp_path: Path, files: dict[str, str], expected: str
) -> None:
    """Where its root has no test script: by each manager's own way."""
    commands = found(tmp_path, {**MEMBERS, **files})
    assert commands.test == expected
    assert any("of the workspace ha" in line for line in commands.explanation)


def test_pnpm_is_the_one_that_wrote_the_lock_file(tmp_path: Path) -> None:
    """Another would refuse it, or rewrite it."""
    files = {
        "package.json": "{}",
        "pnpm-lock.yaml": "lockfileVersion: '6.0'\n",
        "test/a.js": "node:test",
    }
    assert found(tmp_path, files).setup[0].endswith(" pnpm@8")


def test_a_file_that_pytest_does_not_look_into(tmp_path: Path) -> None:
    """One file called `test.py` is named to pytest, if it has tests."""
    text = "import unittest\n\nclass TestA(unittest.TestCase):\n    pass\n"
    assert found(tmp_path, {"setup.py": "", "test.py": text}).test == "python -m pytest test.py"
    with pytest.raises(UsageError, match="No test command was found"):
        found(tmp_path, {"test.py": "print('a script')\n"})


def test_mixed_repository(tmp_path: Path) -> None:
    """Python leads; the other tests are named as left out."""
    files = {"test_a.py": "", "package.json": '{"scripts": {"test": "jest"}}'}
    commands = found(tmp_path, files)
    assert commands.test == "python -m pytest"
    assert commands.ecosystems == ("python", "node")
    assert detection.other_tests("npm test") in commands.explanation


def test_a_given_command_chooses_the_ecosystem(tmp_path: Path) -> None:
    """`npm test` in a mixed repository sets Node up and not Python."""
    files = {"test_a.py": "", "package.json": "{}"}
    commands = detect(written(tmp_path, files), setup=None, test="npm test", failing=None)
    assert commands.setup == ("npm install",)


def test_nothing_to_run(tmp_path: Path) -> None:
    """Without any sign of tests the person is told what to write where."""
    with pytest.raises(UsageError, match=r"Pass one with --test, or set `test:`"):
        found(tmp_path, {"README.md": "# Hello\n"})


def test_broken_configuration_is_no_crash(tmp_path: Path) -> None:
    """Files that don't parse may be the failure itself: detection goes on without them."""
    files = {"pyproject.toml": "[", "tox.ini": "x", "package.json": "{", "tests/test_a.py": ""}
    assert found(tmp_path, files).test == "python -m pytest"


def test_links_do_not_lead_out(tmp_path: Path) -> None:
    """A link to a file outside the work tree counts as missing."""
    (tmp_path / "secret.txt").write_text("secret")
    root = tmp_path / "tree"
    root.mkdir()
    (root / "package.json").symlink_to(tmp_path / "secret.txt")
    (root / "loop").symlink_to("loop")
    tree = DirectoryTree(root)
    assert (tree.read("package.json"), tree.exists("package.json")) == (None, False)
    assert (tree.glob("*.json"), tree.glob("../*"), tree.read("loop")) == ((), (), None)


def test_lists_that_only_managers_read(tmp_path: Path) -> None:
    """Without a lock file, pip installs the group that poetry would."""
    project = PROJECT + "[tool.poetry.group.dev.dependencies]\npytest = '^8.1'\nrich = '*'\n"
    commands = found(tmp_path, {"pyproject.toml": project, "tests/test_a.py": ""})
    assert commands.setup[1] == pip("-e . 'pytest>=8.1,<9' rich")
    assert detection.test_dependencies([("poetry", "dev")]) in commands.explanation


@pytest.mark.parametrize(
    ("files", "test", "origin"),
    [
        (
            {"pyproject.toml": "[tool.hatch.envs.test.scripts]\ntest = 'python -m unittest -v'\n"},
            "python -m unittest -v",
            "pyproject.toml",
        ),
        (
            {"pyproject.toml": "[tool.pdm.scripts]\ntest = 'python check_tests.py'\n"},
            "python check_tests.py",
            "pyproject.toml",
        ),
        (
            {"tox.ini": "[testenv]\nchangedir = src\ncommands = python -m unittest discover\n"},
            "cd src && python -m unittest discover",
            "tox.ini",
        ),
        (
            {"noxfile.py": "def check(session):\n    session.run('python', 'tests/all.py')\n"},
            "python tests/all.py",
            "noxfile.py",
        ),
    ],
)
def test_the_command_behind_a_runner(
    tmp_path: Path, files: dict[str, str], test: str, origin: str
) -> None:
    """Scripts, sessions and environments that run one test command need no runner."""
    commands = found(tmp_path, files)
    assert (commands.test, detection.command_of_runner(origin)) == (test, commands.explanation[-1])


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"tox.ini": "[testenv]\ncommands =\n  nose: nosetests\n  pytest: py.test p/test.py\n"}, "python -m pytest p/test.py"),
        ({"tox.ini": "[testenv]\ncommands = pytest -n 2 {posargs:p tests/}\n", "tests/conftest.py": ""}, "python -m pytest p tests"),
        ({"tox.ini": "[testenv]\ncommands = pytest {posargs}\n", "tests/conftest.py": ""}, "python -m pytest"),
        ({"Makefile": "test:\n\tpytest -v tests\n", "tests/conftest.py": ""}, "python -m pytest tests"),
        ({"tox.ini": "[testenv]\ncommands = pytest p\n[pytest]\ntestpaths = tests\n"}, "python -m pytest"),
        ({}, "python -m pytest p/test.py"),
    ],
)  # fmt: skip
def test_pytest_collects_what_the_project_has_it_collect(
    tmp_path: Path, files: dict[str, str], command: str
) -> None:
    """What tox or make names is named, and a file that is called like tests in a package."""
    tests = {"pyproject.toml": PROJECT, "p/__init__.py": "", "p/test.py": "def test_a(): pass\n"}
    assert found(tmp_path, tests | files).test == command


def test_what_tox_sets_for_its_command_is_set(tmp_path: Path) -> None:
    """Plain values and defaults; what is for installers, or not plain text, is left out."""
    tox = (
        "[testenv]\nsetenv =\n    DJANGO_SETTINGS_MODULE = tests.settings\n    PIP_PRE = 1\n"
        "    DB_HOST = {env:DB_HOST:local host}\n    PYTHONPATH={toxinidir}\n    A = {envdir}/a\n"
        "commands = python -b -m coverage run -m django test {posargs:tests}\n"
    )
    assert found(tmp_path, {"setup.py": "", "tox.ini": tox}).test == (
        "DJANGO_SETTINGS_MODULE=tests.settings DB_HOST='local host' PYTHONPATH=. "
        "python -b -m coverage run -m django test tests"
    )


@pytest.mark.parametrize("file", ["src/p/test/test_a.py", "master/p/test/test_a.py"])
def test_tests_inside_of_packages_go_before_a_runner(tmp_path: Path, file: str) -> None:
    """Trial's too: pytest runs them, where tox only knows how to call trial."""
    tox = "[testenv]\ncommands =\n    python -Wall {envbindir}/coverage run {envbindir}/trial p\n"
    files = {"pyproject.toml": PROJECT, "tox.ini": tox, file: ""}
    assert found(tmp_path, files).test == "python -m pytest"


def test_extras_that_tox_installs_together(tmp_path: Path) -> None:
    """The extra for tests comes with those that tox's environment has besides."""
    text = PROJECT + (
        "[project.optional-dependencies]\nlinks = ['a']\nother = ['b']\ntesting = ['pytest']\n"
    )
    tox = "[testenv]\nextras =\n    links\n    testing\ncommands = pytest\n"
    commands = found(tmp_path, {"pyproject.toml": text, "tox.ini": tox, "tests/test_a.py": ""})
    assert commands.setup[1] == pip("-e '.[testing,links]'")


@pytest.mark.parametrize(("bound", "command"), [("<4", "python -m unittest p.test"), ("<9", None)])
def test_another_way_than_a_pytest_of_old(tmp_path: Path, bound: str, command: str | None) -> None:
    """Where tox has one: pytest of that time does not start, and today's refuses such tests."""
    tox = (
        f"[testenv]\ndeps =\n    pytest3: pytest>=3,{bound}\ncommands =\n"
        "    pytest3: py.test p/test.py\n    unit: python -m unittest p.test\n"
    )
    files = {"pyproject.toml": PROJECT, "tox.ini": tox, "p/test.py": "def test_a(): pass\n"}
    assert found(tmp_path, files).test == (command or "python -m pytest p/test.py")


def test_a_command_with_further_options_is_no_other_one(tmp_path: Path) -> None:
    """The plain one runs, and not that for each database of a matrix."""
    tox = (
        "[testenv]\ncommands =\n    sqlite: coverage run -a runtests.py {posargs}\n"
        "    mysql: coverage run -a runtests.py --database=mysql {posargs}\n    coverage report\n"
    )
    files = {"setup.py": "", "tox.ini": tox, "p/q/tests/test_a.py": ""}
    assert found(tmp_path, files).test == "coverage run -a runtests.py"


def test_the_projects_own_runner_goes_before_what_pytest_finds(tmp_path: Path) -> None:
    """Its tests may be called otherwise; where pytest is configured, it is the runner."""
    files = {"setup.py": "", "runtests.py": "", "tests/test_a.py": "", "tests/models.py": ""}
    assert found(tmp_path, files).test == "python runtests.py"
    assert found(tmp_path, {"tests/conftest.py": ""}).test == "python -m pytest"


@pytest.mark.parametrize(
    ("files", "given", "replaced"),
    [
        ({"requirements.txt": "a\n", "requirements-dev.txt": "pytest\n"}, "pip install extra", "requirements-dev.txt"),
        ({"pyproject.toml": "[project]\nname='a'\nversion='1'\n[dependency-groups]\ndev=['pytest']\n"}, "pip install extra", "--group dev"),
        ({"package.json": '{"devDependencies": {"jest": "30"}}', "package-lock.json": "{}"}, "npm i left", "npm ci"),
        ({"go.mod": "module x\n", "a_test.go": "package x\n"}, "true", "go mod download"),
        ({"Gemfile": "gem 'rspec'\n", "spec/a_spec.rb": ""}, "gem install x", "bundle install"),
    ],
)  # fmt: skip
def test_each_ecosystem_says_what_a_given_setup_replaces(
    tmp_path: Path, files: dict[str, str], given: str, replaced: str
) -> None:
    """What would have brought the test runner is named."""
    found = detect(written(tmp_path, files), setup=(given,), test=None, failing=None)
    [said] = [each for each in found.explanation if "They replace" in each]
    assert replaced in said


def test_given_setup_says_what_it_replaces(tmp_path: Path) -> None:
    """Somebody who installs one package more must not wonder where the test runner went."""
    files = {"requirements-dev.txt": "pytest\n", "tests/test_a.py": "def test_a(): pass\n"}
    tree = written(tmp_path, files)
    own = detect(tree, setup=None, test=None, failing=None).setup
    replaced = [step for step in own if "requirements-dev.txt" in step]
    assert replaced
    given = detect(tree, setup=("pip install -e .",), test=None, failing=None)
    assert detection.setup_given(replaced) in given.explanation
    everything = detect(tree, setup=own, test=None, failing=None)
    assert detection.setup_given() in everything.explanation
