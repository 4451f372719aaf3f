"""How a job here differs from the same job on GitHub's runner."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example

_TITLE = "Run tests"
_CONDITION = "github.actor != 'dependabot'"


@example(["windows-latest"])
def windows(labels: Sequence[str]) -> str:
    return (
        f"GitHub runs the job on Windows ({_named(labels)}); here it runs on Linux, so behaviour "
        "specific to Windows can't be reproduced."
    )


@example(["macos-14"])
def macos(labels: Sequence[str]) -> str:
    return (
        f"GitHub runs the job on macOS ({_named(labels)}); here it runs on Linux, so behaviour "
        "specific to macOS can't be reproduced."
    )


@example(["ubuntu-24.04"])
@example([])
def linux(labels: Sequence[str]) -> str:
    """The runner is another Linux, or unknown."""
    runner = _named(labels) or "an unknown runner"
    return (
        f"GitHub runs the job on {runner}; here it runs on the sandbox's Linux, with the programs "
        "installed there."
    )


@example("The expression `matrix.` has a syntax error at its end.")
def container_ignored(problem: str) -> str:
    return f"The job's container is ignored. {problem}"


@example("python:3.12")
@example("")
def container(image: str) -> str:
    """The job has a container; the image is empty where it is not known."""
    name = f"the container `{image}`" if image else "a container whose image is unknown"
    return f"GitHub runs the steps in {name}; here they run directly in the sandbox."


@example(["needs.list.outputs"])
def matrix_made_at_run_time(names: Sequence[str]) -> str:
    return f"The matrix is built at run time from {_named(names)}, so some values may be missing."


@example("push", "github.event_name == 'pull_request'")
def skipped_on_github(event: str, condition: str) -> str:
    return f"On `{event}`, GitHub would skip the job: `if: {condition}`."


@example("vars.DEPLOY")
def job_condition_unknown(condition: str) -> str:
    return f"It is unknown whether GitHub would run the job: `if: {condition}`."


@example(["secrets.TOKEN"])
@example(["secrets.TOKEN", "vars.HOST"])
def variables_empty(names: Sequence[str]) -> str:
    return f"The job's environment uses {_named(names)}, which {_are(names)} empty here."


@example("TOKEN", "Expressions have no function `secret`.")
def variable_ignored(name: str, problem: str) -> str:
    return f"The variable `{name}` is ignored. {problem}"


@example(_TITLE, _CONDITION)
def step_condition_unknown(step: str, condition: str) -> str:
    return f"Step `{step}` runs here although its condition can't be evaluated: `if: {condition}`."


@example(_TITLE, ["secrets.TOKEN"])
def step_values_empty(step: str, names: Sequence[str]) -> str:
    return f"Step `{step}` uses {_named(names)}, which {_are(names)} empty here."


@example("Run octo/deploy@v1", ["The action `octo/deploy` is not supported here."])
def step_skipped(step: str, why: Sequence[str]) -> str:
    return f"Step `{step}` is skipped. {' '.join(why)}"


@example(_TITLE, ["GitHub runs it with PowerShell; here it runs with bash."])
def step_differs(step: str, how: Sequence[str]) -> str:
    return f"Step `{step}`: {' '.join(how)}"


@example("Lint")
def earlier_step_fails(step: str) -> str:
    return f"Step `{step}` fails here, before the step that failed on GitHub."


@example("Install the nightly build")
def earlier_step_unreachable(step: str) -> str:
    return f"Step `{step}` asks for something that can't be reached from here; the job goes on."


@example("search", "elasticsearch:8")
@example("search", "")
def service_missing(name: str, image: str) -> str:
    """No sandbox has a program for the service."""
    made = f" (`{image}`)" if image else ""
    return f"The service `{name}`{made} is not started here; steps that connect to it fail."


@example("db")
def service_of_sandbox(name: str) -> str:
    return (
        f"The service `{name}` is the sandbox's own program in its own version, if the sandbox "
        "has one."
    )


BASH_INSTEAD_OF_POWERSHELL = "GitHub runs it with PowerShell; here it runs with bash."


@example("cmd")
def shell_of_windows(shell: str) -> str:
    return f"The shell `{shell}` exists only on Windows."


@example("fish-like")
def shell_unknown(shell: str) -> str:
    return f"The shell `{shell}` is not supported."


STEP_EMPTY = "It has neither `run` nor `uses`."


@example("./.github/actions/setup")
def action_file_missing(uses: str) -> str:
    return f"`{uses}` has no action.yml."


@example("octo/setup/action.yml@v1")
def action_brings_files(path: str) -> str:
    return f"It runs files that come with `{path}`, and only that file is read."


@example("./.github/actions/setup", "node20")
def action_not_composite(uses: str, using: str) -> str:
    return f"`{uses}` is a `{using}` action, which can't run here."


@example("./.github/actions/lint", "python:3.12-slim")
def container_left_out(uses: str, image: str) -> str:
    return f"`{uses}` runs in a container made from `{image}`; here its program runs without one."


@example("./.github/actions/setup")
def action_uses_itself(uses: str) -> str:
    return f"The action `{uses}` uses itself."


ACTIONS_NESTED_TOO_DEEPLY = "Actions are nested too deeply."


def _named(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
