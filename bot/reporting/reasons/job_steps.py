"""What a job's steps and actions do here, why one failed, and what is wrong in a workflow file."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example


@example(60.0)
def step_timed_out(seconds: float) -> str:
    return f"It timed out after {seconds:.0f} s."


@example(["secrets.TOKEN"])
@example(["secrets.TOKEN", "secrets.KEY"])
def secrets_missing(names: Sequence[str]) -> str:
    """The step uses secrets, which nobody gives away here."""
    named = ", ".join(f"`{name}`" for name in names)
    return f"It uses {named}, which {'are' if len(names) > 1 else 'is'} not available here."


@example("tox")
def program_missing(program: str) -> str:
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
    return f"It wrote a line to `{file}` that GitHub's runner refuses: `{line[:80]}`."


CONDITION_UNKNOWN = "It is unknown whether GitHub would run it."


@example("test (3.12)", ".github/workflows/ci.yml", "test", "push")
def plan_title(name: str, workflow: str, job: str, event: str) -> str:
    return f"{name}  ({workflow}, job {job}, on {event})"


DIFFERENCES_FOLLOW = "Differences from GitHub's runner:"
CONDITION_FALSE = " (its condition is false)"
ONLY_AFTER_FAILURE = " (only after a failure)"


@example("/workspace/web")
def in_folder(folder: str) -> str:
    return f"in {folder}"


BUILD_NOTED = "# The time of the build, which is repeated for changed sources"
RUNNER_SET_UP = "# Make the sandbox look like GitHub's runner"


@example(["ruff 0.5.1", "mypy 1.11"])
def logged_versions(tools: Sequence[str]) -> str:
    return f"# Use the versions from the job's log: {', '.join(tools)}"


@example("./script/cibuild")
def rehearsal(command: str) -> str:
    """What stands for a command that runs once with network, because it installs as it goes."""
    lines = command.strip().split("\n")
    more = " ..." if len(lines) > 1 else ""
    return f"# Run once with network access, because it installs what it needs: {lines[0]}{more}"


ONLY_CHECKS = "It only checks, and prepares nothing for the failing step."
FETCHING = "fetching for the failing step"


@example("1 min 20 s", [("Install", "50 s"), ("fetching for the failing step", "20 s")])
@example("0.2 s", [])
def time_spent(whole: str, parts: Sequence[tuple[str, str]]) -> str:
    """How long a job ran, with its longest parts."""
    named = ", ".join(f"{name} {seconds}" for name, seconds in parts)
    return f"The commands took {whole}: {named}." if named else f"The commands took {whole}."


@example("ruff")
def runs(tool: str) -> str:
    return f"Runs {tool}."


@example("tox -e lint")
def runs_as_named(command: str) -> str:
    return f"Runs `{command}`, which its name and inputs suggest."


RUNS_WHAT_IT_IS_GIVEN = "Runs the command that is its input; what else it does is unknown."


@example("golangci-lint")
def runs_if_installed(tool: str) -> str:
    return f"Runs {tool} if the sandbox has it."


BUILDS_PACKAGE = "Builds the package and checks its metadata."
INSTALLS_LOCK_FILE = "Installs the packages of the lock file."


@example("octo/fixtures")
def checks_out_elsewhere(repository: str) -> str:
    return f"Checks out `{repository}`, another repository, which is not available here."


@example("")
@example("v2")
def checked_out(ref: str) -> str:
    """The work tree is there before the first step."""
    other = f" The step asks for `{ref}`." if ref else ""
    return f"The commit is already checked out.{other}"


CACHES_NOTHING = "Nothing is cached here; everything is built from scratch."


@example("")
@example("wheels")
def takes_artifact(name: str) -> str:
    """The action downloads what an earlier job of the run stored."""
    what = f"the artifact `{name}`" if name else "the artifacts"
    return f"Unpacks {what} of an earlier job."


@example("wheels")
def keeps_artifact(name: str) -> str:
    return f"Keeps the artifact `{name}` for the job that needs it."


@example("")
@example("wheels")
def artifact_missing(name: str) -> str:
    """The action downloads what an earlier job stored."""
    if name:
        return f"The artifact `{name}` of an earlier job is not available here."
    return "Artifacts of earlier jobs are not available here."


CALLS_API = "Runs JavaScript against GitHub's API, which is not available here."
FILTERS_PATHS = "Detects which files a pull request changes; here, all parts count as changed."
STORES_FILES = "Stores files for later jobs or runs."
REPORTS_RESULTS = "Reports results elsewhere; it does not affect the outcome."
ANALYSES_CODE = "Analyses the code with a service that is not available here."
PUBLISHES = "Publishes something; this is never done here."


@example("3.12")
@example("")
def sets_up_python(version: str) -> str:
    """The action installs Python."""
    if version:
        return f"Creates an environment with Python {version}."
    return "Uses the sandbox's Python."


@example(0)
@example(12)
def replaces_conda(packages: int) -> str:
    """The action makes an environment of conda."""
    if not packages:
        return "Creates a Python environment in place of conda's."
    return f"Creates a Python environment in place of conda's; {packages} packages come from PyPI."


@example("20")
def sets_up_node(version: str) -> str:
    return f"Uses Node.js {version} if the machine has it, otherwise the sandbox's Node.js."


@example("")
@example("1.24")
def sets_up_go(version: str) -> str:
    """The action installs a version of Go, or the newest."""
    if not version:
        return "Installs the newest Go that PyPI has."
    return f"Uses Go {version} if the machine has it, otherwise the one from PyPI."


@example("Java", "")
@example("Java", "21")
def uses_sandbox_tool(tool: str, wanted: str) -> str:
    """The action installs a tool; what the sandbox has is used."""
    asked = f"; the step asks for {wanted}" if wanted else ""
    return f"Uses the sandbox's {tool}{asked}."


@example("pnpm@9")
def installs_from_npm(package: str) -> str:
    return f"Installs `{package}` from npm."


@example("poetry==1.8")
def installs(package: str) -> str:
    return f"Installs `{package}`."


@example(["nextest", "just"])
def uses_installed_tools(tools: Sequence[str]) -> str:
    return f"Installs prebuilt tools ({', '.join(tools)}); here the sandbox's own are used."


@example("docker://alpine:3")
def container_action(uses: str) -> str:
    return f"`{uses}` runs in its own container, which is not available here."


@example("octo/deploy")
def unknown_action(name: str) -> str:
    return f"The action `{name}` is not supported here."


_FILE = ".github/workflows/ci.yml"


@example(_FILE)
def file_unreadable(path: str) -> str:
    return f"{path} can't be read: it is missing, too large, or not a file."


@example(_FILE, 7, "tabs can't indent YAML; use spaces.")
def at_line(path: str, line: int, problem: str) -> str:
    return f"{path}, line {line}: {problem}"


@example("workflow", "`runn` is not a valid key here.")
@example("action", "`shell` is missing.")
def refused(kind: str, why: str) -> str:
    """GitHub takes the file for no workflow or action; `why` is of `workflow_refusals`."""
    return f"GitHub refuses this {kind}: {why}"


@example(_FILE, 7, "test", "Expressions have no function `secret`.")
def matrix_unreadable(path: str, line: int, job: str, problem: str) -> str:
    return f"{path}, line {line}: the matrix of `{job}` can't be expanded. {problem}"


@example(_FILE, 7, "test", "Expressions have no function `secret`.")
def name_unreadable(path: str, line: int, job: str, problem: str) -> str:
    return f"{path}, line {line}: the name of `{job}` can't be evaluated. {problem}"


@example(_FILE, 7, "test", "octo/ci/.github/workflows/test.yml@v1")
def workflow_of_another_repository(path: str, line: int, job: str, uses: str) -> str:
    return (
        f"{path}, line {line}: `{job}` calls the workflow `{uses}` of another repository, which "
        "is not available here."
    )


@example(_FILE, 7, "test", ".github/workflows/test.yml")
def called_workflow_missing(path: str, line: int, job: str, called: str) -> str:
    return f"{path}, line {line}: `{job}` calls {called}, which is missing."


@example(_FILE, "Its jobs, steps and values add up to more than 16 MiB.")
def planned_in_part(path: str, problem: str) -> str:
    return f"{path} is planned only in part. {problem}"


@example(_FILE, 7, "test", ".github/workflows/test.yml")
def calls_itself(path: str, line: int, job: str, called: str) -> str:
    return f"{path}, line {line}: `{job}` calls {called}, which calls itself."


@example(_FILE, 7, "test")
def calls_nested_too_deeply(path: str, line: int, job: str) -> str:
    return f"{path}, line {line}: the calls of `{job}` are nested too deeply."
