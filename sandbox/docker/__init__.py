"""Sandboxes in containers of a Docker Engine, driven over its socket."""

from sandbox.docker.provider import DockerProvider

__all__ = ["DockerProvider"]
