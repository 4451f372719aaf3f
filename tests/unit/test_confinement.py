"""What `fixpoint doctor` says of a jail's walls."""

from __future__ import annotations

import platform

from sandbox.base import ResourceLimits
from sandbox.bubblewrap.cgroups import control_group
from sandbox.bubblewrap.confinement import confinement


def test_the_walls_are_told_as_they_are_here() -> None:
    """The limits by what can be made here, the filter by the machine; nothing stays behind."""
    group = control_group("fixpoint-test-confinement", ResourceLimits())
    grouped = group is not None and group.create()
    if group is not None:
        group.remove()
    said = confinement()
    assert said.startswith("Cgroups limit" if grouped else "Cgroups can't be written here")
    assert ("are filtered" in said) == (platform.machine() in {"x86_64", "aarch64"})
    assert confinement() == said
