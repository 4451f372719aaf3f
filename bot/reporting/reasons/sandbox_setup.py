"""How the setup of a repository in its sandbox went."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import duration
from bot.reporting.markdown import code
from bot.reporting.series import series

_HOSTS = 5
_SUBMODULES = 5
"""Names that a sentence shows."""


_COMMAND = "npm ci"


def _shown(command: str) -> str:
    return f"`{' '.join(command.split())}`"


@example(_COMMAND)
def timed_out(command: str) -> str:
    return f"The setup command {_shown(command)} timed out."


@example(245.0)
def budget_ended(seconds: float) -> str:
    return (
        f"The setup had taken {duration(seconds)} of it and had not finished. Give the run more "
        "time, or make `setup` shorter."
    )


@example(245.0)
def took_most(seconds: float) -> str:
    return f"The setup had taken {duration(seconds)} of it."


@example(_COMMAND, 1)
def failed(command: str, exit_code: int) -> str:
    return f"The setup command {_shown(command)} exited with {exit_code}."


@example(["index.crates.io"])
@example(["files.example.com", "mirror.example.com"], are_registries=False)
@example([])
def not_reached(hosts: Sequence[str], *, are_registries: bool = True) -> str:
    """The setup asked for hosts that did not answer: the server's network is to blame."""
    one, several = (
        ("package registry", "package registries") if are_registries else ("host", "hosts")
    )
    names = [f"`{host}`" for host in hosts]
    kind = several if len(names) > 1 else one
    what = f"The {kind} {series(names, most=_HOSTS)}" if names else f"A {kind}"
    return (
        f"{what} could not be reached. The problem is this server's network or proxy, not the "
        "repository."
    )


@example(["files.example.com"])
@example([f"mirror{n}.example.com" for n in range(7)])
def hosts_refused(hosts: Sequence[str]) -> str:
    """The setup asked for hosts that the sandbox doesn't reach."""
    names = series([f"`{host}`" for host in hosts], most=_HOSTS)
    return (
        f"The setup tried to reach {names}, which is not allowed. To allow a host, list it under "
        "`network: allow:` in `.github/fixpoint.yml`."
    )


@example(["npm.example.com"])
def answers_withheld(hosts: Sequence[str]) -> str:
    """A registry's answer may show the credential of its reader, which no sandbox may see."""
    names = series([f"`{host}`" for host in hosts], most=_HOSTS)
    return (
        f"An answer of {names} was withheld from the sandbox, because it may contain the credential "
        "that this server reads the registry with. The server's log names the path."
    )


@example("0123456789abcdef")
def environment_reused(commit: str) -> str:
    return f"The environment of {commit[:7]} is reused because its inputs have not changed."


@example(["vendor/lib"])
def submodules_empty(paths: Sequence[str]) -> str:
    return f"Submodules are empty in the sandbox: {series(paths, most=_SUBMODULES)}."


@example("vendor/lib", "acme/lib", is_ours=True)
@example("vendor/lib", "other/lib", is_ours=False)
def submodule_unreadable(path: str, repository: str, *, is_ours: bool) -> str:
    """GitHub doesn't show the repository of a submodule, or not this commit of it."""
    remedy = " Install the App on it, and name it in `.gitmodules` on the base branch."
    return (
        f"The submodule {code(path)} is empty: {code(repository)} can't be read, or lacks the commit."
        f"{remedy if is_ours else ''}"
    )


@example("vendor/lib")
def submodule_elsewhere(path: str) -> str:
    return f"The submodule {code(path)} is empty: it is on another host, where nothing is fetched."


@example("vendor/lib")
def submodule_address_odd(path: str) -> str:
    return f"The submodule {code(path)} is empty: its address in `.gitmodules` is not a valid repository address."


@example("vendor/lib")
def submodule_without_address(path: str) -> str:
    return f"The submodule {code(path)} is empty: `.gitmodules` has no address for it."


@example("vendor/lib")
def submodules_too_many(path: str) -> str:
    return f"The submodule {code(path)} is empty: there are too many, or they are nested too deep."


@example(["tests/data/model.bin", "tests/data/photo.png"])
def lfs_missing(paths: Sequence[str]) -> str:
    """Files that Git LFS keeps can't be had."""
    shown = series([code(path) for path in paths], most=_SUBMODULES)
    return f"Files in Git LFS are only pointers here, as they are missing or too large: {shown}."


LFS_ELSEWHERE = "`.lfsconfig` names another LFS server, from which nothing is fetched."
