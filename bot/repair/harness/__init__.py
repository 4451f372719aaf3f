"""The test driver: collects a project's tests in its sandbox and runs them in forked children."""
