"""Real test runners and linters on small hard projects: what we read against what they report."""
