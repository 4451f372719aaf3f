"""How a repository is set up and tested, and which file says so."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.series import series

_LISTS = {
    "extra": "the extra ",
    "group": "the dependency group ",
    "poetry": "poetry's group ",
    "pdm": "pdm's group ",
    "uv": "uv's ",
    "rye": "rye's ",
    "pipenv": "`Pipfile`'s ",
    "hatch": "the hatch environment ",
    "nox": "the nox session ",
    "tox environment": "the tox environment ",
}
_MOST_STEPS = 3
"""Commands that a sentence names."""


@example()
@example(["~/.venv/bin/python -m pip install -e .[test]"])
def setup_given(left_out: Sequence[str] = ()) -> str:
    """Somebody named the setup commands; those that would have run otherwise do not."""
    said = "The setup commands were given; in a Python project, they install into `~/.venv`."
    if not left_out:
        return said
    steps = series([f"`{step}`" for step in left_out], most=_MOST_STEPS)
    return f"{said} They replace what was detected: {steps} did not run."


NOTHING_INSTALLED = (
    "Nothing is installed: no file that is known says what the tests need. What they use besides "
    "this machine's programs has to be in `setup:` of `.github/fixpoint.yml`, or `--setup`."
)
TEST_GIVEN = "The test command was given."


@example("python -m pytest -q")
def suite_of_failing_command(suite: str) -> str:
    return f"The full test suite is the failing command without its test selection: `{suite}`."


@example("make check")
def failing_command_only(command: str) -> str:
    return f"No tests were found, so the failing command `{command}` counts as the full test suite."


@example("npm test")
def other_tests(command: str) -> str:
    return f"The repository also has tests that are not run: `{command}`."


@example("~/.venv")
def python_environment(folder: str) -> str:
    return f"Python packages are installed into `{folder}`."


@example("~/.venv", python=">=3.11", file="pyproject.toml")
def python_version(folder: str, *, python: str, file: str) -> str:
    return f"Python packages are installed into `{folder}`; `{file}` asks for Python {python}."


@example("uv.lock")
def locked(file: str) -> str:
    return f"`{file}` pins the dependencies."


@example([("extra", "dev"), ("group", "test"), ("file", "requirements.txt")])
def test_dependencies(lists: Sequence[tuple[str, str]]) -> str:
    """The project lists what its tests need; each list has a kind and a name."""
    named = [f"{_LISTS.get(kind, '')}`{name}`" for kind, name in lists]
    return f"Test dependencies come from {series(named)}."


@example(["pytest"])
@example(["pytest", "pytest-cov"])
def dependencies_added(packages: Sequence[str]) -> str:
    """The project does not list packages that its tests need."""
    named = series([f"`{package}`" for package in packages])
    if len(packages) == 1:
        return f"The project does not list {named} as a dependency, so the setup adds it."
    return f"The project does not list {named} as dependencies, so the setup adds them."


@example("pnpm-lock.yaml", "pnpm")
def node_packages(file: str, manager: str) -> str:
    return f"The packages are installed with {manager}, according to `{file}`."


@example(".github/workflows/test.yml", 24)
def node_release(file: str, least: int) -> str:
    return f"`{file}` asks for Node.js {least}, which is installed if the one here is older."


INSTALL_WITHOUT_TESTS = (
    "The project also runs its tests when it is installed; the setup skips them, "
    "because a failing test would end it."
)
CRATES_FETCHED = (
    "Cargo fetches the crates in `Cargo.toml` during setup, while the network is available."
)
MODULES_DOWNLOADED = (
    "Go downloads the modules in `go.mod` during setup, while the network is available."
)
COMPILED_AHEAD = (
    "The setup compiles the tests once, so that later runs compile only what has changed."
)


@example(".pre-commit-config.yaml")
def hooks_installed(file: str) -> str:
    return f"The hooks in `{file}` are installed during setup, while the network is available."


@example("pyproject.toml")
def uses_pytest(file: str) -> str:
    return f"`{file}` shows that the project uses pytest."


@example("pyproject.toml", "tox.ini")
def pytest_without_runner(file: str, runner: str) -> str:
    return (
        f"`{file}` shows that the project uses pytest; it is run directly "
        f"because `{runner}` would create its own environments."
    )


@example("test.py")
def tests_in_file(file: str) -> str:
    return f"`{file}` has tests."


@example("runtests.py")
def own_runner(file: str) -> str:
    return f"`{file}` runs the tests."


@example("tests/test_a.py")
def pytest_finds(file: str) -> str:
    return f"pytest finds tests such as `{file}`."


DJANGO_TESTS = "`manage.py` runs Django's tests."
OLD_PYTEST_AVOIDED = "`tox.ini` wants a pytest that is too old for this Python, and runs the tests with unittest too."


@example("tox.ini")
@example("noxfile.py")
def runner_configured(file: str) -> str:
    return f"`{file}` defines how the tests run."


TOX_RUNS_PYTEST = "`tox.ini` runs pytest."


@example("tox.ini")
def command_of_runner(file: str) -> str:
    return f"The test command comes from `{file}`."


@example("test")
def test_script(name: str) -> str:
    return f"`package.json` has a `{name}` script."


TEST_SCRIPT_ALONE = (
    "`package.json` has a `test` script; `posttest`, which npm runs only once the tests pass, "
    "is left out."
)


@example("npx --no-install ava", browser=False)
@example("npm run test-node", browser=True)
def test_script_in_part(command: str, *, browser: bool) -> str:
    """The script also does what would keep its tests from running, such as linting."""
    also = "runs linters or needs a browser" if browser else "runs linters"
    return f"The `test` script in `package.json` also {also}; its tests are `{command}`."


@example(1)
@example(12)
def tests_of_members(number: int) -> str:
    """The root of a workspace has no test script, but packages of it do."""
    verb = "has" if number == 1 else "have"
    return f"{count(number, 'package')} of the workspace {verb} a `test` script."


@example("vitest")
def node_runner(runner: str) -> str:
    return f"`package.json` depends on {runner}."


@example("test/sum.js")
def node_test(file: str) -> str:
    return f"`{file}` is a test for Node's own test runner."


@example(workspace=False)
@example(workspace=True)
def cargo_tests(*, workspace: bool) -> str:
    return (
        "`Cargo.toml` defines a workspace; Cargo tests all its packages."
        if workspace
        else "`Cargo.toml` defines a package; Cargo tests it."
    )


@example(modules=0)
@example(modules=3)
def go_tests(*, modules: int) -> str:
    """Go tests a module, or those of a workspace."""
    if modules:
        return f"`go.work` uses {count(modules, 'module')}; Go tests all their packages."
    return "`go.mod` defines a module; Go tests all its packages."


MAVEN_FETCHES = (
    "Maven fetches some of what tests need only when they run, so the setup runs them once."
)
CMAKE_CONFIGURED = "CMake builds the project outside of the repository, with its tests."
AUTOTOOLS_CONFIGURED = (
    "`configure` is generated and run in the repository, and the project is built once."
)
MAKE_CHECK = "`Makefile.am` has tests; `make check` builds and runs them."
MESON_CONFIGURED = "Meson builds the project outside of the repository, with its tests."
MESON_TESTS = "`meson.build` adds tests; Meson builds and runs them."
CTEST = "`CMakeLists.txt` adds tests; CTest runs them once they are built."
MAVEN_TESTS = "`pom.xml` defines a project; Maven tests it and its modules."
GRADLE_FETCHES = (
    "Gradle fetches some of what tests need only when they run, so the setup runs them once."
)
GRADLE_TESTS = "Gradle's build files define a project; Gradle tests it and its subprojects."
COMPOSER_INSTALLS = "`composer.json` declares the packages."
GEMS_INSTALLED = "The `Gemfile` declares the gems; they are installed outside of the repository."
GEMS_OF_GEMSPEC = "The gemspec declares the gems, so the setup adds a `Gemfile` that asks for them."
SPECS = "`spec` has examples for RSpec."
RAILS_TESTS = "`bin/rails` runs the tests in `test`."
TESTS_OF_RUBY = "`test` has Ruby tests, and the `Rakefile` has no task for them."


@example("test")
def composer_script(name: str) -> str:
    return f"`composer.json` has a script `{name}`."


@example("phpunit")
def composer_runner(name: str) -> str:
    return f"`composer.json` requires `{name}`, and no script runs it."


@example("phpunit.xml.dist", "PHPUnit")
def configured_runner(file: str, runner: str) -> str:
    return f"`{file}` configures {runner}."


@example("Makefile", "test")
def make_target(file: str, target: str) -> str:
    return f"`{file}` has a `{target}` target."


@example(".pre-commit-config.yaml")
def only_hooks(file: str) -> str:
    return f"The hooks in `{file}` are the only checks in this repository."


@example("libs/core")
def package_of_patch(folder: str) -> str:
    return f"The patch changes the package in `{folder}`, so the tests of that package run."


@example("libs/core")
def package_named(folder: str) -> str:
    return f"The problem is about the package in `{folder}`, so the tests of that package run."


@example("libs/core")
def package_of_pull_request(folder: str) -> str:
    return f"The pull request changes the package in `{folder}`, so the tests of that package run."


@example("libs/core")
def package_of_last_commit(folder: str) -> str:
    return (
        f"The repository has several packages; the last commit changed the one in `{folder}`, "
        "so the tests of that package run."
    )


@example("libs/core")
def package_with_most_tests(folder: str) -> str:
    return (
        f"The repository has several packages, and the one in `{folder}` has the most tests, so "
        "those run. Pass another command with --test."
    )


@example(["libs/core"])
@example(["libs/core", "libs/http"])
def packages_beside(folders: Sequence[str]) -> str:
    """What is tested goes with other packages of the same repository."""
    named = series([f"`{folder}`" for folder in folders])
    if len(folders) == 1:
        return f"The package in {named} is installed from this repository."
    return f"The packages in {named} are installed from this repository."


@example("test")
def bats_tests(folder: str) -> str:
    return f"`{folder}/` has tests for Bats."
