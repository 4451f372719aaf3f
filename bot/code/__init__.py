"""Programs as syntax: trees, names, changes, test cases, and what a path says about a file. Pure."""
