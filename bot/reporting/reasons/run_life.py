"""What happened to a run as a whole: it was continued, interrupted, or broke."""

from __future__ import annotations

from bot.reporting.example import example
from bot.reporting.figures import count


@example("ann", "3fa9c1d20b7e")
def budget_extended(by: str, run_id: str) -> str:
    """A person approved more budget for a run that used up its own."""
    return f"{by} approved more budget; continuing run {run_id}."


@example(3)
def interrupted(times: int) -> str:
    """The server ended each time that it worked on the run."""
    return f"Interrupted {count(times, 'time')} without progress."


@example()
def withdrawn() -> str:
    """Somebody stopped the run while it was in the queue."""
    return "Stopped while it was in the queue."


@example()
def bug() -> str:
    """An exception that nobody expected."""
    return "A bug in Fixpoint ended this run."


@example()
def server_changed() -> str:
    """The steps that the run made do not fit the server that took it up."""
    return "The server's settings or version changed during the run, so Fixpoint can't continue it."


@example()
def stored_by_another_version() -> str:
    """The steps that the run made can't be read."""
    return "An earlier version of Fixpoint started this run, and this version can't continue it."


@example("acme/app")
def archived(repository: str) -> str:
    """The repository can't be changed any more."""
    return f"{repository} is archived, so nothing can be published there."


@example("acme")
def suspended(account: str) -> str:
    """Somebody suspended the App's installation."""
    return f"The App's installation on {account} is suspended."


@example("acme")
def uninstalled(account: str) -> str:
    """Somebody uninstalled the App."""
    return f"The App is no longer installed on {account}."


@example("acme/app")
def inaccessible(repository: str) -> str:
    """The repository was deleted, or taken out of the installation."""
    return f"{repository} was deleted, or the App can no longer access it."


@example()
def output_left_out() -> str:
    """A run printed more than is kept of it."""
    return "This run printed a lot, so its further output isn't kept."
