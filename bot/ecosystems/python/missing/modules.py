"""Python modules that a command could not import, and what the project says has them."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Collection, Iterator

from bot.ecosystems.base import ENVIRONMENT
from bot.ecosystems.python.install import RequirementSource, by_import_name
from bot.ecosystems.python.packages import providing, relative
from bot.ecosystems.python.requirement_lists import every_list, requirement
from bot.ecosystems.python.tests import test_imports
from bot.ecosystems.remedy import Remedy, Symptoms, matches
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

_NO_MODULE = re.compile(
    r"(?:ModuleNotFoundError|ImportError|Error importing plugin \"[^\"]+\"): "
    r"No module named ['\"]?(?P<module>[\w.]+)['\"]?"
)
NO_MODULE_TO_RUN = re.compile(
    r"^\S*python[\d.]*(?:\.exe)?: No module named (?P<module>[\w.]+)$", re.MULTILINE
)
"""What Python says when the module behind `-m` is not installed."""

_PART = re.compile(r"^(?:python-|py-?)|(?:-python|-py)$")

_WHOLE_KINDS = frozenset({"project", "extra", "group", "file", "tox"})
"""Lists that are made to be installed as they are."""

_PACKAGES = ("{0}.py", "{0}/*.py", "src/{0}.py", "src/{0}/*.py", "lib/{0}.py", "lib/{0}/*.py")
"""Where the project itself has the modules that it is about."""

_TEST_MODULES = ("test*/{0}.py", "test*/{0}/*.py", "test*/*/{0}.py", "test*/*/{0}/*.py")
"""Where modules are that only tests import. A folder elsewhere may just be called like a package."""

_WITH_SETUPTOOLS = frozenset({"setuptools", "pkg_resources", "distutils"})
SETUPTOOLS = "setuptools<81"
"""The last one with `pkg_resources`: https://setuptools.pypa.io/en/latest/history.html#v82-0-0"""

_INSTALL = f"uv pip install --python {ENVIRONMENT}"


def missing_modules(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield a remedy for each module that was not found, and one for what tests import besides."""
    lists = every_list(tree)
    found = modules(symptoms.output)
    for module in found:
        top = module.partition(".")[0]
        if folder := _own(top, _PACKAGES, tree):
            yield from _own_module(module, folder)
        elif package := providing(tree, top):
            why = setup_repair.own_package(top, package.folder)
            install = _install("-e", relative(tree, package))
            yield Remedy(f"module {module}", why, (install,), way=package.folder)
        elif top in _WITH_SETUPTOOLS:
            why, older = setup_repair.setuptools(top), _install(SETUPTOOLS)
            yield Remedy(f"module {top}", why, (older,), keeps_out=True)
        elif _lists(module, lists) is None and (folder := _own(top, _TEST_MODULES, tree)):
            yield from _own_module(module, folder)
        else:
            yield from _declared(module, lists)
            yield _by_name(module)
    if any(_lists(module, lists) for module in found):
        yield from _imported_besides(frozenset(found), lists, tree)


def skipped_modules(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield a remedy for what tests import if it is there, where some of them were skipped."""
    if not symptoms.left_out:
        return
    done = " ".join(symptoms.setup)
    lists = every_list(tree)
    installed = [
        source for source in lists if source.kind == "project" or " ".join(source.arguments) in done
    ]
    there = {package for source in installed for package in source.packages}
    others = sorted(
        (source for source in lists if source not in installed), key=lambda item: item.for_tests
    )
    yield from _imported_besides(frozenset(), tuple(others), tree, there)


def modules(output: str) -> tuple[str, ...]:
    """Return the modules that an output says were not found, in its order."""
    found = [*matches(NO_MODULE_TO_RUN, output), *matches(_NO_MODULE, output)]
    return tuple(dict.fromkeys(match["module"] for match in found))


def provides(package: str, module: str) -> bool:
    """Whether a package, by its normalised name (PEP 503), likely brings a module."""
    parts = module.lower().replace("_", "-").split(".")
    wanted = {"-".join(parts[:n]) for n in range(1, len(parts) + 1)}
    return bool({package, _PART.sub("", package)} & wanted)


def _own(top: str, forms: tuple[str, ...], tree: Tree) -> str | None:
    """Return the folder in which the project itself has a module of that name."""
    found = (path for form in forms for path in tree.glob(form.format(top)))
    path = next(found, None)
    if path is None:
        return None
    parts = path.split("/")
    depth = parts.index(top) if top in parts[:-1] else len(parts) - 1
    return "/".join(parts[:depth]) or "."


def _own_module(module: str, folder: str) -> Iterator[Remedy]:
    """Yield what makes the project's own module importable.

    A module that is missing inside of a package is what the project has to repair.
    """
    if "." not in module:
        why = setup_repair.own_module(module, folder)
        yield Remedy(f"module {module}", why, variables=(("PYTHONPATH", folder),))


def _declared(module: str, lists: tuple[RequirementSource, ...]) -> Iterator[Remedy]:
    """Yield the installation of the list of the project that has a package for the module."""
    found = _lists(module, lists)
    if found is not None:
        source, package = found
        why = setup_repair.module_declared(module, source.kind, source.name)
        wanted = _whole(source) if package is None else (requirement(source, package),)
        yield Remedy(f"module {module}", why, (_install(*wanted),), way=source.name)


def _lists(
    module: str, lists: tuple[RequirementSource, ...]
) -> tuple[RequirementSource, str | None] | None:
    """Return the list that has a package for a module, and the package; None for the whole list.

    A list that is named after the module is the whole answer, whatever its packages are called.
    """
    for source in lists:
        package = next((name for name in sorted(source.packages) if provides(name, module)), None)
        by_name = source.kind in {"extra", "group"} and provides(source.name.lower(), module)
        if package is not None or by_name:
            # a list of its own is read anew each time, so that what is changed in it counts
            meant = source.for_tests or source.kind == "project" or len(source.packages) == 1
            whole = package is None or (source.kind in _WHOLE_KINDS and meant)
            return source, None if whole else package
    return None


def _imported_besides(
    known: frozenset[str],
    lists: tuple[RequirementSource, ...],
    tree: Tree,
    installed: Collection[str] | None = None,
) -> Iterator[Remedy]:
    """Yield the installation of what tests import from lists, where one such list was left out.

    A test file tells of one missing module at a time, and each costs another run of the suite.

    Args:
        known: Modules that are taken care of.
        lists: Of the project.
        tree: The work tree.
        installed: Packages that are there; None where those are that lists for tests have.
    """
    tops = {module.partition(".")[0] for module in known}
    found: dict[str, tuple[str, ...]] = {}
    for module in sorted(test_imports(tree) - tops - sys.stdlib_module_names):
        listed = _lists(module, lists)
        if listed is None or _own(module, _PACKAGES, tree):
            continue
        source, package = listed
        is_there = (
            source.for_tests
            if installed is None
            else any(provides(item, module) for item in installed)
        )
        if not is_there:
            whole = package is None
            found[module] = _whole(source) if whole else (requirement(source, package or ""),)
    if found:
        words = dict.fromkeys(word for words in found.values() for word in _joined(words))
        why = setup_repair.modules_imported(tuple(found))
        yield Remedy("modules of the tests", why, (f"{_INSTALL} {' '.join(words)}",))


def _whole(source: RequirementSource) -> tuple[str, ...]:
    return ("-e", *source.arguments) if source.kind == "extra" else source.arguments


def _joined(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return arguments quoted, an option and its value as one."""
    if words[0].startswith("-"):
        return tuple(shlex.join(words[n : n + 2]) for n in range(0, len(words), 2))
    return tuple(map(shlex.quote, words))


def _by_name(module: str) -> Remedy:
    """Return the installation of the package that is known for the import name, else of its name.

    It counts only if the module can be found then: any package can have any name.
    """
    top = module.partition(".")[0]
    found = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({top!r}) is None)"
    command = f"{by_import_name(top)} && {ENVIRONMENT}/bin/python -c {shlex.quote(found)}"
    return Remedy(f"module {module}", setup_repair.module_by_name(module), (command,))


def _install(*words: str) -> str:
    return f"{_INSTALL} {shlex.join(words)}"
