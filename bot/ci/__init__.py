"""From a failing job's output to what failed."""
