"""What stands in an excerpt of a log, and for a failure that no test runner or tool names."""

from __future__ import annotations

from bot.reporting.example import example


@example(12_345)
def characters_left_out(characters: int) -> str:
    """A text was cut there."""
    return f"... {characters:,} characters left out ..."


@example(12_345_678)
def log_left_out(size: int) -> str:
    """A log was cut there; `size` counts the bytes of all of it."""
    return f"... left out; the log has {size:,} bytes ..."


@example()
def lines_left_out() -> str:
    """A log was cut there."""
    return "... left out ..."


@example("Reading it takes more than 60 s of processor time or 2048 MiB of memory.")
def not_read(why: str) -> str:
    """What a command printed or reported is too much, or made to be."""
    return f"Its output and test report could not be read. {why}"


@example()
def nothing_printed() -> str:
    """A command failed without a word."""
    return "It printed nothing."


@example("INTERNALERROR> KeyError: 'x'")
def pytest_failed(error: str) -> str:
    """The test runner broke."""
    return f"pytest itself failed: {error}"


@example()
def ended_in_test() -> str:
    """The program that runs the tests ended in the middle of one, and said nothing else."""
    return "The test program ended while this test was running."


@example()
def test_did_not_end() -> str:
    """A test ran until its command was interrupted."""
    return "The test was still running when its time was up."


@example("black", "app.py")
def file_not_formatted(tool: str, file: str) -> str:
    """A formatter would write the file in another way."""
    return f"{tool}: {file} is not formatted"


@example("black", "app.py")
def file_not_parsed(tool: str, file: str) -> str:
    """A formatter can't read the file."""
    return f"{tool}: {file} can't be parsed"


@example("isort", "app.py")
def imports_not_sorted(tool: str, file: str) -> str:
    """The imports would be written in another order or form."""
    return f"{tool}: {file} has incorrectly sorted or formatted imports"


@example("app.py")
def file_differs(file: str) -> str:
    """A command shows in a diff how it would write the file."""
    return f"{file} differs from what the command would write"


@example()
def hook_modified_files() -> str:
    """A hook of pre-commit says nothing else."""
    return "it modified files"
