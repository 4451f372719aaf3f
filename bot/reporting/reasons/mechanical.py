"""What the project's own tools were run for, and what they changed."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.series import series

_MOST_NAMED = 3
"""Commands that the first sentence names; the list below it has them all."""


@example("sh check.sh")
def no_fix_mode(command: str) -> str:
    """No tool that the failing command runs can repair."""
    return f"No tool in this project can automatically fix what `{command}` reports."


@example()
def snapshots_left_alone() -> str:
    """A test's snapshot differs, and the repo config doesn't let tools update it."""
    return (
        "A snapshot of a test differs. If that is what should change, `mechanical: {snapshots: true}` "
        "in `.github/fixpoint.yml` lets the test runner update it."
    )


@example("ruff format .", "The failing command runs `ruff`.")
def running(fix: str, why: str) -> str:
    """A fix is about to run."""
    return f"`{fix}`: {why}"


@example("ruff")
def part_of_command(tool: str) -> str:
    """The failing command names the tool."""
    return f"The failing command runs `{tool}`."


@example("ruff", "Makefile")
def part_of_command_through(tool: str, file: str) -> str:
    """A file that the failing command runs names the tool."""
    return f"The failing command runs `{tool}` through `{file}`."


@example("ruff", [])
@example("ruff", ["make lint", "python checks.py"])
def seen(tool: str, through: Sequence[str]) -> str:
    """The tool was among the programs that the failing command started."""
    way = f" through {' → '.join(f'`{one}`' for one in through)}" if through else ""
    return f"The failing command started `{tool}`{way}."


@example("flake8", fixer="ruff", file="pyproject.toml")
def configured(linter: str, *, fixer: str, file: str) -> str:
    """The linter can't repair, but the project configures a tool that can."""
    return f"`{linter}` only reports problems; `{file}` configures {fixer}, which can fix them."


@example("tools/generate.py")
def checks_itself(script: str) -> str:
    """Without its `--check`, the script writes."""
    return f"`{script}` can also write what it checks."


@example()
def committed_result() -> str:
    """The failing command runs a generator and asks git whether anything changed."""
    return "The failing command runs it and expects the result to be committed."


@example()
def named_in_output() -> str:
    """The output says to run it."""
    return "The output of the failing command says to run it."


@example()
def own_repair() -> str:
    """The project has a target or script for repairs beside the one for checks."""
    return "The project uses it to fix what its checks report."


@example("fix-copies")
def fixing_target(target: str) -> str:
    """Another target runs what the command checks, with an option that fixes."""
    return f"The failing command only checks what `make {target}` fixes this way."


@example("uv.lock")
def lock_stale(file: str) -> str:
    """The output complains about a lock file."""
    return f"The output says that `{file}` is out of date."


@example("uv.lock")
def lock_checked(file: str) -> str:
    """The failing command checks a lock file."""
    return f"The failing command checks `{file}`."


@example("black")
def files_named(tool: str) -> str:
    """The output has the words by which the tool names a file."""
    return f"`{tool}` reports these files in the output."


@example("pyproject.toml")
def linter_codes(file: str) -> str:
    """The output has codes of a linter, and the project configures ruff."""
    return f"The output contains error codes of a linter, and `{file}` configures ruff."


@example("trailing-whitespace")
def hook_failed(hook: str) -> str:
    """The output says that a hook of pre-commit failed."""
    return f"The hook `{hook}` failed."


@example()
def snapshot_differs() -> str:
    """Snapshots may be rewritten here."""
    return "A snapshot differs, and the configuration allows updating snapshots."


@example(["ruff format ."])
@example(["make generate", "ruff check --fix .", "ruff format .", "isort ."])
def tools_ran(commands: Sequence[str]) -> str:
    """The pull request begins with it."""
    return f"Ran the project's own tools: {series(_code(commands), most=_MOST_NAMED)}."


@example()
def none_installed() -> str:
    """The shell found none of the programs."""
    return "The project's tools could fix this, but none of them is installed here."


@example("ruff format .", "The failing command runs `ruff`.")
@example("ruff format .", "The failing command runs `ruff`.", installed=False)
def tool_ran(command: str, why: str, *, installed: bool = True) -> str:
    """One fix, in a list of all that were run."""
    return (
        running(command, why) if installed else f"{running(command, why)} It is not installed here."
    )


@example("src/a.py", 12, "Guessed that `heigth` means `height`.")
def rule_applied(file: str, line: int, said: str) -> str:
    """One repair by a rule, in a list of all."""
    return f"`{file}:{line}`: {said}"


@example(1)
@example(7)
def rules_applied(count: int) -> str:
    """The pull request says so behind the tools."""
    what = "one problem" if count == 1 else f"{count} problems"
    return f"Fixed {what} that the tools only report, by built-in rules."


@example(1)
@example(12)
def more_by_rules(count: int) -> str:
    """The list of repairs is cut."""
    return "One more repair of this kind." if count == 1 else f"{count} more repairs of this kind."


@example([".github/workflows/ci.yml", "uv.lock"])
def protected_left_out(files: Sequence[str]) -> str:
    """The tools changed files that no patch may touch."""
    return f"Changes to protected files were left out: {', '.join(files)}."


@example()
def nothing_changed() -> str:
    """The tools ran and left the tree as it was."""
    return "None of them changed a file."


@example("make lint", test="src/a.py:3: F401", message="`os` imported but unused")
def still_fails(command: str, *, test: str, message: str) -> str:
    """The failing command still fails, and says where."""
    return f"`{command}` still fails: {test}: {message}"


@example("make lint", 2)
def still_fails_silently(command: str, status: int) -> str:
    """The failing command still fails, and its failures can't be read."""
    return f"`{command}` still fails with exit status {status}."


def _code(commands: Sequence[str]) -> list[str]:
    return [f"`{command}`" for command in commands]


@example(["tests/test_app.py"])
def tests_follow(files: Sequence[str]) -> str:
    """Tests have a text that the commit changed in the program; a person has to agree."""
    named = series([f"`{file}`" for file in files], most=_MOST_NAMED)
    return (
        f"The commit changed a message, and {named} still expected the old one. The tests now "
        "expect the new one; check that it is what was meant."
    )


@example(["pyproject.toml"])
def versions_follow(files: Sequence[str]) -> str:
    """Files have a version that the commit raised elsewhere."""
    named = series([f"`{file}`" for file in files], most=_MOST_NAMED)
    return f"The commit raised the version, and {named} still had the old one."
