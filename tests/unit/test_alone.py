"""Commands that run failing tests alone, and commands that run all of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.ci.failures.registry import read
from bot.ecosystems.selection import alone, ids_of_files
from bot.model import Observation
from bot.repair.goal.unabridged_command import complete

PATHS = ("src/app.py", "tests/__init__.py", "tests/test_a.py", "tests/unit/test_b.py", "Makefile")
A = "tests.test_a.TestX::test_y[1-2]"
B = "tests.unit.test_b::test_z"
FILES = {
    "Makefile": "test:\n\tFOO=1 python -m pytest -q tests\n",
    "package.json": '{"scripts": {"test": "jest --ci"}}',
}
BUILT = """{
  "devDependencies": {"tap": "^21.0.0", "mocha": "11"},
  "scripts": {
    "pretest": "tshy && bash fixup.sh", "test": "tap", "unit": "c8 mocha",
    "ci": "eslint . && mocha -r tsx", "both": "mocha && eslint .",
    "measured": "eslint . && c8 --check-coverage mocha", "wrapped": "eslint . && cross-env A=b mocha"
  }
}"""


@pytest.mark.parametrize(
    ("command", "tests", "expected"),
    [
        ("pytest", [A], "pytest --rootdir=. 'tests/test_a.py::TestX::test_y[1-2]'"),
        ("pytest -xq --maxfail=2 tests", [B], "pytest -q --rootdir=. tests/unit/test_b.py::test_z"),
        ("pytest -k spam -p no:cov tests", ["tests.test_a"],
         "pytest -k spam -p no:cov --rootdir=. tests/test_a.py"),
        ("pytest --cov src tests", [B],
         "pytest --cov src --rootdir=. --no-cov tests/unit/test_b.py::test_z"),
        ("pytest tests", ["test_a::test_b"], "pytest --rootdir=tests tests/test_a.py::test_b"),
        ("pytest", ["tests.test_a::test_e[#x1b]"], "pytest --rootdir=. tests/test_a.py::test_e"),
        ("make test", [B], "FOO=1 python -m pytest -q --rootdir=. tests/unit/test_b.py::test_z"),
        ("python -W error::Warning -X dev -m unittest", ["test_a.X.test_y"],
         "python -W error::Warning -X dev -m unittest -k test_a.X.test_y"),
        ("python -m unittest discover -s tests -f", ["test_a.X.test_y"],
         "python -m unittest discover -s tests -k test_a.X.test_y"),
        ("go test -failfast ./...", ["a.b/c.TestX/sub", "a.b/c.TestY"],
         "go test ./... -run '^(TestX|TestY)$'"),
        ("cargo test", ["a::b"], "cargo test --no-fail-fast -- --exact a::b"),
        ("cargo test --no-fail-fast -- --nocapture", ["a::b"],
         "cargo test --no-fail-fast -- --nocapture --exact a::b"),
        ("vendor/bin/phpunit --stop-on-failure", ["A\\BTest::testX with data set #0 (1)", "C::testY"],
         "vendor/bin/phpunit --filter '/^(?:A\\\\BTest::testX|C::testY)(?: with data set .*)?$/s'"),
        ("bundle exec rspec --fail-fast", ["Sum adds (two)"],
         "bundle exec rspec --example 'Sum adds (two)'"),
        ("bundle exec rake test", ["ATest#test_x"],
         "bundle exec rake test 'TESTOPTS=--name='\"'\"'/^(?:ATest\\#test_x)$/'\"'\"'' 'N=/^(?:ATest\\#test_x)$/'"),
        ("sh gradlew --offline test --continue", ["a.BTest::c()", "a.BTest::d"],
         "sh gradlew --offline test --tests a.BTest.c --tests a.BTest.d --continue"),
        ("npm test", ["sum › adds (1)"],  # noqa: RUF001 - jest prints it
         "npx --no-install jest --ci -t '^(sum adds \\(1\\))$'"),
        ("npx jest", ["src/a.test.js"], "npx jest --runTestsByPath src/a.test.js"),
        ("cmake --build ~/b && ctest --test-dir ~/b", ["adds", "io.read"],
         "cmake --build ~/b && ctest --test-dir ~/b -R '^(adds|io.read)$'"),
        ("meson test -C ~/b --print-errorlogs", ["sums:adds", "io"],
         "meson test -C ~/b --print-errorlogs sums:adds io"),
        ("bats --recursive test", ["adds two numbers"],
         "bats --filter '^(adds two numbers)$' --recursive test"),
        ("npx vitest run", ["a.test.ts", "b.spec.mts"], "npx vitest run a.test.ts b.spec.mts"),
        ("npx vitest run", ["a.test.ts > sum > adds"],
         "npx vitest run a.test.ts -t '^(sum adds)$'"),
    ],
)  # fmt: skip
def test_failing_tests_run_alone(command: str, tests: list[str], expected: str) -> None:
    """By the runner's own way to select them; its other options stay."""
    assert alone(command, tests, PATHS, FILES.get) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm test", "npx --no-install vitest run --coverage.enabled=false a.test.ts"),
        ("npx jest --ci", "npx jest --ci --coverage=false --runTestsByPath a.test.ts"),
        ("pytest -q", "pytest -q --rootdir=. --no-cov a.py"),
        ("pytest -o addopts= -q", "pytest -o addopts= -q --rootdir=. a.py"),
    ],
)
def test_coverage_is_for_all_tests(command: str, expected: str) -> None:
    """Where its flag or a configuration asks for it, some tests run without."""
    files = {
        "package.json": '{"scripts": {"test": "vitest run --coverage"}}',
        "jest.config.js": "module.exports = { coverageThreshold: {} }",
        "setup.cfg": "[tool:pytest]\naddopts = --cov=a\n",
    }
    test = "a" if command.startswith("pytest") else "a.test.ts"
    assert alone(command, [test], [*files, "a.test.ts", "a.py"], files.get) == expected


@pytest.mark.parametrize(
    ("command", "tests", "expected"),
    [
        ("npm test", ["test/a.ts > sum > adds", "test/a.ts > sum > again"],
         "npm test -- --disable-coverage test/a.ts"),
        ("npm run ci", ["sum > adds (1)"], "npm run ci -- --grep '^(sum adds \\(1\\))$'"),
        ("pnpm ci", ["sum > adds"], "pnpm ci --grep '^(sum adds)$'"),
        ("npm run ci", ['sum > "before each" hook for "adds"'], None),
        ("npm run ci", ["a.js: no-undef"], None),
        ("npm run both", ["sum > adds"], None),
        ("npm run unit", ["sum > adds"], "npx --no-install mocha --grep '^(sum adds)$'"),
        ("npm run measured", ["sum > adds"], None),
        ("npm run wrapped", ["sum > adds"], "npm run wrapped -- --grep '^(sum adds)$'"),
        ("npm test", ["test/gone.ts > sum"], None),
    ],
)  # fmt: skip
def test_what_comes_before_the_tests_runs_as_ever(
    command: str, tests: list[str], expected: str | None
) -> None:
    """A build or a linter in front of them: their arguments go through the package manager."""
    read = {"package.json": BUILT}.get
    assert alone(command, tests, ("test/a.ts", "package.json"), read) == expected


def test_the_shortest_way_to_a_packages_tests() -> None:
    """Where the whole takes too long: what comes before its runner, but no check, and nothing behind."""
    files = {
        "package.json": '{"scripts": {"test": "npm run gen && eslint . && vitest --coverage run && npm run docs", '
        '"gen": "node gen.js", "docs": "typedoc"}}',
        "libs/a/package.json": '{"scripts": {"test": "tsc -b && vitest run"}}',
        "one/package.json": '{"scripts": {"test": "vitest"}}',
    }
    front = 'export PATH="$PWD/node_modules/.bin:$PATH" && '
    whole = "node gen.js && npx --no-install vitest run --coverage.enabled=false a.test.ts"
    inner = "npx --no-install tsc -b && npx --no-install vitest run a.test.ts"
    expected = {
        "npm test": front + whole,
        "cd libs/a && npm test": f"cd libs/a && {{ {front}{inner}; }}",
        "cd one && npm test": "cd one && npx --no-install vitest a.test.ts",
    }
    for command, narrowed in expected.items():
        assert alone(command, ["a.test.ts"], [*files], files.get, shortest=True) == narrowed
    assert alone("npm test", ["a.test.ts"], [*files], files.get) is None


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("mocha -r ./test/setup.js --timeout 9 'test/**/*.js'", "mocha -r ./test/setup.js --timeout 9 test/a.js"),
        ("nyc --reporter lcov mocha test", "mocha test/a.js"),
        ("cross-env NODE_ENV=test nyc mocha", "cross-env NODE_ENV=test mocha test/a.js"),
        ("dotenv -e .env -- mocha ./test/", "dotenv -e .env -- mocha test/a.js"),
        ("tape 'test/**/*.js'", "tape test/a.js"),
        ("ava", "ava test/a.js"),
        ("borp --concurrency 2", "borp --concurrency 2 test/a.js"),
        ("vitest run test --coverage", "vitest run --coverage.enabled=false test/a.js"),
    ],
)  # fmt: skip
def test_changed_files_alone(script: str, expected: str) -> None:
    """In place of the files that the script names, and without coverage; what starts the runner stays."""
    read = {"package.json": json.dumps({"scripts": {"test": script}})}.get
    paths = ("package.json", "test/a.js", "test/b.js", "test/setup.js")
    narrowed = alone("npm test", ["test/a.js"], paths, read, shortest=True)
    assert narrowed == f"npx --no-install {expected}"


def test_changed_files_alone_behind_scripts_with_variables() -> None:
    """Those around a script hold for what it starts; coverage around it does not."""
    scripts = {
        "test": "nyc yarn inner",
        "inner": "tsc && cross-env NODE_ENV=test A=1 yarn run-mocha",
        "run-mocha": "mocha -r ./setup test",
    }
    read = {"package.json": json.dumps({"scripts": scripts})}.get
    narrowed = alone("yarn test", ["test/a.js"], ("test/a.js",), read, shortest=True)
    front = 'export PATH="$PWD/node_modules/.bin:$PATH" && npx --no-install tsc && '
    assert narrowed == f"{front}NODE_ENV=test A=1 npx --no-install mocha -r ./setup test/a.js"


def test_changed_files_alone_for_node_itself() -> None:
    """Its own runner, and programs of the project that start another one."""
    paths = ("package.json", "test/a.js", "bin/run.js", ".mocharc.json")
    own = {"package.json": '{"scripts": {"test": "node --test --import ./x.js test/"}}'}
    narrowed = alone("npm test", ["test/a.js"], paths, own.get)
    assert narrowed == "node --test --import ./x.js test/a.js"
    program = {"package.json": '{"scripts": {"test": "node run.js --test test"}}'}
    assert alone("npm test", ["test/a.js"], paths, program.get) is None
    installed = {"package.json": '{"scripts": {"test": "node node_modules/mocha/bin/_mocha test"}}'}
    narrowed = alone("npm test", ["test/a.js"], paths[:2], installed.get)
    assert narrowed == "node node_modules/mocha/bin/_mocha test/a.js"
    chain = "node bin/run.js eslint lib/*.js && mocha more/*.js && node bin/run.js mocha test/*.js --exit && mocha test && karma start"
    files = {"package.json": json.dumps({"scripts": {"test": chain}})}
    narrowed = alone("npm test", ["test/a.js"], paths, files.get, shortest=True)
    path = 'export PATH="$PWD/node_modules/.bin:$PATH"'
    assert narrowed == f"{path} && node bin/run.js mocha --exit test/a.js"
    files[".mocharc.json"] = '{"spec": "test/**"}'
    assert alone("npm test", ["test/a.js"], paths, files.get, shortest=True) is None
    borp = {
        "package.json": '{"scripts": {"test": "borp"}}',
        ".borp.yaml": "files:\n  - 'test/**'\n",
    }
    assert alone("npm test", ["test/a.js"], [*borp], borp.get) is None


@pytest.mark.parametrize(
    ("command", "tests"),
    [
        ("sh check.sh", ["check"]),
        ("pytest", ["elsewhere.test_a::test_b"]),
        ("pytest tests && pytest more", [B]),
        ("ruff check . && pytest tests", [B]),
        ("cargo test", ["src/lib.rs - sum (line 3)"]),
        ("npx jest", ["src/a.test.js", "sum"]),
        ("go vet ./...", ["a.go:3: vet"]),
    ],
)
def test_what_cannot_run_alone(command: str, tests: list[str]) -> None:
    """Then the whole command runs."""
    assert alone(command, tests, PATHS, FILES.get) is None


INTERRUPTED = "!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!"
STOPPED = "!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!"


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        ("pytest -q", INTERRUPTED, "pytest -q --maxfail=0 --continue-on-collection-errors"),
        ("pytest -xq tests", STOPPED, "pytest -q tests --maxfail=0 --continue-on-collection-errors"),
        ("make test", INTERRUPTED,
         'export PYTEST_ADDOPTS="$PYTEST_ADDOPTS --maxfail=0 --continue-on-collection-errors"; make test'),
        ("cargo test -- -q", "error: test failed, to rerun pass `--lib`",
         "cargo test --no-fail-fast -- -q"),
        ("npx jest --bail", "", "npx jest"),
        ("pytest -x", "1 failed", None),
        ("cargo test", "test result: FAILED", None),
        ("sh check.sh", "", None),
    ],
)  # fmt: skip
def test_a_command_that_stops_early_runs_to_its_end(
    command: str, output: str, expected: str | None
) -> None:
    """So that one broken file does not hide the others."""
    assert complete(Observation(command, 1, output=output)) == expected


@pytest.mark.parametrize(
    ("command", "seen", "expected"),
    [
        ("pytest -q", {"output": "INTERNALERROR> TypeError: 'str' object is not callable"}, "pytest -q -vv"),
        ("pytest -q", {"exit_code": 139, "output": "=== test session starts ===\ntests/test_a.py .."},
         "pytest -q -vv"),
        ("make test", {"exit_code": 137, "output": "=== test session starts ===\n"},
         'export PYTEST_ADDOPTS="$PYTEST_ADDOPTS -vv"; make test'),
        ("sh check.sh", {"exit_code": 139, "output": "Segmentation fault"}, None),
    ],
)  # fmt: skip
def test_a_runner_that_breaks_down_names_each_test(
    command: str, seen: dict[str, Any], expected: str | None
) -> None:
    """So that the test which took it down is known, and those which failed before."""
    failures = read(seen["output"], command=command).failing
    assert complete(Observation(command, **{"exit_code": 3, **seen}, failing=failures)) == expected


def test_files_whose_tests_are_not_known_yet() -> None:
    """Python's go by modules, by less of their names for unittest, JavaScript's by paths."""
    changed = ["libs/a/tests/test_a.py", "libs/a/src/a.test.ts", "libs/b/tests/test_b.py"]
    assert ids_of_files(changed, "python -m pytest", "libs/a") == ["tests.test_a"]
    assert ids_of_files(changed, "python -m unittest", "") == ["test_a", "test_b"]
    assert ids_of_files(changed[1:2], "npx vitest", "libs/a") == ["src/a.test.ts"]
    assert ids_of_files(["README.md"], "npx vitest", "") == []
