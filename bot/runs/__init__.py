"""One run on GitHub, from its acceptance to its last comment."""
