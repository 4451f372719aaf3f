"""What changed: the commit, or the release, since which the tests fail."""
