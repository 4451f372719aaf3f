"""What stands in for GitHub's runner inside of a sandbox."""
