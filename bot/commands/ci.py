"""The commands `fixpoint ci plan` and `fixpoint ci run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.commands.options import AsOfOption, JsonOption, SandboxOption
from bot.commands.refusals import usage_errors

ci_app = typer.Typer(
    help="Plan or run one of the repository's GitHub Actions jobs here.", no_args_is_help=True
)

FAILED, IN_PART = 1, 3
"""Exit codes besides 0: the job fails; nothing of it fails, and not all of it could be run."""

Repository = Annotated[Path, typer.Argument(metavar="PATH", help="Path of a git repository.")]
Workflow = Annotated[
    str | None, typer.Option(help="Workflow file: a path, or a name such as ci.yml.")
]
Job = Annotated[str | None, typer.Option(help="Job ID, or the name of its check.")]
Matrix = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE",
        help="Matrix value to select; may be repeated. If the legs left differ only by operating system, the newest Ubuntu is used.",
    ),
]
Event = Annotated[str | None, typer.Option(help="Event that triggers the workflow, such as push.")]


@ci_app.command()
def plan(
    repository: Repository = Path(),
    workflow: Workflow = None,
    job: Job = None,
    matrix: Matrix = None,
    event: Event = None,
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Show what running a job here would do, or list the jobs if several match."""
    from bot.commands.ci_choice import JobChoice
    from bot.commands.ci_run import show_plan

    with usage_errors():
        show_plan(JobChoice(repository, workflow, job, tuple(matrix or ()), event), as_json=as_json)


@ci_app.command()
def run(
    repository: Repository = Path(),
    workflow: Workflow = None,
    job: Job = None,
    matrix: Matrix = None,
    event: Event = None,
    step: Annotated[
        str | None,
        typer.Option(
            help="Failing step: the steps before it run as setup, the rest without network access."
        ),
    ] = None,
    sandbox: SandboxOption = None,
    timeout: Annotated[
        float,
        typer.Option(min=1, help="Time limit per step, in seconds; a step may set a lower one."),
    ] = 1800.0,
    package_date: AsOfOption = None,
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Run a job in a sandbox and show which step fails and how. Nothing is changed."""
    from bot.commands.ci_choice import JobChoice
    from bot.commands.ci_place import RunOptions
    from bot.commands.ci_run import run_job

    choice = JobChoice(repository, workflow, job, tuple(matrix or ()), event)
    options = RunOptions(sandbox, step, timeout, package_date, as_json=as_json)
    with usage_errors():
        ran = run_job(choice, options)
    if not ran.passed:
        raise typer.Exit(FAILED if ran.failed else IN_PART)
