"""What an ecosystem is: how its projects are set up and tested, and what their tools say.

`Ecosystem` is the manual for adding one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.ecosystems.commands.invocations import Programs
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.remedy import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.model import Commands

ENVIRONMENT = "~/.venv"
"""Its `bin` is the first folder of every sandbox's `PATH`; what brings a program puts it there."""

MAKES_ENVIRONMENT = f"test -x {ENVIRONMENT}/bin/python || "
"""How the command begins that makes it."""

_AHEAD = 600
"""Seconds for compiling ahead; what is done by then is kept, and tests compile the rest."""


@dataclass(frozen=True, slots=True)
class Detected:
    """How one ecosystem of the repository is set up and tested.

    Attributes:
        ecosystem: Its name.
        setup: Shell commands, in order.
        test: The command that runs its tests, or None when there seem to be none.
        setup_why: One sentence per decision about the setup, of `bot/reporting/reasons/detection.py`.
        test_why: The sentence about the test command, likewise.
        tools: Programs whose presence in a given command asks for this ecosystem.
        at_root: Whether `setup` runs at the root of the repository, where this is about a folder.
    """

    ecosystem: str
    setup: tuple[str, ...]
    test: str | None
    setup_why: tuple[str, ...] = ()
    test_why: str = ""
    tools: frozenset[str] = frozenset()
    at_root: bool = False


Look = Callable[[Symptoms, Tree], Iterator[Remedy]]
"""Looks for one kind of thing that may be missing, in the output of a command that failed."""

Select = Callable[[tuple[str, ...], Sequence[str], Sequence[str], Read], tuple[str, ...] | None]
"""From a runner's arguments, ids of tests as its report has them, paths below the folder where it
runs and what reads a file there, to the arguments that run these tests alone; None where no way is
known. Options that stop at the first failure, or that demand coverage, are left out."""


def _always(_: tuple[str, ...]) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Runner:
    """A program that runs tests.

    Attributes:
        name: Of the program, as a command line has it.
        select: Gives it arguments that run some tests alone, None where no way is known.
        stops_early: Options by which it stops at the first failure.
        runs_tests: Says by its arguments whether it runs tests, where that is not all it does.
        start: The command that runs all tests where only a dependency tells of the runner.
        files: Returns the test files that it runs, from its arguments and the paths below the folder
            where it runs; None where that is not known, or it can't be given some of them.
        named: Returns how its reports call a test of a file, from the file and the blocks and the
            title of the test; None where its tests can't be chosen by name.
        runs_apart: Whether each test has a program of its own, so that none can end another.
    """

    name: str
    select: Select | None = None
    stops_early: tuple[str, ...] = ()
    runs_tests: Callable[[tuple[str, ...]], bool] = _always
    start: str = ""
    files: Callable[[tuple[str, ...], Sequence[str]], tuple[str, ...]] | None = None
    named: Callable[[str, Sequence[str]], str] | None = None
    runs_apart: bool = False


def subcommand(name: str) -> Callable[[tuple[str, ...]], bool]:
    """Return what tells whether a program's first argument is a word: `test` of `go test`."""
    return lambda arguments: arguments[:1] == (name,)


@dataclass(frozen=True, slots=True)
class Looks:
    """What is looked for in a failed command's output, in this order.

    Attributes:
        versions: A toolchain that is missing or too old. The remedy goes before the whole setup.
        setup: In the output of setup commands.
        tests: In that of test commands.
        around: In that of setup commands, once nothing else was found: ways around it.
    """

    versions: tuple[Look, ...] = ()
    setup: tuple[Look, ...] = ()
    tests: tuple[Look, ...] = ()
    around: tuple[Look, ...] = ()


@dataclass(frozen=True, slots=True)
class Package:
    """A project below the root of a repository.

    Attributes:
        folder: Of it, relative to the root.
        name: As its index would call it.
    """

    folder: str
    name: str


def manager_by_file(
    names: Mapping[str, str], default: str = ""
) -> Callable[[Tree], tuple[str, str]]:
    """Return what tells the package manager by the first of these files that is there."""

    def manager(tree: Tree) -> tuple[str, str]:
        file = next(filter(tree.exists, names), "")
        return names.get(file, default), file

    return manager


def compiled_ahead(command: str) -> str:
    """Return a command that compiles, ended in time: tests compile what is left."""
    return f"timeout {_AHEAD} {command}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ecosystem:
    """All that Fixpoint knows of one ecosystem. To add one, write a module and one line.

    The module `bot/ecosystems/<name>.py` answers these questions, as far as there is something to
    say, and ends with the `Ecosystem`. Above 300 lines it becomes a folder with a file for each
    question, as Python and Node have it. It reads files through a `Tree` and runs nothing: what it
    returns are shell commands, which run in a sandbox. It may import `base`, `tree`, `remedy`,
    `rebuilding` and `commands/`, and no other ecosystem.

    | File of a folder | What it answers |
    |---|---|
    | `__init__.py` | the `Ecosystem`, which names what the others have |
    | `detect.py` | `find(tree)`: is it here, how is it set up and tested, and why |
    | `install.py` | where dependencies are declared, how they are installed |
    | `missing.py` | what an output says is missing, and the remedy; a folder where that is long |
    | `select.py` | the arguments that run some tests alone |
    | `versions.py` | which interpreter or toolchain, today and on a day |
    | `products.py` | what a build makes of the sources and tests read, and how it is made again |
    | `runners.py` | one `Runner` for each program that runs tests |
    | `programs.py` | how its programs start others: wrappers, scripts, task runners |

    The line is that of `ECOSYSTEMS` in `bot/ecosystems/registry.py`; its place there is its weight,
    where a repository has several ecosystems with tests. Nothing else has to change for commands to
    be detected, set up, repaired and narrowed. Three things are read for all ecosystems in one place,
    and need a line only where a convention is new there:

    - What a test runner prints: `bot/ci/failures/`, a module for each, which finds its own lines in
      any output, JUnit XML among them.
    - What a path says, as tests, manifests, lock files and configuration that is put back:
      `bot/code/files.py`; and which files a setup reads: `bot/repair/workspace/setup_inputs.py`.
    - Sentences that people read: `bot/reporting/reasons/detection.py` (why a command is what it is)
      and `setup_repair.py` (why something is added); `make sentences` renews their page.

    Setup commands run once, with the registries of `hosts` in reach and nothing else; test commands
    run in sandboxes without a network, which begin with what the setup left in the work tree and in
    the home folder. So a setup fetches all that tests need, in a place that tests find again, and
    compiles ahead what takes long. Setup commands must succeed on any machine that has the toolchain;
    where a command may fail and tests may work nevertheless, it ends with `|| true`. Detection has to
    be sure: where nothing tells of tests, `Detected.test` is None. A command begins in the folder of
    the tree that `detect` was given, which may be one package of a repository.

    What to test, in `tests/unit/test_detect.py`, `test_missing.py` and `test_alone.py`: trees as
    projects have them (with and without a lock file, a package of several), outputs as the tools
    print them, each with its remedy, and the narrowed command of each runner. If the toolchain can be
    had, `tests/unit/test_toolchains.py` runs the commands for real.

    Attributes:
        name: Lower case; what `Commands.ecosystems`, the API and `fixpoint doctor` show.
        sought: What its detection looks for, as the sentence that nothing was found lists it:
            `package.json with a test script`.
        detect: Returns how the project is set up and tested, None where it is not of this ecosystem.
            It gets the programs that given commands run, as far as a setup has to install them.
        is_fallback: Whether it counts only where no other ecosystem has tests; then what comes
            before it is set up as well.
        marks: Globs of files that tell of it, at the root or one folder below.
        hosts: Of its package registries; what else the network policy opens is in `registries.py`.
        manager: Returns the package manager and the file that says so, for people.
        toolchains: Programs that a machine has or has not, and what people call each: a remedy then
            says what is to be installed, and doctor looks for it.
        install_program: Returns an index and the command that installs a program from it, checked
            by the end of the command, for a program that was not found; None where its files are not
            there.
        has_own_tests: Whether tests at the root are its own, and not only those of its packages.
            Asked where `detect` found tests; None where that is always so.
        packages: Returns the packages below the root that have tests of their own, for repositories
            of several. None where there are no such.
        is_package: Whether a folder is such a package. With `packages`.
        looks: What failed commands' outputs show to be missing.
        products: Yields the build that tests need again whenever a patch changes its sources; it gets
            the test command. Its remedies are made by `rebuilding.built_again`.
        compiled_by_tests: Ends of names of sources that the test command compiles itself, so that a
            change to them needs no other setup.
        with_toolchain_of: Returns the commands with the toolchain that was current on a day, for projects whose
            packages are to be those of that day. None where its index can't be asked for a day.
        whole_suite: Returns the command of the whole suite behind one that runs a part of it.
        ids_of_files: Returns what the tests of files go by, for `Runner.select`, before any report
            has named them: from paths below the tested package and the command that runs its tests.
        runners: The programs that run its tests.
        programs: How its programs start others.
    """

    name: str
    sought: str
    detect: Callable[[Tree, frozenset[str]], Detected | None]
    is_fallback: bool = False
    marks: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    manager: Callable[[Tree], tuple[str, str]] = field(default=manager_by_file({}))
    toolchains: Mapping[str, str] = field(default_factory=dict)
    install_program: Callable[[str, Tree], tuple[str, str] | None] | None = None
    has_own_tests: Callable[[Tree], bool] | None = None
    packages: Callable[[Tree], Iterable[Package]] | None = None
    is_package: Callable[[Tree], bool] | None = None
    looks: Looks = field(default_factory=Looks)
    products: Callable[[str, Tree], Iterator[Remedy]] | None = None
    compiled_by_tests: frozenset[str] = frozenset()
    with_toolchain_of: Callable[[Commands, Tree, datetime], Commands] | None = None
    whole_suite: Callable[[str, Tree], str | None] | None = None
    ids_of_files: Callable[[Sequence[str], str], list[str]] | None = None
    runners: tuple[Runner, ...] = ()
    programs: Programs = field(default_factory=Programs)
