"""What a setup lacked, and what was done about it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.markdown import code
from bot.reporting.series import series

_MODULES = 6
"""Names that a sentence shows."""


_LISTS = {
    "project": "`{0}` lists it",
    "extra": "the extra `{0}` declares it",
    "group": "the dependency group `{0}` declares it",
    "file": "`{0}` lists it",
    "tox": "`{0}` lists it",
    "tox environment": "the tox environment `{0}` installs it",
    "nox": "the nox session `{0}` installs it",
    "hatch": "the hatch environment `{0}` has it",
    "poetry": "poetry's group `{0}` declares it",
    "pdm": "pdm's group `{0}` declares it",
    "uv": "uv's `{0}` declare it",
    "rye": "rye's `{0}` declare it",
    "pipenv": "`Pipfile` lists it",
    "workflow": "`{0}` installs it",
}


@example("flask", "project", "pyproject.toml")
@example("trustme", "extra", "test")
@example("flask", "group", "dev")
@example("flask", "file", "requirements-dev.txt")
@example("flask", "tox", "tox.ini")
@example("flask", "tox environment", "py312")
@example("flask", "nox", "tests")
@example("flask", "hatch", "test")
@example("flask", "poetry", "dev")
@example("flask", "pdm", "test")
@example("flask", "uv", "dev-dependencies")
@example("flask", "rye", "dev-dependencies")
@example("flask", "pipenv", "dev-packages")
@example("flask", "workflow", ".github/workflows/test.yml")
def module_declared(module: str, kind: str, name: str) -> str:
    return f"The Python module `{module}` is missing; {_LISTS[kind].format(name)}."


@example("npm ci", 1)
def failed_again(command: str, exit_code: int) -> str:
    return f"With what was added since, {code(command)} exited with {exit_code}:"


@example("139 of 142 tests passed")
def exit_status_silent(line: str) -> str:
    return (
        f"The tests count failures ({code(line)}) and yet exit with status 0, "
        "so what they print decides whether they pass."
    )


@example("yaml")
def module_by_name(module: str) -> str:
    return (
        f"The Python module `{module}` is missing; the setup adds the package known for that name."
    )


@example(["orjson", "ujson"])
def modules_imported(modules: Sequence[str]) -> str:
    """Tests import further modules that the project lists outside of what the setup installs."""
    named = series([f"`{module}`" for module in modules], most=_MODULES)
    return f"The tests import {named} too, which the project lists."


@example("app", "src")
@example("helpers", "tests")
def own_module(module: str, folder: str) -> str:
    return f"The tests import `{module}` from `{folder}`, so `PYTHONPATH` has to contain it."


@example("core", "libs/core")
def own_package(module: str, folder: str) -> str:
    return f"The Python module `{module}` is missing; the package in `{folder}` has it."


@example("wire/_speed.pyx")
def translated(source: str) -> str:
    return f"The build expects the C source that Cython makes from `{source}`; the setup makes it."


@example("pkg_resources")
def setuptools(module: str) -> str:
    return f"The Python module `{module}` is missing; it is a part of setuptools."


@example(["pytest-xdist", "pytest-cov>=4"])
def plugins_required(names: Sequence[str]) -> str:
    """Pytest's own setting `required_plugins` names what is missing."""
    named = series([f"`{name}`" for name in names])
    return f"pytest's `required_plugins` asks for {named}."


PYTEST_TOO_OLD = (
    "The pytest that the project asks for does not work with this Python; pytest 7 does."
)


@example("pep8")
def plugin_refused(name: str) -> str:
    return f"The installed pytest refuses its plugin `{name}`, which is removed."


@example("pytest-cov", "option", "--cov")
@example("pytest-mock", "fixture", "mocker")
def plugin(package: str, kind: str, name: str) -> str:
    return f"pytest does not know the {kind} `{name}`; `{package}` adds it."


@example("fixture", "api_server")
def declared_plugins(kind: str, name: str) -> str:
    return (
        f"pytest does not know the {kind} `{name}`; one of the pytest plugins that the project "
        "lists may add it."
    )


@example("pytest-asyncio")
def async_plugin(package: str) -> str:
    return f"The tests are async functions; `{package}` runs them."


@example("<3.12,>=3.8")
def python_refused(versions: str) -> str:
    return f"The project needs Python {versions}."


@example("imp", "3.12")
def python_too_new(name: str, version: str) -> str:
    return f"The code needs `{name}`, which Python {version} removed, so an older Python is used."


@example("pg_config", "libpq-dev")
@example("foo", "")
def system_package(name: str, package: str) -> str:
    """A program, a header or a library of the system is missing; its Debian package may be known."""
    hint = f"; Debian's package `{package}` has it" if package else ""
    return f"`{name}` is missing on this machine{hint}."


@example("go", "Go")
def toolchain(name: str, language: str) -> str:
    return f"`{name}` is missing: this machine has no {language}."


@example("PyPI", "cmake")
def program_from(index: str, name: str) -> str:
    return f"The program `{name}` is missing; the setup takes it from {index}."


@example("API_URL", "http://127.0.0.1:9", "")
@example("API_URL", "http://127.0.0.1:8000", ".env.example")
def variable(name: str, value: str, origin: str) -> str:
    """The tests expect an environment variable."""
    first, _, more = value.partition("\n")
    value = f"{first} ..." if more else first
    said = f"`{origin}` sets it to `{value}`" if origin else f"`{value}` stands in for it"
    return f"The tests need the environment variable `{name}`; {said}."


@example("left-pad")
def node_package(name: str) -> str:
    return f"The package `{name}` is missing, so the setup adds it."


@example("./dist/index.js")
def build_missing(path: str) -> str:
    return f"`{path}` is a result of the project's build, so the setup runs the `build` script."


@example("dist/index.js", "npm run build")
def built_again(path: str, command: str) -> str:
    return (
        f"The tests read `{path}`, which the project's build makes, so `{command}` runs again "
        "whenever a source has changed."
    )


@example("wire/_speed.pyx")
def compiled_again(source: str) -> str:
    return f"`{source}` is compiled, so the modules are built again whenever such a source has changed."


BUILD_FAILS = (
    "fixpoint: the build fails with this change, so what follows may use what it made before:"
)


@example("npm")
def peer_conflict(manager: str) -> str:
    return f"{manager} refuses conflicting peer dependencies, so the setup ignores the conflict."


@example("left-pad")
def node_package_absent(name: str) -> str:
    return f"The registry does not have the package `{name}`, so the setup leaves it out."


NODE_TOOLS_IN_PARTS = (
    "Some of the development packages can't be had here, or something that they need can't, "
    "so the setup installs the others."
)
LOCK_NOT_LOOKED_UP = (
    "pnpm can't look up each package of the lock file at its registry, "
    "so the setup takes the lock file as the repository has it."
)


@example("npm")
def lock_differs(manager: str) -> str:
    return (
        f"{manager} refuses the lock file, which does not match `package.json`, so it is updated."
    )


@example("22")
def node_too_old(version: str) -> str:
    return f"A program needs a newer Node.js, so the setup installs version {version}."


@example("1.23")
def go_too_old(version: str) -> str:
    return f"The module needs Go {version} or newer, so the setup installs Go {version} from PyPI."


@example("pnpm")
def engine_refused(manager: str) -> str:
    return f"{manager} refuses this version of Node.js, so the setup ignores `engines`."


@example("go", "go mod download example.com/x")
def advised(tool: str, command: str) -> str:
    return f"`{tool}` asks for `{command}`."


@example("Go", "1.24")
def newer_toolchain(language: str, version: str) -> str:
    return f"The project needs {language} {version}, which the setup downloads."


@example("Rust", "1.80")
def toolchain_too_old(language: str, version: str) -> str:
    return f"The project needs {language} {version}, and this machine has an older version."


@example("top-sites")
@example("")
def install_script_failed(package: str) -> str:
    """A script that runs while packages are installed fails, as when it downloads something.

    Args:
        package: Whose; "" for the project's own.
    """
    whose = f"of `{package}`" if package else "of the project"
    return f"An installation script {whose} fails here, so each script runs alone and may fail."


@example("org.apache.maven.surefire:surefire-junit4:3.2.5:jar")
def artifact(name: str) -> str:
    return f"Maven resolves `{name}` only as it runs, so it is fetched during the setup."


@example("org.junit:junit-bom:5.11.0")
def artifact_of_gradle(name: str) -> str:
    return f"Gradle resolves `{name}` only as it runs, so the setup runs the tests once."


@example("21")
def gradle_too_old(java: str) -> str:
    return f"The project's Gradle does not run on Java {java}, the version on this machine."


@example("composer.json")
def packages_not_installed(file: str) -> str:
    return f"The packages of `{file}` are not installed, so the setup installs them."


@example("numpy")
def build_requirements(module: str) -> str:
    return (
        f"The project's build imports `{module}` without declaring it, so the setup installs the "
        "build's requirements first."
    )


ONE_BY_ONE = (
    "The requirements can't be installed together, so the setup installs them one by one and "
    "leaves out what fails."
)


@example("uv pip install --python ~/.venv flask", 1)
def did_not_help(command: str, exit_code: int) -> str:
    return f"`{command}` exited with {exit_code}, so the setup stays without it."


@example("0123456789abcdef")
def remembered(commit: str) -> str:
    return f"The setup starts with what the run at {commit[:7]} found missing."


CONFIG_OFFERED = "To keep this setup, put these lines into `.github/fixpoint.yml`:"


@example(">=3.14")
def python_absent(versions: str) -> str:
    return f"This machine has no Python {versions}; the setup takes the one there is."


@example("vendor/lib")
def submodule_absent(path: str) -> str:
    return f"`{path}` is empty; fetch it with `git submodule update --init {path}`."


@example("vendor/lib")
def submodule_fetched(path: str) -> str:
    return f"The tests need the submodule `{path}`, so the setup fetches it."


IDENTITY_SET = "The tests commit with git, so the setup gives git a name and an email address."


@example("postgres", 5432, "compose.yaml")
@example("redis", 6379, "")
def service_started(kind: str, port: int, origin: str) -> str:
    """The tests connect to a database that does not run; a file may describe it."""
    like = f", as `{origin}` describes it" if origin else ""
    return f"The tests connect to {kind} on port {port}, so it is started for each command{like}."


@example("MongoDB", "27017")
def service_absent(name: str, port: str) -> str:
    return f"The tests connect to {name} (port {port}), which is not started in the sandbox."


@example("postgres", "app")
def user_made(kind: str, name: str) -> str:
    return f"The tests connect to {kind} as `{name}`, so this user and a database of its name are made."


@example("mysql", "app")
def everybody_let_in(kind: str, name: str) -> str:
    return f"The tests connect to {kind} as `{name}` and are refused, so the server now accepts any user."


@example("postgres", "app_test")
@example("mysql", "app_test")
def database_made(kind: str, name: str) -> str:
    return f"The tests connect to the {kind} database `{name}`, so it is made."


@example("postgres", "APP_TEST_DSN", ".github/workflows/test.yml")
def service_named(kind: str, variable: str, origin: str) -> str:
    return (
        f"Tests were skipped. They look for {kind} in `{variable}`, which `{origin}` sets, so "
        f"both are there for each command."
    )


@example("av", "11.0.0")
def stands_in(package: str, version: str) -> str:
    return (
        f"`{package}` {version} can't be built here; the setup goes on without it, "
        "so whatever imports it fails."
    )
