"""From a commit to a tree whose tests can run."""
