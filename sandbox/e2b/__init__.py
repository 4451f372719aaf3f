"""Sandboxes at E2B: a small virtual machine for each, driven through E2B's own SDK."""

from sandbox.e2b.provider import E2BProvider

__all__ = ["E2BProvider"]
