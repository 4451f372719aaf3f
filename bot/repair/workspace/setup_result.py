"""What comes of a setup."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.ci.network import lacks_network
from bot.ecosystems.package_hosts import is_registry, unreached_registries
from bot.reporting.reasons import sandbox_setup, setup_repair


@dataclass(frozen=True, slots=True)
class Prepared:
    """The untouched tree, ready to be tested.

    Attributes:
        snapshot: Id of the sandbox snapshot.
        tree: What the work tree holds after the setup, as a tree of the run's store.
        environment_of: The commit whose environment is used, when another run made it; else "".
        refused: Hosts that the setup tried to reach and was not allowed to.
        withheld: Hosts whose answers were not passed on, as `CommandResult` has them.
        undated: Package indexes that could not be held to the job's date.
        missing: Artifacts of earlier jobs that could not be had, as sentences.
        failed_steps: Steps that failed without ending the setup, as sentences.
    """

    snapshot: str
    tree: str
    environment_of: str = ""
    refused: tuple[str, ...] = ()
    undated: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    failed_steps: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SetupFailed:
    """A setup command failed, so nothing can be tested; `unreached` are hosts that did not answer."""

    command: str
    exit_code: int
    output: str
    timed_out: bool
    refused: tuple[str, ...] = ()
    undated: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()


def why_setup_failed(failed: SetupFailed) -> str:
    """Return how a setup command ended, as a sentence."""
    if failed.timed_out:
        return sandbox_setup.timed_out(failed.command)
    said = sandbox_setup.failed(failed.command, failed.exit_code)
    if failed.withheld:
        return said  # a note says why
    hosts = failed.unreached or unreached_registries(failed.output)
    if hosts or lacks_network(failed.output):
        are_registries = not hosts or is_registry(hosts[0])
        return f"{said} {sandbox_setup.not_reached(hosts, are_registries=are_registries)}"
    return said


def with_last_words(first: SetupFailed, last: SetupFailed) -> SetupFailed:
    """Return a failure with what became of the setup once what it lacked had been added."""
    if last is first:
        return first
    said = setup_repair.failed_again(last.command, last.exit_code)
    return replace(first, output=f"{first.output}\n{said}\n{last.output}")
