"""What a plan of a job shows, and why a step of it failed here apart from its exit status."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example


@example(60.0)
def step_timed_out(seconds: float) -> str:
    """The step reached its time limit."""
    return f"It timed out after {seconds:.0f} s."


@example(["secrets.TOKEN"])
@example(["secrets.TOKEN", "secrets.KEY"])
def secrets_missing(names: Sequence[str]) -> str:
    """The step uses secrets, which nobody gives away here."""
    named = ", ".join(f"`{name}`" for name in names)
    return f"It uses {named}, which {'are' if len(names) > 1 else 'is'} not available here."


@example("tox")
def program_missing(program: str) -> str:
    """The shell did not find it."""
    return f"The program `{program}` is not installed here."


@example([], [])
@example([4], [])
@example([2, 4], [])
@example([], ["The variable `LIMIT` is ignored. Expressions have no function `secret`."])
def job_ends(left_out: Sequence[int], unread: Sequence[str]) -> str:
    """No step fails; some may be what nobody here can evaluate or run."""
    if not left_out and not unread:
        return "The job passes here."
    steps = f"step{'s' if len(left_out) > 1 else ''} {', '.join(map(str, left_out))}"
    parts = [*unread, *([f"What {steps} would do can't be run here."] if left_out else [])]
    return f"It is unknown whether the job passes: nothing fails here, but not all of it ran. {' '.join(parts)}"


@example("GITHUB_ENV", "no name")
def environment_file_invalid(file: str, line: str) -> str:
    """A step wrote what is no entry of an environment file."""
    return f"It wrote a line to `{file}` that GitHub's runner refuses: `{line[:80]}`."


@example()
def condition_unknown() -> str:
    """The step may not have run on GitHub at all."""
    return "It is unknown whether GitHub would run it."


@example("test (3.12)", ".github/workflows/ci.yml", "test", "push")
def plan_title(name: str, workflow: str, job: str, event: str) -> str:
    """The first line of a plan."""
    return f"{name}  ({workflow}, job {job}, on {event})"


@example()
def differences_follow() -> str:
    """The heading of a plan's last part."""
    return "Differences from GitHub's runner:"


@example()
def condition_false() -> str:
    """What stands behind a step that does not run."""
    return " (its condition is false)"


@example()
def only_after_failure() -> str:
    """What stands behind a step that runs when another one failed."""
    return " (only after a failure)"


@example("/workspace/web")
def in_folder(folder: str) -> str:
    """Where a step's command runs."""
    return f"in {folder}"


@example()
def build_noted() -> str:
    """A line of the setup, behind the steps that build."""
    return "# The time of the build, which is repeated for changed sources"


@example()
def runner_set_up() -> str:
    """What stands for the commands that start a job, among those that a report shows."""
    return "# Make the sandbox look like GitHub's runner"


@example(["ruff 0.5.1", "mypy 1.11"])
def logged_versions(tools: Sequence[str]) -> str:
    """What stands for the commands that bring tools to the versions of GitHub's log."""
    return f"# Use the versions from the job's log: {', '.join(tools)}"


@example("./script/cibuild")
def rehearsal(command: str) -> str:
    """What stands for a command that runs once with network, because it installs as it goes."""
    lines = command.strip().split("\n")
    more = " ..." if len(lines) > 1 else ""
    return f"# Run once with network access, because it installs what it needs: {lines[0]}{more}"


@example()
def only_checks() -> str:
    """A step before the failing one is left out."""
    return "It only checks, and prepares nothing for the failing step."


@example()
def fetching() -> str:
    """What stands for the time in which the failing step's needs were fetched."""
    return "fetching for the failing step"


@example("1 min 20 s", [("Install", "50 s"), ("fetching for the failing step", "20 s")])
@example("0.2 s", [])
def time_spent(whole: str, parts: Sequence[tuple[str, str]]) -> str:
    """How long a job ran, with its longest parts."""
    named = ", ".join(f"{name} {seconds}" for name, seconds in parts)
    return f"The commands took {whole}: {named}." if named else f"The commands took {whole}."
