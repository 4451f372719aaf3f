"""The commands, each with its options: what `fixpoint --help` lists."""

from __future__ import annotations

import gc
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, assert_never

import typer

from bot.commands.ci import ci_app
from bot.commands.keys import keys_app
from bot.commands.memory import memory_app
from bot.commands.options import (
    AsOfOption,
    BranchOption,
    JsonOption,
    PatchOption,
    PlainGroup,
    ProposersOption,
    RunTimeoutOption,
    SandboxOption,
    ServerOption,
    SetupOption,
    TestOption,
    TimeoutOption,
)
from bot.commands.refusals import refuse, usage_errors
from bot.commands.webhooks import webhooks_app
from sandbox.interrupts import let_programs_be_interrupted

if TYPE_CHECKING:
    from bot.model import Acceptance

app = typer.Typer(
    name="fixpoint",
    cls=PlainGroup,
    help="Reproduce a failure in a sandbox, repair it, and prove that the repair works.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
config_app = typer.Typer(
    help="Write or check the repo config (.github/fixpoint.yml), or print its schema.",
    no_args_is_help=True,
)
app.add_typer(config_app, name="config")
app.add_typer(ci_app, name="ci")
app.add_typer(keys_app, name="keys")
app.add_typer(memory_app, name="memory")
app.add_typer(webhooks_app, name="webhooks")

_OF_A_SERVER = frozenset(
    {
        *("serve", "web", "worker"),
        *("migrate", "backup", "restore"),
        *("budget", "keys", "memory", "webhooks"),
    }
)
"""Commands that read `.env` in the working directory. Those that work on a repository don't: its
files are somebody else's.
"""

FIXED, NOT_FIXED, NEEDS_PERSON, INTERRUPTED = 0, 1, 3, 130
"""Exit codes: fixed or fine; not fixed; fixed, if a person approves; interrupted twice. Another is
`refusing.UNUSABLE`.
"""


@app.command()
def fix(
    target: Annotated[
        str, typer.Argument(metavar="PATH_OR_URL", help="Path or URL of a git repository.")
    ],
    issue: Annotated[str | None, typer.Option(metavar="TEXT", help="Problem description.")] = None,
    issue_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File with the problem description; - reads stdin."),
    ] = None,
    add: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A small feature to add, with tests for it.")
    ] = None,
    test: TestOption = None,
    setup: SetupOption = None,
    job: Annotated[
        str | None,
        typer.Option(
            metavar="JOB",
            help="Failing GitHub Actions job, run here first: its ID, or the name of its check.",
        ),
    ] = None,
    proposers: ProposersOption = None,
    sandbox: SandboxOption = None,
    package_date: AsOfOption = None,
    attempts: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10,
            metavar="NUMBER",
            help="Maximum number of attempts; `attempts` of the repo config, or 3, if omitted.",
        ),
    ] = None,
    budget_usd: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="DOLLARS",
            help="Budget for model calls; `budget_usd` of the repo config, or 2, if omitted.",
        ),
    ] = None,
    timeout: RunTimeoutOption = None,
    branch: BranchOption = None,
    patch: PatchOption = None,
    body: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write what a pull request with the fix says, or a report, to this file.",
        ),
    ] = None,
    apply: Annotated[  # noqa: FBT002 - a flag on a command line
        bool, typer.Option("--apply", help="Apply the fix to the work tree.")
    ] = False,
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Repair a repository. Nothing in it changes unless you pass --branch or --apply."""
    from bot.commands.fix import run_fix
    from bot.commands.fix_options import FixOptions

    options = FixOptions(
        target=target,
        issue=issue,
        issue_file=issue_file,
        add=add,
        test=test,
        setup=tuple(setup) if setup else None,
        job=job,
        proposers=tuple(name.strip() for name in proposers.split(",")) if proposers else None,
        sandbox=sandbox,
        package_date=package_date,
        attempts=attempts,
        budget_usd=budget_usd,
        timeout=timeout,
        branch=branch,
        patch=patch,
        body=body,
        apply=apply,
        as_json=as_json,
    )
    try:
        with usage_errors():
            acceptance = run_fix(options)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    raise typer.Exit(_exit_code(acceptance))


@app.command()
def localise(
    target: Annotated[Path, typer.Argument(metavar="PATH", help="Path of a git repository.")],
    test: TestOption = None,
    setup: SetupOption = None,
    sandbox: SandboxOption = None,
    timeout: RunTimeoutOption = None,
    lines: Annotated[int, typer.Option(min=1, help="Maximum number of lines to print.")] = 20,
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """List the lines that most likely make Python tests fail, and why. Nothing is changed."""
    from bot.commands.localise import LocaliseOptions, run_localise

    options = LocaliseOptions(
        target=str(target),
        test=test,
        setup=tuple(setup) if setup else None,
        sandbox=sandbox,
        timeout=timeout,
        most=lines,
        as_json=as_json,
    )
    with usage_errors():
        found = run_localise(options)
    raise typer.Exit(FIXED if found else NOT_FIXED)


@app.command()
def verify(
    target: Annotated[str, typer.Argument(metavar="PATH", help="Path of a git repository.")],
    base: Annotated[
        str | None,
        typer.Option(metavar="REVISION", help="Prove the change since it parted from this one."),
    ] = None,
    patch: Annotated[
        Path | None,
        typer.Option(help="Prove the patch in this file, applied to the work tree; - reads stdin."),
    ] = None,
    test: TestOption = None,
    setup: SetupOption = None,
    issue: Annotated[
        str | None,
        typer.Option(help="Description of the problem; a code block in it runs on both sides."),
    ] = None,
    sandbox: SandboxOption = None,
    package_date: AsOfOption = None,
    timeout: TimeoutOption = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the card to this file.")] = None,
    sarif: Annotated[Path | None, typer.Option(help="Write what is left open as SARIF.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write the rows as JUnit XML.")] = None,
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Show what is proven of a change, whoever wrote it. Nothing is changed."""
    from bot.commands.verify import VerifyOptions, run_verify

    options = VerifyOptions(
        target=target,
        base=base,
        patch=patch,
        test=test,
        setup=tuple(setup) if setup else None,
        issue=issue,
        sandbox=sandbox,
        package_date=package_date,
        timeout=timeout,
        markdown=markdown,
        sarif=sarif,
        junit=junit,
        as_json=as_json,
    )
    try:
        with usage_errors():
            acceptance = run_verify(options)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    raise typer.Exit(_exit_code(acceptance))


@app.command()
def explain(
    target: Annotated[str, typer.Argument(metavar="PATH", help="Path of a git repository.")] = ".",
    test: TestOption = None,
    setup: SetupOption = None,
    job: Annotated[
        str | None,
        typer.Option(help="Failing GitHub Actions job: its ID, or the name of its check."),
    ] = None,
    good: Annotated[
        str | None,
        typer.Option(metavar="REV|DATE", help="A commit, or a day, at which the tests passed."),
    ] = None,
    sandbox: SandboxOption = None,
    package_date: AsOfOption = None,
    timeout: RunTimeoutOption = None,
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Name the commit or the release since which tests fail. Nothing is changed."""
    from bot.commands.explain import ExplainOptions, run_explain

    options = ExplainOptions(
        target=target,
        test=test,
        setup=tuple(setup) if setup else None,
        job=job,
        good=good,
        sandbox=sandbox,
        package_date=package_date,
        timeout=timeout,
        as_json=as_json,
    )
    with usage_errors():
        found = run_explain(options)
    raise typer.Exit(FIXED if found else NOT_FIXED)


@app.command()
def flaky(
    target: Annotated[str, typer.Argument(metavar="PATH", help="Path of a git repository.")] = ".",
    tests: Annotated[
        list[str] | None,
        typer.Option("--test", metavar="ID", help="Test to look at; may be repeated."),
    ] = None,
    every: Annotated[  # noqa: FBT002 - a flag on a command line
        bool, typer.Option("--all", help="Look at all tests, as without --test.")
    ] = False,
    command: Annotated[
        str | None, typer.Option(help="Command that runs the whole test suite.")
    ] = None,
    setup: SetupOption = None,
    runs: Annotated[
        int,
        typer.Option(min=2, help="How often the command that shows a failure has to fail."),
    ] = 20,
    fix: Annotated[  # noqa: FBT002 - a flag on a command line
        bool, typer.Option("--fix", help="Repair the first test whose cause was shown.")
    ] = False,
    branch: BranchOption = None,
    patch: PatchOption = None,
    sandbox: SandboxOption = None,
    package_date: AsOfOption = None,
    timeout: TimeoutOption = None,
    listed: Annotated[
        str | None,
        typer.Option(
            "--list", metavar="OWNER/NAME", help="Only list the tests that a server saw failing."
        ),
    ] = None,
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Name flaky tests, what decides how they end, and a command that shows it."""
    from bot.commands.flaky import FlakyOptions, run_flaky

    if listed is not None:
        from bot.commands.memory import list_tests

        with usage_errors():
            list_tests(listed, as_json=as_json)
        return
    if every and tests:
        raise typer.BadParameter("Use either --all or --test.")
    options = FlakyOptions(
        target=target,
        tests=tuple(tests or ()),
        command=command,
        setup=tuple(setup) if setup else None,
        shown=runs,
        fix=fix,
        branch=branch,
        patch=patch,
        sandbox=sandbox,
        package_date=package_date,
        timeout=timeout,
        as_json=as_json,
    )
    with usage_errors():
        found = run_flaky(options)
    raise typer.Exit(NOT_FIXED if found else FIXED)


@app.command()
def setup(
    environment_file: Annotated[
        Path,
        typer.Option("--env-file", help="File that gets the settings; only its owner can read it."),
    ] = Path(".env"),
    print_: Annotated[  # noqa: FBT002 - a flag on a command line
        bool,
        typer.Option("--print", help="Print the settings instead, for a secret store."),
    ] = False,
    url: Annotated[
        str, typer.Option(help="Address under which GitHub will reach the server.")
    ] = "",
    host: Annotated[str, typer.Option(help="Address to show the page on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to show the page on.")] = 8080,
) -> None:
    """Create the GitHub App in a browser and keep its settings for `fixpoint serve`."""
    from bot.commands.setup import run_setup

    with usage_errors():
        done = run_setup(None if print_ else environment_file, host, port, url)
    raise typer.Exit(FIXED if done else NOT_FIXED)


SmeeOption = Annotated[
    str | None,
    typer.Option("--smee", metavar="URL", help="Channel of smee.io to fetch deliveries from."),
]


@app.command()
def serve(smee: SmeeOption = None) -> None:
    """Run the webhook server; without settings, a page to create the GitHub App first."""
    _run("serve", smee)


@app.command()
def web(smee: SmeeOption = None) -> None:
    """Run only what answers: webhooks, dashboard and API. Needs a `fixpoint worker` beside it."""
    _run("web", smee)


@app.command()
def worker() -> None:
    """Run only what works: deliveries and runs that any `fixpoint web` has stored."""
    _run("worker")


def _run(role: str, smee: str | None = None) -> None:
    from bot.server.lifecycle import run_server
    from bot.server.roles import ServerRole

    if smee is not None:
        os.environ["FIXPOINT_SMEE_URL"] = smee
    with usage_errors():
        run_server(ServerRole(role))


@app.command()
def migrate(
    check: Annotated[  # noqa: FBT002 - a flag on a command line
        bool, typer.Option("--check", help="Change nothing; exit with 1 if something is to do.")
    ] = False,
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="URL", help="Copy this database instead; stop its servers."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Empty database that gets the copy; else DATABASE_URL."),
    ] = None,
) -> None:
    """Bring the database up to date, or move it to another one with --from.

    Servers of the version before may go on beside it.
    """
    from bot.commands.migration import run_migrate, run_move

    if from_ is None and to is not None:
        refuse("--to needs --from.")
    if from_ is not None and check:
        refuse("--check and --from can't be combined.")
    with usage_errors():
        if from_ is not None:
            run_move(from_, to)
            return
        fine = run_migrate(check=check)
    raise typer.Exit(FIXED if fine else NOT_FIXED)


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File that gets the backup.")],
) -> None:
    """Copy the database into one file, which only its owner can read. Servers may go on."""
    from bot.commands.migration import run_backup

    with usage_errors():
        run_backup(file)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `fixpoint backup` wrote.")],
) -> None:
    """Fill an empty database from a backup."""
    from bot.commands.migration import run_restore

    with usage_errors():
        run_restore(file)


@app.command()
def budget(
    name: Annotated[
        str | None, typer.Argument(help="Repository, owner/name#12, or run ID.")
    ] = None,
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Show today's model spending, what is reserved, and what each cap has left."""
    from bot.commands.budget import run_budget

    with usage_errors():
        run_budget(name, as_json=as_json)


@app.command()
def runs(
    repository: Annotated[str, typer.Option(help="Only runs of this owner/name.")] = "",
    status: Annotated[str, typer.Option(help="queued, running, waiting or done.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=100, help="Maximum number of runs.")] = 20,
    server: ServerOption = None,
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """List the runs of a running server, newest first."""
    from bot.commands.watch import run_runs

    with usage_errors():
        run_runs(url=server, repository=repository, status=status, limit=limit, as_json=as_json)


@app.command()
def watch(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Run ID; the newest active run if omitted.")
    ] = None,
    server: ServerOption = None,
) -> None:
    """Follow a run of a running server until it ends. Exits with 0 if it ends fixed."""
    from bot.commands.watch import run_watch

    with usage_errors():
        fixed = run_watch(run, url=server)
    raise typer.Exit(FIXED if fixed else NOT_FIXED)


@app.command()
def logs(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Run ID.")],
    server: ServerOption = None,
) -> None:
    """Print the output of all commands of a run."""
    from bot.commands.watch import run_logs

    with usage_errors():
        run_logs(run, url=server)


@app.command()
def top(server: ServerOption = None) -> None:
    """Show live what a running server is doing."""
    from bot.commands.watch import run_top

    with usage_errors():
        run_top(url=server)


@app.command()
def doctor(
    target: Annotated[
        str | None, typer.Argument(metavar="PATH", help="Path of a git repository.")
    ] = None,
    as_json: Annotated[  # noqa: FBT002 - a flag on a command line
        bool, typer.Option("--json", help="Print one JSON object to stdout; needs PATH.")
    ] = False,
) -> None:
    """Check this machine and its settings, or with PATH what would run in a repository."""
    from bot.commands.doctor import run_doctor
    from bot.commands.doctor_repository import run_doctor_of

    if as_json and target is None:
        refuse("--json needs the PATH of a repository.")
    if target is None:
        _add_environment_files()
    with usage_errors():
        fine = run_doctor() if target is None else run_doctor_of(target, as_json=as_json)
    raise typer.Exit(FIXED if fine else NOT_FIXED)


@config_app.command("init")
def config_init(
    target: Annotated[str, typer.Argument(metavar="PATH", help="Path of a git repository.")] = ".",
    print_: Annotated[  # noqa: FBT002 - a flag on a command line
        bool, typer.Option("--print", help="Print the file instead of writing it.")
    ] = False,
    schema: Annotated[
        str,
        typer.Option(metavar="URL", help="Address of the schema: SERVER/fixpoint.schema.json."),
    ] = "",
) -> None:
    """Write a first repo config with what was detected. Nothing of the repository runs."""
    from bot.commands.doctor_repository import run_config_init

    with usage_errors():
        run_config_init(target, only_print=print_, schema=schema)


@config_app.command("check")
def config_check(
    path: Annotated[
        Path, typer.Argument(help="The config file, or the repository that contains it.")
    ] = Path(),
) -> None:
    """Check a repo config and list its problems with line numbers."""
    from bot.config.repo_config import parse
    from bot.errors import RepoConfigError

    file = path / ".github" / "fixpoint.yml" if path.is_dir() else path
    try:
        parse(file.read_bytes(), source=str(file))
    except OSError as error:
        refuse(f"{file} can't be read: {error.strerror}.")
    except RepoConfigError as error:
        for problem in error.problems:
            typer.echo(problem, err=True)
        raise typer.Exit(NOT_FIXED) from error
    typer.echo(f"{file} is valid.")


@config_app.command("simulate")
def config_simulate(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="owner/name#12, owner/name@SHA, or the address of its page."
        ),
    ],
    config: Annotated[
        Path | None, typer.Option(help="Decide by this repo config, not the repository's.")
    ] = None,
    as_: Annotated[str, typer.Option("--as", metavar="LOGIN", help="Who would comment /fix.")] = "",
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Show what would happen at an issue, pull request or commit, and why. Nothing happens.

    Needs the settings of the server.
    """
    from bot.commands.simulate import run_simulate

    _add_environment_files()
    with usage_errors():
        run_simulate(target, config=config, login=as_, as_json=as_json)


@config_app.command("schema")
def config_schema() -> None:
    """Print the JSON Schema of the repo config."""
    import json

    from bot.config.repo_config import json_schema

    typer.echo(json.dumps(json_schema(), indent=2))


@app.callback(invoke_without_command=True)
def version(
    context: typer.Context,
    show: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,  # noqa: FBT002 - a flag
) -> None:
    """Fixpoint: reproduce, repair, prove."""
    if show:
        from bot import __version__

        typer.echo(f"fixpoint {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
    if context.invoked_subcommand in _OF_A_SERVER:
        _add_environment_files()


def _add_environment_files() -> None:
    from bot.settings.environment_file import add_environment_files

    with usage_errors():
        add_environment_files(os.environ)


def _exit_code(acceptance: Acceptance) -> int:
    from bot.model import Acceptance

    match acceptance:
        case Acceptance.YES:
            return FIXED
        case Acceptance.AFTER_APPROVAL:
            return NEEDS_PERSON
        case Acceptance.NO:
            return NOT_FIXED
        case _:
            assert_never(acceptance)


def main() -> None:
    """Run the command line."""
    # What imports make stays until the end: to look through it for garbage again and again takes a
    # tenth of a second.
    gc.set_threshold(50_000, 10, 10)
    let_programs_be_interrupted()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that knows no such letter shows `?`
            stream.reconfigure(errors="replace")
    try:
        app()
    except SystemExit as end:
        if sys.argv[1:2] not in (
            ["serve"],
            ["web"],
            ["worker"],
        ):  # each has reports of its own to send at its end
            _leave(end.code)
        raise


def _leave(code: object) -> None:
    """End the process without taking its modules apart, which takes a fifth of a second.

    All that has to be closed was closed by its block. Does nothing for a code that Python prints.
    """
    if not isinstance(code, int | None):
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # whoever read it hung up; Python says that in its own way
        return
    os._exit(code or 0)


if __name__ == "__main__":
    main()
