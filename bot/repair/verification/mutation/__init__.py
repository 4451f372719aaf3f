"""Whether the tests notice faults in what a patch changes."""
