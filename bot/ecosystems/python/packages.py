"""Find the Python packages of a repository that holds several.

Such a repository is tested package by package: what its root knows about tests, if anything, is how
to run all of them. Reads files, runs nothing.
"""

from __future__ import annotations

import configparser
import contextlib
import posixpath
import re
from collections.abc import Iterable

from bot.ecosystems.base import Package
from bot.ecosystems.python.install import declared, names
from bot.ecosystems.python.task_runners import pyproject
from bot.ecosystems.python.tests import test_files, test_imports
from bot.ecosystems.tree import FolderTree, Tree, is_source, repository_of, tree_of

_MANIFESTS = ("pyproject.toml", "setup.py")
_DEPTHS = ("*", "*/*", "*/*/*")
"""How deep below the root packages are looked for."""

_NAME = re.compile(r"""\bname\s*=\s*["'](?P<name>[\w.-]+)["']""")
_MODULES = ("{0}/__init__.py", "src/{0}/__init__.py", "{0}.py", "src/{0}.py", "lib/{0}/__init__.py")


def packages(tree: Tree) -> tuple[Package, ...]:
    """Return the Python packages below the root, by folder."""
    found: dict[str, Package] = {}
    for pattern in (f"{depth}/{name}" for depth in _DEPTHS for name in _MANIFESTS):
        for path in tree.glob(pattern):
            folder = posixpath.dirname(path)
            if folder not in found and is_source(folder):
                name = _name(FolderTree(tree, folder)) or posixpath.basename(folder)
                found[folder] = Package(folder, next(iter(names([name])), name))
    return tuple(found[folder] for folder in sorted(found))


def tested(tree: Tree) -> tuple[Package, ...]:
    """Return the packages that have tests of their own."""
    return tuple(
        package for package in packages(tree) if _has_tests(FolderTree(tree, package.folder))
    )


def has_own_tests(tree: Tree) -> bool:
    """Whether the repository has tests that belong to none of its packages."""
    return any(not _nearest(tree, path) for path in test_files(tree))


def providing(tree: Tree, module: str) -> Package | None:
    """Return the other package of the repository that has a module, if there is one."""
    whole, here = repository_of(tree)
    top = module.partition(".")[0]
    for package in packages(whole):
        if package.folder != here and _has(FolderTree(whole, package.folder), top):
            return package
    return None


def imported(tree: Tree) -> tuple[Package, ...]:
    """Return the packages of the repository that the tests at its root import."""
    modules = test_imports(tree)
    return tuple(
        package
        for package in packages(tree)
        if any(_has(FolderTree(tree, package.folder), module) for module in modules)
    )


def siblings(tree: Tree, required: Iterable[str]) -> tuple[Package, ...]:
    """Return the packages of the same repository that a package requires, by whatever way.

    Args:
        tree: Of the package, or of the repository.
        required: Normalised names of what it requires.
    """
    whole, here = repository_of(tree)
    by_name = {entry.name: entry for entry in packages(whole) if entry.folder != here}
    found: dict[str, Package] = {}
    open_names = [*required]
    while open_names:
        package = by_name.get(open_names.pop())
        if package is not None and package.name not in found:
            found[package.name] = package
            open_names += declared(FolderTree(whole, package.folder))
    return tuple(sorted(found.values(), key=lambda item: item.folder))


def is_shadowed(tree: Tree, package: Package) -> bool:
    """Whether a package is in a folder of the root that is called like its own module.

    Tests at the root find that folder first, as a namespace package, if setuptools installs the
    package by a finder of its own and not by a path:
    https://setuptools.pypa.io/en/latest/userguide/development_mode.html#legacy-behavior
    """
    inside = FolderTree(tree, package.folder)
    requires = pyproject(inside.read).get("build-system", {}).get("requires", ["setuptools"])
    return _has(inside, package.folder) and "setuptools" in names(map(str, requires))


def relative(tree: Tree, package: Package) -> str:
    """Return the path of a package for `pip install -e` in the folder of a tree."""
    _, here = repository_of(tree)
    path = posixpath.relpath(package.folder, here or ".")
    return path if path.startswith("../") else f"./{path}"


def _has(tree: Tree, module: str) -> bool:
    return any(tree.exists(form.format(module)) for form in _MODULES)


def _nearest(tree: Tree, path: str) -> str:
    """Return the innermost package with tests of its own around a file, "" for the repository."""
    folder = posixpath.dirname(path)
    while folder:
        if is_source(folder) and has_own_tests_inside(tree_of(tree, folder)):
            return folder
        folder = posixpath.dirname(folder)
    return ""


def has_own_tests_inside(tree: Tree) -> bool:
    """Whether a folder is a Python package with tests."""
    return any(map(tree.exists, _MANIFESTS)) and _has_tests(tree)


def _has_tests(tree: Tree) -> bool:
    return next(test_files(tree), None) is not None


def _name(tree: Tree) -> str:
    data = pyproject(tree.read)
    own = data.get("project", {}).get("name") or data.get("tool", {}).get("poetry", {}).get("name")
    if isinstance(own, str):
        return own
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    with contextlib.suppress(configparser.Error):
        parser.read_string(tree.read("setup.cfg") or "")
    match = _NAME.search(tree.read("setup.py") or "")
    return parser.get("metadata", "name", fallback=match["name"] if match else "")
