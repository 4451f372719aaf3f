"""Tell whether a failing command ran code or tests of the project at all, or only lacked what it needs. Pure.

A runner or tool that names a failure is evidence, and so is a line about a file of the project. Where
a command only says that something failed, what it started and read tells: the program that failed
first (behind make, scripts and package managers) has read sources or tests, or it has not. So nothing
depends on the words in which a program says that something is not installed.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from bot.ci.failures.console import NOISE, TELLING
from bot.ci.failures.work_tree import relative_paths
from bot.ci.network import lacks_network
from bot.code.files import is_manifest, is_restored, is_steering, is_test_file
from bot.ecosystems.package_hosts import unreached_registries
from bot.model import Failure, Observation, StartedProgram
from bot.repair.goal.environment import Surroundings, causes_by_test, lacked_by_sandbox
from bot.repair.workspace.programs import Trace
from bot.repair.workspace.setup_inputs import is_setup_input
from bot.reporting.reasons import job_target, reproduction

NOT_STARTED = frozenset({126, 127})
"""Exit statuses of a shell, and of make, for a program that can't be run or is not there."""

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "ksh", "zsh", "busybox"})
_TEXT_TOOLS = frozenset({"grep", "egrep", "fgrep", "diff", "cmp", "comm", "cat", "test", "[", "awk", "gawk", "mawk", "sed", "jq"})  # fmt: skip
"""Programs for which a manifest is a text like any other."""

_BUILT_IN = ("/tmp/", "/var/tmp/")  # noqa: S108 - where compilers put what they then start
_WRAPPERS = frozenset({"gradlew", "mvnw", "gradlew.bat", "bootstrap", "configure", "autogen.sh"})
_INSTALLED = frozenset({"node_modules", "vendor", "site-packages", "target", "bower_components", "third_party"})  # fmt: skip
_SCRIPTS = frozenset({".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php"})
"""What interpreters run from a project's own folders."""

_VERSION = re.compile(r"_{0,2}(?:version|about)_{0,2}", re.IGNORECASE)
"""Stem of a file that manifests read: what builds or installs a project opens it too."""

_MOST_MANIFESTS = 50
_PATH = re.compile(r"[\w@+-][\w@+./-]*")
_PLACE = re.compile(r"\S+:\d+: ")
_VERDICT = re.compile(r"^\W{0,4}(?:FAIL(?:ED)?:? \S|not ok\b|[\u2717\u2718\u2716])", re.MULTILINE)
"""How home-made checks mark what failed. Of make and package managers the noise is left out."""

_ABSENT = (
    re.compile(
        r"(?:No module named|[Cc]annot find (?:module|package)|[Cc]an't resolve|[Ff]ailed to resolve import"
        r"|cannot load such file --|[Cc]ould not find gem|Can't locate|[Cc]an't find crate for"
        r"|fatal error:) ['\"`(]?(?P<name>[\w@][\w@./:-]*)"
    ),
    re.compile(r"module ['\"](?P<name>[\w.-]+)['\"] not found"),
)
"""How languages say that they did not find something to import. What it is, is looked up."""

_TO_INSTALL = re.compile(
    r"\binstall|(?:^|[\s'\"`/])(?:node_modules|vendor|\.?venv)/"
    r"|(?<![/.\w])(?:dependenc(?:y|ies)|download\w*|npm ci)(?![./]\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Project:
    """What is known of the work tree.

    Attributes:
        paths: Its files, without those that the setup installed.
        read: Returns the text of one, None where it has none.
    """

    paths: Collection[str]
    read: Callable[[str], str | None]

    @cached_property
    def _manifests(self) -> tuple[str, ...]:
        files = [path for path in self.paths if is_setup_input(path) or is_manifest(path)]
        return tuple((self.read(path) or "").lower() for path in files[:_MOST_MANIFESTS])

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(part.partition(".")[0] for path in self.paths for part in path.split("/"))

    @cached_property
    def sources(self) -> frozenset[str]:
        """Its sources, tests and their data."""
        return frozenset(filter(_is_source, self.paths))

    def owns(self, name: str) -> bool:
        """Whether something that is to be imported is a file or a folder of the project."""
        return re.split(r"[/.:]+", name.strip("@"))[0] in self._stems

    def asks_for(self, name: str) -> bool:
        """Whether a manifest, a lock file or a workflow names something that is to be installed."""
        scoped = re.match(r"@[\w.-]+/[\w.-]+", name)
        wanted = scoped[0] if scoped else re.split(r"[/.:]+", name)[0]
        spellings = {wanted.lower(), wanted.lower().replace("_", "-")}
        return any(word in text for text in self._manifests for word in spellings)


def only_lacks_machine(seen: Observation, surroundings: Surroundings) -> str:
    """Return what all failing tests are for want of, as a sentence, or "" where others fail, too.

    A test that was still running when the time was up tells nothing else: each may have waited.
    """
    ended = [failure for failure in seen.named if failure.message != job_target.TEST_DID_NOT_END]
    causes = causes_by_test(ended, surroundings, lacked_by_sandbox).values()
    if not ended or not all(causes):
        return ""
    return reproduction.lacks_machine(seen.command, Counter(causes))


def without_evidence(seen: Observation, trace: Trace, project: Project) -> str:
    """Return why a failure says nothing of the project, as a sentence, or "" where it does.

    Args:
        seen: The failing command on the untouched tree.
        trace: What it started and read in another run; empty where nobody could watch.
        project: The work tree.
    """
    if seen.named:
        return _only_absent(seen, project)
    said = next((failure.message for failure in seen.failing), "") if seen.output.strip() else ""
    if (name := _absent(seen.output, project)) is not None:
        return reproduction.lacks(seen.command, name)
    culprits, status = tuple(_culprits(trace)), dict(trace.ends)
    if any(_lacks_own_script(trace.programs[program], project) for program in culprits):
        return ""
    if any(status.get(program) in NOT_STARTED for program in culprits):
        return reproduction.program_missing(seen.command, said)
    if (
        not culprits
        or _speaks_of_project(seen.output, project)
        or any(_ran_project(trace, program, project, seen.output) for program in culprits)
    ):
        return ""
    return reproduction.nothing_of_the_project(seen.command, said)


def _only_absent(seen: Observation, project: Project) -> str:
    """Return why named failures say nothing: each lacks what a manifest asks for, or a registry."""
    names = [_absent(f"{each.message}\n{each.detail}", project) for each in seen.named]
    if all(names):
        return reproduction.lacks(seen.command, ", ".join(dict.fromkeys(filter(None, names))))
    if all(_is_finding(each) and _wants_network(each.message) for each in seen.named):
        return reproduction.lacks_network(seen.command, unreached_registries(seen.output))
    return ""


def _wants_network(text: str) -> bool:
    return lacks_network(text) or bool(unreached_registries(text))


def _is_finding(failure: Failure) -> bool:
    """Whether a compiler or linter reports it, and no test."""
    return failure.file is not None and failure.test.startswith(failure.file)


def _absent(text: str, project: Project) -> str | None:
    """Return what a text says to be missing, if a manifest asks for it and it is not the project's."""
    plain = relative_paths(text)
    for pattern in _ABSENT:
        for match in pattern.finditer(plain):
            name = match["name"].rstrip(".:")
            if not project.owns(name) and project.asks_for(name):
                return name
    return None


def _speaks_of_project(output: str, project: Project) -> bool:
    """Whether a line that tells of a failure names a file of the project, or a check of its own."""
    lines = [line for line in relative_paths(output).split("\n") if not NOISE.search(line.strip())]
    if _VERDICT.search("\n".join(lines)):
        return True
    told = (line for line in lines if TELLING.search(line) or _PLACE.match(line))
    told = (line for line in told if not _TO_INSTALL.search(line))
    return any(word.rstrip(".:") in project.paths for line in told for word in _PATH.findall(line))


def _culprits(trace: Trace) -> Iterator[int]:
    """Yield the programs whose failure others passed on: those that started none that failed.

    A shell passes on the end of the last one; what others, such as make, go on after counts too.
    """
    order = {program: n for n, (program, _) in enumerate(trace.ends)}
    status = dict(trace.ends)
    children: dict[int | None, list[int]] = {}
    for number, program in enumerate(trace.programs):
        children.setdefault(program.by, []).append(number)

    def below(number: int) -> Iterator[int]:
        failed = [child for child in children.get(number, ()) if status.get(child, 1)]
        if _name(trace.programs[number]) in _SHELLS and failed:
            failed = [max(failed, key=lambda child: order.get(child, len(order)))]
        if failed and status.get(number) not in NOT_STARTED:
            for child in failed:
                yield from below(child)
        else:
            yield number

    for root in children.get(None, ()):
        yield from below(root)


def _lacks_own_script(program: StartedProgram, project: Project) -> bool:
    """Whether a program was told to run a file that one of the project's folders doesn't have.

    Nothing installs anything there, so what names the file is wrong.
    """
    words = (word for word in program.arguments[1:] if not word.startswith("-"))
    file = posixpath.normpath(posixpath.join(program.folder, relative_paths(next(words, ""))))
    pure, folder = PurePosixPath(file), posixpath.dirname(file)
    if pure.suffix not in _SCRIPTS or file in project.paths or _INSTALLED & {*pure.parts}:
        return False
    return bool(folder) and any(path.startswith(f"{folder}/") for path in project.paths)


def _name(program: StartedProgram) -> str:
    return posixpath.basename(program.file)


def _ran_project(trace: Trace, number: int, project: Project, output: str) -> bool:
    """Whether a program that failed is one of the project, or has read its sources or tests.

    A script that was started and read nothing else may only say what has to be installed.
    """
    program, inside = trace.programs[number], {number}
    if _name(program) in _SHELLS:  # what it compares, others may have read
        for n, other in enumerate(trace.programs):
            if other.by in inside:
                inside.add(n)
    if _is_built(relative_paths(program.file), project):
        return True
    is_text_tool = _name(program) in _TEXT_TOOLS
    own = {posixpath.normpath(posixpath.join(program.folder, word)) for word in program.arguments}
    read = {each.path for each in trace.reads if each.by in inside}
    sources = read if is_text_tool else set(filter(_is_source, read))
    sources |= {relative_paths(program.file)} & project.sources
    return bool(sources - own) or (bool(sources) and not _TO_INSTALL.search(output))


def _is_built(file: str, project: Project) -> bool:
    """Whether a program was made from the project's sources, by a compiler that ran here."""
    pure = PurePosixPath(file)
    if pure.is_absolute():
        return file.startswith(_BUILT_IN)
    is_installed = (_INSTALLED - {"target"}) & {*pure.parts} or pure.parts[0].startswith(".")
    return not is_installed and file not in project.paths


def _is_source(path: str) -> bool:
    """Whether a file is a source, a test or their data, and not what says how they are built."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or any(part.startswith(".") for part in pure.parts):
        return False
    if _INSTALLED & {*pure.parts} or pure.name in _WRAPPERS or _VERSION.fullmatch(pure.stem):
        return False
    if is_test_file(path) and pure.name != "conftest.py":
        return True
    return not (is_setup_input(path) or is_manifest(path) or is_steering(path) or is_restored(path))
