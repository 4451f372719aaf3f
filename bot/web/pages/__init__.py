"""The dashboard's pages: rendered here, refreshed by a small script, useful without it."""
