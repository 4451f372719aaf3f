"""Plugins that pytest misses: options, settings, markers and fixtures that nothing here defines.

And what is too old: a plugin for the installed pytest, pytest itself for the installed Python.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from bot.ecosystems.base import ENVIRONMENT
from bot.ecosystems.python.install import RequirementSource
from bot.ecosystems.python.requirement_lists import every_list, requirement
from bot.ecosystems.remedy import Remedy, Symptoms, matches
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

_REQUIRED = re.compile(r"Missing required plugins: (?P<names>[\w., <>=!-]+)")
_RAISED = r"^(?:E[ \t]+|ERROR: )?(?:pytest\.)?"
"""How the line of a warning begins that is raised as an error; one that is listed has its place."""

_SAID = (
    ("option", re.compile(r"error: unrecognized arguments: (?P<name>-[^\n]+)")),
    ("setting", re.compile(rf"{_RAISED}PytestConfigWarning: Unknown config option: (?P<name>\w+)", re.MULTILINE)),
    ("hook", re.compile(r"PluginValidationError: unknown hook '(?P<name>\w+)'")),
    ("fixture", re.compile(r"^E?[ \t]+fixture '(?P<name>\w+)' not found", re.MULTILINE)),
    ("marker", re.compile(r"'(?P<name>\w+)' not found in `markers` configuration option")),
    ("marker", re.compile(rf"{_RAISED}PytestUnknownMarkWarning: Unknown pytest\.mark\.(?P<name>\w+)", re.MULTILINE)),
)  # fmt: skip
_REFUSED = re.compile(
    r"PluginValidationError: Plugin '(?P<name>[\w.-]+)' for hook '\w+'$", re.MULTILINE
)
_TOO_OLD = re.compile(
    r"TypeError: required field \"(?:lineno|type_ignores)\" missing from (?:alias|Module)"
    r"|'?AssertionRewritingHook'? object has no attribute 'find_spec'"
)
"""How a pytest fails to read any test with a Python that is newer than it."""

_OF_MANY_PYTHONS = "pytest>=7.4,<8"
"""It knows the Pythons from 3.7 on, and still what tests of pytest 3 to 6 do."""

_OWNER = (
    "import importlib.metadata as m; print(next(d.metadata['Name'] for d in m.distributions() "
    "for e in d.entry_points if (e.group, e.name) == ('pytest11', {!r})))"
)
_PROJECT = ("pyproject.toml", "setup.cfg", "setup.py")

_ASYNC = re.compile(r"async def functions are not natively supported")
_ASYNC_PLUGINS = ("pytest-asyncio", "anyio", "pytest-trio", "pytest-twisted", "pytest-tornasync")

# What well-known plugins add to pytest: the start of an option, or the whole name of a setting, a
# marker or a fixture. https://docs.pytest.org/en/stable/reference/plugin_list.html
_BROUGHT = {
    "pytest-cov": ("--cov", "--no-cov"),
    "pytest-xdist": ("-n", "--numprocesses", "--dist", "--maxprocesses", "xdist_group"),
    "pytest-timeout": ("--timeout", "timeout"),
    "pytest-asyncio": (
        "--asyncio",
        "asyncio",
        "asyncio_mode",
        "asyncio_default_fixture_loop_scope",
    ),
    "anyio": ("anyio", "anyio_mode", "anyio_backend"),
    "pytest-trio": ("trio", "trio_mode", "nursery", "autojump_clock"),
    "pytest-mock": ("mocker", "class_mocker", "session_mocker", "mock_use_standalone_module"),
    "pytest-django": ("--ds", "--reuse-db", "django_db", "DJANGO_SETTINGS_MODULE", "rf"),
    "pytest-randomly": ("--randomly", "randomly_seed"),
    "pytest-benchmark": ("--benchmark", "benchmark"),
    "pytest-rerunfailures": ("--reruns", "--only-rerun", "flaky"),
    "pytest-mypy": ("--mypy",),
    "pytest-ruff": ("--ruff",),
    "pytest-flake8": ("--flake8",),
    "pytest-black": ("--black",),
    "pytest-sugar": ("--force-sugar",),
    "pytest-socket": ("--disable-socket", "--allow-hosts", "--allow-unix-socket", "socket_enabled"),
    "pytest-env": ("env",),
    "pytest-subtests": ("subtests",),
    "pytest-regressions": ("data_regression", "file_regression", "num_regression"),
    "pytest-datadir": ("datadir", "shared_datadir", "original_datadir"),
    "pytest-freezer": ("freezer",),
    "pytest-httpserver": ("httpserver",),
    "pytest-httpbin": ("httpbin", "httpbin_secure", "httpbin_both", "httpbin_ca_bundle"),
    "pytest-httpx": ("httpx_mock",),
    "pytest-aiohttp": ("aiohttp_client", "aiohttp_server", "aiohttp_raw_server"),
    "pytest-recording": ("vcr", "--record-mode", "--block-network"),
    "pytest-qt": ("qtbot", "qapp", "qt_api"),
    "pytest-flask": ("live_server", "client_class", "--live-server-wait"),
    "pytest-order": ("order", "--order-scope"),
    "pytest-snapshot": ("--snapshot-update",),
    "pytest-unordered": ("unordered",),
    "pytest-lazy-fixtures": ("lf",),
    "pytest-codspeed": ("--codspeed",),
    "pytest-instafail": ("--instafail",),
    "pytest-repeat": ("--count", "repeat"),
    "pytest-split": ("--splits", "--store-durations"),
    "pytest-retry": ("--retries",),
    "pytest-doctestplus": ("--doctest-plus", "--doctest-rst", "doctest_plus"),
    "pytest-console-scripts": ("script_runner", "script_launch_mode"),
    "requests-mock": ("requests_mock",),
    "respx": ("respx_mock",),
    "responses": ("responses",),
    "pyfakefs": ("fs", "fs_class", "fs_session"),
    "syrupy": ("snapshot", "--snapshot-details"),
    "inline-snapshot": ("--inline-snapshot",),
    "Faker": ("faker",),
    "hypothesis": ("--hypothesis-profile", "--hypothesis-show-statistics"),
    "time-machine": ("time_machine",),
    "jaraco.test": ("--enabler",),
}


def missing_plugins(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield a remedy for each plugin that pytest seems to miss."""
    lists = every_list(tree)
    for match in matches(_REQUIRED, symptoms.output):
        names = tuple(name.strip() for name in match["names"].split(",") if name.strip())
        yield Remedy(f"plugins {names}", setup_repair.plugins_required(names), (_install(*names),))
    for kind, pattern in _SAID:
        for match in matches(pattern, symptoms.output):
            for name in _names(kind, match["name"]):
                if remedy := _remedy(kind, name, lists):
                    yield remedy
    if _ASYNC.search(symptoms.output):
        yield _async_remedy(symptoms.output, lists)


def refused_plugins(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the removal of plugins that the installed pytest refuses: it runs no test with them.

    One that the project itself is may be what has to be repaired.
    """
    for match in matches(_REFUSED, symptoms.output):
        name = match["name"]
        texts = [text for path in _PROJECT if "pytest11" in (text := tree.read(path) or "")]
        if not any(re.search(rf"\b{re.escape(name)}\b[\"']?\s*=", text) for text in texts):
            owner = f"$({ENVIRONMENT}/bin/python -c {shlex.quote(_OWNER.format(name))})"
            removal = f'uv pip uninstall --python {ENVIRONMENT} "{owner}"'
            yield Remedy(f"no plugin {name}", setup_repair.plugin_refused(name), (removal,))


def old_pytest(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:  # noqa: ARG001 - as all
    """Yield a pytest that knows the installed Python, where the project pins one that does not."""
    if _TOO_OLD.search(symptoms.output):
        yield Remedy("newer pytest", setup_repair.PYTEST_TOO_OLD, (_install(_OF_MANY_PYTHONS),))


def _names(kind: str, said: str) -> list[str]:
    """Return the options of an error, or the one name that any other message has."""
    if kind != "option":
        return [said]
    options = (word.partition("=")[0] for word in said.split() if word.startswith("-"))
    return [option if option.startswith("--") else option[:2] for option in options]


def _remedy(kind: str, name: str, lists: tuple[RequirementSource, ...]) -> Remedy | None:
    plugin = _plugin(kind, name)
    if plugin is None:
        return _every_declared(kind, name, lists)
    return _with(plugin, setup_repair.plugin(plugin, kind, name), lists)


def _plugin(kind: str, name: str) -> str | None:
    if kind == "hook":  # by custom it begins with the plugin's own name
        owners = (plugin for plugin in _BROUGHT if name.startswith(f"pytest_{_own_name(plugin)}_"))
        return next(owners, None)
    for plugin, brought in _BROUGHT.items():
        for own in brought:
            if name == own or (kind == "option" and own.startswith("--") and name.startswith(own)):
                return plugin
    return None


def _own_name(plugin: str) -> str:
    return plugin.removeprefix("pytest-").replace("-", "_")


def _every_declared(kind: str, name: str, lists: tuple[RequirementSource, ...]) -> Remedy | None:
    """Return the installation of all plugins that the project lists: one of them may have it."""
    declared = {
        package: requirement(source, package)
        for source in lists
        for package in sorted(source.packages)
        if package.startswith("pytest-")
    }
    if not declared:
        return None
    why = setup_repair.declared_plugins(kind, name)
    return Remedy("all pytest plugins", why, (_install(*declared.values()),))


def _async_remedy(output: str, lists: tuple[RequirementSource, ...]) -> Remedy:
    declared = (p for p in _ASYNC_PLUGINS for s in lists if p in s.packages)
    plugin = next(declared, "anyio" if "mark.anyio" in output else _ASYNC_PLUGINS[0])
    return _with(plugin, setup_repair.async_plugin(plugin), lists)


def _with(plugin: str, why: str, lists: tuple[RequirementSource, ...]) -> Remedy:
    """Return the installation of a plugin in the version that the project asks for."""
    source = next((s for s in lists if plugin.lower() in s.packages), None)
    wanted = requirement(source, plugin.lower()) if source else plugin
    return Remedy(f"plugin {plugin}", why, (_install(wanted),))


def _install(*words: str) -> str:
    return f"uv pip install --python {ENVIRONMENT} {shlex.join(words)}"
