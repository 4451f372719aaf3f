"""Sandboxes in Linux namespaces of this machine, made by bubblewrap."""

from sandbox.bubblewrap.provider import BubblewrapProvider

__all__ = ["BubblewrapProvider"]
