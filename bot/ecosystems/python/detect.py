"""How a Python project is set up and tested."""

from __future__ import annotations

import re
import shlex

from bot.ecosystems.base import ENVIRONMENT, Detected, Package
from bot.ecosystems.python.install import RequirementSource, declared, pinned, sources, tox_extras
from bot.ecosystems.python.packages import imported, is_shadowed, relative, siblings
from bot.ecosystems.python.requirement_lists import every_list
from bot.ecosystems.python.task_runners import pyproject
from bot.ecosystems.python.tests import find_tests
from bot.ecosystems.python.versions import make_environment, wanted_python
from bot.ecosystems.tree import FolderTree, Tree, repository_of
from bot.reporting.reasons import detection

TOOLS = frozenset(
    {"pytest", "py.test", "tox", "nox", "ruff", "black", "isort", "flake8", "mypy", "pylint"}
    | {"pyright", "autoflake", "pyupgrade", "docformatter", "codespell", "pre-commit", "bandit"}
    | {"autopep8", "yapf", "pyflakes", "pycodestyle", "pydocstyle", "coverage"}
    | {"poetry", "pdm", "hatch", "pipenv"}
)
"""Programs that come from PyPI under their own name."""

_LOOSE_KINDS = frozenset({"workflow", "project", "tox environment"})
"""Lists that hold much besides what tests need."""

_COMMANDS = TOOLS | {"python", "pip", "uv"}
_MARKS = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "noxfile.py",
    "pytest.ini",
    "Pipfile",
    "manage.py",
    "conftest.py",
)
_PACKAGING = ("setup.cfg", "tox.ini", "noxfile.py", "Pipfile", "manage.py", "Makefile")
_PLAIN_FILES = ("*.py", "*/*.py", "*/*/*.py", "*.toml", "*.sh")
_MOST_PLAIN_FILES = 60
_LOCKS = {
    "uv.lock": f"UV_PROJECT_ENVIRONMENT={ENVIRONMENT} uv sync --frozen --inexact",
    "poetry.lock": f"VIRTUAL_ENV={ENVIRONMENT} uvx poetry install --no-interaction",
    "pdm.lock": f"VIRTUAL_ENV={ENVIRONMENT} uvx pdm install --frozen-lockfile",
    "Pipfile.lock": f"VIRTUAL_ENV={ENVIRONMENT} uvx pipenv sync --dev",
}


def is_python(tree: Tree) -> bool:
    """Whether the repository has a Python project at its root."""
    return any(tree.exists(mark) for mark in _MARKS) or bool(
        tree.glob("*.py") or tree.glob("test*/test*.py") or tree.glob("requirements*.txt")
    )


def environment(tree: Tree, *, pip: bool = True) -> tuple[str, str]:
    """Return the command that makes the environment, and the sentence that explains it."""
    wanted = wanted_python(tree)
    why = (
        detection.python_version(ENVIRONMENT, python=wanted.request, file=wanted.origin)
        if wanted
        else detection.python_environment(ENVIRONMENT)
    )
    return make_environment(wanted, pip=pip), why


def find(tree: Tree, tools: frozenset[str]) -> Detected | None:
    """Return how the project is set up and tested, or None when there is no Python here.

    Args:
        tree: The work tree.
        tools: Programs that given commands run, so that the setup must install them.
    """
    if not is_python(tree):
        return None
    tests = find_tests(tree)
    needed: dict[str, None] = dict.fromkeys(sorted(tools & TOOLS))
    if tests:
        needed |= dict.fromkeys(tests.needs)
    plain = _is_plain(tree, tools | set(needed))
    make, make_why = environment(tree, pip=not plain)
    install, install_why = _install(tree, tuple(needed), pip=not plain)
    return Detected(
        ecosystem="python",
        setup=(make, *install, *_hooks(tools)),
        test=tests.command if tests else None,
        setup_why=(make_why, *install_why),
        test_why=tests.why if tests else "",
        tools=_COMMANDS,
    )


def _is_plain(tree: Tree, tools: frozenset[str]) -> bool:
    """Whether nothing here can ask for pip: a few files, tested by pytest or unittest alone."""
    files = [path for pattern in _PLAIN_FILES for path in tree.glob(pattern)]
    return (
        tools <= {"python", "python3", "pytest"}
        and not (_installable(tree) or sources(tree) or any(map(tree.exists, _PACKAGING)))
        and len(files) <= _MOST_PLAIN_FILES
        and not any(re.search(r"\bpip\b", tree.read(path) or "") for path in files)
    )


def _hooks(tools: frozenset[str]) -> tuple[str, ...]:
    """Install the environments of pre-commit's hooks while there is network."""
    return ("pre-commit install-hooks",) if "pre-commit" in tools else ()


def _install(
    tree: Tree, needed: tuple[str, ...], *, pip: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the commands that install what tests need, and the sentences that explain them."""
    chosen, missing = _chosen(tree, needed)
    lock = next((name for name in _LOCKS if tree.exists(name)), None) or _workspace_lock(tree)
    why = [detection.locked(lock)] if lock else []
    beside = _beside(tree, chosen)
    if beside:
        why.append(detection.packages_beside([package.folder for package in beside]))
    if chosen:
        why.append(detection.test_dependencies([(s.kind, s.name) for s in chosen]))
    if missing:
        why.append(detection.dependencies_added(missing))
    unlocked = [*_editable(tree, beside), *_pip_arguments(tree, chosen, missing)]
    if not unlocked:
        return (), tuple(why)
    if lock is None:
        return (_pip_install(unlocked, pip=pip),), tuple(why)
    locked = f"{_LOCKS[lock]}{_lock_options(lock, chosen)} || {{ {_pip_install(unlocked)}; }}"
    return (locked, *([_pip_install(list(missing))] if missing else [])), tuple(why)


def _workspace_lock(tree: Tree) -> str | None:
    """Return uv's lock file above a package: the members of a workspace share one."""
    whole, folder = repository_of(tree)
    shared = folder and whole.exists("uv.lock") and not tree.exists("poetry.lock")
    return "uv.lock" if shared else None


def _beside(tree: Tree, chosen: tuple[RequirementSource, ...]) -> tuple[Package, ...]:
    """Return the packages of the same repository that go with what is installed.

    They are what the project requires of its own, or, where the root is no project, what its tests
    import.
    """
    required = set(declared(tree)).union(*(source.packages for source in chosen))
    if _installable(tree):
        return siblings(tree, required)
    return imported(tree)


def _editable(tree: Tree, beside: tuple[Package, ...]) -> list[str]:
    """Return arguments of pip for packages of the repository, with what their tests need."""
    whole, folder = repository_of(tree)
    shadowed = not folder and any(is_shadowed(tree, package) for package in beside)
    arguments = ["-C", "editable_mode=compat"] if shadowed else []
    for package in beside:
        path = relative(tree, package)
        extra = (
            None if folder or _installable(tree) else _test_extra(FolderTree(whole, package.folder))
        )
        arguments += ["-e", f"{path}[{extra}]" if extra else path]
    return arguments


def _test_extra(tree: Tree) -> str | None:
    extras = (source for source in sources(tree) if source.kind == "extra" and source.for_tests)
    return next((source.name for source in extras), None)


def _pip_arguments(
    tree: Tree, chosen: tuple[RequirementSource, ...], missing: tuple[str, ...]
) -> list[str]:
    arguments: list[str] = []
    if _installable(tree):
        extras = [source.name for source in chosen if source.kind == "extra"]
        arguments += ["-e", f".[{','.join(extras)}]" if extras else "."]
    for source in chosen:
        if source.kind != "extra":
            arguments += source.arguments
    return [*arguments, *missing]


def _lock_options(lock: str, chosen: tuple[RequirementSource, ...]) -> str:
    """Return the lock manager's options for the chosen extras and groups."""
    known = {
        "uv.lock": {"extra": "--extra", "group": "--group"},
        "poetry.lock": {"extra": "--extras", "group": "--with"},
        "pdm.lock": {"extra": "--group", "group": "--group"},
    }
    flags = known.get(lock, {})
    options = [
        f" {flags[source.kind]} {shlex.quote(source.name)}"
        for source in chosen
        if source.kind in flags
    ]
    return "".join(options)


def _chosen(
    tree: Tree, needed: tuple[str, ...]
) -> tuple[tuple[RequirementSource, ...], tuple[str, ...]]:
    """Return the lists of requirements to install, and needed packages that are in none."""
    available = [source for source in sources(tree) if _usable(tree, source)]
    chosen: list[RequirementSource] = []
    best = next((source for source in available if source.for_tests), None) or _own_list(tree)
    if best:
        chosen.append(best)
        together = tox_extras(tree) if best.kind == "extra" else ()
        if best.name in together:
            chosen += [
                s for s in available if s.kind == "extra" and s.name in {*together} - {best.name}
            ]
    plain = next((s for s in available if s.name in {"requirements.txt", "requirements.in"}), None)
    if plain and plain not in chosen and not _installable(tree):
        chosen.insert(0, plain)
    have = set(declared(tree)).union(*(source.packages for source in chosen))
    missing: list[str] = []
    for package in needed:
        if package in have:
            continue
        other = next((source for source in available if package in source.packages), None)
        if other is None:
            missing.append(pinned(tree, package))
            continue
        chosen.append(other)
        have |= other.packages
    return tuple(chosen), tuple(missing)


def _own_list(tree: Tree) -> RequirementSource | None:
    """Return the list for tests that only a manager or a runner of the project reads."""
    found = (source for source in every_list(tree) if source.kind not in _LOOSE_KINDS)
    return next((source for source in found if source.for_tests and _usable(tree, source)), None)


def _usable(tree: Tree, source: RequirementSource) -> bool:
    """Extras need an installable project; documentation's requirements are never for tests."""
    if "doc" in source.name.lower():
        return False
    needs_project = any(argument.startswith(".[") for argument in source.arguments)
    return _installable(tree) or not needs_project


def _installable(tree: Tree) -> bool:
    if tree.exists("setup.py"):
        return True
    data = pyproject(tree.read)
    named = data.get("project", {}).get("name") or data.get("tool", {}).get("poetry", {})
    has_metadata = "[metadata]" in (tree.read("setup.cfg") or "")
    return bool(data.get("build-system") and (named or has_metadata)) or bool(
        data.get("project", {}).get("name") and _packages(tree)
    )


def _packages(tree: Tree) -> bool:
    """Whether something importable is there, so that a build without backend settings finds it."""
    return bool(tree.glob("*/__init__.py") or tree.glob("src/*/__init__.py"))


def _pip_install(arguments: list[str], *, pip: bool = True) -> str:
    """Return an installation with uv where there is uv, else with an up-to-date pip."""
    words = " ".join(_quoted(argument) for argument in arguments)
    other = f"pip install {words}"
    if "--group" in arguments:  # pip knows groups since 25.1
        other = f"{{ pip install --upgrade pip && {other}; }}"
    if not pip:
        other = f"{{ python -m ensurepip && python -m {other}; }}"
    return f"uv pip install --python {ENVIRONMENT} {words} || {other}"


def _quoted(argument: str) -> str:
    return argument if re.fullmatch(r"[\w./=,~+-]+", argument) else shlex.quote(argument)


def program_from_pypi(name: str, tree: Tree) -> tuple[str, str] | None:
    """Return where a program that was not found may come from, and what installs it."""
    if not is_python(tree):
        return None
    word = shlex.quote(name)
    there = f"test -x {ENVIRONMENT}/bin/{word}"
    return "PyPI", f"uv pip install --python {ENVIRONMENT} {word} && {there}"
