"""How the setup of a repository in its sandbox went."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.series import series

_HOSTS = 5
_SUBMODULES = 5
"""Names that a sentence shows."""

_COMMAND = "npm ci"


def _shown(command: str) -> str:
    return f"`{' '.join(command.split())}`"


@example(_COMMAND)
def timed_out(command: str) -> str:
    """A setup command took too long."""
    return f"The setup command {_shown(command)} timed out."


@example(_COMMAND, 1)
def failed(command: str, exit_code: int) -> str:
    """A setup command failed."""
    return f"The setup command {_shown(command)} exited with {exit_code}."


@example(["files.example.com"])
@example([f"mirror{n}.example.com" for n in range(7)])
def hosts_refused(hosts: Sequence[str]) -> str:
    """The setup asked for hosts that the sandbox doesn't reach."""
    names = series([f"`{host}`" for host in hosts], most=_HOSTS)
    return (
        f"The setup tried to reach {names}, which is not allowed. To allow a host, list it under "
        "`network: allow:` in `.github/fixpoint.yml`."
    )


@example("0123456789abcdef")
def environment_reused(commit: str) -> str:
    """Another run prepared the same environment."""
    return f"The environment of {commit[:7]} is reused because its inputs have not changed."


@example(["vendor/lib"])
def submodules_empty(paths: Sequence[str]) -> str:
    """Submodules aren't fetched."""
    return f"Submodules are empty in the sandbox: {series(paths, most=_SUBMODULES)}."
