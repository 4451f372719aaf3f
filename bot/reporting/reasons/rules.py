"""What a rule did about something that a tool only reports."""

from __future__ import annotations

from bot.reporting.example import example


@example("unmatched ')'")
def syntax_repaired(said: str) -> str:
    """The parser says what is wrong, and one change of the line makes the file readable."""
    return f"Repaired the line that Python could not read (`{said}`)."


@example("verify")
def argument_removed(name: str) -> str:
    """Neither the parameter nor the value exists any more."""
    return f"Removed the argument `{name}`: the function takes none, and nothing defines its value."


@example("heigth", "height")
def similar_name(name: str, other: str) -> str:
    """A guess: nothing is called `name`, and `other` is near."""
    return f"Guessed that `{name}` means `{other}`."


@example("let x = total;")
def suggested_line(line: str) -> str:
    """The compiler prints the line as it would write it."""
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
    """Nothing in the file uses it."""
    return f"Removed the unused import `{name}`."


@example("Song")
def added_to_all(name: str) -> str:
    """A package's `__init__.py` imports it for others."""
    return f"Listed `{name}` in `__all__`, because the package imports it for others."


@example("os")
def redefined_import_removed(name: str) -> str:
    """It is imported twice, or defined below."""
    return f"Removed the import of `{name}` that is defined again."


@example("found")
def unused_variable_removed(name: str) -> str:
    """What computes its value stays if it may do something."""
    return f"Removed the unused variable `{name}`."


@example("index")
def unused_parameter_removed(name: str) -> str:
    """The last one of a function."""
    return f"Removed the unused parameter `{name}`."


@example("index")
def marked_unused(name: str) -> str:
    """The tool's message says that unused names begin with an underscore."""
    return f"Renamed the unused parameter `{name}` to `_{name}`."


@example("Options")
def imported_as_type(name: str) -> str:
    """The compiler takes no other import of a type."""
    return f"Imported the type `{name}` as a type."


@example("play")
def marked_override(name: str) -> str:
    """The project wants overriding members to say so."""
    return f"Marked `{name}` with `override`."


@example("./load", "./load.js")
def import_path_completed(path: str, wanted: str) -> str:
    """Node.js's modules need the file's extension."""
    return f"Wrote the import of `{path}` as `{wanted}`."


@example()
def unused_directive_removed() -> str:
    """The compiler finds no error there."""
    return "Removed a `@ts-expect-error` directive where there is no error."


@example()
def unused_ignore_removed() -> str:
    """The type checker says that it ignores nothing."""
    return "Removed a `type: ignore` comment that ignores nothing."


@example("E302", "expected 2 blank lines, found 0")
def laid_out(code: str, message: str) -> str:
    """Whitespace, blank lines or indentation."""
    return f"Changed the layout for {code} ({message})."


@example(79)
def line_wrapped(limit: int) -> str:
    """The line was longer than the project allows."""
    return f"Wrapped a line to {limit} characters."


@example("teh", "the")
def spelling_corrected(wrong: str, right: str) -> str:
    """The tool names one correction."""
    return f"Corrected `{wrong}` to `{right}`."


@example("'")
def quotes_changed(quote: str) -> str:
    """The project prefers other quotes."""
    return f"Changed quotes to `{quote}`."


@example("pass")
def needless_removed(part: str) -> str:
    """It did nothing."""
    return f"Removed a needless `{part}`."


@example("mode")
def none_allowed(name: str) -> str:
    """Its default is None, and its annotation did not say so."""
    return f"Let `{name}` be `None`, as its default says."


@example("Optional[str]")
def union_rewritten(union: str) -> str:
    """The project's Python can't read `X | Y`."""
    return f"Wrote the union as `{union}`, which older versions of Python can read."


@example("greet", "None")
def return_annotated(function: str, kind: str) -> str:
    """The annotation that its return statements ask for."""
    return f"Annotated `{function}` as returning `{kind}`."


@example("find")
def none_returned(function: str) -> str:
    """Some of its returns say None, and its annotation does not."""
    return f"Let `{function}` return `None`, as it does."


@example("names", "list[str]")
def variable_annotated(name: str, kind: str) -> str:
    """The annotation that follows from what is put into a collection."""
    return f"Annotated `{name}` as `{kind}`, by what is put into it."


@example("D400")
def docstring_changed(code: str) -> str:
    """The code says what to change."""
    return f"Changed a docstring for {code}."


@example("pkg/parts/__init__.py")
def package_made(path: str) -> str:
    """A folder with modules was no package."""
    return f"Added `{path}`, so that the folder is a package."
