"""What comes of a setup."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.reporting.reasons import healing, sandbox_setup


@dataclass(frozen=True, slots=True)
class Prepared:
    """The untouched tree, ready to be tested.

    Attributes:
        snapshot: Id of the sandbox snapshot.
        tree: What the work tree holds after the setup, as a tree of the run's store.
        environment_of: The commit whose environment is used, when another run made it; else "".
        refused: Hosts that the setup tried to reach and was not allowed to.
        undated: Package indexes that could not be held to the job's date.
        missing: Artifacts of earlier jobs that could not be had, as sentences.
    """

    snapshot: str
    tree: str
    environment_of: str = ""
    refused: tuple[str, ...] = ()
    undated: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SetupFailed:
    """A setup command failed, so nothing can be tested."""

    command: str
    exit_code: int
    output: str
    timed_out: bool
    refused: tuple[str, ...] = ()
    undated: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def why_setup_failed(failed: SetupFailed) -> str:
    """Return how a setup command ended, as a sentence."""
    if failed.timed_out:
        return sandbox_setup.timed_out(failed.command)
    return sandbox_setup.failed(failed.command, failed.exit_code)


def with_last_words(first: SetupFailed, last: SetupFailed) -> SetupFailed:
    """Return a failure with what became of the setup once what it lacked had been added."""
    if last is first:
        return first
    said = healing.failed_again(last.command, last.exit_code)
    return replace(first, output=f"{first.output}\n{said}\n{last.output}")
