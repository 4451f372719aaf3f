"""Small programs with faults, and how many of them the search repairs."""
