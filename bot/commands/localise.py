"""`fixpoint localise`: the suspicious lines of a repository of this machine, and why."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
from dataclasses import asdict, dataclass

from bot.app import open_tools
from bot.commands import event_loop
from bot.commands.fix_options import FixOptions, job_of, local_repository, repo_config
from bot.errors import UsageError
from bot.model import Problem, Report, Verdict
from bot.model.deadline import StopSign
from bot.model.progress import silent
from bot.model.steps import PlainSteps
from bot.repair.engine import repair
from bot.repair.proposers.search import Localiser
from bot.repair.tools import Tools
from bot.repair.workspace.checkouts import LocalCheckout
from bot.repair.workspace.sandbox_cleanup import leftovers
from bot.settings.environment import load_local_settings
from bot.settings.sandbox_kind import SandboxKind
from bot.storage.data_folder import make_data_folder


@dataclass(frozen=True, slots=True)
class LocaliseOptions:
    """The command line of `fixpoint localise`; see `fixpoint localise --help`."""

    target: str
    test: str | None = None
    setup: tuple[str, ...] | None = None
    sandbox: SandboxKind | None = None
    timeout: float | None = None
    most: int = 20
    as_json: bool = False


def run_localise(options: LocaliseOptions) -> bool:
    """Print the suspicious lines; return whether there are any.

    Raises:
        UsageError: When the command line or this machine does not allow it.
    """
    localiser, report = event_loop.run(_look(options))
    problem = localiser.problem or ("" if localiser.suspects else not_looked(report))
    if options.as_json:
        sys.stdout.write(_as_json(localiser, options.most, problem) + "\n")
    elif localiser.suspects:
        sys.stdout.write(_as_text(localiser, options.most) + "\n")
    else:
        sys.stdout.write(f"{problem}\n")
    return bool(localiser.suspects)


async def _look(options: LocaliseOptions) -> tuple[Localiser, Report]:
    """Prepare and reproduce like a repair, then look; return also how the run ended."""
    asked = FixOptions(
        options.target,
        test=options.test,
        setup=options.setup,
        proposers=(Localiser.traits.name,),
        timeout=options.timeout,
    )
    repository = local_repository(asked)
    if repository is None:
        raise UsageError("localise needs a local repository.")
    settings = load_local_settings(os.environ)
    kinds = (options.sandbox,) if options.sandbox else settings.fixpoint_sandbox
    run_id = secrets.token_hex(4)
    job = await job_of(asked, run_id, Problem(), repo_config(repository))
    folder = make_data_folder(settings.fixpoint_data) / "local"
    scratch = folder / run_id
    localiser = Localiser()
    async with open_tools(settings, sandboxes=folder / "sandboxes", kinds=kinds) as tools:
        looking = Tools(tools.sandboxes, {localiser.traits.name: localiser})
        try:
            scratch.mkdir(parents=True)
            checkout = LocalCheckout(repository, scratch)
            report = await repair(job, looking, checkout, PlainSteps(), silent, StopSign())
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
            for name in leftovers(run_id):
                await tools.sandboxes.remove(name)
    return localiser, report


def not_looked(report: Report) -> str:
    """Return why a run ended before its failing tests were looked at."""
    seen, reproduction = report.reason, report.reproduction
    if report.verdict is Verdict.NOT_REPRODUCED and reproduction is not None:
        seen = reproduction.reason or seen  # without what a repair would need besides
    return f"No lines were examined. {seen}"


def _as_text(localiser: Localiser, most: int) -> str:
    lines = []
    for suspect in localiser.suspects[:most]:
        place = f"{suspect.file}:{suspect.line}"
        lines.append(
            f"{suspect.score:.2f}  {place}  {_code(localiser, suspect.file, suspect.line)}"
        )
        lines.append(f"      {'; '.join(suspect.reasons)}")
    return "\n".join(lines)


def _as_json(localiser: Localiser, most: int, problem: str) -> str:
    """Return one object: `lines`, each with file, line, score, reasons and code; and `problem`."""
    listed = [
        {**asdict(suspect), "code": _code(localiser, suspect.file, suspect.line)}
        for suspect in localiser.suspects[:most]
    ]
    return json.dumps({"lines": listed, "problem": problem}, indent=2)


def _code(localiser: Localiser, file: str, line: int) -> str:
    text = localiser.evidence.sources.get(file, "") if localiser.evidence else ""
    lines = text.splitlines()
    return lines[line - 1].strip() if line <= len(lines) else ""
