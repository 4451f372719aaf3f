"""Measure Fixpoint, and another tool at the same work, on this machine. See README.md."""
