"""Java by Maven."""
