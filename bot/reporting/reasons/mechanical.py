"""What the project's own tools and our rules did."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.series import series

_MOST_NAMED = 3
"""Commands that the first sentence names; the list below it has them all."""


@example("sh check.sh")
def no_fix_mode(command: str) -> str:
    return f"No tool in this project can automatically fix what `{command}` reports."


SNAPSHOTS_LEFT_ALONE = (
    "A snapshot of a test differs. If that is what should change, `mechanical: {snapshots: true}` "
    "in `.github/fixpoint.yml` lets the test runner update it."
)


@example("ruff format .", "The failing command runs `ruff`.")
def running(fix: str, why: str) -> str:
    return f"`{fix}`: {why}"


@example("ruff")
def part_of_command(tool: str) -> str:
    return f"The failing command runs `{tool}`."


@example("ruff", "Makefile")
def part_of_command_through(tool: str, file: str) -> str:
    return f"The failing command runs `{tool}` through `{file}`."


@example("ruff", [])
@example("ruff", ["make lint", "python checks.py"])
def seen(tool: str, through: Sequence[str]) -> str:
    """The tool was among the programs that the failing command started."""
    way = f" through {' → '.join(f'`{item}`' for item in through)}" if through else ""
    return f"The failing command started `{tool}`{way}."


@example("flake8", fixer="ruff", file="pyproject.toml")
def configured(linter: str, *, fixer: str, file: str) -> str:
    return f"`{linter}` only reports problems; `{file}` configures {fixer}, which can fix them."


@example("tools/generate.py")
def checks_itself(script: str) -> str:
    return f"`{script}` can also write what it checks."


COMMITTED_RESULT = "The failing command runs it and expects the result to be committed."
NAMED_IN_OUTPUT = "The output of the failing command says to run it."
OWN_REPAIR = "The project uses it to fix what its checks report."


@example("fix-copies")
def fixing_target(target: str) -> str:
    return f"The failing command only checks what `make {target}` fixes this way."


@example("uv.lock")
def lock_stale(file: str) -> str:
    return f"The output says that `{file}` is out of date."


@example("uv.lock")
def lock_checked(file: str) -> str:
    return f"The failing command checks `{file}`."


@example("black")
def files_named(tool: str) -> str:
    return f"`{tool}` reports these files in the output."


@example("pyproject.toml")
def linter_codes(file: str) -> str:
    return f"The output contains error codes of a linter, and `{file}` configures ruff."


@example("trailing-whitespace")
def hook_failed(hook: str) -> str:
    return f"The hook `{hook}` failed."


SNAPSHOT_DIFFERS = "A snapshot differs, and the configuration allows updating snapshots."


@example(["ruff format ."])
@example(["make generate", "ruff check --fix .", "ruff format .", "isort ."])
def tools_ran(commands: Sequence[str]) -> str:
    return f"Ran the project's own tools: {series(_code(commands), most=_MOST_NAMED)}."


NONE_INSTALLED = "The project's tools could fix this, but none of them is installed here."


@example("ruff format .", "The failing command runs `ruff`.")
@example("ruff format .", "The failing command runs `ruff`.", installed=False)
def tool_ran(command: str, why: str, *, installed: bool = True) -> str:
    return (
        running(command, why) if installed else f"{running(command, why)} It is not installed here."
    )


@example("src/a.py", 12, "Guessed that `heigth` means `height`.")
def rule_applied(file: str, line: int, said: str) -> str:
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
    return "One more repair of this kind." if count == 1 else f"{count} more repairs of this kind."


@example([".github/workflows/ci.yml", "uv.lock"])
def protected_left_out(files: Sequence[str]) -> str:
    return f"Changes to protected files were left out: {', '.join(files)}."


NOTHING_CHANGED = "None of them changed a file."


@example("make lint", test="src/a.py:3: F401", message="`os` imported but unused")
def still_fails(command: str, *, test: str, message: str) -> str:
    return f"`{command}` still fails: {test}: {message}"


@example("make lint", 2)
def still_fails_silently(command: str, status: int) -> str:
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


@example("unmatched ')'")
def syntax_repaired(said: str) -> str:
    return f"Repaired the line that Python could not read (`{said}`)."


@example("verify")
def argument_removed(name: str) -> str:
    return f"Removed the argument `{name}`: the function takes none, and nothing defines its value."


@example("heigth", "height")
def similar_name(name: str, other: str) -> str:
    """A guess: nothing is called `name`, and `other` is near."""
    return f"Guessed that `{name}` means `{other}`."


@example("let x = total;")
def suggested_line(line: str) -> str:
    return f"Took the compiler's suggestion: `{line}`."


@example("Missing", "pkg.errors", elsewhere=True)
@example("os", "os", elsewhere=False)
@example("Missing", "pkg.errors", elsewhere=False, defined=True)
def import_added(name: str, module: str, *, elsewhere: bool, defined: bool = False) -> str:
    """A name that only lacked an import."""
    origin = "as other files do" if elsewhere else "from Python's standard library"
    origin = "which defines it" if defined else origin
    what = f"`{name}`" if name == module else f"`{name}` from `{module}`"
    return f"Imported {what}, {origin}."


@example("typing.Optional")
def unused_import_removed(name: str) -> str:
    return f"Removed the unused import `{name}`."


@example("Song")
def added_to_all(name: str) -> str:
    return f"Listed `{name}` in `__all__`, because the package imports it for others."


@example("os")
def redefined_import_removed(name: str) -> str:
    return f"Removed the import of `{name}` that is defined again."


@example("found")
def unused_variable_removed(name: str) -> str:
    return f"Removed the unused variable `{name}`."


@example("index")
def unused_parameter_removed(name: str) -> str:
    return f"Removed the unused parameter `{name}`."


@example("index")
def marked_unused(name: str) -> str:
    return f"Renamed the unused parameter `{name}` to `_{name}`."


@example("Options")
def imported_as_type(name: str) -> str:
    return f"Imported the type `{name}` as a type."


@example("play")
def marked_override(name: str) -> str:
    return f"Marked `{name}` with `override`."


@example("./load", "./load.js")
def import_path_completed(path: str, wanted: str) -> str:
    return f"Wrote the import of `{path}` as `{wanted}`."


UNUSED_DIRECTIVE_REMOVED = "Removed a `@ts-expect-error` directive where there is no error."
UNUSED_IGNORE_REMOVED = "Removed a `type: ignore` comment that ignores nothing."


@example("E302", "expected 2 blank lines, found 0")
def laid_out(code: str, message: str) -> str:
    return f"Changed the layout for {code} ({message})."


@example(79)
def line_wrapped(limit: int) -> str:
    return f"Wrapped a line to {limit} characters."


@example("teh", "the")
def spelling_corrected(wrong: str, right: str) -> str:
    return f"Corrected `{wrong}` to `{right}`."


@example("'")
def quotes_changed(quote: str) -> str:
    return f"Changed quotes to `{quote}`."


@example("pass")
def needless_removed(part: str) -> str:
    return f"Removed a needless `{part}`."


@example("mode")
def none_allowed(name: str) -> str:
    return f"Let `{name}` be `None`, as its default says."


@example("Optional[str]")
def union_rewritten(union: str) -> str:
    return f"Wrote the union as `{union}`, which older versions of Python can read."


@example("greet", "None")
def return_annotated(function: str, kind: str) -> str:
    return f"Annotated `{function}` as returning `{kind}`."


@example("find")
def none_returned(function: str) -> str:
    return f"Let `{function}` return `None`, as it does."


@example("names", "list[str]")
def variable_annotated(name: str, kind: str) -> str:
    return f"Annotated `{name}` as `{kind}`, by what is put into it."


@example("D400")
def docstring_changed(code: str) -> str:
    return f"Changed a docstring for {code}."


@example("pkg/parts/__init__.py")
def package_made(path: str) -> str:
    return f"Added `{path}`, so that the folder is a package."
