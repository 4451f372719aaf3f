"""What a run is asked to do."""

from __future__ import annotations

import pytest

from bot.model import Problem
from bot.repair.job import Job
from sandbox.base import SandboxProvider
from sandbox.bubblewrap import BubblewrapProvider
from sandbox.docker import DockerProvider
from sandbox.e2b import E2BProvider


@pytest.mark.parametrize(
    ("kind", "image"),
    [
        (DockerProvider, "python:3.12"),
        (E2BProvider, "python-312"),
        (BubblewrapProvider, "python:3.12"),
    ],
)
def test_each_kind_of_sandbox_gets_the_image_meant_for_it(
    kind: type[SandboxProvider], image: str
) -> None:
    """A Docker image is no E2B template."""
    job = Job("abcd", Problem(), image="python:3.12", template="python-312")
    assert job.image_for(takes_templates=kind.takes_templates) == image


def test_a_docker_image_is_not_asked_of_e2b() -> None:
    """Without a template of its own E2B starts from its default."""
    assert Job("abcd", Problem(), image="python:3.12").image_for(takes_templates=True) is None
