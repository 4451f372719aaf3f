"""What an action does here in place of what it does on GitHub's runner."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example


@example("ruff")
def runs(tool: str) -> str:
    """The action is a check."""
    return f"Runs {tool}."


@example("tox -e lint")
def runs_as_named(command: str) -> str:
    """The action is not known, but its name or an input is that of a tool."""
    return f"Runs `{command}`, which its name and inputs suggest."


@example()
def runs_what_it_is_given() -> str:
    """The action is not known, but one of its inputs is a command."""
    return "Runs the command that is its input; what else it does is unknown."


@example("golangci-lint")
def runs_if_installed(tool: str) -> str:
    """The action is a check with a tool that only some sandboxes have."""
    return f"Runs {tool} if the sandbox has it."


@example()
def builds_package() -> str:
    """The action builds a Python package."""
    return "Builds the package and checks its metadata."


@example()
def installs_lock_file() -> str:
    """The action runs a package manager."""
    return "Installs the packages of the lock file."


@example("octo/fixtures")
def checks_out_elsewhere(repository: str) -> str:
    """The action checks out a repository other than this one."""
    return f"Checks out `{repository}`, another repository, which is not available here."


@example("")
@example("v2")
def checked_out(ref: str) -> str:
    """The work tree is there before the first step."""
    other = f" The step asks for `{ref}`." if ref else ""
    return f"The commit is already checked out.{other}"


@example()
def caches_nothing() -> str:
    """The action restores a cache."""
    return "Nothing is cached here; everything is built from scratch."


@example("")
@example("wheels")
def takes_artifact(name: str) -> str:
    """The action downloads what an earlier job of the run stored."""
    what = f"the artifact `{name}`" if name else "the artifacts"
    return f"Unpacks {what} of an earlier job."


@example("wheels")
def keeps_artifact(name: str) -> str:
    """The job runs for what this action stores."""
    return f"Keeps the artifact `{name}` for the job that needs it."


@example("")
@example("wheels")
def artifact_missing(name: str) -> str:
    """The action downloads what an earlier job stored."""
    if name:
        return f"The artifact `{name}` of an earlier job is not available here."
    return "Artifacts of earlier jobs are not available here."


@example()
def calls_api() -> str:
    """The action is a script against GitHub's API."""
    return "Runs JavaScript against GitHub's API, which is not available here."


@example()
def filters_paths() -> str:
    """The action finds out what a pull request changes."""
    return "Detects which files a pull request changes; here, all parts count as changed."


@example()
def stores_files() -> str:
    """The action uploads or caches files."""
    return "Stores files for later jobs or runs."


@example()
def reports_results() -> str:
    """The action sends or shows results."""
    return "Reports results elsewhere; it does not affect the outcome."


@example()
def analyses_code() -> str:
    """The action is a service's scanner."""
    return "Analyses the code with a service that is not available here."


@example()
def publishes() -> str:
    """The action releases or deploys."""
    return "Publishes something; this is never done here."


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
    """The action installs a version of Node.js."""
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
    """The action installs a tool that npm has."""
    return f"Installs `{package}` from npm."


@example("poetry==1.8")
def installs(package: str) -> str:
    """The action installs a tool that PyPI has."""
    return f"Installs `{package}`."


@example(["nextest", "just"])
def uses_installed_tools(tools: Sequence[str]) -> str:
    """The action installs prebuilt tools."""
    return f"Installs prebuilt tools ({', '.join(tools)}); here the sandbox's own are used."


@example("docker://alpine:3")
def container_action(uses: str) -> str:
    """The action is an image."""
    return f"`{uses}` runs in its own container, which is not available here."


@example("octo/deploy")
def unknown_action(name: str) -> str:
    """Nothing is known of what the action does."""
    return f"The action `{name}` is not supported here."
