"""Workflow and action files: what they say, and what GitHub refuses."""
