"""What a patch brings into a repository besides code that people write and read."""

from __future__ import annotations

from bot.reporting.example import example


@example(12.0, 1_200)
def too_large_to_review(mebibytes: float, files: int) -> str:
    """The patch has too many bytes or files."""
    return f"The patch is too large to review: {mebibytes:.1f} MiB in {files:,} files."


@example("vendor/lib")
def submodule_changed(path: str) -> str:
    """A submodule is added, removed or at another commit."""
    return f"The patch changes the submodule {path}."


@example("logo.png")
def binary(path: str) -> str:
    """The file isn't text."""
    return f"{path} is a binary file."


@example("data/all.json")
def too_large_to_examine(path: str) -> str:
    """The guards read files up to a size."""
    return f"{path} is too large to examine."


@example("Reading it takes more than 10 s of processor time or 1024 MiB of memory.")
def too_long_to_examine(why: str) -> str:
    """The guards gave up."""
    return f"The patch can't be examined. {why}"


@example("requirements.txt")
def dependencies_changed(path: str) -> str:
    """A manifest or lock file changes."""
    return f"The patch changes {path}, which lists dependencies."


@example("requests.get('https://example.com')")
def network_at_import(call: str) -> str:
    """Loading the module makes the call."""
    return f"This network call runs when the module is loaded: {call}"


@example("config", "/etc/passwd")
def symlink_escapes(path: str, target: str) -> str:
    """The target is outside the repository."""
    return f"The symlink {path} points outside the repository, to {target}."


@example("config", "settings.ini")
def symlink(path: str, target: str) -> str:
    """The target is inside the repository."""
    return f"{path} is a symlink to {target}."


@example("app.min.js")
def minified(path: str) -> str:
    """The file's name says so."""
    return f"{path} is minified."


@example(5_000)
def long_line(characters: int) -> str:
    """A line is longer than people write them."""
    return f"A line has {characters:,} characters, too many to be written by hand."


@example("schema.py")
def generated(path: str) -> str:
    """One of the file's first lines says so."""
    return f"{path} is marked as generated."
