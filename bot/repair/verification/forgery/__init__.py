"""Whether a passing run is genuine: its tests must be able to fail."""
