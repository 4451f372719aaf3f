"""Proposers change a work tree; whether the change is believed is decided elsewhere."""
