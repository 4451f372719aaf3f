"""Which fix modes belong to which failing command."""

from __future__ import annotations

import pytest

from bot.ci.failures import registry
from bot.model import Failure, Observation, TestCounts
from bot.repair.proposers.mechanical.fix_mode_choice import plan

FILES = {
    "Makefile": """\
PY ?= python
SRC = src tests
.PHONY: lint
lint: fmt-check
\t@$(PY) -m flake8 $(SRC)
\t-ruff check --output-format=github $(SRC) || exit 1
fmt-check:
\tblack --check --line-length 88 $(SRC); isort -c $(SRC)
gen:
\tpython tools/gen.py
ci: gen
\tgit diff --exit-code
odd:
\t./scripts/lint.sh
format:
\tanything
weird:
\tweirdlint
copies:
\tpython tools/copies.py
fix-copies:
\tpython tools/copies.py --fix_and_overwrite
\tpython tools/other.py --fix
""",
    "package.json": '{"scripts": {"lint": "eslint src && prettier --check .", "codegen": "x"}}',
    "pyproject.toml": "[tool.autoflake]\nin-place = true\n",
    "scripts/lint.sh": "#!/usr/bin/env bash\nset -e\ncd web\nnpx prettier -c src\n",
    "tox.ini": "[testenv:lint]\ncommands =\n    ruff check {posargs:src} tests\n",
    "justfile": "style: deps\n    @ruff format --check .\ndeps:\n    echo deps\n",
    "noxfile.py": "def lint(session):\n    session.run('black', '--check', '.')\n",
}

PLANS = {
    "black --check src --line-length 88": ["black src --line-length 88"],
    "python -m black --check --diff .": ["python -m black ."],
    "ruff check .": ["ruff check --fix ."],
    "ruff .": ["ruff --fix ."],
    "ruff check . && ruff format --check .": ["ruff check --fix .", "ruff format ."],
    "black --check . && isort --check-only .": ["isort .", "black ."],
    "uv run ruff check .": ["uv run ruff check --fix ."],
    "prettier --check .": ["prettier --write ."],
    "npx eslint src --max-warnings 0": ["npx eslint --fix src --max-warnings 0"],
    "npm run lint": ["npx --no-install eslint --fix src", "npx --no-install prettier --write ."],
    'test -z "$(gofmt -l .)"': ["gofmt -w ."],
    "cargo fmt --all -- --check": ["cargo fmt --all"],
    "cargo clippy -- -D warnings": [
        "cargo clippy --fix --allow-dirty --allow-staged --offline -- -D warnings"
    ],
    "pre-commit run --all-files": ["pre-commit run --all-files"],
    "python tools/gen.py --check": ["python tools/gen.py"],
    "uv lock --check": ["uv lock --offline"],
    "tox -e lint": ["ruff check --fix src tests"],
    "just style": ["ruff format ."],
    "hatch fmt --check": ["hatch fmt"],
    "set -e\ncd web\nblack --check .": ["cd web && black ."],
    "nox -s lint": ["black ."],
    "make lint": [
        "autoflake --in-place --recursive src tests",
        "ruff check --fix src tests",
        "isort src tests",
        "black --line-length 88 src tests",
    ],
    "make ci": ["python tools/gen.py"],
    "make odd": ["cd web && npx prettier --write src"],
    "make weird": ["make format"],
    "make copies": ["python tools/copies.py --fix_and_overwrite"],
    "typos .": ["typos --write-changes ."],
    "blackdoc . --check --diff": ["blackdoc ."],
    "doc-builder style src --check_only": ["doc-builder style src"],
    "usort check src": ["usort format src"],
    "cd sub && ruff check . > out.txt 2>&1": ["cd sub && ruff check --fix ."],
    "FORCE_COLOR=0 black --check 'a b'": ["FORCE_COLOR=0 black 'a b'"],
    "python -m pytest": [],
    "mypy src": [],
    "echo 'unclosed": [],
}


def configured(path: str) -> str | None:
    return FILES.get(path)


def unconfigured(path: str) -> str | None:
    return dict[str, str]().get(path)


@pytest.mark.parametrize("command", PLANS)
def test_fix_modes(command: str) -> None:
    """The tools behind a command, with their own arguments, linters before formatters."""
    fixes = plan(command, None, configured, allow_snapshots=False)
    assert [fix.command for fix in fixes] == PLANS[command]


def test_formatting_is_no_repair_of_a_failing_test() -> None:
    """The project's own `make format` is for what its checks report."""
    red = Failure("tests.test_a::test_x", file="tests/test_a.py", message="assert 1 == 2")
    tests = Observation("make weird", 2, failing=(red,), counts=TestCounts(1, 1, 0))
    bad = Failure("a.py:3: W1", file="a.py", message="too weird")
    lint = Observation("make weird", 2, failing=(bad,))
    assert plan("make weird", tests, FILES.get, allow_snapshots=False) == ()
    found = plan("make weird", lint, FILES.get, allow_snapshots=False)
    assert [each.command for each in found] == ["make format"]


@pytest.mark.parametrize("text", ["def", "\0", "-" * 100_000 + "1", "1" + "+1" * 20_000])
def test_a_file_that_no_parser_takes_is_no_script(text: str) -> None:
    """Strangers write it: it may be nested deeper than Python itself can follow."""
    assert plan("nox -s lint", None, {"noxfile.py": text}.get, allow_snapshots=False) == ()


def test_the_failure_names_a_generator() -> None:
    """`run make gen` in a failing test's words is taken up, if the Makefile has that target."""
    said = Observation("pytest", 1, output="stale: run `make gen` or `make coffee`.")
    fixes = plan("pytest", said, configured, allow_snapshots=False)
    assert [fix.command for fix in fixes] == ["make gen"]


@pytest.mark.parametrize(
    ("command", "output", "migration"),
    [
        (
            "npx biome check .",
            "  i Run the command biome migrate to migrate the\n    configuration file.",
            "npx biome migrate",
        ),
        (
            "pre-commit run -a",
            "[WARNING] normalizing pre-commit configuration. run: `pre-commit migrate-config`",
            "pre-commit migrate-config",
        ),
        (
            "vendor/bin/phpunit",
            'Migrate your XML configuration using "--migrate-configuration"!',
            "vendor/bin/phpunit --migrate-configuration",
        ),
        ("npx knex seed:run", "The config is read. Run knex migrate:latest", None),
        ("python manage.py test", "configuration: run python manage.py migrate", None),
    ],
)
def test_tools_name_the_migration_of_their_configuration(
    command: str, output: str, migration: str | None
) -> None:
    """By its own name, in the surroundings of the failing command; data is left alone."""
    said = Observation(command, 1, output=output)
    found = plan(command, said, FILES.get, allow_snapshots=False)
    migrations = [fix.command for fix in found if "migrate" in fix.command]
    assert migrations == ([f"{migration} --write || {migration}"] if migration else [])


@pytest.mark.parametrize(
    ("output", "fix"),
    [
        ("The lockfile at `uv.lock` needs to be updated", "uv lock --offline"),
        (
            (
                "`npm ci` can only install packages when your package.json and package-lock.json or "
                "npm-shrinkwrap.json are in sync."
            ),
            "npm install --package-lock-only --offline --no-audit --no-fund",
        ),
        (
            "error: the lock file Cargo.lock needs to be updated but --locked was passed",
            "cargo update --workspace --offline",
        ),
    ],
)
def test_a_stale_lock_file_is_recognised(output: str, fix: str) -> None:
    """What package managers say about a stale lock leads to the offline update."""
    fixes = plan("make", Observation("x", 1, output=output), unconfigured, allow_snapshots=False)
    assert [found.command for found in fixes] == [fix]


def test_snapshots_are_rewritten_only_when_allowed() -> None:
    """Snapshots are expectations: without permission they stay."""
    said = Observation("pytest", 1, output="2 snapshots failed. Use --snapshot-update")
    allowed = plan("pytest -q", said, unconfigured, allow_snapshots=True)
    assert [fix.command for fix in allowed] == ["pytest -q --snapshot-update"]
    assert plan("pytest -q", said, unconfigured, allow_snapshots=False) == ()


def test_tools_that_only_the_output_names() -> None:
    """A script that can't be read, or is no shell: what it prints says which tools it runs."""
    output = "would reformat src/a.py\nwould reformat b.py\nOh no!\nERROR: c.py Imports are incorrectly sorted and/or formatted.\n"
    failing = registry.read(output, command="./check").failing
    seen = Observation("./check", 1, failing, output=output)
    found = plan("./check", seen, lambda _: None, allow_snapshots=False)
    assert [fix.command for fix in found] == ["isort c.py", "black src/a.py b.py"]


@pytest.mark.parametrize(
    ("command", "complaints", "given"),
    [
        ("pylint --load-plugins pylint_quotes src tests", ["src/a.py", "tests/b.py"], "src tests"),
        ("pylint --rcfile setup.cfg src", ["src/a.py"], "src"),
        ("pylint -v src", ["src/a.py"], "src"),
        ("flake8 --jobs 4 ./src/ docs", ["src/a.py"], "./src/"),
        ("flake8 --max-line-length 100", ["a.py", "b.py", "a.py"], "a.py b.py"),
        ("flake8 src/a.py", ["src/a.py"], "src/a.py"),
        ("flake8 .", ["a.py"], "."),
        ("pylint package.module", ["package/module.py"], "package/module.py"),
        ("pylint --load-plugins pylint_quotes", [], "."),
        ("pylint --load-plugins pylint_quotes src", [], "src"),
        ("pylint --load-plugins=pylint_quotes src", [], "src"),
        ("flake8 -- src", [], "src"),
        ("cd sub && flake8 src", ["src/a.py"], "src"),
        ("cd sub && flake8", ["sub/src/a.py"], "src/a.py"),
    ],
)
def test_what_a_linter_complains_of_is_repaired(
    command: str, complaints: list[str], given: str
) -> None:
    """Values of its options are no files; which words are values, nobody has to know."""
    failing = tuple(Failure(f"{path}:1: W0611", file=path, line=1) for path in complaints)
    said = Observation(command, 1, failing=failing)
    first, *_ = plan(command, said, configured, allow_snapshots=False)
    place = "cd sub && " if command.startswith("cd ") else ""
    assert first.command == f"{place}autoflake --in-place --recursive {given}"


def test_a_linters_codes_are_repaired_by_the_configured_one() -> None:
    """Codes alone could be flake8's: ruff repairs them where the project configures it."""
    output = "src/a.py:1:1: F401 `os` imported but unused\n"
    seen = Observation(
        "./check", 1, registry.read(output, command="./check").failing, output=output
    )
    files = {"ruff.toml": "line-length = 99\n"}
    assert [f.command for f in plan("./check", seen, files.get, allow_snapshots=False)] == [
        "ruff check --fix src/a.py"
    ]
    assert plan("./check", seen, lambda _: None, allow_snapshots=False) == ()


def test_native_tox_environments() -> None:
    """Tox 4 has tables in place of ini sections."""
    files = {"tox.toml": '[env.lint]\ncommands = [["ruff", "format", "--check", "."]]\n'}
    found = plan("tox -e lint", None, files.get, allow_snapshots=False)
    assert [fix.command for fix in found] == ["ruff format ."]
