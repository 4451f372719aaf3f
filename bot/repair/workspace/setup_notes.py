"""Say what a person should know of a setup: its network, and what it lacked. Pure."""

from __future__ import annotations

from bot.repair.job import Job
from bot.repair.workspace.setup_result import Prepared, SetupFailed
from bot.reporting.reasons import package_dates, sandbox_setup


def setup_notes(
    job: Job, prepared: Prepared | SetupFailed, *, filters_indexes: bool
) -> tuple[str, ...]:
    """Return the sentences.

    Args:
        job: That was set up.
        prepared: What came of it.
        filters_indexes: Whether its sandbox leaves out newer packages for every client.
    """
    notes: list[str] = []
    if prepared.refused:
        notes.append(sandbox_setup.hosts_refused(prepared.refused))
    if prepared.withheld:
        notes.append(sandbox_setup.answers_withheld(prepared.withheld))
    if prepared.undated:
        notes.append(package_dates.undated(prepared.undated))
    if job.package_date is not None and not filters_indexes:
        notes.append(package_dates.LEFT_TO_CLIENTS)
    failed = prepared.failed_steps if isinstance(prepared, Prepared) else ()
    return (*notes, *prepared.missing, *failed)
