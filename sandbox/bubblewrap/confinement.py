"""Say what holds a jail on this machine, for `fixpoint doctor`."""

from __future__ import annotations

import os

from sandbox.base import ResourceLimits
from sandbox.bubblewrap.cgroups import control_group
from sandbox.bubblewrap.seccomp import seccomp_filter


def confinement() -> str:
    """Return two sentences: what limits memory and processes, and whether calls are filtered."""
    group = control_group(f"fixpoint-doctor-{os.getpid()}", ResourceLimits())
    grouped = group is not None and group.create()
    if group is not None and grouped:
        group.remove()
    limits = (
        "Cgroups limit each sandbox's memory and processes."
        if grouped
        else "Cgroups can't be written here: memory is limited per process, processes per command."
    )
    calls = (
        "System calls are filtered."
        if seccomp_filter() is not None
        else "System calls are not filtered: there is no filter for this architecture."
    )
    return f"{limits} {calls}"
