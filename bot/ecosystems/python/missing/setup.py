"""Ways around a Python installation that fails: its build, or one package of many."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator

from bot.ecosystems.base import ENVIRONMENT
from bot.ecosystems.commands.shell import simple_commands, within
from bot.ecosystems.python.install import sources
from bot.ecosystems.python.missing.modules import SETUPTOOLS, modules
from bot.ecosystems.python.requirement_lists import every_list
from bot.ecosystems.python.task_runners import pyproject
from bot.ecosystems.remedy import Remedy, Symptoms, matches
from bot.ecosystems.tree import Tree, repository_of
from bot.reporting.reasons import setup_repair

_BUILDS = re.compile(
    r"build_editable|prepare_metadata|get_requires_for_build|egg_info|Failed to build|build backend"
)
_NO_ISOLATION = "export UV_NO_BUILD_ISOLATION=1 PIP_NO_BUILD_ISOLATION=0"
"""Pip's variable has to be false: https://github.com/pypa/pip/issues/5735"""

_BUILD_TOOLS = (SETUPTOOLS, "wheel", "setuptools-scm", "cython", "hatchling", "poetry-core")
_COMMON = re.compile(r"(?:setuptools|wheel)\b(?!-)", re.IGNORECASE)
"""Among the build tools already, in a version that builds old projects, too."""

_NO_SOURCE = re.compile(
    r"error: (?P<path>[\w./-]+)\.(?P<kind>c|cc|cpp|cxx): No such file or directory"
)
"""What gcc says of a source to compile."""
_CYTHON = re.compile(r"cython\b(?!-)", re.IGNORECASE)

_ADDRESSED = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*@\s*\w")
"""https://packaging.python.org/specifications/dependency-specifiers/: a name, and where it is."""

_ONE_BY_ONE = f"xargs -d '\\n' -r -n 1 uv pip install -q --python {ENVIRONMENT}"


def failed_build(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield a build with what it imports, where the project does not say that it needs that."""
    if not (symptoms.in_setup and _BUILDS.search(symptoms.output)):
        return
    wanted = [name.partition(".")[0] for name in modules(symptoms.output)]
    if not wanted:
        return
    named = [name for name in dict.fromkeys(wanted) if name not in {"pkg_resources", "distutils"}]
    words = shlex.join(dict.fromkeys((*_BUILD_TOOLS, *_declared(tree), *named)))
    tools = f"uv pip install --python {ENVIRONMENT} {words}"
    yield Remedy(
        "build requirements",
        setup_repair.build_requirements(wanted[0]),
        instead=(symptoms.command, f"{tools} && {_NO_ISOLATION} && {{ {symptoms.command}; }}"),
    )


def _declared(tree: Tree) -> tuple[str, ...]:
    """Return what the project says that its build requires: without isolation nobody installs it."""
    requires = pyproject(tree.read).get("build-system", {}).get("requires", ())
    return tuple(
        require for require in requires if isinstance(require, str) and not _COMMON.match(require)
    )


def ungenerated_sources(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the translation of Cython's sources, where the build takes it for done."""
    named = list(matches(_NO_SOURCE, symptoms.output))
    missing = [match for match in named if tree.exists(f"{match['path']}.pyx")]
    if not missing:
        return
    sources = dict.fromkeys(f"{match['path']}.pyx" for match in missing)
    plus = () if missing[0]["kind"] == "c" else ("--cplus",)
    lines = (line for source in every_list(tree) for line in source.lines)
    wanted = next(filter(_CYTHON.match, lines), "cython")
    tools = f"uv pip install --python {ENVIRONMENT} {shlex.quote(wanted)}"
    translate = f"{tools} && {ENVIRONMENT}/bin/cython {shlex.join((*plus, *sources))}"
    yield Remedy("Cython's output", setup_repair.translated(next(iter(sources))), (translate,))


def failed_list(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the installation of the project first, and of what else is wanted one by one."""
    if not symptoms.in_setup:
        return
    lists = [
        command.words[5:]
        for command in simple_commands(symptoms.command)
        if command.words[:3] == ("uv", "pip", "install")
        and not set(_BUILD_TOOLS) & {*command.words}
    ]
    words = lists[0] if lists else ()
    project, others, files = _split(words, tree)
    if not (others or files):
        return
    steps = [f"uv pip install --python {ENVIRONMENT} {shlex.join(project)}"] if project else []
    rest = [f"printf '%s\\n' {shlex.join(others)}"] if others else []
    rest += [rf"grep -hoE '^[A-Za-z][^#]*' {shlex.join(files)}"] if files else []
    steps.append(f"{{ {{ {'; '.join(rest)}; }} | {_ONE_BY_ONE} || true; }}")
    why = setup_repair.ONE_BY_ONE
    tools, isolated, _ = symptoms.command.partition(f"{_NO_ISOLATION} && ")
    before = f"{tools}{isolated}" if isolated else ""
    _, folder = repository_of(tree)
    anew = before + within(folder, " && ".join(steps))
    yield Remedy("list", why, instead=(symptoms.command, anew))


def _split(words: tuple[str, ...], tree: Tree) -> tuple[list[str], list[str], list[str]]:
    """Return an installation's arguments as the project, requirements, and files of them."""
    listed = {(source.kind, source.name): source.lines for source in sources(tree)}
    project: list[str] = []
    others: list[str] = []
    files: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "-e" and rest:
            path, _, extras = rest.pop(0).partition("[")
            project += [word, path]
            for name in filter(None, re.split(r"[\],\s]+", extras)):
                others += _each(listed.get(("extra", name), ()))
        elif word == "--group" and rest:
            others += _each(listed.get(("group", rest.pop(0)), ()))
        elif word == "-r" and rest:
            files.append(rest.pop(0))
        elif word.startswith("-"):
            del rest[:1]
        else:
            others.append(word)
    return project, others, files


def _each(lines: Iterable[str]) -> Iterator[str]:
    """Yield requirements, behind one with an address its name alone: the index may have it, too."""
    for line in filter(None, map(str.strip, lines)):
        yield line
        if found := _ADDRESSED.match(line):
            yield found["name"]
