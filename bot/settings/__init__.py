"""The environment, read once."""
