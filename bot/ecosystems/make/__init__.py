"""A Makefile with a target for tests, where no language shows any."""
