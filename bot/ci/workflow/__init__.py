"""Read a workflow file and plan one of its jobs, independent of any server."""
