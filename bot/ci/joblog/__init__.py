"""From the log of a job on GitHub's runner to what its failing step said."""
