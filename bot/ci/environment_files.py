"""Read what steps write to `GITHUB_OUTPUT` and `GITHUB_ENV`.

`ci_pairs` in bot/ci/workflow/runner/runner_shell.py reads the same in bash.
Source: `EnvFileKeyValuePairs` in actions/runner, src/Runner.Worker/FileCommandManager.cs
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class EnvironmentFile:
    """What a step wrote.

    Attributes:
        values: By name, up to the first line that is no entry.
        invalid: That line; GitHub's runner has the step fail for it.
        valid: The text before it.
    """

    values: dict[str, str] = field(default_factory=dict)
    invalid: str = ""
    valid: str = ""


def read_pairs(text: str) -> EnvironmentFile:
    """Return the values by name: `name=value` lines, and `name<<END` with lines up to `END`."""
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        line, after = _line(text, at)
        name, _, value = line.partition("=")
        if "<<" in name:
            name, _, end = line.partition("<<")
            block = _block(text, after, end) if name and end else None
            if block is None:
                return EnvironmentFile(found, line, text[:at])
            found[name], after = block
        elif "=" in line:
            found[name] = value
        elif line:
            return EnvironmentFile(found, line, text[:at])
        at = after
    return EnvironmentFile(found, valid=text)


def _block(text: str, start: int, end: str) -> tuple[str, int] | None:
    """Return the value that begins at a place and where the next entry does, None without its end."""
    at = start
    while at < len(text):
        line, after = _line(text, at)
        if line == end:
            return text[start : max(start, at - 1)], after
        if not text.endswith("\n", at, after):
            return None
        at = after
    return None


def _line(text: str, at: int) -> tuple[str, int]:
    """Return the line that begins at a place and where the next one does."""
    end = text.find("\n", at)
    return (text[at:], len(text)) if end < 0 else (text[at:end], end + 1)
