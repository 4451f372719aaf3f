"""`fixpoint doctor PATH`: what was detected in a repository, what would run, what is missing here."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bot.app.sandboxes import shown_programs
from bot.commands import event_loop
from bot.commands.fix_options import FixOptions, local_repository, repo_config
from bot.config.repo_config import PATH as CONFIG_PATH
from bot.ecosystems.commands.shell import simple_commands
from bot.ecosystems.detection import Reasons, explained, has_root_tests
from bot.ecosystems.missing import Remedy, applied
from bot.ecosystems.python.versions import wanted_python
from bot.ecosystems.registry import TOOLCHAINS, ecosystems_of
from bot.ecosystems.tested_packages import has_packages
from bot.ecosystems.tree import DirectoryTree, Tree, tree_of
from bot.errors import UsageError
from bot.model import Commands
from bot.repair.preparation.package_choice import PackageChoice, default_package
from bot.repair.workspace.remembered_setups import RememberedSetups
from bot.reporting.reasons import detection, setup_repair
from bot.reporting.suggested_config import config_lines, first_config, installing
from bot.settings.environment import load_local_settings
from sandbox.git import GitError, foreign

_UV_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class DoctorRow:
    """One thing that was found out about a repository.

    Attributes:
        part: What it is about.
        found: What it is.
        why: What says so, or why it is so.
    """

    part: str
    found: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class RepositoryDiagnosis:
    """What `--json` prints.

    Attributes:
        repository: Its root.
        detected: Language, package manager, Python: what the files say.
        setup: Commands that would run first, with the package registries in reach.
        test: The command for the full test suite.
        missing: What this machine lacks.
        config: Lines for `.github/fixpoint.yml` that say the same.
    """

    repository: str
    detected: tuple[DoctorRow, ...]
    setup: tuple[str, ...]
    test: str
    missing: tuple[DoctorRow, ...]
    config: str


def run_doctor_of(target: str, *, as_json: bool) -> bool:
    """Print what would happen in a repository; return whether nothing is missing.

    Nothing of the repository runs.

    Raises:
        UsageError: When it is no repository, or no tests are found.
    """
    root = local_repository(FixOptions(target))
    if root is None:
        raise UsageError("doctor needs a local repository.")
    diagnosis = event_loop.run(diagnose(root))
    if as_json:
        sys.stdout.write(json.dumps(asdict(diagnosis), indent=2, ensure_ascii=False) + "\n")
    else:
        _print(diagnosis)
    return not diagnosis.missing


def run_config_init(target: str, *, only_print: bool, schema: str = "") -> None:
    """Write a first repo config with what was detected, or print it.

    Raises:
        UsageError: When it is no repository, has a config, or no tests are found.
    """
    root = local_repository(FixOptions(target))
    if root is None:
        raise UsageError("config init needs a local repository.")
    text = first_config(event_loop.run(diagnose(root)).config, schema)
    if only_print:
        sys.stdout.write(text)
        return
    file = root / CONFIG_PATH
    try:
        file.parent.mkdir(exist_ok=True)
        with file.open("x", encoding="utf-8") as config:
            config.write(text)
    except FileExistsError:
        raise UsageError(f"{file} exists. `fixpoint config check` checks it.") from None
    except OSError as error:
        raise UsageError(f"{file} can't be written: {error.strerror}.") from error
    sys.stdout.write(f"{file} is written. Read it, correct what is wrong, and commit it.\n")


async def diagnose(root: Path) -> RepositoryDiagnosis:
    """Return what is found out about a repository without running anything of it.

    Raises:
        UsageError: When no tests are found.
    """
    whole, config = DirectoryTree(root), repo_config(root)
    package = PackageChoice() if config.test else await _package(root, whole)
    tree = tree_of(whole, package.folder)
    detected, reasons = explained(
        whole, setup=config.setup, test=config.test, failing=None, folder=package.folder
    )
    remedies = await _remembered(root, detected) if config.setup is None else ()
    commands = detected
    for remedy in remedies:
        commands = applied(remedy, commands)
    return RepositoryDiagnosis(
        repository=str(root),
        detected=tuple(_rows(tree, commands, reasons, package, configured=bool(config.setup))),
        setup=commands.setup,
        test=commands.test,
        missing=(
            *_missing_programs(commands),
            *await asyncio.to_thread(_missing_python, tree, commands),
            *await _empty_submodules(root),
        ),
        config=config_lines(commands),
    )


async def _remembered(root: Path, detected: Commands) -> tuple[Remedy, ...]:
    """Return what earlier runs of `fixpoint fix` found missing."""
    folder = load_local_settings(os.environ).fixpoint_data / "local" / "sandboxes" / "setups"
    found = await RememberedSetups(folder).recall(f"local:{root.resolve()}", detected)
    return found.remedies if found else ()


async def _package(root: Path, tree: Tree) -> PackageChoice:
    """Return the package that would be tested if nobody says what is wrong."""
    if has_root_tests(tree) or not has_packages(tree):
        return PackageChoice()
    try:
        async with foreign(root) as theirs:
            names = ("--name-only", "-r", "-z")
            listing = await theirs.git("ls-tree", *names, "HEAD")
            changed = await theirs.git("diff-tree", "--no-commit-id", "--root", *names, "HEAD")
    except GitError:
        listing = changed = b""
    paths, last = (tuple(map(os.fsdecode, item.split(b"\0"))) for item in (listing, changed))
    return default_package(tree, last, paths)


def _rows(
    tree: Tree, commands: Commands, reasons: Reasons, package: PackageChoice, *, configured: bool
) -> Iterator[DoctorRow]:
    if package.folder:
        yield DoctorRow("package", package.folder, package.why)
    for ecosystem in ecosystems_of(commands):
        manager, origin = ecosystem.manager(tree)
        yield DoctorRow(
            "language", ecosystem.name, f"{manager}, by `{origin}`" if origin else manager
        )
    if "python" in commands.ecosystems and (wanted := wanted_python(tree)):
        yield DoctorRow("Python", wanted.request, f"`{wanted.origin}`")
    if configured:
        yield DoctorRow("repo config", CONFIG_PATH)
    why = (*reasons.setup, *commands.healed)
    if not installing(commands) and not configured:
        why = (*why, detection.NOTHING_INSTALLED)
    yield DoctorRow("setup", "\n".join(commands.setup) or "(none)", "\n".join(why))
    yield DoctorRow("test", commands.test, "\n".join(reasons.test))


def _missing_programs(commands: Commands) -> Iterator[DoctorRow]:
    """Yield the toolchains that the commands name and this machine lacks."""
    script = "\n".join((*commands.setup, commands.test))
    named = dict.fromkeys(simple.words[0] for simple in simple_commands(script))
    for name in named:
        if name in TOOLCHAINS and name != "uv" and shutil.which(name) is None:
            yield DoctorRow("program", name, setup_repair.toolchain(name, TOOLCHAINS[name]))


def _missing_python(tree: Tree, commands: Commands) -> tuple[DoctorRow, ...]:
    """Return the Python that the repository asks for, when this machine has none like it."""
    wanted = wanted_python(tree) if "python" in commands.ecosystems else None
    uv = _uv()
    if wanted is None or uv is None:
        return ()
    asked = (uv, "python", "find", "--no-project", "--no-python-downloads", wanted.request)
    try:
        environ = {**os.environ, "PATH": shown_programs(os.environ)}
        found = subprocess.run(
            asked, capture_output=True, timeout=_UV_SECONDS, check=False, env=environ
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    if found.returncode == 0:
        return ()
    return (DoctorRow("Python", wanted.request, setup_repair.python_absent(wanted.request)),)


def _uv() -> str | None:
    try:
        import uv

        return uv.find_uv_bin()
    except (ImportError, FileNotFoundError):
        return shutil.which("uv")


async def _empty_submodules(root: Path) -> tuple[DoctorRow, ...]:
    try:
        async with foreign(root) as theirs:
            listing = await theirs.git("ls-tree", "-r", "-z", "HEAD")
    except GitError:
        return ()
    entries = (entry.partition(b"\t") for entry in listing.split(b"\0"))
    names = [os.fsdecode(name) for meta, _, name in entries if meta.startswith(b"160000 ")]
    return tuple(
        DoctorRow("submodule", name, setup_repair.submodule_absent(name))
        for name in names
        if not (root / name / ".git").exists()
    )


def _print(diagnosis: RepositoryDiagnosis) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from bot.reporting.plain import print_table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("part", "found", "why"):
        table.add_column(column, overflow="fold")
    for row in diagnosis.detected:
        table.add_row(*(Text(cell) for cell in (row.part, row.found, row.why)))
    for row in diagnosis.missing:
        cells = (Text(f"missing {row.part}"), Text(row.found), Text(row.why))
        table.add_row(*cells, style="yellow")
    console = Console(highlight=False)
    print_table(table, console)
    console.print(f"\n{setup_repair.CONFIG_OFFERED}\n", markup=False, soft_wrap=True)
    console.print(diagnosis.config, markup=False, soft_wrap=True)
