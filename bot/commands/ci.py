"""The commands `fixpoint ci plan` and `fixpoint ci run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from bot.commands.options import SandboxChoice

ci_app = typer.Typer(
    help="Run a job of the repository's GitHub Actions here.", no_args_is_help=True
)

PASSED, FAILED, UNUSABLE = 0, 1, 2
"""Exit codes: the plan was made or the job passes; the job fails; nothing could be done."""

Repository = Annotated[Path, typer.Argument(metavar="PATH", help="A git repository.")]
Workflow = Annotated[str | None, typer.Option(help="Its file, as a path or a name such as ci.yml.")]
Job = Annotated[str | None, typer.Option(help="The job's id, or its check's name.")]
Matrix = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE",
        help="A value of the matrix leg; may be repeated. Of legs for several systems, the newest Ubuntu's is taken.",
    ),
]
Event = Annotated[str | None, typer.Option(help="The event that it runs for, such as push.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


@ci_app.command()
def plan(
    repository: Repository = Path(),
    workflow: Workflow = None,
    job: Job = None,
    matrix: Matrix = None,
    event: Event = None,
    as_json: AsJson = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Print what running a job here comes to; without a clear choice, list the jobs."""
    from bot.commands.ci_choice import JobChoice
    from bot.commands.ci_run import show_plan
    from bot.errors import UsageError

    try:
        show_plan(JobChoice(repository, workflow, job, tuple(matrix or ()), event), as_json=as_json)
    except UsageError as error:
        _refuse(str(error))


@ci_app.command()
def run(
    repository: Repository = Path(),
    workflow: Workflow = None,
    job: Job = None,
    matrix: Matrix = None,
    event: Event = None,
    step: Annotated[
        str | None,
        typer.Option(help="The step that fails: all before it prepare, it runs without network."),
    ] = None,
    sandbox: Annotated[SandboxChoice | None, typer.Option(help="Where commands run.")] = None,
    timeout: Annotated[
        float, typer.Option(min=1, help="Most seconds of a step that sets no limit.")
    ] = 1800.0,
    as_of: Annotated[
        str | None,
        typer.Option(
            metavar="DATE", help="Install packages as of then: a date, or `commit` for HEAD's."
        ),
    ] = None,
    as_json: AsJson = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Run a job in a sandbox and say which step fails how; the repository is only read."""
    from bot.commands.ci_choice import JobChoice
    from bot.commands.ci_run import RunOptions, run_job
    from bot.errors import UsageError

    choice = JobChoice(repository, workflow, job, tuple(matrix or ()), event)
    options = RunOptions(sandbox.value if sandbox else None, step, timeout, as_of, as_json=as_json)
    try:
        passed = run_job(choice, options)
    except UsageError as error:
        _refuse(str(error))
    raise typer.Exit(PASSED if passed else FAILED)


def _refuse(sentence: str) -> NoReturn:
    typer.echo(f"fixpoint: {sentence}", err=True)
    raise typer.Exit(UNUSABLE)
