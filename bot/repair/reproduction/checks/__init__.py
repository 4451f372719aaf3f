"""Runs that failed checks started: which commands repeat the checks, and why these fail."""
